"""Who is measured: how each is started, where it answers."""

import json
import os
import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent


@dataclass(frozen=True)
class Contestant:
    """In the command `{model}`, `{folder}`, `{port}` and `{scratch}` are filled in."""

    name: str
    command: Sequence[str]
    ready: str
    path: str
    environment: dict[str, str] = field(default_factory=dict)


def _tidemill() -> Contestant:
    command = [sys.executable, "-m", "tidemill.runtime", "serve", "--model", "{folder}/mlp", "--port", "{port}"]
    return Contestant("tidemill", [*command, "--threads", "1"], "/v2/health/ready", "/v2/models/mlp/infer")


def _fastapi(python: str, route: str) -> Contestant:
    command = [python, str(HERE / "fastapi_app.py"), "{model}", "{port}"]
    return Contestant(f"fastapi-{route}", command, "/ready", f"/{route}")


def _mlserver(python: str, workers: int) -> Contestant:
    command = [python, str(HERE / "mlserver_app.py"), "{model}", "{port}", "{scratch}"]
    name = "mlserver" if workers else "mlserver-inline"
    environment = {"WORKERS": str(workers)}
    return Contestant(name, command, "/v2/models/mlp/ready", "/v2/models/mlp/infer", environment)


def choose(names: str) -> list[Contestant]:
    """Names with commas between; `name=PYTHON` for one in an environment of its own; or a JSON file of others."""
    found = [_tidemill()]
    for one in filter(None, names.split(",")):
        name, _, python = one.partition("=")
        python = python or sys.executable
        if name == "fastapi":
            found += [_fastapi(python, "typed"), _fastapi(python, "raw")]
        elif name == "mlserver":
            found += [_mlserver(python, 1), _mlserver(python, 0)]
        elif Path(name).is_file():
            found += _from_file(Path(name))
        elif name != "tidemill":
            raise SystemExit(f"{name} is neither fastapi, mlserver=PYTHON, nor a file")
    return found


def _from_file(file: Path) -> list[Contestant]:
    """`{"name": {"command": …, "ready": "/…", "path": "/…", "env": {…}}}`, with variables of the environment."""
    told = json.loads(os.path.expandvars(file.read_text("utf-8")))
    return [
        Contestant(
            name,
            shlex.split(one["command"]) if isinstance(one["command"], str) else one["command"],
            one["ready"],
            one["path"].replace("{model}", "mlp"),
            one.get("env", {}),
        )
        for name, one in told.items()
    ]
