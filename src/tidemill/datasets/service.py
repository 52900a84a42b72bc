"""Datasets: made, listed, renamed."""

from collections.abc import Sequence

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.accounts import audit
from tidemill.accounts.access import Caller
from tidemill.assets import counters, service
from tidemill.assets.kinds import DATASET
from tidemill.assets.lookup import Place, check_name_free
from tidemill.assets.tables import AssetRow, BinRow, VersionRow
from tidemill.assets.views import asset_view, version_name
from tidemill.datasets.counting import STATE, get_many
from tidemill.datasets.lookup import get_dataset
from tidemill.datasets.schemas import DatasetCreate, DatasetPatch, DatasetView, VersionSummary
from tidemill.datasets.states import ASIDE, DONE, SCENES, AnnotationType, DataType
from tidemill.datasets.tables import DatasetRow, DatasetVersionRow
from tidemill.kernel.db import contains
from tidemill.kernel.fields import name_key
from tidemill.kernel.paging import Page, PageQuery, fetch_page


def list_datasets(
    session: Session,
    page: PageQuery,
    *,
    data_type: DataType | None,
    annotation_type: AnnotationType | None,
    mine: bool,
    by: Caller,
) -> Page[DatasetView]:
    """One page of a project's datasets."""
    live = sa.select(AssetRow).where(
        AssetRow.project_id == by.project.id, AssetRow.kind == DATASET.name, AssetRow.deleted_at.is_(None)
    )
    is_whole = not (page.q or data_type or annotation_type or mine)
    if data_type or annotation_type:
        live = live.join(DatasetRow, DatasetRow.asset_id == AssetRow.id)
    if data_type:
        live = live.where(DatasetRow.data_type == data_type.value)
    if annotation_type:
        live = live.where(DatasetRow.annotation_type == annotation_type.value)
    if mine:
        live = live.where(AssetRow.created_by_id == by.user_id)
    if page.q:
        live = live.where(contains(AssetRow.name_key, name_key(page.q)))
    return fetch_page(
        session,
        live,
        page,
        sorts=service.SORTS,
        id_column=AssetRow.id,
        default_sort="-updated_at",
        view=lambda rows: dataset_views(session, rows, by=by),
        total=counters.get_count(session, by.project.id, DATASET.name) if is_whole else None,
    )


def create_dataset(session: Session, body: DatasetCreate, *, by: Caller) -> DatasetView:
    """A new dataset without versions."""
    scene = SCENES.get(body.annotation_type, body.annotation_type)
    asset = service.new_asset(
        session,
        DATASET,
        project_id=by.project.id,
        name=body.name,
        scene=scene,
        description=body.description,
        by=by,
    )
    session.add(
        DatasetRow(
            asset_id=asset.id,
            project_id=by.project.id,
            data_type=str(body.data_type),
            annotation_type=str(body.annotation_type),
            next_label=1,
        )
    )
    session.flush()
    _record(session, "create", asset, by=by, after=body.model_dump(mode="json"))
    return dataset_view(session, asset, by=by)


def update_dataset(session: Session, place: Place, patch: DatasetPatch, *, by: Caller) -> DatasetView:
    """Gives a dataset another name."""
    asset, _ = get_dataset(session, place, project_id=by.project.id, lock=True)
    before = {"name": asset.name}
    if name_key(patch.name) != asset.name_key:
        check_name_free(session, DATASET.name, patch.name, project_id=by.project.id)
    asset.name, asset.name_key, asset.updated_at = patch.name, name_key(patch.name), by.now
    _rename_in_bin(session, asset)
    _record(session, "update", asset, by=by, before=before, after={"name": asset.name})
    session.flush()
    return dataset_view(session, asset, by=by)


def dataset_view(session: Session, asset: AssetRow, *, by: Caller) -> DatasetView:
    return dataset_views(session, [asset], by=by)[0]


def dataset_views(session: Session, assets: Sequence[AssetRow], *, by: Caller) -> list[DatasetView]:
    """Datasets with how far their newest versions are."""
    ids = [asset.id for asset in assets]
    rows = {row.asset_id: row for row in session.scalars(sa.select(DatasetRow).where(DatasetRow.asset_id.in_(ids)))}
    newest = _newest_versions(session, ids)
    return [
        DatasetView(
            **asset_view(asset, by=by).model_dump(),
            data_type=rows[asset.id].data_type,
            annotation_type=rows[asset.id].annotation_type,
            latest=newest.get(asset.id),
        )
        for asset in assets
    ]


def progress_of(states: dict[str, int]) -> tuple[int, int, float]:
    """Finished items, items set aside, and the percentage done of the rest; from the counters of states."""
    aside = states.get(str(ASIDE), 0)
    done = sum(states.get(str(code), 0) for code in DONE)
    work = sum(states.values()) - aside
    return done, aside, round(100 * done / work, 1) if work else 0.0


def _newest_versions(session: Session, asset_ids: Sequence[str]) -> dict[str, VersionSummary]:
    rows = session.execute(
        sa.select(AssetRow.id, VersionRow.number, DatasetVersionRow.vid, DatasetVersionRow.state)
        .join(VersionRow, sa.and_(VersionRow.asset_id == AssetRow.id, VersionRow.number == AssetRow.latest_version))
        .join(DatasetVersionRow, DatasetVersionRow.version_id == VersionRow.id)
        .where(AssetRow.id.in_(asset_ids))
    ).all()
    counts = get_many(session, [row.vid for row in rows], STATE)
    found: dict[str, VersionSummary] = {}
    for row in rows:
        states = counts.get(row.vid, {})
        done, aside, progress = progress_of(states)
        found[row.id] = VersionSummary(
            number=row.number, state=row.state, items=sum(states.values()), done=done, aside=aside, progress=progress
        )
    return found


def _rename_in_bin(session: Session, asset: AssetRow) -> None:
    """Its versions in the bin are shown by the dataset's name, too."""
    entries = sa.select(BinRow, VersionRow).join(VersionRow, VersionRow.id == BinRow.version_id)
    for entry, version in session.execute(entries.where(BinRow.asset_id == asset.id)):
        entry.name = version_name(asset, version)
        entry.name_key = name_key(entry.name)


def _record(session: Session, verb: str, asset: AssetRow, *, by: Caller, **change: object) -> None:
    audit.record(
        session,
        f"{asset.kind}.{verb}",
        by=by,
        target_kind=asset.kind,
        target_id=asset.id,
        target_name=asset.name,
        **change,  # type: ignore[arg-type]
    )
