"""Locks of environments: one over another, and as the lines that pip reads elsewhere."""

import importlib.metadata
import io
import re
import zipfile
from collections.abc import Iterator, Sequence
from email.parser import HeaderParser
from typing import Any

from tidemill.images.environments import OWN_ENTRY
from tidemill.models.pythons import needs_of
from tidemill.packages import sources
from tidemill.packages.plans import Plan
from tidemill.store.backends import BlobBackend

_NAME = re.compile(r"^\s*(?P<name>[A-Za-z0-9][A-Za-z0-9._-]*)\s*(?:\[(?P<extras>[^\]]*)\])?")
_EXTRA = re.compile(r"extra\s*==\s*['\"](?P<extra>[^'\"]+)['\"]")
_METADATA_BYTES = 1 << 20
SDK = ("httpx2", "click")
"""What our own sources need besides."""
_NOT_LISTED = frozenset({"pip", "tidemill"})


def merge(base: Sequence[Sequence[Any]], new: Sequence[Sequence[Any]]) -> list[list[Any]]:
    """The base with the new wheels, which take the place of others of the same package."""
    replaced = {_package(str(name)) for name, _, _ in new}
    kept = [list(one) for one in base if _package(str(one[0])) not in replaced]
    return [*kept, *(list(one) for one in new)]


def pins_of(lock: Sequence[Sequence[Any]], plan: Plan, backend: BlobBackend) -> list[str]:
    """`name==version` of everything the environment has; of our own Python only what its part in it needs.

    Not which build of a version it is (`+cpu`): another machine's index has another one.
    """
    pinned = {_package(name): name.split("-")[1] for name, _, _ in lock if name != OWN_ENTRY}
    if any(name == OWN_ENTRY for name, _, _ in lock):
        wheels = [one for one in lock if one[0] != OWN_ENTRY]
        needed = _needed(plan)
        pinned = dict(installed([*needed, *_needed_by(wheels, needed, backend)])) | pinned
    return sorted(f"{name}=={version.partition('+')[0]}" for name, version in pinned.items() if name not in _NOT_LISTED)


def installed(requirements: Sequence[str]) -> Iterator[tuple[str, str]]:
    """These packages of our own Python and all that they need, as they are installed: name and version."""
    waiting, seen, told = [_parsed(one) for one in requirements], set[tuple[str, frozenset[str]]](), set[str]()
    while waiting:
        name, extras = waiting.pop()
        if (name, extras) in seen:
            continue
        seen.add((name, extras))
        try:
            found = importlib.metadata.distribution(name)
        except importlib.metadata.PackageNotFoundError:
            continue
        if name not in told:
            told.add(name)
            yield name, found.version
        waiting += [_parsed(line) for line in found.requires or [] if _applies(line, extras)]


def names_of(lock: Sequence[Sequence[Any]]) -> set[str]:
    """The packages whose wheels a lock has."""
    return {_package(str(name)) for name, _, _ in lock if name != OWN_ENTRY}


def _needed(plan: Plan) -> list[str]:
    return [*needs_of(plan.base.name), *SDK, *sources.needed_by(plan)]


def _needed_by(wheels: Sequence[Sequence[Any]], asked: Sequence[str], backend: BlobBackend) -> list[str]:
    """What wheels say they need, with the extras that were asked for: some of it is in our own Python."""
    told = {_package(str(name)): _requires(str(digest), backend) for name, digest, _ in wheels}
    extras: dict[str, frozenset[str]] = {}
    for line in (*asked, *(line for lines in told.values() for line in lines)):
        name, wanted = _parsed(line)
        extras[name] = extras.get(name, frozenset()) | wanted
    return [line for name, lines in told.items() for line in lines if _applies(line, extras.get(name, frozenset()))]


def _requires(digest: str, backend: BlobBackend) -> list[str]:
    local = backend.local_path(digest)
    with zipfile.ZipFile(local or io.BytesIO(b"".join(backend.read(digest)))) as archive:
        name = next(one for one in archive.namelist() if one.endswith(".dist-info/METADATA"))
        with archive.open(name) as file:
            text = file.read(_METADATA_BYTES).decode(errors="replace")
    return list(HeaderParser().parsestr(text).get_all("Requires-Dist", []))


def _parsed(line: str) -> tuple[str, frozenset[str]]:
    """The package a requirement names, and its extras."""
    match = _NAME.match(line)
    if match is None:
        return "", frozenset()
    extras = frozenset(_normal(one.strip()) for one in (match["extras"] or "").split(",") if one.strip())
    return _normal(match["name"]), extras


def _applies(line: str, extras: frozenset[str]) -> bool:
    """Whether a package needs this with these extras. Other conditions need no look: what is installed applied."""
    asked = {_normal(one) for one in _EXTRA.findall(line)}
    return not asked or bool(asked & extras)


def _package(wheel: str) -> str:
    return _normal(wheel.split("-")[0])


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
