"""The job that writes results into a dataset: a batch a transaction, with the cursor, so that a crash loses nothing."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from fastapi import FastAPI
from pydantic import TypeAdapter, ValidationError
from sqlalchemy.orm import Session

from tidemill.accounts.access import Caller, ProjectRef
from tidemill.accounts.tables import ProjectRow
from tidemill.annotation.revising import Revised, There, revise
from tidemill.assets import lineage
from tidemill.assets.tables import VersionRow
from tidemill.assets.uses import Source
from tidemill.datasets import copying, doubts, labels
from tidemill.datasets.annotations import Annotations, pack, unpack
from tidemill.datasets.bulk import find_paths
from tidemill.datasets.changes import begin_change, content_stayed
from tidemill.datasets.doubts import Doubt
from tidemill.datasets.lookup import Opened, check_draft
from tidemill.datasets.states import LABELLED, UNLABELLED
from tidemill.datasets.works.service import find_opened
from tidemill.inference.links import source_of
from tidemill.inference.results.reading import Line, read_all
from tidemill.inference.tables import InferenceRunRow, WriteBackRow
from tidemill.jobs.handlers import RunningJob
from tidemill.jobs.texts import error_text
from tidemill.kernel.errors import Conflict, TidemillError
from tidemill.models.auto.service import MappingWish, resolve_mapping
from tidemill.models.auto.taking import OPEN, revised

if TYPE_CHECKING:
    from tidemill.models.auto.predicting import Said, Words

KIND = "inference_write_back"
AT_ONCE = 500
_ANNOTATIONS: TypeAdapter[Any] = TypeAdapter(Annotations)


@dataclass(frozen=True, slots=True)
class Found:
    """What a run found, as something that has labels."""

    name: str
    labels: tuple[str, ...]
    type: str = "run"
    task: str | None = None


@dataclass(frozen=True, slots=True)
class Wish:
    mapping: dict[str, int | str | None] | None
    make_labels: bool


def labels_for(
    session: Session, opened: Opened, run: InferenceRunRow, body: MappingWish, *, by: Caller
) -> dict[str, int]:
    """From the run's labels to numbers of the draft's, made where they are wanted."""
    return resolve_mapping(session, opened, found_by(run), body, by=by) or {}


def found_by(run: InferenceRunRow) -> Found:
    return Found(run.source, tuple(str(one[0]) for one in run.labels))


def handler(app: FastAPI) -> Callable[[RunningJob], dict[str, Any]]:
    """What runs the background work."""
    backend = app.state.store.backend

    def run(job: RunningJob) -> dict[str, Any]:
        work = _Writing(job, backend)
        try:
            return work.do()
        except TidemillError as error:
            work.note_failure(error)
            raise

    return run


class _Writing:
    """One under way."""

    def __init__(self, job: RunningJob, backend: Any) -> None:
        self._job, self._db, self._backend = job, job.db, backend
        self._id: str = job.params["write_back"]

    def do(self) -> dict[str, Any]:
        with self._db.read() as session:
            row, run = self._rows(session)
        if row.form == "version" and row.version is None:
            self._make_version(run)
        opened, words, asked = self._ready()
        threshold = asked.get("threshold") or 0.0
        for lines in read_all(self._db, self._backend, run.rid, after=self._seq()):
            for start in range(0, len(lines), AT_ONCE):
                self._job.check()
                self._write(opened, words, asked, threshold, lines[start : start + AT_ONCE])
        return self._finish(opened)

    def note_failure(self, error: TidemillError) -> None:
        with self._db.write() as session:
            row = session.get(WriteBackRow, self._id)
            if row is not None:
                row.state, row.error, row.finished_at = "failed", error_text(error), self._job.now

    def _rows(self, session: Session) -> tuple[WriteBackRow, InferenceRunRow]:
        row = session.get(WriteBackRow, self._id)
        run = session.scalar(sa.select(InferenceRunRow).where(InferenceRunRow.id == row.run_id)) if row else None
        if row is None or run is None:
            raise Conflict("inference_results_gone")
        return row, run

    def _make_version(self, run: InferenceRunRow) -> None:
        """The new version as a copy of the one that was looked at, then its lineage."""
        with self._db.write() as session:
            session.get_one(WriteBackRow, self._id).state = "copying"
        made = copying.run(replace(self._job, params=self._job.params["copy"]))
        with self._db.write() as session:
            row = session.get_one(WriteBackRow, self._id)
            row.version = made["version"]
            version, by = session.get_one(VersionRow, made["version_id"]), self._caller(session)
            if run.model_version_id is not None:
                lineage.add_made_from(session, version, [run.model_version_id], by=by)
            source: Source | None = source_of(session, run)
            if source is not None:
                lineage.add_made_from_other(session, version, source, by=by)

    def _ready(self) -> "tuple[Opened, Words, dict[str, Any]]":
        from tidemill.models.auto.predicting import Words

        with self._db.write() as session:
            row, run = self._rows(session)
            opened = find_opened(session, row.vid or 0)
            if opened is None:
                raise Conflict("inference_dataset_gone", name=row.dataset)
            check_draft(opened)
            if row.form == "version" and not row.asked.get("is_mapped"):
                wish = Wish(row.asked.get("mapping"), row.asked["make_labels"])
                mapping = labels_for(session, opened, run, wish, by=self._caller(session))
                row.asked = {**row.asked, "mapping": mapping, "is_mapped": True}
            row.state = "writing"
            session.flush()
            views = [one.model_dump() for one in labels.views(session, opened.vid, labels.load(session, opened.vid))]
            return opened, Words(views, row.asked["mapping"]), {**row.asked, "form": row.form, "source": run.source}

    def _write(
        self, opened: Opened, words: "Words", asked: dict[str, Any], threshold: float, lines: list[Line]
    ) -> None:
        said = [_read(words, line, threshold) for line in lines]
        counts: dict[str, int] = {}
        with self._db.write() as session:
            by = self._caller(session)
            row = session.get_one(WriteBackRow, self._id, with_for_update=True)
            if lines[-1]["seq"] <= row.seq:
                return
            changed = begin_change(session, opened, by.now)
            there = find_paths(session, opened.vid, [line["path"] for line in lines])
            changes, looked = _changes(lines, said, there, asked, counts)
            revise(session, opened, changes, changed=changed, reason="auto", annotator=None, key=self._id, by=by)
            if not changes:
                content_stayed(session, opened.vid, changed)
            doubts.keep(session, opened.vid, looked)
            row.seq = lines[-1]["seq"]
            row.counts = {name: row.counts.get(name, 0) + counts.get(name, 0) for name in {*row.counts, *counts}}
            done, total = sum(row.counts.values()), session.scalar(_DONE, {"run": row.run_id})
        self._job.progress(done, total, "items")

    def _finish(self, opened: Opened) -> dict[str, Any]:
        with self._db.write() as session:
            row = session.get_one(WriteBackRow, self._id)
            row.state, row.finished_at = "done", self._job.now
            return {"dataset": opened.asset, "version": opened.number, **row.counts}

    def _seq(self) -> int:
        with self._db.read() as session:
            return session.get_one(WriteBackRow, self._id).seq

    def _caller(self, session: Session) -> Caller:
        project = session.get_one(ProjectRow, self._job.project_id)
        return replace(self._job.caller(), project_ref=ProjectRef(project.id, project.name, project.is_public))


_DONE = sa.select(InferenceRunRow.done).where(InferenceRunRow.id == sa.bindparam("run"))


def _read(words: "Words", line: Line, threshold: float) -> "Said":
    """What was found, in the dataset's words; nothing that a dataset would refuse."""
    from tidemill.models.auto.predicting import read_line

    said = read_line(words, line, threshold)
    try:
        checked: list[dict[str, Any]] = _ANNOTATIONS.validate_python(said.annotations)
    except ValidationError:
        checked = []
    said.annotations = [one for one in checked if _is_fine(one)]
    return said


