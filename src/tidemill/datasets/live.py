"""Versions of datasets as live news: their items, annotations or labels changed, or they are being published."""

from collections.abc import Iterable
from datetime import datetime

import orjson
import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.assets.tables import AssetRow, VersionRow
from tidemill.datasets.counting import ANNOTATIONS, STATE, TOTAL, get_many
from tidemill.datasets.service import progress_of
from tidemill.datasets.states import ITEM_STATES
from tidemill.datasets.tables import DatasetVersionRow
from tidemill.jobs.live import News
from tidemill.kernel.i18n import Language

TOPIC = "datasets"
"""Announced with what people wait for. Saves are not: whoever looks sees them within the second all the same."""


def changed_versions(session: Session, since: datetime) -> Iterable[News]:
    """Versions that changed since then."""
    rows = session.execute(
        sa.select(DatasetVersionRow, AssetRow.name, VersionRow.number)
        .join(VersionRow, VersionRow.id == DatasetVersionRow.version_id)
        .join(AssetRow, AssetRow.id == VersionRow.asset_id)
        .where(DatasetVersionRow.changed_at >= since, VersionRow.deleted_at.is_(None), AssetRow.deleted_at.is_(None))
    ).all()
    vids = [row.vid for row, _, _ in rows]
    states, totals = get_many(session, vids, STATE), get_many(session, vids, TOTAL)
    return [
        _news(row, name, number, states.get(row.vid, {}), totals.get(row.vid, {}).get(ANNOTATIONS, 0))
        for row, name, number in rows
    ]


def _news(row: DatasetVersionRow, name: str, number: int, states: dict[str, int], annotations: int) -> News:
    done, _, progress = progress_of(states)
    told = orjson.dumps(
        {
            "version_id": row.version_id,
            "dataset": name,
            "number": number,
            "work": row.state,
            "item_revision": row.revision,
            "items": sum(states.values()),
            "annotations": annotations,
            "states": {word: states.get(str(code), 0) for code, word in enumerate(ITEM_STATES)},
            "done": done,
            "progress": progress,
        }
    ).decode()

    def data(language: Language) -> str:
        del language
        return told

    return News(
        "dataset_version", str(row.version_id), row.revision, row.changed_at, row.project_id, "dataset.read", data
    )
