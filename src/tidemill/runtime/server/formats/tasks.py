"""Models of the built-in tasks: items' bytes in, annotations out."""

import base64
import binascii
import io
import wave
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from tidemill.runtime.loading import load
from tidemill.runtime.model import Input, Model, Prediction
from tidemill.runtime.server.errors import Malformed
from tidemill.runtime.server.served import About, Served, Tensors, Work
from tidemill.runtime.server.tensors import Spec

CONTENT = "content"
WITHOUT_PICTURES = frozenset({"text-classification", "audio-classification", "tabular"})
AT_ONCE = 8
"""Pictures take memory: few go in together unless somebody says otherwise."""


class TaskModel(Served):
    """Takes `content` (BYTES: files, texts, or rows as JSON); gives `annotations` (JSON), `uncertainty` and more."""

    joins = True
    batch_size = AT_ONCE

    def __init__(self, folder: Path) -> None:
        self.model: Model = load(folder)
        self._folder = folder
        model = self.model
        self.about = About("tidemill", model.task, tuple(model.labels), {"input": model.facts.input.get("kind")})
        self.inputs = {CONTENT: Spec(CONTENT, "BYTES", (-1,))}
        self.outputs = {spec.name: spec for spec in _outputs(model)}

    def again(self) -> "TaskModel":
        return TaskModel(self._folder)

    def take(self, tensors: Tensors, parameters: Mapping[str, Any]) -> Work:
        contents = list(tensors[CONTENT].reshape(-1))
        if parameters.get("binary") == "base64":
            contents = [_decoded(one) for one in contents]
        return self.items(contents, parameters.get("threshold"))

    def items(self, items: Sequence[Input], threshold: Any) -> Work:
        """Items as work. Raises `Malformed`."""
        if not items:
            raise Malformed(f"input {CONTENT!r}: at least one item is needed")
        if threshold is not None and (isinstance(threshold, bool) or not isinstance(threshold, int | float)):
            raise Malformed("threshold must be a number from 0 to 1")
        return Work((items, threshold), len(items), threshold)

    def run(self, given: Sequence[Any]) -> list[list[Prediction]]:
        """Predictions for each request; all have the same threshold."""
        items = [item for some, _ in given for item in some]
        threshold = given[0][1]
        found: list[Prediction] = []
        # A request may bring more than may go in together.
        for at in range(0, len(items), self.batch_size):
            found += self.model.predict_each(items[at : at + self.batch_size], threshold=threshold)
        answers, at = [], 0
        for some, _ in given:
            answers.append(found[at : at + len(some)])
            at += len(some)
        return answers

    def give(self, answer: list[Prediction]) -> Tensors:
        said = np.empty(len(answer), np.object_)
        said[:] = [orjson.dumps(one.annotations, option=orjson.OPT_SERIALIZE_NUMPY) for one in answer]
        found = {"annotations": said, "uncertainty": np.array([one.uncertainty for one in answer], np.float32)}
        if "value" in self.outputs:
            values = [np.nan if one.value is None else one.value for one in answer]
            found["value"] = np.array(values, np.float64)
        if "probabilities" in self.outputs:
            names = self.about.labels
            rows = [[(one.probabilities or {}).get(name, np.nan) for name in names] for one in answer]
            found["probabilities"] = np.array(rows, np.float32)
        if any(one.error for one in answer):
            errors = np.empty(len(answer), np.object_)
            errors[:] = [(one.error or "").encode() for one in answer]
            found["error"] = errors
        return found

    def warm_up(self) -> None:
        found = self.model.predict_each([_example(self.about.task)])
        if found[0].error:
            raise RuntimeError(found[0].error)


def _outputs(model: Model) -> list[Spec]:
    outputs = [Spec("annotations", "BYTES", (-1,)), Spec("uncertainty", "FP32", (-1,))]
    is_number = (model.facts.input.get("target") or {}).get("kind") == "number"
    if is_number:
        outputs.append(Spec("value", "FP64", (-1,)))
    elif model.task.endswith("classification") or model.task == "tabular":
        outputs.append(Spec("probabilities", "FP32", (-1, len(model.labels))))
    return outputs


def _decoded(content: bytes) -> bytes:
    try:
        return base64.b64decode(content, validate=True)
    except binascii.Error as error:
        raise Malformed(f"input {CONTENT!r}: not base64, though the parameter `binary` says so: {error}") from error


def _example(task: str | None) -> Input:
    """Something of the kind the model takes."""
    if task == "text-classification":
        return "warm up"
    if task == "tabular":
        return {}
    if task == "audio-classification":
        file = io.BytesIO()
        with wave.open(file, "wb") as out:
            out.setnchannels(1)
            out.setsampwidth(2)
            out.setframerate(16000)
            out.writeframes(bytes(16000))
        return file.getvalue()
    from PIL import Image

    file = io.BytesIO()
    Image.new("RGB", (64, 64), "grey").save(file, "PNG")
    return file.getvalue()
