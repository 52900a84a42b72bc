"""Imports: asked for, shown."""

from typing import Any

from sqlalchemy.orm import Session

from tidemill.accounts.access import Caller, find_project, permissions_in
from tidemill.assets.kinds import DATASET
from tidemill.assets.lookup import Place
from tidemill.datasets import formats
from tidemill.datasets.importing import server_paths
from tidemill.datasets.importing.schemas import (
    AddressesSource,
    DatabaseSource,
    DatasetSource,
    ImportCreate,
    ImportView,
    S3Source,
    ServerSource,
    UploadSource,
)
from tidemill.datasets.lookup import Opened, open_draft, open_version
from tidemill.datasets.tables import WorkRow
from tidemill.datasets.works import registry
from tidemill.datasets.works import service as works
from tidemill.datasets.works.service import Asked, inputs_owner
from tidemill.kernel.errors import Invalid, NotFound
from tidemill.kernel.i18n import Language
from tidemill.kernel.outbound import check_url
from tidemill.kernel.settings import Settings
from tidemill.store import pins
from tidemill.workloads.wanted import Input

PROGRAM = "tidemill.datasets.importing.worker"
FILES_SHOWN = 20
PORTS = {"mysql": 3306, "postgresql": 5432}


def check_source(body: ImportCreate, settings: Settings) -> None:
    """What needs no database: names are looked up before a transaction begins."""
    source = body.source
    if isinstance(source, ServerSource):
        server_paths.check(source.path, settings.import_folders, field="source.path")
    elif isinstance(source, S3Source) and source.endpoint:
        check_url(source.endpoint, settings.outbound_allow, field="source.endpoint")
    elif isinstance(source, DatabaseSource):
        host = f"[{source.host}]" if ":" in source.host else source.host
        port = source.port or PORTS[source.type]
        check_url(f"http://{host}:{port}", settings.outbound_allow, field="source.host")
    elif isinstance(source, AddressesSource):
        for place, item in enumerate(source.addresses):
            if not item.url.startswith(("http://", "https://")):
                raise Invalid("address_scheme", field=f"source.addresses.{place}.url", allowed="http, https")


def create_import(session: Session, place: Place, body: ImportCreate, settings: Settings, *, by: Caller) -> WorkRow:
    """A new import into the draft."""
    if body.format is not None and not registry.is_readable(body.format):
        raise Invalid("import_format_unknown", field="format", allowed=", ".join(sorted(formats.READERS)))
    opened = open_draft(session, place, project_id=by.project.id)
    source, inputs = _kept_source(session, body, by)
    asked = {
        "source": source,
        "format": body.format,
        "options": body.options,
        "existing": body.existing,
        "folder": body.folder,
        "video": body.video.model_dump() if body.video else None,
    }
    wanted = Asked(
        kind="import",
        asked=asked,
        program=PROGRAM,
        title=f"{opened.name}",
        format=body.format,
        is_dry_run=body.dry_run,
        inputs=inputs,
        secrets=_secrets(body),
        environment={"TIDEMILL_OUTBOUND_ALLOW": ",".join(settings.outbound_allow)},
    )
    row = works.begin(session, opened, wanted, by=by)
    if isinstance(body.source, UploadSource):
        sizes = {file.sha256: file.size_bytes for file in body.source.files}
        pins.pin(session, by.project.id, inputs_owner(row.id), sizes)
    return row


def import_view(row: WorkRow, opened: Opened, language: Language) -> ImportView:
    return ImportView(
        **works.fields(row, opened, language),
        source=_shown_source(row.asked["source"]),
        format=row.format,
        options=row.asked["options"],
        existing=row.asked["existing"],
        folder=row.asked["folder"],
        video=row.asked["video"],
    )


def _kept_source(session: Session, body: ImportCreate, by: Caller) -> tuple[dict[str, Any], tuple[Input, ...]]:
    """What is kept of where it comes from, and versions that the program reads."""
    source = body.source
    if isinstance(source, S3Source):
        return source.model_dump(exclude={"access_key", "secret_key"}), ()
    if isinstance(source, DatabaseSource):
        return source.model_dump(exclude={"password"}), ()
    if isinstance(source, DatasetSource):
        opened = _source_version(session, source, by)
        kept = {**source.model_dump(), "vid": opened.vid, "dataset": opened.asset, "version": opened.number}
        return kept, (Input(opened.version_id, "source"),)
    return source.model_dump(), ()


def _source_version(session: Session, source: DatasetSource, by: Caller) -> Opened:
    """The version to import from, when the caller may read it."""
    project_id, held = by.project.id, by.permissions
    if source.project is not None:
        project = find_project(session, source.project)
        held = permissions_in(session, by, project) if project is not None else frozenset()
        if project is None or not held:
            raise NotFound("project_not_found", name=source.project[:100])
        project_id = project.id
    if "dataset.read" not in held:
        raise NotFound("project_not_found", name=(source.project or "")[:100])
    return open_version(session, Place(DATASET, source.dataset, source.version), project_id=project_id)


def _secrets(body: ImportCreate) -> dict[str, str]:
    source = body.source
    found: dict[str, str | None] = {}
    if isinstance(source, S3Source):
        found = {
            "TIDEMILL_IMPORT_ACCESS_KEY": source.access_key.get_secret_value() if source.access_key else None,
            "TIDEMILL_IMPORT_SECRET_KEY": source.secret_key.get_secret_value() if source.secret_key else None,
        }
    elif isinstance(source, DatabaseSource):
        found = {"TIDEMILL_IMPORT_PASSWORD": source.password.get_secret_value()}
    return {name: value for name, value in found.items() if value}


def _shown_source(source: dict[str, Any]) -> dict[str, Any]:
    """Lists are cut: thousands of names help nobody."""
    shown = {name: value for name, value in source.items() if name != "vid"}
    for name in ("files", "addresses"):
        if name in shown:
            shown["count"] = len(shown[name])
            shown[name] = shown[name][:FILES_SHOWN]
    return shown
