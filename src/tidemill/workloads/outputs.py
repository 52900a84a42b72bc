"""What a workload left behind becomes a version of a model, whatever way the workload ended.

The state ends first; this follows, in a loop of its own. Bytes go into the store as they are read, where they are part
of nothing. One transaction then makes the draft with all its files and writes its id into the workload; a second one,
after the files were sealed, commits it. A crash before the first leaves nothing, one between them is taken up with the
draft that is there: an end of a workload never gives two versions.
"""

import hashlib
import logging
import os
import shutil
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.accounts.access import Caller, ProjectRef, system_caller
from tidemill.accounts.tables import ProjectRow
from tidemill.assets import lineage, versions
from tidemill.assets.commits import commit_version
from tidemill.assets.editing import editable_tree
from tidemill.assets.kinds import MODEL, Scene
from tidemill.assets.lookup import Place, get_asset
from tidemill.assets.schemas import PATHS_MAX, AssetCreate
from tidemill.assets.service import create_asset
from tidemill.assets.tables import AssetRow, VersionRow
from tidemill.engines.base import Engine
from tidemill.jobs.texts import Text, error_text, text
from tidemill.kernel.db import Database, announce, in_batches
from tidemill.kernel.errors import NotFound, TidemillError, TooLarge
from tidemill.store import intake, trees
from tidemill.store.backends import Staged
from tidemill.store.depot import Store
from tidemill.store.paths import check_path
from tidemill.store.tables import TreeRow
from tidemill.workloads.lifecycle import FINAL, TOPIC
from tidemill.workloads.tables import WorkloadRow

log = logging.getLogger("tidemill.workloads")

BATCH_FILES = 500
BATCH_BYTES = 256 * 1024 * 1024
BLOCK_BYTES = 1024 * 1024
FILES_MAX = 200_000
TRIES = 5


@dataclass(frozen=True, slots=True)
class Found:
    """A file in the workspace."""

    path: str
    place: Path
    size_bytes: int


class Collector:
    """Takes up what workloads left behind, one after the other."""

    def __init__(self, db: Database, store: Store, engine: Engine) -> None:
        self._db = db
        self._store = store
        self._engine = engine
        self._failures: dict[str, int] = {}

    def collect_all(self, now: datetime) -> None:
        """Everything that waits to be collected."""
        with self._db.read() as session:
            waiting = session.scalars(
                sa.select(WorkloadRow.id)
                .where(WorkloadRow.outputs_state == "waiting", WorkloadRow.state.in_(FINAL))
                .order_by(WorkloadRow.ended_at)
                .limit(100)
            ).all()
        for workload_id in waiting:
            self._try(workload_id, now)

    def _try(self, workload_id: str, now: datetime) -> None:
        try:
            self.collect(workload_id, now)
        except TidemillError as error:
            self._finish(workload_id, "failed", now, error_text(error))
        except Exception:
            # A full disk, a database that is away, a fault of ours: tried again, and in the end said.
            log.exception("what %s left behind could not be collected", workload_id)
            self._failures[workload_id] = self._failures.get(workload_id, 0) + 1
            if self._failures[workload_id] >= TRIES:
                self._finish(workload_id, "failed", now, text("workload_outputs_broke"))

    def collect(self, workload_id: str, now: datetime) -> None:
        """One workload's output; repeating it does no harm."""
        with self._db.read() as session:
            row = session.get_one(WorkloadRow, workload_id)
            project = session.get_one(ProjectRow, row.project_id)
            by = _acting_for(row, project, now)
        (output,) = row.outputs[:1]
        if row.output_version_id is None:
            files = list(_walk(self._engine.workspace(row.workspace), output["folder"]))
            entries = self._keep(row, files, now) if files else []
            if not entries:
                self._finish(workload_id, "empty", now)
                return
            if not self._write_draft(row, output["model"], entries, by):
                return
        self._commit(workload_id, by)
        self._finish(workload_id, "done", now)

    def _keep(self, row: WorkloadRow, files: list[Found], now: datetime) -> list[trees.Entry]:
        """Copies the bytes into the store. They are hashed as they are copied: that copy is what is kept."""
        folder = self._store.temporary / f"outputs-{row.id}"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        entries: list[trees.Entry] = []
        try:
            for batch in intake.in_batches_by_size(files, most_files=BATCH_FILES, most_bytes=BATCH_BYTES):
                staged = [(file, _stage(file, folder / str(place))) for place, file in enumerate(batch)]
                kept = [(file, copy) for file, copy in staged if copy is not None]
                intake.keep_files(self._db, self._store.backend, row.project_id, [copy for _, copy in kept], now)
                entries += [trees.Entry(file.path, copy.digest, copy.size_bytes) for file, copy in kept]
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        return entries

    def _write_draft(self, row: WorkloadRow, model: str, entries: list[trees.Entry], by: Caller) -> bool:
        """The draft with its files, or the newest version when it is the same; False when nothing is left to do."""
        with self._db.write() as session:
            workload = session.get(WorkloadRow, row.id, with_for_update=True, populate_existing=True)
            if workload is None or workload.outputs_state != "waiting" or workload.output_version_id:
                return workload is not None and workload.outputs_state == "waiting"
            asset = _model(session, model, by)
            if same := _find_same(session, asset, entries):
                workload.output_version_id = same
                return True
            version = versions.new_version(session, asset, None, note=f"{row.name} · {row.id}", by=by)
            version.origin = "run"
            with editable_tree(session, asset, version, by.now) as tree:
                for batch in in_batches(entries, PATHS_MAX):
                    trees.put_entries(session, tree, list(batch), by.now)
            lineage.add_made_from(session, version, [given["version_id"] for given in row.inputs], by=by)
            after = {"workload": row.id, "files": len(entries)}
            versions.record(session, "create_version", asset, version, by=by, after=after)
            workload.output_version_id = version.id
        return True

    def _commit(self, workload_id: str, by: Caller) -> None:
        """Commits the draft, unless somebody has, or has thrown it away."""
        with self._db.read() as session:
            row = session.get_one(WorkloadRow, workload_id)
            version = session.get(VersionRow, row.output_version_id)
            if version is None or version.deleted_at is not None or version.state != "draft":
                return
            place = Place(MODEL, version.asset_id, str(version.number))
        commit_version(self._db, self._store, place, note=None, by=by)

    def _finish(self, workload_id: str, state: str, now: datetime, problem: Text | None = None) -> None:
        self._failures.pop(workload_id, None)
        with self._db.write() as session:
            values: dict[str, object] = {"outputs_state": state, "changed_at": now}
            if problem is not None:
                values["message"] = problem
            session.execute(
                sa.update(WorkloadRow)
                .where(WorkloadRow.id == workload_id, WorkloadRow.outputs_state == "waiting")
                .values(revision=WorkloadRow.revision + 1, **values)
            )
            announce(session, TOPIC)


