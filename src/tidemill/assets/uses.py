"""What rooms above do with versions besides making others from them, such as running them.

A version that is used is not deleted, and its lineage shows what uses it. A room registers a finder when it is
installed; guards may further refuse the deletion of versions of a kind.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy.orm import Session

from tidemill.assets.tables import AssetRow, VersionRow


@dataclass(frozen=True, slots=True)
class Use:
    """Something that uses a version."""

    version_id: str
    """Of the version it uses."""
    kind: str
    """`service`; who may see it holds `<kind>.read` in its project."""
    id: str
    name: str
    detail: str
    """What of it, in few characters: `production`, or empty."""
    project_id: str
    project: str
    link: str
    created_at: datetime
    created_by: str


@dataclass(frozen=True, slots=True)
class Source:
    """Something that is no version, and that versions are made from."""

    kind: str
    """`image`; who may see it holds `<kind>.read` in its project."""
    id: str
    name: str
    version: str
    label: str
    project_id: str
    project: str
    link: str
    created_at: datetime
    created_by: str


Finder = Callable[[Session, Sequence[str]], list[Use]]
"""What uses these versions (by their ids) now; versions of other kinds are passed over."""

Guard = Callable[[Session, AssetRow, VersionRow], None]
"""Raises when the version must not be deleted now."""

SourceFinder = Callable[[Session, Sequence[str]], list[Source]]
"""Those of the ids that are there now."""

_finders: dict[str, Finder] = {}
_guards: dict[str, Guard] = {}
_sources: dict[str, SourceFinder] = {}


def register(kind: str, finder: Finder) -> None:
    """Has the finder asked, which knows of uses of this kind; the last one registered counts."""
    _finders[kind] = finder


def register_sources(kind: str, finder: SourceFinder) -> None:
    """Has the finder asked for what versions were made from and is of this kind; the last one registered counts."""
    _sources[kind] = finder


def register_guard(asset_kind: str, guard: Guard) -> None:
    """Has the guard asked before a version of such an asset is deleted; the last one registered counts."""
    _guards[asset_kind] = guard


def find_uses(session: Session, version_ids: Sequence[str]) -> list[Use]:
    """All uses of the versions."""
    return [use for finder in _finders.values() for use in finder(session, version_ids)] if version_ids else []


def find_sources(session: Session, by_kind: Mapping[str, Sequence[str]]) -> dict[str, Source]:
    """What is still there of what versions were made from, by id; given the ids by kind."""
    found = [one for kind, ids in by_kind.items() if kind in _sources for one in _sources[kind](session, ids)]
    return {one.id: one for one in found}


def ask_guard(session: Session, asset: AssetRow, version: VersionRow) -> None:
    """Raises when the room that looks after such versions will not have it deleted."""
    if guard := _guards.get(asset.kind):
        guard(session, asset, version)
