"""The algorithms we ship, as assets of the public project: a new version wherever their files changed."""

import hashlib
import logging
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import sqlalchemy as sa
from fastapi import FastAPI

from tidemill.accounts.access import Caller, ProjectRef, system_caller
from tidemill.accounts.tables import ProjectRow
from tidemill.assets.kinds import ALGORITHM, SCENES
from tidemill.kernel.db import Database
from tidemill.kernel.errors import TidemillError
from tidemill.models import manifests
from tidemill.models.manifests import NotUnderstood, in_words
from tidemill.models.planting import Entry, Plant, find_planted, plant
from tidemill.store import intake
from tidemill.store.depot import Store

log = logging.getLogger("tidemill.models")

_HERE = Path(__file__).parent.parent
SHIPPED = (_HERE / "shipped_algorithms", _HERE.parent.parent / "algorithms")
"""In an installed package; in the repository."""
_LEFT_OUT = frozenset({"__pycache__"})


def find_folder() -> Path | None:
    """Where the algorithms are; None where they were not shipped."""
    return next((folder for folder in SHIPPED if folder.is_dir()), None)


class BuiltinAlgorithms:
    """Enters them once a process, soon after it starts: nobody's first request waits for it."""

    def __init__(self, app: FastAPI) -> None:
        self._app = app
        self._is_done = False

    def look(self) -> None:
        if self._is_done:
            return
        folder = find_folder()
        if folder is not None:
            enter(self._app, folder)
        self._is_done = True


def enter(app: FastAPI, folder: Path) -> list[str]:
    """Enters every algorithm below the folder; `name@version` of those that are new. Safe to repeat."""
    db: Database = app.state.db
    store: Store = app.state.store
    by = public_caller(db, app)
    made = []
    for place in sorted(found.parent for found in folder.glob(f"*/{manifests.FILE}")):
        try:
            number, is_new = _enter_one(db, store, place, by)
        except (NotUnderstood, TidemillError) as error:
            # One of them must not keep the others out.
            log.error("the built-in algorithm %s could not be entered: %s", place.name, error)
            continue
        if is_new:
            made.append(f"{place.name}@{number}")
            log.info("built-in algorithm %s@%d entered", place.name, number)
    return made


def public_caller(db: Database, app: FastAPI) -> Caller:
    """The platform itself, in the public project."""
    with db.read() as session:
        public = session.scalars(sa.select(ProjectRow).where(ProjectRow.is_public)).one()
    caller = system_caller(app.state.clock())
    held = frozenset(f"{kind}.{verb}" for kind in ("algorithm", "model") for verb in ("read", "write"))
    return replace(caller, project_ref=ProjectRef(public.id, public.name, is_public=True), permissions=held)


def _enter_one(db: Database, store: Store, place: Path, by: Caller) -> tuple[int, bool]:
    manifest = manifests.parse((place / manifests.FILE).read_bytes())
    entries = []
    for path, content in _files(place):
        digest = hashlib.sha256(content).hexdigest()
        entries.append((Entry(path, digest, len(content)), content))
    scene = manifest.task if manifest.task in SCENES else "other"
    described = f"{in_words(manifest.title, 'en')} · {in_words(manifest.title, 'zh-CN')}"
    wanted = Plant(ALGORITHM, place.name, scene, described, "", [entry for entry, _ in entries])
    with db.read() as session:
        there = find_planted(session, wanted, by=by)
    if there is not None:
        return there, False
    for _, content in entries:
        intake.keep_bytes(db, store.backend, by.project.id, content, by.now)
    return plant(db, store, wanted, by=by)


def _files(place: Path) -> Iterator[tuple[str, bytes]]:
    for file in sorted(place.rglob("*")):
        path = file.relative_to(place)
        if file.is_file() and not _LEFT_OUT & set(path.parts) and not file.name.startswith("."):
            yield path.as_posix(), file.read_bytes()
