"""Versions of datasets: started, listed, shown."""

from collections.abc import Sequence

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.accounts.access import Caller
from tidemill.assets import versions
from tidemill.assets.lookup import Place
from tidemill.assets.tables import AssetRow, VersionRow
from tidemill.assets.views import version_views
from tidemill.datasets.counting import ANNOTATIONS, STATE, TOTAL, get_many
from tidemill.datasets.lookup import get_dataset, open_version
from tidemill.datasets.schemas import DatasetVersionPatch, DatasetVersionView
from tidemill.datasets.service import progress_of
from tidemill.datasets.states import DRAFT, ITEM_STATES
from tidemill.datasets.tables import DatasetRow, DatasetVersionRow
from tidemill.kernel.paging import Page, PageQuery, fetch_page


def list_versions(session: Session, place: Place, page: PageQuery, *, by: Caller) -> Page[DatasetVersionView]:
    """A dataset's versions, newest first; one that is being made from another is not there yet."""
    asset, dataset = get_dataset(session, place, project_id=by.project.id)
    live = sa.select(VersionRow).where(VersionRow.asset_id == asset.id, VersionRow.deleted_at.is_(None))
    if page.q:
        live = live.where(VersionRow.number == int(page.q) if page.q.isdecimal() and len(page.q) < 16 else sa.false())
    return fetch_page(
        session,
        live,
        page,
        sorts={"number": VersionRow.number},
        id_column=VersionRow.id,
        default_sort="-number",
        view=lambda rows: dataset_version_views(session, asset, dataset, rows, by=by),
        total=None if page.q else asset.versions_count,
    )


def get_version_view(session: Session, place: Place, *, by: Caller) -> DatasetVersionView:
    """One version."""
    opened = open_version(session, place, project_id=by.project.id)
    return view_version(session, opened.version_id, by=by)


def view_version(session: Session, version_id: str, *, by: Caller) -> DatasetVersionView:
    version = session.get_one(VersionRow, version_id)
    asset = session.get_one(AssetRow, version.asset_id)
    dataset = session.scalars(sa.select(DatasetRow).where(DatasetRow.asset_id == asset.id)).one()
    return dataset_version_views(session, asset, dataset, [version], by=by)[0]


def create_empty_version(session: Session, place: Place, *, note: str, by: Caller) -> DatasetVersionView:
    """A draft without items."""
    asset, dataset = get_dataset(session, place, project_id=by.project.id, lock=True)
    version = versions.new_version(session, asset, None, note=note, by=by)
    session.add(new_row(dataset, by, version_id=version.id, state=DRAFT))
    session.flush()
    versions.record(session, "create_version", asset, version, by=by, after={"note": note})
    return dataset_version_views(session, asset, dataset, [version], by=by)[0]


def new_row(dataset: DatasetRow, by: Caller, *, version_id: str | None, state: str) -> DatasetVersionRow:
    """A version as this room keeps it."""
    return DatasetVersionRow(
        version_id=version_id,
        did=dataset.did,
        project_id=dataset.project_id,
        state=state,
        revision=0,
        changed_at=by.now,
        next_seq=1,
        removals=0,
        guidelines="",
        examples=[],
    )


def update_guidance(session: Session, place: Place, patch: DatasetVersionPatch, *, by: Caller) -> DatasetVersionView:
    """Changes what annotators are told; also of a published version, whose items it does not touch."""
    opened = open_version(session, place, project_id=by.project.id)
    row = session.get_one(DatasetVersionRow, opened.vid)
    given = {field: value for field, value in patch.model_dump(exclude_unset=True).items() if value is not None}
    before = {field: getattr(row, field) for field in given}
    for field, value in given.items():
        setattr(row, field, value)
    version = session.get_one(VersionRow, opened.version_id)
    asset = session.get_one(AssetRow, opened.asset_id)
    versions.record(session, "update_version", asset, version, by=by, before=before, after=given)
    session.flush()
    return view_version(session, opened.version_id, by=by)


def dataset_version_views(
    session: Session, asset: AssetRow, dataset: DatasetRow, rows: Sequence[VersionRow], *, by: Caller
) -> list[DatasetVersionView]:
    """Versions of one dataset, with their counters."""
    ids = [row.id for row in rows]
    mine = sa.select(DatasetVersionRow).where(DatasetVersionRow.version_id.in_(ids))
    own = {row.version_id: row for row in session.scalars(mine)}
    vids = [row.vid for row in own.values()]
    states, totals = get_many(session, vids, STATE), get_many(session, vids, TOTAL)
    found = []
    for view, row in zip(version_views(session, asset, rows, by=by), rows, strict=True):
        kept = own[row.id]
        counted = states.get(kept.vid, {})
        done, _, progress = progress_of(counted)
        found.append(
            DatasetVersionView(
                **view.model_dump(),
                data_type=dataset.data_type,
                annotation_type=dataset.annotation_type,
                work=kept.state,
                items=sum(counted.values()),
                annotations=totals.get(kept.vid, {}).get(ANNOTATIONS, 0),
                states={word: counted.get(str(code), 0) for code, word in enumerate(ITEM_STATES)},
                done=done,
                progress=progress,
                item_revision=kept.revision,
                changed_at=kept.changed_at,
                guidelines=kept.guidelines,
                examples=kept.examples,
                can_annotate=kept.state == DRAFT and by.may("dataset.annotate"),
            )
        )
    return found