def _is_fine(annotation: dict[str, Any]) -> bool:
    try:
        pack([annotation])
    except TidemillError:
        return False
    return True


def _changes(
    lines: Sequence[Line], said: "Sequence[Said]", there: dict[str, Any], asked: dict[str, Any], counts: dict[str, int]
) -> tuple[list[Revised], list[Doubt]]:
    """What the items become, and how sure was what suggests it."""
    changes: list[Revised] = []
    looked: list[Doubt] = []

    def count(word: str) -> None:
        counts[word] = counts.get(word, 0) + 1

    for line, one in zip(lines, said, strict=True):
        row = there.get(line["path"])
        if row is None:
            count("missing")
            continue
        current = There(row.seq, row.state, row.annotator, row.revision, row.body)
        if one.error is not None or not one.annotations:
            count("empty")
            continue
        if asked["form"] == "suggestions":
            new = revised(current, one.annotations, asked["source"][:200]) if current.state in OPEN else None
            if current.state in OPEN:
                scores = [float(each.get("score", 1.0)) for each in one.annotations]
                looked.append(Doubt(current.seq, one.uncertainty, one.surprise, min(scores)))
        else:
            new = _annotated(current, one.annotations, asked)
        count("kept" if new is None else "written")
        if new is not None:
            changes.append(new)
    return changes, looked


def _annotated(current: There, annotations: Sequence[dict[str, Any]], asked: dict[str, Any]) -> Revised | None:
    """The item annotated with what was found; None where it stays as it is."""
    if asked["existing"] == "keep" and (current.state != UNLABELLED or unpack(current.body)):
        return None
    plain = [{name: value for name, value in one.items() if name not in {"auto", "score"}} for one in annotations]
    return Revised(current, [{**one, "source": asked["source"][:200]} for one in plain], LABELLED)
