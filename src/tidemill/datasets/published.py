"""The files that a published version has beside its items' files."""

from collections.abc import Sequence
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.assets.tables import VersionRow
from tidemill.datasets.publishing import ANNOTATIONS, INFO
from tidemill.datasets.tables import DatasetVersionRow
from tidemill.kernel.db import in_batches
from tidemill.store.tables import FILE
from tidemill.store.trees import Node


def find_files(session: Session, version_ids: Sequence[str]) -> dict[str, list[Node]]:
    """`annotations.jsonl` and `dataset.json` of those versions that are published."""
    found: dict[str, list[Node]] = {}
    for batch in in_batches(version_ids):
        rows = session.execute(
            sa.select(DatasetVersionRow, VersionRow.committed_at)
            .join(VersionRow, VersionRow.id == DatasetVersionRow.version_id)
            .where(VersionRow.id.in_(batch), DatasetVersionRow.annotations_digest.is_not(None))
        )
        for row, committed_at in rows:
            assert row.version_id is not None
            assert committed_at is not None
            found[row.version_id] = [
                _node(ANNOTATIONS, row.annotations_digest, row.annotations_bytes, committed_at),
                _node(INFO, row.info_digest, row.info_bytes, committed_at),
            ]
    return found


def _node(path: str, digest: str | None, size_bytes: int | None, at: datetime) -> Node:
    return Node(path=path, kind=FILE, digest=digest, size_bytes=size_bytes or 0, files=0, updated_at=at)
