"""What the rooms above ask of images: which image a name means, and that it is there to run in."""

from dataclasses import dataclass
from typing import Literal

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.accounts.tables import ProjectRow
from tidemill.engines.base import Image
from tidemill.engines.local.containers import container_socket
from tidemill.engines.runner.docker import Docker
from tidemill.images import making, names
from tidemill.images.builtin import OWN
from tidemill.images.depot import Images
from tidemill.images.environments import Progress, unseen
from tidemill.images.loading import is_loaded, load
from tidemill.images.registry.repositories import Repository
from tidemill.images.tables import ImageRow
from tidemill.kernel.errors import Invalid
from tidemill.kernel.settings import Settings


@dataclass(frozen=True, slots=True)
class ResolvedImage:
    """An image as a workload remembers it: this content, whatever becomes of its name."""

    kind: Literal["oci", "python"]
    reference: str
    """`project/name@sha256:…` in our registry; of a Python image `name:version`."""
    digest: str
    """Empty while a Python image is not made."""
    id: str
    title: str


def resolve(session: Session, project_id: str, image: str | None) -> ResolvedImage:
    """The image a project means by `name:version`; the platform's own interpreter for None.

    A project's own image comes before a public one of the same name. Raises Invalid when there is none, or when it
    cannot be used.
    """
    wanted = names.parse(image or f"{names.PUBLIC}/{OWN}")
    row = None if wanted.is_public else _find(session, ImageRow.project_id == project_id, wanted)
    row = row or _find(session, _is_in_public(), wanted)
    if row is None:
        raise Invalid("image_unknown", field="image", image=image)
    if row.state in {"building", "failed"} and not row.is_builtin and not row.lock:
        raise Invalid(f"image_{row.state}", field="image", image=f"{row.name}:{row.version}")
    return describe(session, row)


def describe(session: Session, row: ImageRow) -> ResolvedImage:
    """The row as workloads keep it."""
    title = f"{row.name}:{row.version}"
    if row.kind == "python":
        return ResolvedImage("python", title, row.digest, row.id, title)
    return ResolvedImage(
        "oci", f"{address_of(session, row.project_id)}/{row.name}@{row.digest}", row.digest, row.id, title
    )


def find_ready(images: Images, resolved: ResolvedImage) -> Image | None:
    """What the engine launches in, when it is there already: quick. None when `make_ready` has something to do."""
    if resolved.kind == "oci":
        socket, tag = _in_engine(images, resolved)
        return Image("oci", tag) if socket is None or is_loaded(Docker(socket), tag) else None
    with images.db.read() as session:
        row = session.get(ImageRow, resolved.id)
    if row is not None and row.is_builtin and row.name == OWN:
        return Image("python", str(images.environments.ensure_own()[1]))
    if resolved.digest and images.environments.is_made(resolved.digest):
        return Image("python", str(images.environments.touch(resolved.digest)))
    return None


def make_ready(images: Images, resolved: ResolvedImage, on_progress: Progress = unseen) -> Image:
    """What the engine launches in. Makes a Python environment that is not there yet, which may take minutes.

    For a thread with no transaction open; several may ask for the same at once. `images` is `app.state.images`.
    """
    if (ready := find_ready(images, resolved)) is not None:
        return ready
    with images.db.read() as session:
        row = session.get(ImageRow, resolved.id)
    if row is None:
        raise Invalid("image_unknown", field="image", image=resolved.title)
    if resolved.kind == "oci":
        return Image("oci", _load(images, resolved, row, on_progress))
    if not row.lock:
        row = making.make_builtin(images, row.id, on_progress)
    return Image("python", str(making.materialise(images, row.lock, on_progress)))


def image_tag(images: Images, resolved: ResolvedImage) -> str:
    """What the container engine of this machine knows an image by, once it was loaded."""
    return _in_engine(images, resolved)[1]


def _in_engine(images: Images, resolved: ResolvedImage) -> tuple[str | None, str]:
    """The container engine of this machine and what it knows the image by; without one, None and our own address."""
    whole = f"{registry_host(images.settings)}/{resolved.reference}"
    socket = container_socket(images.settings.container_socket)
    if socket is None:
        return None, whole
    address, _, digest = whole.rpartition("@")
    return socket, f"{address}:{digest.replace(':', '-')}"


def _load(images: Images, resolved: ResolvedImage, row: ImageRow, on_progress: Progress) -> str:
    socket, tag = _in_engine(images, resolved)
    if socket is not None:
        load(images, socket, Repository(row.project_id, row.name), resolved.digest, tag, on_progress)
    return tag


def address_of(session: Session, project_id: str) -> str:
    """What stands for a project in the registry."""
    return registry_name(session.get_one(ProjectRow, project_id))


def registry_name(project: ProjectRow) -> str:
    """The project's name where the registry's protocol allows it, its id otherwise."""
    is_plain = "/" not in project.name_key and names.NAME.fullmatch(project.name_key)
    return project.name_key if is_plain else project.id


def registry_host(settings: Settings) -> str:
    """How container engines on this machine reach our registry."""
    if settings.public_url:
        return settings.public_url.partition("://")[2].strip("/")
    host = "127.0.0.1" if settings.host in {"0.0.0.0", "::", ""} else settings.host  # noqa: S104
    return f"{f'[{host}]' if ':' in host else host}:{settings.port}"


def _find(session: Session, place: sa.ColumnElement[bool], wanted: names.Reference) -> ImageRow | None:
    found = sa.select(ImageRow).where(place, ImageRow.name == wanted.name)
    if wanted.version:
        return session.scalar(found.where(ImageRow.version == wanted.version))
    usable = sa.case((ImageRow.state.in_(("ready", "not_made")), 0), else_=1)
    return session.scalar(found.order_by(usable, ImageRow.created_at.desc(), ImageRow.id.desc()).limit(1))


def _is_in_public() -> sa.ColumnElement[bool]:
    return ImageRow.project_id.in_(sa.select(ProjectRow.id).where(ProjectRow.is_public))
