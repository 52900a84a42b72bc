"""`python -m tidemill.runtime serve`: its options, each with a variable of the environment beside it."""

import argparse
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tidemill.runtime.model import Unfit
from tidemill.runtime.server.options import ModelOptions, ServerOptions

PREFIX = "TIDEMILL_SERVE_"
_EACH = ModelOptions()


def add_options(parser: argparse.ArgumentParser, folder: Path | None = None) -> None:
    """`folder` holds the models where none are named: in a run, those it was given."""
    env = os.environ

    def told(name: str, default: Any, *names: str) -> Any:
        return next((env[one] for one in (*names, PREFIX + name) if env.get(one)), default)

    add = parser.add_argument
    add("--model", action="append", metavar="[NAME=]PATH", help="a model's folder or file; several times for several")
    add("--models-folder", type=Path, default=told("MODELS_FOLDER", None), help="each folder in it is a model")
    parser.set_defaults(own_models=folder)
    add("--name", help="what the only model is called in addresses; its folder's name unless told")
    add("--code", type=Path, default=told("CODE", None), help="a folder with model.py: how the models are used")
    add("--host", default=told("HOST", "127.0.0.1", "TIDEMILL_HOST"))
    add("--port", type=int, default=told("PORT", "8080", "TIDEMILL_PORT", "PORT"))
    add("--grpc-port", type=int, default=told("GRPC_PORT", None, "TIDEMILL_GRPC_PORT"), help="none unless told")
    add("--max-batch-size", type=int, default=told("MAX_BATCH_SIZE", _EACH.max_batch_size))
    add("--max-delay-ms", type=float, default=told("MAX_DELAY_MS", _EACH.max_delay_ms))
    add("--instances", type=int, default=told("INSTANCES", _EACH.instances))
    add("--max-queue", type=int, default=told("MAX_QUEUE", _EACH.max_queue))
    add("--timeout-s", type=float, default=told("TIMEOUT_S", _EACH.timeout_s))
    add("--max-body-bytes", type=int, default=told("MAX_BODY_BYTES", 64 << 20))
    add("--threads", type=int, default=told("THREADS", 0), help="of each ONNX model; all processors unless told")
    add("--drain-s", type=float, default=told("DRAIN_S", 30.0))
    add("--linger-s", type=float, default=told("LINGER_S", 0.3))
    add("--no-warm-up", action="store_true", default=told("NO_WARM_UP", "") == "1")
    add("--allow-pickles", action="store_true", default=told("ALLOW_PICKLES", "") == "1")
    add("--settings", default=told("SETTINGS", None), help='JSON, or a file of it: {"model": {"max_batch_size": 8}}')


def read_options(told: argparse.Namespace) -> ServerOptions:
    """Raises `Unfit` on what cannot be."""
    if told.threads:
        os.environ["TIDEMILL_RUNTIME_THREADS"] = str(told.threads)
    # A thread that spins while it waits takes the processor from those that answer.
    os.environ.setdefault("TIDEMILL_RUNTIME_SPINNING", "0")
    return ServerOptions(
        models=_models(told),
        host=told.host,
        port=told.port,
        grpc_port=told.grpc_port,
        code=told.code,
        allow_pickles=told.allow_pickles,
        max_body_bytes=told.max_body_bytes,
        drain_s=told.drain_s,
        linger_s=told.linger_s,
        each=ModelOptions(
            max_batch_size=told.max_batch_size,
            max_delay_ms=told.max_delay_ms,
            instances=told.instances,
            max_queue=told.max_queue,
            timeout_s=told.timeout_s,
            warm_up=not told.no_warm_up,
        ),
        by_model=_settings(told.settings),
    )


def _models(told: argparse.Namespace) -> dict[str, Path]:
    found: dict[str, Path] = {}
    for one in told.model or []:
        name, equals, path = one.partition("=")
        place = Path(path if equals else one)
        chosen = name if equals else (place.stem if place.is_file() else place.resolve().name)
        if chosen in found:
            raise Unfit(f"two models are called {chosen!r}: --model NAME=PATH names them")
        found[chosen] = place
    if told.models_folder is not None:
        found |= {name: place for name, place in _in_folder(told.models_folder).items() if name not in found}
    if not found and told.own_models is not None and told.own_models.is_dir():
        found = _in_folder(told.own_models)
    if told.name:
        if len(found) != 1:
            raise Unfit("--name is for one model; --model NAME=PATH for each of several")
        found = {told.name: next(iter(found.values()))}
    for name in found:
        if not name or "/" in name:
            raise Unfit(f"a model cannot be called {name!r}")
    return found


def _in_folder(folder: Path) -> dict[str, Path]:
    if not folder.is_dir():
        raise Unfit(f"{folder} is no folder")
    return {one.name: one for one in sorted(folder.iterdir()) if one.is_dir() and not one.name.startswith(".")}


def _settings(told: str | None) -> Mapping[str, Mapping[str, Any]]:
    if not told:
        return {}
    try:
        found = json.loads(told if told.lstrip().startswith("{") else Path(told).read_bytes())
    except (ValueError, OSError) as error:
        raise Unfit(f"settings cannot be read: {error}") from error
    if not isinstance(found, dict) or not all(isinstance(one, dict) for one in found.values()):
        raise Unfit("settings must be an object with an object for each model")
    return found