def _acting_for(row: WorkloadRow, project: ProjectRow, now: datetime) -> Caller:
    """The workload's creator, as far as the audit log and the version are concerned."""
    by = system_caller(now)
    return Caller(
        user_id=row.created_by_id,
        user_name=row.created_by,
        kind="system",
        is_administrator=False,
        address="",
        request_id=row.id,
        language=by.language,
        now=now,
        project_ref=ProjectRef(project.id, project.name, project.is_public),
        permissions=frozenset({"model.read", "model.write"}),
    )


def _model(session: Session, name: str, by: Caller) -> AssetRow:
    """The model of that name, locked; made when it is missing."""
    try:
        return get_asset(session, Place(MODEL, name), project_id=by.project.id, lock=True)
    except NotFound:
        body = AssetCreate(name=name, scene=Scene("other"), description="")
        return create_asset(session, MODEL, body, by=by)


def _find_same(session: Session, asset: AssetRow, entries: list[trees.Entry]) -> str | None:
    """The newest version, when it is committed and has exactly these files."""
    newest = session.scalar(
        sa.select(VersionRow).where(VersionRow.asset_id == asset.id, VersionRow.number == asset.latest_version)
    )
    if newest is None or newest.state != "committed" or newest.deleted_at is not None:
        return None
    tree = session.get_one(TreeRow, newest.tree_id)
    if tree.files != len(entries):
        return None
    here = {entry.path: entry.digest for entry in entries}
    is_same = all(here.get(node.path) == node.digest for node in trees.walk(session, tree.id))
    return newest.id if is_same else None


def _walk(workspace: Path, folder: str) -> Iterator[Found]:
    """Plain files below the folder. Links are not followed and not taken: they could lead anywhere."""
    top = workspace / check_path(folder)
    if not _is_plain_folder(workspace, folder):
        return
    pending, count = [top], 0
    while pending:
        with os.scandir(pending.pop()) as entries:
            for entry in sorted(entries, key=lambda found: found.name):
                if entry.is_dir(follow_symlinks=False):
                    pending.append(Path(entry.path))
                elif entry.is_file(follow_symlinks=False) and (path := _allowed(top, entry.path)):
                    count += 1
                    if count > FILES_MAX:
                        raise TooLarge("workload_outputs_many", max=FILES_MAX)
                    yield Found(path, Path(entry.path), entry.stat(follow_symlinks=False).st_size)


def _is_plain_folder(workspace: Path, folder: str) -> bool:
    place = workspace
    for part in folder.split("/"):
        place = place / part
        try:
            if not stat.S_ISDIR(place.lstat().st_mode):
                return False
        except FileNotFoundError:
            return False
    return True


def _allowed(top: Path, place: str) -> str | None:
    """The path in the version; None for a name that no version may hold."""
    try:
        return check_path(os.path.relpath(place, top))
    except (TidemillError, UnicodeError):
        log.warning("left out of a version, for its name: %r", place)
        return None


def _stage(file: Found, copy: Path) -> Staged | None:
    """A copy of the file with its digest; None when it is gone or no plain file any more."""
    try:
        source = os.open(file.place, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return None
    hasher, size_bytes = hashlib.sha256(), 0
    with os.fdopen(source, "rb") as opened, copy.open("wb") as written:
        if not stat.S_ISREG(os.fstat(opened.fileno()).st_mode):
            return None
        while block := opened.read(BLOCK_BYTES):
            hasher.update(block)
            size_bytes += written.write(block)
    return Staged(hasher.hexdigest(), size_bytes, str(copy))
