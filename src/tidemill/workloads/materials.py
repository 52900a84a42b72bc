"""Versions of assets as materials of the engine: trees read from the database, bytes by digest."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.assets.extras import find_extras
from tidemill.assets.tables import VersionRow
from tidemill.engines.base import Engine, Material, MaterialFile, Placed
from tidemill.kernel.db import Database, in_batches
from tidemill.kernel.errors import Conflict
from tidemill.store import trees
from tidemill.store.tables import TreeRow
from tidemill.store.trees.listing import TreeChanged
from tidemill.workloads.tables import WorkloadRow

_TRIES = 5


@dataclass(frozen=True, slots=True)
class _Content:
    """What a version holds: its tree, files beside it, and a key that stands for exactly that."""

    tree_id: str
    key: str
    extras: tuple[trees.Node, ...]


KEPT_FOR = timedelta(days=7)
"""Prepared materials of what ran within this time stay: it may well run again."""


def prepare(db: Database, engine: Engine, inputs: list[dict[str, str]]) -> tuple[Placed, ...]:
    """Has the engine prepare every input; where each is to be put."""
    return tuple(Placed(_prepare_one(db, engine, given), given["target"], given["mode"]) for given in inputs)  # type: ignore[arg-type]


def drop_unused(db: Database, engine: Engine, now: datetime) -> None:
    """Lets go of what nothing has used for a while."""
    with db.read() as session:
        recent = session.scalars(sa.select(WorkloadRow.inputs).where(WorkloadRow.changed_at >= now - KEPT_FOR))
        versions = {given["version_id"] for inputs in recent for given in inputs}
        keys = [one.key for one in _keys(session, sorted(versions))]
    engine.drop_materials(keys)


def _prepare_one(db: Database, engine: Engine, given: dict[str, str]) -> str:
    """A draft may be edited while it is read: then it is read again."""
    for _ in range(_TRIES):
        with db.read() as session:
            found = _keys(session, [given["version_id"]])
        if not found:
            raise Conflict("workload_input_gone", target=given["target"])
        one = found[0]
        try:
            engine.prepare(Material(one.key, lambda one=one: _files(db, one)))  # type: ignore[misc]
        except TreeChanged:
            continue
        return one.key
    raise Conflict("workload_input_busy", target=given["target"])


def _files(db: Database, one: _Content) -> Iterator[MaterialFile]:
    for path, digest, size_bytes in trees.stream_contents(db, one.tree_id):
        assert digest is not None
        yield MaterialFile(path, digest, size_bytes)
    for node in one.extras:
        assert node.digest is not None
        yield MaterialFile(node.path, node.digest, node.size_bytes)


def _keys(session: Session, version_ids: list[str]) -> list[_Content]:
    """The content of each version: committed it is known by its manifest, a draft's by the state it is in."""
    found: list[_Content] = []
    for batch in in_batches(version_ids):
        rows = session.execute(
            sa.select(VersionRow.id.label("version_id"), TreeRow.id, TreeRow.manifest_digest, TreeRow.revision)
            .join(VersionRow, VersionRow.tree_id == TreeRow.id)
            .where(VersionRow.id.in_(batch))
        ).all()
        extras = find_extras(session, batch)
        for row in rows:
            beside = tuple(extras.get(row.version_id, ()))
            key = row.manifest_digest or f"{row.id}-{row.revision}"
            if beside:
                key = hashlib.sha256("/".join((key, *(node.digest or "" for node in beside))).encode()).hexdigest()
            found.append(_Content(row.id, key, beside))
    return found
