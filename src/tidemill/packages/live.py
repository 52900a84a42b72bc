"""Package versions as live news: that one changed, and how its build is."""

from collections.abc import Iterable
from datetime import datetime

import orjson
import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.assets.tables import AssetRow, VersionRow
from tidemill.jobs.live import News
from tidemill.kernel.i18n import Language
from tidemill.packages.tables import PackageVersionRow
from tidemill.packages.views import error_view


def changed_packages(session: Session, since: datetime) -> Iterable[News]:
    """What people can see of package versions and changed since then."""
    rows = session.execute(
        sa.select(PackageVersionRow, VersionRow.number, AssetRow.name)
        .join(VersionRow, VersionRow.id == PackageVersionRow.version_id)
        .join(AssetRow, AssetRow.id == VersionRow.asset_id)
        .where(PackageVersionRow.changed_at >= since)
    ).all()
    return [_news(row, number, name) for row, number, name in rows]


def _news(row: PackageVersionRow, number: int, name: str) -> News:
    def data(language: Language) -> str:
        error = error_view(row, language)
        return orjson.dumps(
            {
                "id": row.version_id,
                "package": name,
                "number": number,
                "state": row.state,
                "error": error.model_dump(mode="json") if error else None,
            }
        ).decode()

    return News("package", row.version_id, row.revision, row.changed_at, row.project_id, "package.read", data)
