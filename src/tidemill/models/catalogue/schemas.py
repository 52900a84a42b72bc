"""The catalogue on the wire."""

from typing import Literal

from tidemill.kernel.fields import View


class CatalogueFile(View):
    path: str
    size_bytes: int
    sha256: str


class CatalogueEntry(View):
    name: str
    title: str
    description: str
    task: str
    licence: str
    licence_url: str
    origin: str
    size_bytes: int
    labels: list[str]
    adapter: str
    can_start_training: bool
    files: list[CatalogueFile]
    package: str | None
    state: Literal["installed", "installing", "not_installed"]
    model: str | None
    job: str | None
    available: Literal["folder", "download", "package", "unavailable"]
    """From where it would come."""


class CatalogueList(View):
    items: list[CatalogueEntry]


class InstallView(View):
    job: str | None
    model: str | None
