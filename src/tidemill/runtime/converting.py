"""A model made smaller: weights of 8 bits instead of 32."""

import json
import shutil
from pathlib import Path

from tidemill.evaluation import report
from tidemill.runtime.model import FILE, METADATA, Unfit, read_facts
from tidemill.runtime.sessions import metadata, signature

LEFT_OUT = shutil.ignore_patterns("checkpoints", "evaluation", "*.tmp", "weights.safetensors")


def to_int8(folder: Path, out: Path) -> Path:
    """A folder with the same model, its ONNX file about a quarter as large. An evaluation says how good it still is."""
    from onnxruntime.quantization import QuantType, quantize_dynamic

    facts = read_facts(folder)
    if not (folder / FILE).is_file() or not (folder / facts.file).is_file():
        raise Unfit(f"{folder} holds no {FILE} with an ONNX file beside it")
    shutil.copytree(folder, out, dirs_exist_ok=True, ignore=LEFT_OUT)
    part = out / f".{facts.file}.tmp"
    quantize_dynamic(folder / facts.file, part, weight_type=QuantType.QUInt8)
    _keep_description(folder / facts.file, part)
    part.rename(out / facts.file)
    told = json.loads((folder / FILE).read_bytes())
    made = told | {"signature": signature(out / facts.file), "converted": {"from": folder.name, "to": "int8"}}
    # Numbers of another file are not this one's.
    made.pop("metrics", None)
    report.write_json(out / FILE, made)
    return out


def _keep_description(source: Path, target: Path) -> None:
    import onnx

    about = metadata(source).get(METADATA)
    if about is not None:
        model = onnx.load(str(target))
        onnx.helper.set_model_props(model, {METADATA: about})
        onnx.save(model, str(target))
