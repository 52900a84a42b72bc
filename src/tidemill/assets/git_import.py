"""Files from a Git repository into a draft, as background work.

It may be interrupted at any moment and run again from the start: the content goes into the store as it is read, where
it is part of nothing, and the draft gets all files in one transaction at the end.
"""

import hashlib
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from fastapi import FastAPI
from sqlalchemy.orm import Session

from tidemill.accounts.access import Caller
from tidemill.assets import git_fetch, lineage
from tidemill.assets.editing import check_draft, editable_tree
from tidemill.assets.git_address import check_git_url, check_ref
from tidemill.assets.git_fetch import GitFile
from tidemill.assets.links import version_link
from tidemill.assets.lookup import Place, get_version
from tidemill.assets.schemas import PATHS_MAX, GitImport
from tidemill.assets.tables import AssetRow, VersionRow
from tidemill.assets.versions import record
from tidemill.assets.views import version_name
from tidemill.jobs import service as jobs
from tidemill.jobs.handlers import JobCancelled, RunningJob
from tidemill.jobs.tables import JobRow
from tidemill.kernel.db import Database, in_batches
from tidemill.kernel.errors import Conflict, Invalid, TooLarge
from tidemill.kernel.outbound import Target
from tidemill.kernel.settings import Settings
from tidemill.store import intake, trees
from tidemill.store.backends import BlobBackend, Staged
from tidemill.store.depot import Store
from tidemill.store.paths import check_path

KIND = "git_import"
FILES_MAX = 200_000
_SHOWN_PROBLEMS = 100
_BATCH_FILES = 500
_BATCH_BYTES = 64 * 1024 * 1024
_LFS_POINTER = b"version https://git-lfs.github.com/spec/"


@dataclass(slots=True)
class Taken:
    """What came out of a repository."""

    entries: list[trees.Entry] = field(default_factory=list)
    problems: list[GitFile] = field(default_factory=list)
    lfs_pointers: int = 0

    @property
    def size_bytes(self) -> int:
        return sum(entry.size_bytes for entry in self.entries)


def check_import(body: GitImport, settings: Settings) -> Target:
    """Refuses at once what cannot work. Asks the name service, so it is done outside of transactions."""
    check_ref(body.ref)
    if body.subdir:
        check_path(body.subdir.strip("/"), field="subdir")
    return check_git_url(body.url, settings.outbound_allow)


def submit_import(session: Session, place: Place, body: GitImport, target: Target, *, by: Caller) -> JobRow:
    """Asks for the import of a repository into a draft."""
    asset, version = get_version(session, place, project_id=by.project.id, lock=True)
    check_draft(asset, version)
    wanted = {"url": target.url, "ref": body.ref, "subdir": (body.subdir or "").strip("/")}
    record(session, "import_git", asset, version, by=by, after=wanted)
    return jobs.submit(
        session,
        KIND,
        params={**wanted, "version_id": version.id},
        name=version_name(asset, version),
        by=by,
        project_id=by.project.id,
        link=version_link(by.project.name, asset.kind, asset.name, version.number),
    )


def handler(app: FastAPI) -> Callable[[RunningJob], dict[str, Any]]:
    """What runs the job."""

    def run(job: RunningJob) -> dict[str, Any]:
        store: Store = app.state.store
        # On the store's own file system, so that files need no copy; what a crash leaves there is collected.
        folder = store.temporary / job.id
        try:
            return _import(job, store.backend, folder)
        except git_fetch.GitCancelled:
            raise JobCancelled from None
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    return run


def _import(job: RunningJob, backend: BlobBackend, folder: Path) -> dict[str, Any]:
    params, settings = job.params, job.settings
    _check_still_draft(job.db, params["version_id"])
    target = check_git_url(params["url"], settings.outbound_allow)
    limits = git_fetch.Limits(settings.git_timeout_s, settings.git_max_bytes)
    job.progress(0, 100, "percent", "git_fetching", host=target.host)
    git_fetch.open_repository(folder / "repository")
    commit = git_fetch.fetch(
        folder / "repository",
        target,
        check_ref(params["ref"]),
        ssh_folder=settings.home / "ssh",
        limits=limits,
        on_percent=lambda percent: job.progress(percent, 100, "percent", "git_fetching", host=target.host),
        is_cancelled=job.cancelled,
    )
    taken = _take(job, backend, folder, commit, limits)
    with job.db.write() as session:
        _put(session, job, taken, url=target.url, commit=commit)
    return {
        "url": target.url,
        "commit": commit,
        "files": len(taken.entries),
        "size_bytes": taken.size_bytes,
        "lfs_pointers": taken.lfs_pointers,
        "skipped_count": len(taken.problems),
        "skipped": [{"path": file.path, "reason": file.problem} for file in taken.problems[:_SHOWN_PROBLEMS]],
    }


