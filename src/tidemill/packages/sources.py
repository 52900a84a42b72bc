"""The parts of our own program that serve models, for where the platform is not."""

import importlib.metadata
import importlib.resources
import re
from collections.abc import Iterator
from functools import cache
from importlib.resources.abc import Traversable

from tidemill.models.pythons import RUNTIME, requirements_of
from tidemill.packages.files import Content
from tidemill.packages.plans import Plan

PACKAGE = "tidemill"
ROOMS = ("runtime", "evaluation", "geometry", "kernel", "sdk")
"""`runtime`, and what it imports."""
_KEPT = (".py", ".json", ".proto")
_XGBOOST = "xgboost-cpu>=2.1"
"""The small one: the other brings hundreds of megabytes for graphics cards, which answering does not need."""


@cache
def runtime() -> tuple[Content, ...]:
    """Source files, by path: `tidemill/runtime/…`. A few hundred kilobytes."""
    root = importlib.resources.files(PACKAGE)
    top = [Content(f"{PACKAGE}/{one.name}", one.read_bytes()) for one in root.iterdir() if one.name == "__init__.py"]
    return (*top, *(file for room in ROOMS for file in _files(root / room, f"{PACKAGE}/{room}")))


def requirements() -> list[str]:
    """What the model server needs, as pip reads it."""
    return [*requirements_of(RUNTIME), *_of_sdk()]


def needed_by(plan: Plan) -> list[str]:
    """Python packages a version needs, as pip reads them: those of its recipe, of its models, of the model server."""
    server = requirements() if plan.protocol == "v2" else []
    return [*asked_for(plan), *server]


def asked_for(plan: Plan) -> list[str]:
    """Those of its recipe, and what its models are read with where the recipe does not name it."""
    return [*plan.requirements, *_of_models(plan)]


def _of_models(plan: Plan) -> list[str]:
    named = {_name_of(line) for line in plan.requirements}
    has_xgboost = plan.server == "builtin" and any(one.format == "xgboost" for one in plan.models)
    return [_XGBOOST] if has_xgboost and not named & {"xgboost", "xgboost-cpu"} else []


def _name_of(line: str) -> str:
    match = re.match(r"[A-Za-z0-9._-]+", line.strip())
    return re.sub(r"[-_.]+", "-", match[0]).lower() if match else ""


def _of_sdk() -> list[str]:
    return [line for line in importlib.metadata.requires(PACKAGE) or [] if "extra ==" not in line]


def _files(folder: Traversable, path: str) -> Iterator[Content]:
    for one in sorted(folder.iterdir(), key=lambda each: each.name):
        if one.is_dir():
            if one.name != "__pycache__":
                yield from _files(one, f"{path}/{one.name}")
        elif one.name.endswith(_KEPT):
            yield Content(f"{path}/{one.name}", one.read_bytes())
