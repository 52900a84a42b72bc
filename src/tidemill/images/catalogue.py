"""Image records: listed, described, deleted."""

from collections.abc import Sequence
from dataclasses import dataclass

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.accounts.access import Caller
from tidemill.images import making
from tidemill.images.builtin import told
from tidemill.images.depot import Images
from tidemill.images.registry.repositories import drop_image, record
from tidemill.images.schemas import ImagePatch, ImageView, Kind, NewImage, State
from tidemill.images.service import address_of
from tidemill.images.tables import ImageRow
from tidemill.jobs.schemas import JobErrorView
from tidemill.jobs.texts import say_error
from tidemill.kernel.db import contains
from tidemill.kernel.errors import Conflict, NotFound
from tidemill.kernel.ids import new_id
from tidemill.kernel.paging import Page, PageQuery, fetch_page
from tidemill.store import pins


@dataclass(frozen=True, slots=True)
class Shown:
    """What views need to know besides the row."""

    by: Caller
    registry: str
    """Host and port of the registry, as the caller reaches it."""


def list_images(
    session: Session, page: PageQuery, *, kind: Kind | None, state: State | None, shown: Shown
) -> Page[ImageView]:
    """The project's images."""
    statement = sa.select(ImageRow).where(ImageRow.project_id == shown.by.project.id)
    if kind:
        statement = statement.where(ImageRow.kind == kind)
    if state:
        statement = statement.where(ImageRow.state == state)
    if page.q:
        statement = statement.where(contains(ImageRow.search_key, page.q.casefold()))
    return fetch_page(
        session,
        statement,
        page,
        sorts={
            "name": ImageRow.name,
            "version": ImageRow.version,
            "size_bytes": ImageRow.size_bytes,
            "created_at": ImageRow.created_at,
        },
        id_column=ImageRow.id,
        default_sort="-created_at",
        view=lambda rows: views(session, rows, shown),
    )


def get_image(session: Session, image_id: str, *, by: Caller, lock: bool = False) -> ImageRow:
    """An image of the caller's project."""
    row = session.get(ImageRow, image_id, with_for_update=lock or None)
    if row is None or row.project_id != by.project.id:
        raise NotFound("image_not_found", id=image_id[:100])
    return row


def add_python(session: Session, body: NewImage, requirements: Sequence[str], *, by: Caller) -> ImageRow:
    """A Python image that is yet to be built, of requirements that were checked: `builds` soon does so."""
    return _add(session, body, "python", requirements, by)


def add_oci(session: Session, body: NewImage, *, by: Caller) -> ImageRow:
    """An OCI image whose content is yet to come, by `entering.enter`."""
    return _add(session, body, "oci", (), by)


def _add(session: Session, body: NewImage, kind: Kind, requirements: Sequence[str], by: Caller) -> ImageRow:
    refuse_taken(session, body, by=by)
    row = ImageRow(
        id=new_id("img"),
        project_id=by.project.id,
        name=body.name,
        version=body.version,
        kind=kind,
        state="building",
        description=body.description,
        specs=list(body.specs),
        requirements=list(requirements),
        search_key=f"{body.name}:{body.version}".casefold(),
        created_at=by.now,
        created_by=by.user_name,
        updated_at=by.now,
    )
    session.add(row)
    session.flush()
    record(session, "image.create", row, by=by, after={"kind": kind, "requirements": list(requirements)})
    return row


def refuse_taken(session: Session, body: NewImage, *, by: Caller) -> None:
    """Names are given once: what runs in an image must not find another one under its name."""
    place = sa.and_(ImageRow.project_id == by.project.id, ImageRow.name == body.name)
    if session.scalar(sa.select(ImageRow.id).where(place, ImageRow.version == body.version)):
        raise Conflict("image_taken", field="version", image=f"{body.name}:{body.version}")


def update_image(session: Session, image_id: str, patch: ImagePatch, *, by: Caller) -> ImageRow:
    """Changes the description."""
    row = get_image(session, image_id, by=by, lock=True)
    before = row.description
    if patch.description != before:
        row.description, row.updated_at = patch.description, by.now
        record(
            session,
            "image.update",
            row,
            by=by,
            before={"description": before},
            after={"description": patch.description},
        )
    return row


def delete_image(session: Session, images: Images, image_id: str, *, force: bool, by: Caller) -> None:
    """Deletes an image. One that something runs in only when the caller insists: what runs goes on to its end."""
    row = get_image(session, image_id, by=by, lock=True)
    if row.is_builtin:
        raise Conflict("image_builtin", image=f"{row.name}:{row.version}")
    users = [user for room in images.users for user in room.of_image(session, row.id)]
    if users and not force:
        raise Conflict("image_in_use", image=f"{row.name}:{row.version}", count=len(users), details=users)
    if row.kind == "oci":
        drop_image(session, row, by=by)
        return
    record(session, "image.delete", row, by=by, before={"digest": row.digest, "size_bytes": row.size_bytes})
    pins.unpin_all(session, row.project_id, making.owner(row.id))
    session.delete(row)


def view(session: Session, row: ImageRow, shown: Shown) -> ImageView:
    return views(session, [row], shown)[0]


def views(session: Session, rows: Sequence[ImageRow], shown: Shown) -> list[ImageView]:
    """Rows of the caller's project as people see them."""
    address = address_of(session, shown.by.project.id)
    return [_view(row, shown, f"{shown.registry}/{address}") for row in rows]


def _view(row: ImageRow, shown: Shown, address: str) -> ImageView:
    error = JobErrorView(**say_error(row.problem, shown.by.language)) if row.problem else None
    return ImageView(
        id=row.id,
        project=shown.by.project.name,
        name=row.name,
        version=row.version,
        reference=f"{row.name}:{row.version}",
        kind="oci" if row.kind == "oci" else "python",
        state=row.state,
        size_bytes=row.size_bytes,
        digest=row.digest or None,
        description=told(row, shown.by.language),
        specs=row.specs,
        builtin=row.is_builtin,
        requirements=row.requirements,
        packages=[_package(str(name)) for name, _, _ in row.lock],
        error=error,
        workload_id=row.workload_id,
        pull_command=f"docker pull {address}/{row.name}:{row.version}" if row.kind == "oci" and row.digest else None,
        created_at=row.created_at,
        created_by=row.created_by,
        updated_at=row.updated_at,
    )


def _package(wheel: str) -> str:
    name, version = wheel.split("-")[:2]
    return f"{name}=={version}"
