"""Pickle files run whatever code their writer wanted when they are read: a project's owner says whether they may."""

from collections.abc import Iterable
from datetime import datetime
from urllib.parse import quote

from sqlalchemy.orm import Session

from tidemill.accounts import audit
from tidemill.accounts.access import Caller
from tidemill.packages.schemas import PackageSettingsPatch, PackageSettingsView
from tidemill.packages.tables import PackageSettingsRow
from tidemill.store import trees

SUFFIXES = (".pkl", ".pickle", ".joblib")
MAY_CHANGE = "project.update"
"""Who looks after the project."""
_LOOKED_AT_MAX = 20_000


def are_allowed(session: Session, project_id: str) -> bool:
    row = session.get(PackageSettingsRow, project_id)
    return row is not None and row.allow_pickles


def find_pickle(session: Session, tree_id: str) -> str | None:
    """The path of the first pickle file among a version's files."""
    return first_pickle(node.path for _, node in zip(range(_LOOKED_AT_MAX), trees.walk(session, tree_id), strict=False))


def first_pickle(paths: Iterable[str]) -> str | None:
    return next((path for path in paths if path.lower().endswith(SUFFIXES)), None)


def way_to_allow(by: Caller) -> dict[str, str] | None:
    """Where the caller allows pickles in the web; None where that is not theirs to do."""
    return {"link": f"/p/{quote(by.project.name, safe='')}?tab=settings"} if by.may(MAY_CHANGE) else None


def settings_view(session: Session, *, by: Caller) -> PackageSettingsView:
    row = session.get(PackageSettingsRow, by.project.id)
    changed: tuple[datetime | None, str | None] = (row.changed_at, row.changed_by) if row else (None, None)
    return PackageSettingsView(
        allow_pickles=row is not None and row.allow_pickles,
        changed_at=changed[0],
        changed_by=changed[1],
        may_change=by.may(MAY_CHANGE),
    )


def change_settings(session: Session, body: PackageSettingsPatch, *, by: Caller) -> PackageSettingsView:
    """Allows or forbids pickles from now on; what runs already goes on as it was started."""
    row = session.get(PackageSettingsRow, by.project.id, with_for_update=True)
    before = row is not None and row.allow_pickles
    if row is None:
        row = PackageSettingsRow(project_id=by.project.id)
        session.add(row)
    row.allow_pickles, row.changed_at, row.changed_by = body.allow_pickles, by.now, by.user_name
    session.flush()
    audit.record(
        session,
        "package.settings",
        by=by,
        target_kind="project",
        target_id=by.project.id,
        target_name=by.project.name,
        before={"allow_pickles": before},
        after={"allow_pickles": body.allow_pickles},
    )
    return settings_view(session, by=by)
