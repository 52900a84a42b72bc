"""The audit log: of the platform, and of one project."""

from typing import Annotated

from fastapi import Depends, Query

from tidemill.accounts.access import Caller, needs
from tidemill.accounts.audit_log import AuditFilter
from tidemill.accounts.audit_log import list_audit as list_audit_rows
from tidemill.accounts.schemas.audit import AuditView
from tidemill.accounts.schemas.fields import Moment
from tidemill.kernel.fields import Text
from tidemill.kernel.paging import Page, Paging
from tidemill.kernel.routing import ReadSession, Router

router = Router(tags=["audit"])

Reader = Annotated[Caller, needs("audit.read")]
Word = Annotated[Text | None, Query(max_length=100)]


def _filter(
    actor: Word = None,
    action: Annotated[
        Text | None, Query(max_length=100, description="Such as `project.update`, or `project.*`")
    ] = None,
    target_kind: Word = None,
    since: Moment | None = None,
    until: Moment | None = None,
) -> AuditFilter:
    return AuditFilter(actor=actor, action=action, target_kind=target_kind, since=since, until=until)


Wanted = Annotated[AuditFilter, Depends(_filter)]


@router.get("/audit")
def list_audit(page: Paging, wanted: Wanted, caller: Reader, session: ReadSession) -> Page[AuditView]:
    """Every change on the platform, newest first."""
    del caller
    return list_audit_rows(session, page, wanted)


@router.get("/projects/{project}/audit")
def list_project_audit(page: Paging, wanted: Wanted, caller: Reader, session: ReadSession) -> Page[AuditView]:
    """Every change in the project, newest first."""
    return list_audit_rows(session, page, wanted, project_id=caller.project.id)
