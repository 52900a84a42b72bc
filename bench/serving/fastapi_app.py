"""What one writes first: FastAPI, a Pydantic model, a route. `python fastapi_app.py MODEL.onnx PORT [typed|raw]`."""

import sys
from typing import Any

import numpy as np
import onnxruntime
import uvicorn
from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse
from pydantic import BaseModel

options = onnxruntime.SessionOptions()
options.intra_op_num_threads = options.inter_op_num_threads = 1
session = onnxruntime.InferenceSession(sys.argv[1], options, providers=["CPUExecutionProvider"])
app = FastAPI()


class Tensor(BaseModel):
    name: str
    shape: list[int]
    datatype: str
    data: list[float]


class Tensors(BaseModel):
    inputs: list[Tensor]


def computed(shape: list[int], data: list[float]) -> dict[str, Any]:
    (y,) = session.run(None, {"x": np.array(data, np.float32).reshape(shape)})
    tensor = {"name": "y", "shape": list(y.shape), "datatype": "FP32", "data": y.reshape(-1).tolist()}
    return {"model_name": "mlp", "outputs": [tensor]}


@app.get("/ready")
def ready() -> dict[str, bool]:
    return {"ready": True}


@app.post("/typed")
def typed(given: Tensors) -> dict[str, Any]:
    return computed(given.inputs[0].shape, given.inputs[0].data)


@app.post("/raw")
async def raw(request: Request) -> JSONResponse:
    given = (await request.json())["inputs"][0]
    return JSONResponse(computed(given["shape"], given["data"]))


if __name__ == "__main__":
    uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[2]), log_level="warning", access_log=False)
