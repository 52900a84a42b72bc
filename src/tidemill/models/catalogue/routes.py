"""The catalogue over HTTP."""

from pathlib import Path as FilePath
from typing import Annotated, Literal

import sqlalchemy as sa
from fastapi import Path, Query, Request
from sqlalchemy.orm import Session

from tidemill.accounts.access import Caller, needs
from tidemill.accounts.tables import ProjectRow
from tidemill.assets.tables import AssetRow, VersionRow
from tidemill.kernel.errors import NotFound
from tidemill.kernel.routing import Router, WriteSession
from tidemill.models.catalogue import fetching, installing
from tidemill.models.catalogue.entries import Entry, all_entries, find_entry
from tidemill.models.catalogue.schemas import CatalogueEntry, CatalogueFile, CatalogueList, InstallView
from tidemill.models.manifests import in_words
from tidemill.models.tables import FactsRow

router = Router(prefix="/projects/{project}/catalogue", tags=["catalogue"])

Reader = Annotated[Caller, needs("model.read")]
Writer = Annotated[Caller, needs("model.write")]


@router.get("")
def list_catalogue(
    caller: Reader,
    request: Request,
    task: Annotated[str | None, Query(max_length=100, description="Only models for this task")] = None,
) -> CatalogueList:
    """Well-known models, and which of them are installed in the project or in the public one."""
    state = request.app.state
    wanted = [one for one in all_entries() if task is None or one.task == task]
    # The folder is looked into before the transaction begins.
    places = {one.name: _available(one, state.settings.catalogue_folder) for one in wanted}
    with state.db.read() as session:
        installed = _installed(session, caller)
        going = installing.find_going(session, caller.project.id)
    return CatalogueList(
        items=[_view(one, places[one.name], installed.get(one.name), going.get(one.name), caller) for one in wanted]
    )


@router.post("/{name}/install", status_code=202)
def install_from_catalogue(
    caller: Writer, name: Annotated[str, Path(max_length=200)], session: WriteSession
) -> InstallView:
    """Takes a model of the catalogue in, in the background. What was sent to the project before is not fetched."""
    entry = find_entry(name)
    if entry is None:
        raise NotFound("catalogue_unknown", name=name)
    return InstallView(job=installing.submit(session, entry, by=caller).id, model=None)


def _installed(session: Session, by: Caller) -> dict[str, str]:
    """The newest version of each catalogue model that is there: in the project itself first."""
    public = [] if by.token_project_id else list(session.scalars(sa.select(ProjectRow).where(ProjectRow.is_public)))
    found: dict[str, str] = {}
    for project_id, before in [*((row.id, f"{row.name}/") for row in public), (by.project.id, "")]:
        rows = session.execute(
            sa.select(AssetRow.name, sa.func.max(VersionRow.number))
            .join(VersionRow, VersionRow.asset_id == AssetRow.id)
            .join(FactsRow, FactsRow.version_id == VersionRow.id)
            .where(
                AssetRow.project_id == project_id,
                AssetRow.kind == "model",
                AssetRow.name_key.in_([one.name for one in all_entries()]),
                AssetRow.deleted_at.is_(None),
                VersionRow.deleted_at.is_(None),
                VersionRow.state == "committed",
            )
            .group_by(AssetRow.name)
        ).all()
        found |= {name.casefold(): f"{before}{name}@{number}" for name, number in rows}
    return found


def _available(entry: Entry, folder: FilePath | None) -> Literal["folder", "download", "package", "unavailable"]:
    if entry.package is not None:
        return "package" if entry.has_package else "unavailable"
    here = [fetching.find_local(folder, file) is not None for file in entry.files]
    if all(here):
        return "folder"
    fetched = all(known or file.urls for known, file in zip(here, entry.files, strict=True))
    return "download" if fetched else "unavailable"


def _view(
    entry: Entry,
    available: Literal["folder", "download", "package", "unavailable"],
    model: str | None,
    job: str | None,
    by: Caller,
) -> CatalogueEntry:
    return CatalogueEntry(
        name=entry.name,
        title=in_words(entry.title, by.language),  # type: ignore[arg-type]
        description=in_words(entry.description, by.language),  # type: ignore[arg-type]
        task=entry.task,
        licence=entry.licence,
        licence_url=entry.licence_url,
        origin=entry.origin,
        size_bytes=entry.size_bytes,
        labels=entry.label_names,
        adapter=entry.adapter,
        can_start_training=bool(entry.trains),
        files=[CatalogueFile(path=one.path, size_bytes=one.size_bytes, sha256=one.sha256) for one in entry.files],
        package=entry.package,
        state="installing" if job else "installed" if model else "not_installed",
        model=model,
        job=job,
        available=available,
    )
