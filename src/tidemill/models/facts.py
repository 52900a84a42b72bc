"""What versions say of themselves, read once: when they are committed, or when somebody asks before that was noticed.

Reading costs a look into the store, so it is done outside of transactions. Reading twice gives the same: whoever comes
second writes nothing.
"""

import logging
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa
from pydantic import ValidationError
from sqlalchemy.orm import Session

from tidemill.assets.kinds import SCENES
from tidemill.assets.schemas import Signature
from tidemill.assets.tables import AssetRow, EdgeRow, VersionRow
from tidemill.kernel.db import Database, upsert
from tidemill.models import manifests, model_files
from tidemill.models.evaluations.from_runs import keep_evaluation
from tidemill.models.manifests import NotUnderstood
from tidemill.models.model_files import rank_of
from tidemill.models.tables import UNRANKED, FactsRow, TrainingRow
from tidemill.store import trees
from tidemill.store.backends import BlobBackend, BlobMissing
from tidemill.training.tables import RunRow
from tidemill.workloads.tables import WorkloadRow

log = logging.getLogger("tidemill.models")

READ, NONE, BROKEN = "read", "none", "broken"
KINDS = ("algorithm", "model")
AT_ONCE = 50
OVERLAP = timedelta(minutes=2)
EVERY_S = 3.0


@dataclass(frozen=True, slots=True)
class Found:
    """What was found in a version's files."""

    state: str
    task: str = ""
    facts: dict[str, Any] = field(default_factory=dict)
    problem: str | None = None
    rank: float = UNRANKED


class FactsReader:
    """Notices committed versions; `app.state.facts`."""

    def __init__(self, db: Database, backend: BlobBackend) -> None:
        self._db = db
        self._backend = backend
        self._since: datetime | None = None

    def look(self) -> None:
        """Reads all that were committed since the last look (at the first, all that were not read yet)."""
        while True:
            with self._db.read() as session:
                waiting = session.execute(self._unread()).all()
            for row in waiting:
                self.ensure(row.id)
            if len(waiting) < AT_ONCE:
                break
        with self._db.read() as session:
            newest = session.scalar(sa.select(sa.func.max(VersionRow.committed_at)))
        self._since = newest

    def ensure(self, version_id: str) -> FactsRow | None:
        """The facts of a committed version, read now if need be; None where it is a draft, or gone."""
        with self._db.read() as session:
            if (known := session.get(FactsRow, version_id)) is not None:
                return known
            version = session.get(VersionRow, version_id)
            asset = session.get(AssetRow, version.asset_id) if version else None
        if version is None or asset is None or version.state != "committed" or asset.kind not in KINDS:
            return None
        found = _read(self._db, self._backend, asset.kind, version)
        with self._db.write() as session:
            _keep(session, asset, version, found)
        if asset.kind == "model":
            keep_evaluation(self._db, self._backend, version_id)
        with self._db.read() as session:
            return session.get(FactsRow, version_id)

    def _unread(self) -> sa.Select[Any]:
        statement = (
            sa.select(VersionRow.id)
            .join(AssetRow, AssetRow.id == VersionRow.asset_id)
            .where(
                VersionRow.state == "committed",
                VersionRow.deleted_at.is_(None),
                AssetRow.kind.in_(KINDS),
                ~sa.exists().where(FactsRow.version_id == VersionRow.id),
            )
        )
        if self._since is not None:
            statement = statement.where(VersionRow.committed_at >= self._since - OVERLAP)
        return statement.order_by(VersionRow.id).limit(AT_ONCE)


def read_file(db: Database, backend: BlobBackend, tree_id: str, path: str, max_bytes: int) -> bytes | None:
    """A small file of a version; None where it has none, or one that is too large to be what it should."""
    with db.read() as session:
        node = trees.find_entry(session, tree_id, path)
    if node is None or node.digest is None or node.size_bytes > max_bytes:
        return None
    return b"".join(backend.read(node.digest))