def _take(job: RunningJob, backend: BlobBackend, folder: Path, commit: str, limits: git_fetch.Limits) -> Taken:
    """Reads the commit's files into the store."""
    listed = git_fetch.list_files(folder / "repository", commit, job.params["subdir"])
    files, problems = _sort_out(listed)
    _check_limits(files, limits)
    taken = Taken(problems=problems)
    staging = folder / "files"
    staging.mkdir()
    with git_fetch.reading(folder / "repository") as read:
        job.progress(0, len(files), "files", "git_reading")
        for batch in intake.in_batches_by_size(files, most_files=_BATCH_FILES, most_bytes=_BATCH_BYTES):
            job.check()
            staged = [_stage(staging / str(place), read(file.object_id)) for place, file in enumerate(batch)]
            taken.lfs_pointers += sum(map(_is_lfs_pointer, staged))
            assert job.project_id
            intake.keep_files(job.db, backend, job.project_id, staged, job.now)
            taken.entries += [
                trees.Entry(check_path(file.path), kept.digest, kept.size_bytes)
                for file, kept in zip(batch, staged, strict=True)
            ]
            job.progress(len(taken.entries), len(files), "files", "git_reading")
    return taken


def _sort_out(listed: Sequence[GitFile]) -> tuple[list[GitFile], list[GitFile]]:
    """Files to take, and what cannot be taken: links, submodules, names we do not allow, one name twice."""
    files: list[GitFile] = []
    problems: list[GitFile] = []
    seen: set[str] = set()
    for file in listed:
        problem = file.problem or _path_problem(file.path, seen)
        if problem:
            problems.append(GitFile(file.path, file.object_id, file.size_bytes, problem))
        else:
            files.append(file)
    return files, problems


def _path_problem(path: str, seen: set[str]) -> str | None:
    try:
        checked = check_path(path)
    except Invalid as refused:
        return refused.code
    if checked in seen:
        return "path_twice"
    seen.add(checked)
    return None


def _check_limits(files: Sequence[GitFile], limits: git_fetch.Limits) -> None:
    """Before any byte is taken."""
    size_bytes = sum(file.size_bytes for file in files)
    if not files:
        raise Invalid("git_empty", field="subdir")
    if len(files) > FILES_MAX:
        raise TooLarge("git_too_many_files", max=FILES_MAX, count=len(files))
    if size_bytes > limits.max_bytes:
        raise TooLarge("git_too_large", max_bytes=limits.max_bytes)


def _stage(path: Path, blocks: Iterator[bytes]) -> Staged:
    hasher, size_bytes = hashlib.sha256(), 0
    with path.open("wb") as file:
        for block in blocks:
            hasher.update(block)
            size_bytes += file.write(block)
    return Staged(hasher.hexdigest(), size_bytes, str(path))


def _is_lfs_pointer(file: Staged) -> bool:
    if file.size_bytes > 1024:
        return False
    with open(file.path, "rb") as opened:
        return opened.read(len(_LFS_POINTER)) == _LFS_POINTER


def _put(session: Session, job: RunningJob, taken: Taken, *, url: str, commit: str) -> None:
    """All files at once into the draft, replacing those of the same paths."""
    by = job.caller()
    asset, version = _get_draft(session, job.params["version_id"], lock=True)
    with editable_tree(session, asset, version, by.now) as tree:
        was_empty = tree.files == 0
        for batch in in_batches(taken.entries, PATHS_MAX):
            trees.put_entries(session, tree, batch, by.now)
    if was_empty:
        version.origin = "git"
    lineage.add_import(session, version, url=url, commit=commit, by=by)
    after = {"operation": "import_git", "url": url, "commit": commit, "files": len(taken.entries)}
    record(session, "edit", asset, version, by=by, after=after)


def _check_still_draft(db: Database, version_id: str) -> None:
    with db.read() as session:
        _get_draft(session, version_id, lock=False)


def _get_draft(session: Session, version_id: str, *, lock: bool) -> tuple[AssetRow, VersionRow]:
    asset_id = session.scalar(sa.select(VersionRow.asset_id).where(VersionRow.id == version_id))
    asset = session.get(AssetRow, asset_id, with_for_update={"key_share": True} if lock else None) if asset_id else None
    version = session.get(VersionRow, version_id)
    if version is None or asset is None or version.deleted_at is not None or asset.deleted_at is not None:
        raise Conflict("git_draft_gone")
    check_draft(asset, version)
    return asset, version
