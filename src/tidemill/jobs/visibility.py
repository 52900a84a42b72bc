"""Whose background work a caller may know of."""

import sqlalchemy as sa

from tidemill.accounts.access import Caller
from tidemill.accounts.projects import is_joined_by
from tidemill.accounts.tables import ProjectRow
from tidemill.kernel.errors import Forbidden


def visible_projects(by: Caller) -> sa.Select[str]:
    """Ids of live projects the caller may know of."""
    live = sa.select(ProjectRow.id).where(ProjectRow.deleted_at.is_(None))
    if by.token_project_id:
        live = live.where(ProjectRow.id == by.token_project_id)
    if by.is_administrator:
        return live
    return live.where(is_joined_by(by.user_id))


def demand_job_scope(by: Caller) -> None:
    """A token with scopes sees its user's jobs and notifications only when `job.read` is among them."""
    if by.scopes and "job.read" not in by.scopes:
        raise Forbidden("forbidden_permission", permission="job.read")
