"""From a folder to a model that can be served."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from tidemill.runtime.loading import ADAPTERS, TASKS
from tidemill.runtime.model import FILE, METADATA, Facts, Unfit
from tidemill.runtime.server.served import Served

PICKLES = (".joblib", ".pkl", ".pickle")
TORCHSCRIPT = (".torchscript", ".jit", ".pt", ".pth")


def open_model(path: Path, *, code: Path | None = None, allow_pickles: bool = False) -> Served:
    """The model in a folder, or of one file. Raises `Unfit` where there is none that can be run."""
    folder = path if path.is_dir() else path.parent
    if not path.exists():
        raise Unfit(f"{path} is not there")
    facts = read_told(folder)
    if code is not None:
        from tidemill.runtime.server.formats.python_class import PythonClass

        return PythonClass(code, folder, facts.names)
    files = sorted(folder.iterdir()) if path.is_dir() else [path]
    if path.is_dir() and _is_task(folder, facts, files):
        from tidemill.runtime.server.formats.tasks import TaskModel

        return TaskModel(folder)
    return _open_file(folder, facts, files, allow_pickles)


def read_told(folder: Path) -> Facts:
    """What `model.json` says, where it is one of ours."""
    try:
        told = json.loads((folder / FILE).read_bytes())
    except FileNotFoundError:
        return Facts.read({})
    except ValueError as error:
        raise Unfit(f"{folder / FILE} cannot be read: {error}") from error
    if not isinstance(told, dict) or _is_xgboost(told):
        return Facts.read({})
    try:
        return Facts.read(told)
    except (TypeError, KeyError, AttributeError, ValueError) as error:
        raise Unfit(f"{folder / FILE} cannot be read: {error}") from error


def _is_task(folder: Path, facts: Facts, files: Iterable[Path]) -> bool:
    if facts.adapter in ADAPTERS:
        return True
    if facts.task in TASKS and facts.input:
        return True
    if (folder / FILE).is_file():
        return False
    onnx = [file for file in files if file.suffix == ".onnx"]
    if len(onnx) != 1:
        return False
    from tidemill.runtime.sessions import metadata

    return METADATA in metadata(onnx[0])


def _open_file(folder: Path, facts: Facts, files: list[Path], allow_pickles: bool) -> Served:
    """By the files' names: whole programs before trees, trees before pickles."""
    named = folder / facts.file
    files = [named, *(file for file in files if file != named)] if named in files else files
    labels = facts.names
    if file := _first(files, (".onnx",)):
        from tidemill.runtime.server.formats.plain_onnx import PlainOnnx

        return PlainOnnx(file, labels)
    if file := _first(files, TORCHSCRIPT):
        from tidemill.runtime.server.formats.torchscript import TorchScript

        return TorchScript(file, _signature(facts.more), labels)
    from tidemill.runtime.server.formats import tables

    for file in files:
        if file.suffix in (".txt", ".lgb") and _begins(file, b"tree\n"):
            return tables.open_lightgbm(file, labels)
        if file.suffix == ".ubj" or (file.suffix == ".json" and _is_xgboost_file(file)):
            return tables.open_xgboost(file, labels)
    if file := _first(files, PICKLES):
        if not allow_pickles:
            raise Unfit(f"{file} is a pickle, which can run anything: --allow-pickles, if you trust who made it")
        return tables.open_pickle(file, labels)
    raise Unfit(f"{folder} holds no model that can be served: ONNX, TorchScript, LightGBM, XGBoost, or a pickle")


def _first(files: Iterable[Path], suffixes: tuple[str, ...]) -> Path | None:
    return next((file for file in files if file.suffix.lower() in suffixes), None)


def _signature(more: Mapping[str, Any]) -> Mapping[str, Any]:
    found = more.get("signature")
    return found if isinstance(found, dict) else {}


def _begins(file: Path, start: bytes) -> bool:
    with file.open("rb") as content:
        return content.read(len(start) + 1).replace(b"\r\n", b"\n").startswith(start)


def _is_xgboost_file(file: Path) -> bool:
    try:
        return _is_xgboost(json.loads(file.read_bytes()))
    except ValueError:
        return False


def _is_xgboost(told: Any) -> bool:
    return isinstance(told, dict) and "learner" in told
