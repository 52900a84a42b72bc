"""Locks of environments: one over another, and as the lines that pip reads elsewhere."""

import importlib.metadata
import re
from collections.abc import Iterator, Sequence
from typing import Any

from tidemill.images.environments import OWN_ENTRY
from tidemill.models.pythons import needs_of
from tidemill.packages.plans import Plan

_NAME = re.compile(r"^\s*([A-Za-z0-9][A-Za-z0-9._-]*)")
SDK = ("httpx2", "click")
"""What our own sources need besides."""
_NOT_LISTED = frozenset({"pip", "tidemill"})


def merge(base: Sequence[Sequence[Any]], new: Sequence[Sequence[Any]]) -> list[list[Any]]:
    """The base with the new wheels, which take the place of others of the same package."""
    replaced = {_package(str(name)) for name, _, _ in new}
    kept = [list(one) for one in base if _package(str(one[0])) not in replaced]
    return [*kept, *(list(one) for one in new)]


def pins_of(lock: Sequence[Sequence[Any]], plan: Plan) -> list[str]:
    """`name==version` of everything the environment has; of our own Python only what its part in it needs."""
    pinned = {_package(name): name.split("-")[1] for name, _, _ in lock if name != OWN_ENTRY}
    if any(name == OWN_ENTRY for name, _, _ in lock):
        pinned = dict(_of_own(_needed(plan))) | pinned
    return sorted(f"{name}=={version}" for name, version in pinned.items() if name not in _NOT_LISTED)


def of_own(plan: Plan) -> list[str]:
    """Packages of our own Python that the version needs, by name."""
    return sorted(name for name, _ in _of_own(_needed(plan)) if name not in _NOT_LISTED)


def _needed(plan: Plan) -> list[str]:
    return [*needs_of(plan.base.name), *SDK]


def _of_own(distributions: Sequence[str]) -> Iterator[tuple[str, str]]:
    """These packages of our own Python and all that they need, as they are installed."""
    waiting, seen = list(distributions), set[str]()
    while waiting:
        name = _normal(waiting.pop())
        if name in seen:
            continue
        seen.add(name)
        try:
            found = importlib.metadata.distribution(name)
        except importlib.metadata.PackageNotFoundError:
            continue
        yield name, found.version
        waiting += [
            match[1] for line in found.requires or [] if "extra ==" not in line and (match := _NAME.match(line))
        ]


def _package(wheel: str) -> str:
    return _normal(wheel.split("-")[0])


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
