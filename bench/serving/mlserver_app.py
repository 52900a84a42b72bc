"""MLServer with a runtime for ONNX, in MLServer's own environment. `python mlserver_app.py MODEL PORT FOLDER`."""

import json
import os
import sys
from pathlib import Path

if __name__ == "__main__":
    model, port, folder = sys.argv[1], int(sys.argv[2]), Path(sys.argv[3])
    settings = {
        "host": "127.0.0.1", "http_port": port, "grpc_port": port + 1, "metrics_port": port + 2,
        "parallel_workers": int(os.environ.get("WORKERS", "0")), "debug": False,
    }  # fmt: skip
    (folder / "settings.json").write_text(json.dumps(settings))
    told = {"name": "mlp", "implementation": "mlserver_app.Perceptron", "parameters": {"uri": model}}
    (folder / "model-settings.json").write_text(json.dumps(told))
    os.environ["PYTHONPATH"] = str(Path(__file__).resolve().parent)
    os.chdir(folder)
    command = str(Path(sys.executable).with_name("mlserver"))
    os.execv(command, [command, "start", str(folder)])

import onnxruntime
from mlserver import MLModel, types
from mlserver.codecs import NumpyCodec


class Perceptron(MLModel):
    async def load(self) -> bool:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        self._session = onnxruntime.InferenceSession(
            self.settings.parameters.uri, options, providers=["CPUExecutionProvider"]
        )
        return True

    async def predict(self, payload: types.InferenceRequest) -> types.InferenceResponse:
        given = NumpyCodec.decode_input(payload.inputs[0])
        (y,) = self._session.run(None, {"x": given.astype("float32")})
        return types.InferenceResponse(model_name=self.name, outputs=[NumpyCodec.encode_output("y", y)])
