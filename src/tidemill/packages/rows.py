"""Package versions as rows: moved, told of, found by what went into them."""

from collections.abc import Collection
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.assets.tables import AssetRow, VersionRow
from tidemill.jobs.texts import Text
from tidemill.kernel.db import announce
from tidemill.packages.schemas import State
from tidemill.packages.tables import PackageVersionRow

TOPIC = "packages"
ENDED: frozenset[str] = frozenset({"completed", "failed", "stopped"})


def move(session: Session, row: PackageVersionRow, to: State, *, now: datetime, problem: Text | None = None) -> None:
    """The version's build is there now; what ended stays as it ended until it is built again."""
    row.state, row.problem = to, problem
    if to == "building":
        row.started_at = row.started_at or now
    if to in ENDED:
        row.finished_at = now
    touch(session, row, now)


def touch(session: Session, row: PackageVersionRow, now: datetime) -> None:
    row.revision += 1
    row.changed_at = now
    announce(session, TOPIC)


def same_digest(
    session: Session, project_id: str, digests: Collection[str]
) -> dict[str, list[tuple[str, str, PackageVersionRow]]]:
    """Live versions of a project by digest: (version id, `name@3`, row), the newest first."""
    rows = session.execute(
        sa.select(PackageVersionRow, VersionRow.number, AssetRow.name)
        .join(VersionRow, VersionRow.id == PackageVersionRow.version_id)
        .join(AssetRow, AssetRow.id == VersionRow.asset_id)
        .where(
            PackageVersionRow.project_id == project_id,
            PackageVersionRow.digest.in_(set(digests)),
            VersionRow.deleted_at.is_(None),
            AssetRow.deleted_at.is_(None),
        )
        .order_by(VersionRow.created_at.desc(), VersionRow.id.desc())
        .limit(500)
    )
    found: dict[str, list[tuple[str, str, PackageVersionRow]]] = {}
    for row, number, name in rows:
        found.setdefault(row.digest, []).append((row.version_id, f"{name}@{number}", row))
    return found
