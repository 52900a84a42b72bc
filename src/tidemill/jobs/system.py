"""The platform itself: what it is made of, and its upkeep."""

import time
from typing import Annotated, Literal

import sqlalchemy as sa
from fastapi import Request
from sqlalchemy.orm import Session

from tidemill import __version__
from tidemill.accounts.access import Caller, needs
from tidemill.accounts.tables import ProjectRow, UserRow
from tidemill.jobs import service, upkeep
from tidemill.jobs.schemas import JobView
from tidemill.jobs.views import job_view
from tidemill.kernel.fields import View
from tidemill.kernel.routing import ReadSession, Router, WriteSession
from tidemill.kernel.settings import Settings
from tidemill.store.tables import BlobRow

router = Router(tags=["system"])


class StoreView(View):
    kind: Literal["local", "s3"]
    blobs: int
    bytes: int


class SystemView(View):
    """What an administrator should know of this installation."""

    version: str
    home: str
    database: str
    store: StoreView
    projects: int
    users: int
    uptime_s: float


@router.get("/system")
def get_system(
    request: Request,
    caller: Annotated[Caller, needs("system.read")],  # noqa: ARG001
    session: ReadSession,
) -> SystemView:
    settings: Settings = request.app.state.settings
    blobs, size_bytes = session.execute(
        sa.select(sa.func.count(), sa.func.coalesce(sa.func.sum(BlobRow.size_bytes), 0)).where(BlobRow.state == "live")
    ).one()
    return SystemView(
        version=__version__,
        home=str(settings.home),
        database=_database(session),
        store=StoreView(kind="s3" if settings.store_s3_bucket else "local", blobs=blobs, bytes=int(size_bytes)),
        projects=_count(session, ProjectRow),
        users=_count(session, UserRow),
        uptime_s=round(time.monotonic() - request.app.state.started_s, 1),
    )


@router.post("/system/gc", status_code=202)
def collect_garbage(caller: Annotated[Caller, needs("system.write")], session: WriteSession) -> JobView:
    """Removes content nobody needs; the collection that already waits or runs, when there is one."""
    row = service.submit_once(session, upkeep.GC, name="", by=caller, link=upkeep.LINK)
    return job_view(session, row, caller.language)


@router.post("/system/verify", status_code=202)
def verify_store(caller: Annotated[Caller, needs("system.write")], session: WriteSession) -> JobView:
    """Reads every byte and checks every account; the check that already waits or runs, when there is one."""
    row = service.submit_once(session, upkeep.VERIFY, name="", by=caller, link=upkeep.LINK)
    return job_view(session, row, caller.language)


def _database(session: Session) -> str:
    dialect = session.get_bind().dialect
    version = ".".join(str(part) for part in dialect.server_version_info or ())
    return f"{'SQLite' if dialect.name == 'sqlite' else 'PostgreSQL'} {version}".strip()


def _count(session: Session, table: type[ProjectRow] | type[UserRow]) -> int:
    live = sa.select(sa.func.count()).select_from(table).where(table.deleted_at.is_(None))
    return session.scalar(live) or 0
