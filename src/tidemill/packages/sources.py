"""The parts of our own program that serve models, for where the platform is not."""

import importlib.metadata
import importlib.resources
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
    """Python packages a version needs, as pip reads them: those of its recipe, and of the model server."""
    return [*plan.requirements, *(requirements() if plan.protocol == "v2" else ())]


def _of_sdk() -> list[str]:
    return [line for line in importlib.metadata.requires(PACKAGE) or [] if "extra ==" not in line]


def _files(folder: Traversable, path: str) -> Iterator[Content]:
    for one in sorted(folder.iterdir(), key=lambda each: each.name):
        if one.is_dir():
            if one.name != "__pycache__":
                yield from _files(one, f"{path}/{one.name}")
        elif one.name.endswith(_KEPT):
            yield Content(f"{path}/{one.name}", one.read_bytes())
