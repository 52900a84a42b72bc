"""Datasets and their versions over HTTP; what they share with all assets is in the assets' own routes."""

from typing import Annotated, Literal

from fastapi import Query

from tidemill.assets.lookup import NUMBER_PATTERN
from tidemill.datasets import comparing, copying, publishing, service, statistics, versions
from tidemill.datasets.lookup import DatasetPlace, Reader, VersionPlace, Writer, get_dataset
from tidemill.datasets.schemas import (
    DatasetCreate,
    DatasetPatch,
    DatasetVersionCreate,
    DatasetVersionPatch,
    DatasetVersionView,
    DatasetView,
    ItemChangePage,
    StatisticsView,
    VersionPublish,
)
from tidemill.datasets.states import AnnotationType, DataType
from tidemill.jobs.schemas import JobView
from tidemill.jobs.views import job_view
from tidemill.kernel.paging import LIMIT_MAX, Page, Paging
from tidemill.kernel.routing import ReadSession, Router, WriteSession

router = Router(prefix="/projects/{project}/datasets", tags=["datasets"])


@router.get("")
def list_datasets(
    caller: Reader,
    page: Paging,
    session: ReadSession,
    data_type: DataType | None = None,
    annotation_type: AnnotationType | None = None,
    mine: Annotated[bool, Query(description="Only those the caller made")] = False,
) -> Page[DatasetView]:
    """Datasets; sort by name, created_at, updated_at or size_bytes."""
    return service.list_datasets(
        session, page, data_type=data_type, annotation_type=annotation_type, mine=mine, by=caller
    )


@router.post("", status_code=201)
def create_dataset(caller: Writer, body: DatasetCreate, session: WriteSession) -> DatasetView:
    """Makes a dataset, without versions yet."""
    return service.create_dataset(session, body, by=caller)


@router.get("/{dataset}")
def get_dataset_view(caller: Reader, place: DatasetPlace, session: ReadSession) -> DatasetView:
    """One dataset."""
    asset, _ = get_dataset(session, place, project_id=caller.project.id)
    return service.dataset_view(session, asset, by=caller)


@router.patch("/{dataset}")
def update_dataset(caller: Writer, place: DatasetPlace, body: DatasetPatch, session: WriteSession) -> DatasetView:
    """Gives a dataset another name."""
    return service.update_dataset(session, place, body, by=caller)


@router.get("/{dataset}/versions")
def list_dataset_versions(
    caller: Reader, place: DatasetPlace, page: Paging, session: ReadSession
) -> Page[DatasetVersionView]:
    """Versions, newest first."""
    return versions.list_versions(session, place, page, by=caller)


@router.post("/{dataset}/versions", status_code=201)
def create_dataset_version(
    caller: Writer, place: DatasetPlace, body: DatasetVersionCreate, session: WriteSession
) -> DatasetVersionView:
    """Starts an empty draft."""
    return versions.create_empty_version(session, place, note=body.note, by=caller)


@router.post("/{dataset}/versions/{version}/copy", status_code=202)
def copy_dataset_version(
    caller: Writer, place: VersionPlace, body: DatasetVersionCreate, session: WriteSession
) -> JobView:
    """Starts a draft from this version, as background work; it is there when the work is done."""
    return job_view(session, copying.submit(session, place, note=body.note, by=caller), caller.language)


@router.post("/{dataset}/versions/{version}/publish", status_code=202)
def publish_dataset_version(
    caller: Writer, place: VersionPlace, session: WriteSession, body: VersionPublish | None = None
) -> JobView:
    """Makes a draft unchanging, as background work; meanwhile it is not changed either."""
    job = publishing.submit(session, place, note=body.note if body else None, by=caller)
    return job_view(session, job, caller.language)


@router.get("/{dataset}/versions/{version}")
def get_dataset_version(caller: Reader, place: VersionPlace, session: ReadSession) -> DatasetVersionView:
    """One version, and how far it is."""
    return versions.get_version_view(session, place, by=caller)


@router.get("/{dataset}/versions/{version}/statistics")
def get_statistics(caller: Reader, place: VersionPlace, session: ReadSession) -> StatisticsView:
    """Items by state, class and annotator, shapes by size, duplicates, progress."""
    return statistics.get_statistics(session, place, by=caller)


@router.get("/{dataset}/versions/{version}/compare")
def compare_dataset_versions(
    caller: Reader,
    place: VersionPlace,
    session: ReadSession,
    other: Annotated[str, Query(alias="with", pattern=NUMBER_PATTERN, description="The older version")],
    change: Annotated[Literal["added", "removed", "changed"] | None, Query(description="Only these")] = None,
    cursor: Annotated[str | None, Query(max_length=4096, description="`next` of the page before")] = None,
    limit: Annotated[int, Query(ge=1, le=LIMIT_MAX)] = 50,
) -> ItemChangePage:
    """Which items came, went or changed since another version of the same dataset, and by whom."""
    return comparing.compare(session, place, other, change=change, after=cursor, limit=limit, by=caller)


@router.patch("/{dataset}/versions/{version}/guidance")
def update_guidance(
    caller: Writer, place: VersionPlace, body: DatasetVersionPatch, session: WriteSession
) -> DatasetVersionView:
    """Changes what annotators are told."""
    return versions.update_guidance(session, place, body, by=caller)
