"""Preprocessing and scans: asked for, shown, acted upon.

Preprocessing never changes what is there: the steps go into a new draft of the same dataset. Going back is deleting it.
"""

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.accounts.access import Caller
from tidemill.assets.kinds import DATASET
from tidemill.assets.lookup import Place
from tidemill.datasets import choosing, items, labels, marking, versions
from tidemill.datasets.lookup import Opened, get_dataset, open_draft, open_version
from tidemill.datasets.preprocessing import preview
from tidemill.datasets.preprocessing.schemas import (
    PREVIEW_MAX,
    BringBack,
    BroughtBack,
    FoundItem,
    FoundPage,
    PreprocessCreate,
    PreprocessView,
    PreviewAsk,
    PreviewItem,
    PreviewView,
    ScanCreate,
    ScanView,
    SetAside,
)
from tidemill.datasets.preprocessing.steps import flips_of
from tidemill.datasets.schemas import ChangedCount, Chosen
from tidemill.datasets.states import ASIDE, LABELLED, UNLABELLED
from tidemill.datasets.tables import ITEMS, DatasetVersionRow, LabelRow, ReportPartRow, WorkRow
from tidemill.datasets.works import reports
from tidemill.datasets.works import service as works
from tidemill.datasets.works.service import Asked
from tidemill.datasets.works.states import DONE
from tidemill.kernel.db import Database
from tidemill.kernel.errors import Conflict, Invalid, Unavailable
from tidemill.kernel.i18n import Language
from tidemill.store.backends import BlobBackend
from tidemill.workloads.wanted import Input

SHOWN = 12
BACK_AT_ONCE = 20_000


def create_preprocess(session: Session, place: Place, body: PreprocessCreate, *, by: Caller) -> WorkRow:
    """A new draft beside the version, and the work that fills it."""
    if body.steps.is_empty:
        raise Invalid("preprocess_nothing", field="steps")
    opened = open_version(session, place, project_id=by.project.id)
    _, dataset = get_dataset(session, place, project_id=by.project.id)
    if dataset.data_type not in {"image", "video"}:
        raise Invalid("preprocess_pictures", field="steps")
    made = versions.create_empty_version(session, Place(DATASET, opened.asset_id), note=body.note, by=by)
    target = open_version(session, Place(DATASET, opened.asset_id, str(made.number)), project_id=by.project.id)
    _copy_labels(session, opened.vid, target.vid)
    wanted = Asked(
        kind="preprocess",
        asked={"steps": body.steps.model_dump(), "existing": "keep"},
        program="tidemill.datasets.preprocessing.worker",
        title=f"{opened.name} → {target.number}",
        target_vid=target.vid,
        inputs=(Input(opened.version_id, "source"),),
    )
    return works.begin(session, opened, wanted, by=by)


def preprocess_view(session: Session, row: WorkRow, opened: Opened, language: Language) -> PreprocessView:
    target = works.find_opened(session, row.target_vid) if row.target_vid else None
    return PreprocessView(
        **works.fields(row, opened, language),
        steps=row.asked["steps"],
        target_version=target.number if target else None,
    )


def create_scan(session: Session, place: Place, body: ScanCreate, *, by: Caller) -> WorkRow:
    """A look at all items of the draft."""
    opened = open_draft(session, place, project_id=by.project.id)
    wanted = Asked(
        kind="scan",
        asked=body.model_dump(),
        program="tidemill.datasets.preprocessing.scanner",
        title=opened.name,
        inputs=(Input(opened.version_id, "source"),),
    )
    return works.begin(session, opened, wanted, by=by)


def scan_view(row: WorkRow, opened: Opened, language: Language) -> ScanView:
    return ScanView(**works.fields(row, opened, language), **row.asked)


def found_page(session: Session, row: WorkRow, after: int, language: Language) -> FoundPage:
    """What a scan found, line by line."""
    lines: list[dict[str, Any]] = []
    for part in session.scalars(
        sa.select(ReportPartRow).where(ReportPartRow.work_id == row.id).order_by(ReportPartRow.part)
    ):
        size = part.lines.count("\n") + 1
        if part.first + size <= after:
            continue
        lines += [orjson.loads(line) for line in part.lines.split("\n")[max(0, after - part.first) :]]
        if len(lines) >= reports.PAGE:
            break
    shown = lines[: reports.PAGE]
    more = after + len(shown) < row.notes_count
    return FoundPage(
        items=[_found(line, language) for line in shown],
        next=after + len(shown) if shown and more else None,
        total=row.notes_count,
    )


def set_aside(db: Database, place: Place, work_id: str, body: SetAside, *, by: Caller) -> ChangedCount:
    """Sets aside what a scan found."""
    with db.read() as session:
        opened = open_draft(session, place, project_id=by.project.id)
        row = works.get_work(session, opened, "scan", work_id)
        if row.state != DONE:
            raise Conflict("scan_not_done", id=row.id)
        seqs = sorted(set(_bad(session, row, body)))
    changed = 0
    for start in range(0, len(seqs), choosing.HERE):
        chosen = Chosen.model_construct(seqs=seqs[start : start + choosing.HERE], filter=None)
        changed += choosing.change_items(db, place, chosen, choosing.STATE, ASIDE, by=by).changed
    return ChangedCount(changed=changed)


