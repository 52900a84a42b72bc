"""Which format a model is in, from its files' names and, where names do not tell, from their bytes."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from tidemill.kernel.db import Database
from tidemill.store import trees
from tidemill.store.backends import BlobBackend

FILES_MAX = 20_000
"""Looked at in one version; a model that is larger says its format itself."""
_TAIL_BYTES = 1 << 18

Reader = Callable[[int, int], bytes]
"""Bytes of a file: from where, how many."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A file of a version."""

    path: str
    size_bytes: int
    read: Reader


# The first that is found in a version names its format: whole models before weights, weights before pickles.
_BY_SUFFIX: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("savedmodel", ("saved_model.pb", "saved_model.pbtxt")),
    ("onnx", (".onnx",)),
    ("tensorrt", (".engine", ".plan", ".trt")),
    ("tflite", (".tflite",)),
    ("coreml", (".mlmodel",)),
    ("openvino", (".xml",)),
    ("paddle", (".pdmodel",)),
    ("tfjs", ("model.json",)),
    ("keras", (".keras", ".h5", ".hdf5")),
    ("torchscript", (".torchscript", ".jit")),
    ("pytorch", (".pt", ".pth", ".ckpt", "pytorch_model.bin")),
    ("safetensors", (".safetensors",)),
    ("gguf", (".gguf",)),
    ("xgboost", (".ubj", ".json")),
    ("lightgbm", (".lgb", ".txt")),
    ("sklearn", (".joblib", ".skops")),
    ("pickle", (".pkl", ".pickle")),
    ("fasttext", (".ftz",)),
)
_XGBOOST = re.compile(rb'\s*\{\s*"learner"\s*:')
_LIGHTGBM = re.compile(rb"tree\r?\n")
_FORMATS = {name: found for found, names in _BY_SUFFIX for name in names}


def detect(db: Database, backend: BlobBackend, tree_id: str) -> str | None:
    """The format of the model in a tree, or None when it is not plain."""
    found: list[Candidate] = []
    with db.read() as session:
        for count, entry in enumerate(trees.walk(session, tree_id)):
            if count >= FILES_MAX:
                break
            if entry.digest is not None and _suffix_format(entry.path):
                found.append(Candidate(entry.path, entry.size_bytes, _reader(backend, entry.digest)))
    return choose(found)


def choose(files: Iterable[Candidate]) -> str | None:
    """The format these files are in together."""
    ranks = {name: rank for rank, (name, _) in enumerate(_BY_SUFFIX)}
    formats = {name for file in files if (name := _format_of(file))}
    return min(formats, key=lambda name: ranks[name], default=None)


def _suffix_format(path: str) -> str | None:
    name = path.rpartition("/")[2].lower()
    return _FORMATS.get(name) or _FORMATS.get("." + name.rpartition(".")[2])


def _format_of(file: Candidate) -> str | None:
    by_name = _suffix_format(file.path)
    if by_name == "pytorch":
        return "torchscript" if _is_torchscript(file) else "pytorch"
    if by_name == "openvino":
        return "openvino" if b"<net " in file.read(0, min(512, file.size_bytes)) else None
    if by_name == "tfjs":
        is_tfjs = b"weightsManifest" in file.read(0, min(_TAIL_BYTES, file.size_bytes))
        return "tfjs" if is_tfjs else "xgboost" if _begins(file, _XGBOOST) else None
    if by_name == "xgboost" and file.path.lower().endswith(".json"):
        return "xgboost" if _begins(file, _XGBOOST) else None
    if by_name == "lightgbm":
        return "lightgbm" if _begins(file, _LIGHTGBM) else None
    return by_name


def _begins(file: Candidate, with_: re.Pattern[bytes]) -> bool:
    return with_.match(file.read(0, min(64, file.size_bytes))) is not None


def _is_torchscript(file: Candidate) -> bool:
    """TorchScript archives list `constants.pkl` and `code/`; saved weights list `data.pkl` alone."""
    if file.size_bytes < 4 or file.read(0, 4) != b"PK\x03\x04":
        return False
    start = max(0, file.size_bytes - _TAIL_BYTES)
    return b"/constants.pkl" in file.read(start, file.size_bytes - start)


def _reader(backend: BlobBackend, digest: str) -> Reader:
    return lambda start, length: b"".join(backend.read(digest, start, length))
