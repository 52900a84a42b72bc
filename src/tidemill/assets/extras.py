"""Files a version has beside its tree: what a room above made of it when it was published."""

from collections.abc import Callable, Sequence

from sqlalchemy.orm import Session

from tidemill.assets.kinds import Kind
from tidemill.assets.tables import VersionRow
from tidemill.store.trees import Node

Finder = Callable[[Session, Sequence[str]], dict[str, list[Node]]]
"""The extra files of versions, by the versions' ids; their paths are at the top and none of the tree's."""

_finders: dict[str, Finder] = {}


def register(kind: Kind, finder: Finder) -> None:
    """Called by a room's `install`; the last one registered for a kind counts."""
    _finders[kind.name] = finder


def find_extras(session: Session, version_ids: Sequence[str]) -> dict[str, list[Node]]:
    """Of all kinds; versions without any are left out."""
    found: dict[str, list[Node]] = {}
    for finder in _finders.values():
        found |= finder(session, version_ids)
    return found


def extras_of(session: Session, version: VersionRow) -> list[Node]:
    """Of one version."""
    return find_extras(session, [version.id]).get(version.id, [])