def bring_back(db: Database, place: Place, body: BringBack, *, by: Caller) -> BroughtBack:
    """Items that were set aside take part again: labelled when they have annotations, unlabelled otherwise."""
    changed, after = 0, 0
    with db.read() as session:
        opened = open_draft(session, place, project_id=by.project.id)
        given = {} if body.filter is None else dict(body.filter)
        wanted = items.make_filter(session, **{**given, "state": "aside"})
    while changed < BACK_AT_ONCE:
        with db.write() as session:
            if body.seqs is not None:
                seqs = sorted(body.seqs)
            else:
                seqs = items.find_seqs(session, opened.vid, wanted, after=after, limit=choosing.AT_ONCE)
            changed += _bring_back(session, opened, seqs, by=by)
        if body.seqs is not None or len(seqs) < choosing.AT_ONCE:
            break
        after = seqs[-1]
    with db.write() as session:
        choosing.record(session, opened, "bring_back", None, changed, by=by)
    return BroughtBack(changed=changed, more=changed >= BACK_AT_ONCE)


def show_preview(db: Database, backend: BlobBackend, place: Place, ask: PreviewAsk, *, by: Caller) -> PreviewView:
    """A few pictures before and after the steps."""
    with db.read() as session:
        opened = open_version(session, place, project_id=by.project.id)
        seqs = ask.seqs or _spread(session, opened.vid)
        chosen = [_plain_item(item) for item in items.load_items(session, opened.vid, seqs, with_annotations=True)]
        flips = flips_of([label.model_dump() for label in _label_views(session, opened.vid)], by="number")
    chosen = [item for item in chosen if item["media"].startswith("image/")]
    with tempfile.TemporaryDirectory(prefix="tidemill-preview-") as folder:
        for place_in, item in enumerate(chosen):
            item["file"] = str(Path(folder) / str(place_in))
            with open(item["file"], "wb") as out:
                out.writelines(backend.read(item["digest"]))
        try:
            shown = preview.show(chosen, ask.steps.model_dump(), flips)
        except preview.PreviewFailed:
            raise Unavailable("preview_broke") from None
    return PreviewView(
        items=[
            PreviewItem(
                seq=item["seq"],
                path=item["path"],
                **{**found, "problem": preview.problem_words(found["problem"], by.language)},
            )
            for item, found in zip(chosen, shown, strict=True)
        ]
    )


def _copy_labels(session: Session, vid: int, target_vid: int) -> None:
    """With their numbers, which mean the same in all versions of a dataset."""
    for row in labels.load(session, vid):
        kept = ("number", "position", "name", "parent", "colour", "shortcut", "attributes", "skeleton")
        session.add(LabelRow(vid=target_vid, **{name: getattr(row, name) for name in kept}))
    guidelines = session.scalar(sa.select(DatasetVersionRow.guidelines).where(DatasetVersionRow.vid == vid))
    session.get_one(DatasetVersionRow, target_vid).guidelines = guidelines or ""
    session.flush()


def _label_views(session: Session, vid: int) -> list[Any]:
    return labels.views(session, vid, labels.load(session, vid))


def _spread(session: Session, vid: int) -> list[int]:
    """Items from all over the version."""
    bounds = sa.select(sa.func.min(ITEMS.c.seq), sa.func.max(ITEMS.c.seq)).where(ITEMS.c.vid == vid)
    first, last = session.execute(bounds).one()
    if first is None:
        return []
    step = max(1, (last - first) // SHOWN)
    found: list[int] = []
    for start in range(first, last + 1, step):
        next_one = sa.select(ITEMS.c.seq).where(ITEMS.c.vid == vid, ITEMS.c.seq >= start, ITEMS.c.state != ASIDE)
        seq = session.scalar(next_one.order_by(ITEMS.c.seq).limit(1))
        if seq is not None and (not found or seq > found[-1]):
            found.append(seq)
    return found[:PREVIEW_MAX]


def _plain_item(item: dict[str, Any]) -> dict[str, Any]:
    return {
        "seq": item["seq"],
        "path": item["path"],
        "digest": item["digest"],
        "media": item["media"],
        "annotations": orjson.loads(orjson.dumps(item["annotations"])),
    }


def _found(line: dict[str, Any], language: Language) -> FoundItem:
    params = line["params"]
    seqs = params.get("seqs") or [params["seq"]]
    return FoundItem(
        what=line["code"],
        path=line["path"],
        seqs=seqs,
        sharpness=params.get("sharpness"),
        message=reports.words(line, language),
    )


def _bad(session: Session, row: WorkRow, body: SetAside) -> Iterator[int]:
    threshold = row.asked["threshold"] if body.threshold is None else body.threshold
    parts = sa.select(ReportPartRow.lines).where(ReportPartRow.work_id == row.id).order_by(ReportPartRow.part)
    for text in session.scalars(parts):
        for line in map(orjson.loads, text.split("\n")):
            params = line["params"]
            if line["code"] == "near_duplicates" and body.near_duplicates:
                yield from params["seqs"][1:]
            elif (line["code"] == "item_blurred" and body.blurred and params["sharpness"] < threshold) or (
                line["code"] == "item_broken" and body.broken
            ):
                yield params["seq"]


def _bring_back(session: Session, opened: Opened, seqs: list[int], *, by: Caller) -> int:
    if not seqs:
        return 0
    here = sa.and_(ITEMS.c.vid == opened.vid, marking.seq_among(session, ITEMS.c.seq, seqs), ITEMS.c.state == ASIDE)
    rows = session.connection().execute(sa.select(ITEMS.c.seq, ITEMS.c.annotations).where(here)).all()
    done = [row.seq for row in rows if row.annotations]
    bare = [row.seq for row in rows if not row.annotations]
    changed = marking.set_state(session, opened, done, LABELLED, by=by) if done else 0
    return changed + (marking.set_state(session, opened, bare, UNLABELLED, by=by) if bare else 0)
