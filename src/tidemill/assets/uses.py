"""What rooms above do with versions besides making others from them, such as running them.

A version that is used is not deleted, and its lineage shows what uses it. A room registers a finder when it is
installed; guards may further refuse the deletion of versions of a kind.
"""

from collections.abc import Callable, Sequence
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


Finder = Callable[[Session, Sequence[str]], list[Use]]
"""What uses these versions (by their ids) now; versions of other kinds are passed over."""

Guard = Callable[[Session, AssetRow, VersionRow], None]
"""Raises when the version must not be deleted now."""

_finders: dict[str, Finder] = {}
_guards: dict[str, Guard] = {}


def register(kind: str, finder: Finder) -> None:
    """Has the finder asked, which knows of uses of this kind; the last one registered counts."""
    _finders[kind] = finder


def register_guard(asset_kind: str, guard: Guard) -> None:
    """Has the guard asked before a version of such an asset is deleted; the last one registered counts."""
    _guards[asset_kind] = guard


def find_uses(session: Session, version_ids: Sequence[str]) -> list[Use]:
    """All uses of the versions."""
    return [use for finder in _finders.values() for use in finder(session, version_ids)] if version_ids else []


def ask_guard(session: Session, asset: AssetRow, version: VersionRow) -> None:
    """Raises when the room that looks after such versions will not have it deleted."""
    if guard := _guards.get(asset.kind):
        guard(session, asset, version)