def _read(db: Database, backend: BlobBackend, kind: str, version: VersionRow) -> Found:
    parser = manifests if kind == "algorithm" else model_files
    try:
        content = read_file(db, backend, version.tree_id, parser.FILE, parser.FILE_MAX_BYTES)
    except BlobMissing:
        # Damage is told by the store's verification; here it must not keep the others from being read.
        return Found(BROKEN, problem=f"{parser.FILE}: missing in the store")
    if content is None:
        return Found(NONE)
    try:
        if kind == "algorithm":
            manifest = manifests.parse(content)
            return Found(READ, manifest.task, manifest.model_dump())
        model = model_files.parse(content)
        kept = model.facts() | {"is_runnable": model.is_runnable}
        return Found(READ, model.task, kept, rank=rank_of(kept["metrics"], model.primary))
    except NotUnderstood as error:
        return Found(BROKEN, problem=f"{parser.FILE}: {error}"[:1000])


def _keep(session: Session, asset: AssetRow, version: VersionRow, found: Found) -> None:
    run_id = _find_run(session, asset, version) if asset.kind == "model" else None
    values = {
        "version_id": version.id,
        "asset_id": asset.id,
        "project_id": asset.project_id,
        "kind": asset.kind,
        "state": found.state,
        "task": found.task,
        "name_key": asset.name_key,
        "facts": found.facts,
        "problem": found.problem,
        "rank": found.rank,
        "run_id": run_id,
        "dataset_version_id": _find_dataset(session, version, run_id) if asset.kind == "model" else None,
        "created_at": version.committed_at or version.created_at,
    }
    session.execute(upsert(session, FactsRow).values(values).on_conflict_do_nothing())
    if asset.kind == "model" and found.state == READ:
        _tell_version(session, asset.id, version.id, found)


def _tell_version(session: Session, asset_id: str, version_id: str, found: Found) -> None:
    """Lists of models show metrics and signature; what somebody wrote there by hand stays."""
    version = session.get(VersionRow, version_id, populate_existing=True)
    asset = session.get(AssetRow, asset_id, populate_existing=True)
    if version is None or asset is None:
        return
    if not version.metrics:
        version.metrics = found.facts["metrics"]
    if version.signature is None:
        version.signature = _signature(found.facts["signature"])
    if version.format is None and found.facts["format"]:
        version.format = found.facts["format"]
    if asset.scene == "other" and version.origin == "run" and found.task in SCENES:
        # It was made by a run, which could not know what it is for.
        asset.scene = found.task


def _signature(told: Any) -> dict[str, Any] | None:
    """As versions keep it; None where what the file says does not fit."""
    if not isinstance(told, dict):
        return None
    try:
        sides = {
            side: [
                {"name": one["name"], "type": one.get("datatype") or one.get("type"), "shape": one.get("shape")}
                for one in told.get(side) or []
            ]
            for side in ("inputs", "outputs")
        }
        return Signature.model_validate(sides).model_dump(mode="json")
    except (ValidationError, KeyError, TypeError, AttributeError):
        return None


def _find_run(session: Session, asset: AssetRow, version: VersionRow) -> str | None:
    if version.origin != "run":
        return None
    carried = sa.select(WorkloadRow.owner_id).where(
        WorkloadRow.project_id == asset.project_id,
        WorkloadRow.kind == "run",
        WorkloadRow.output_version_id == version.id,
    )
    owner = session.scalar(carried.order_by(WorkloadRow.id).limit(1))
    return None if owner is None else session.scalar(sa.select(RunRow.id).where(RunRow.id == owner))


def _find_dataset(session: Session, version: VersionRow, run_id: str | None) -> str | None:
    training = session.get(TrainingRow, run_id) if run_id else None
    if training is not None:
        return training.dataset_version_id
    edges = sa.select(EdgeRow.source_id).where(EdgeRow.version_id == version.id, EdgeRow.source_kind == "dataset")
    return session.scalar(edges.order_by(EdgeRow.id).limit(1))
