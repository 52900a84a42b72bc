"""Results as people see them: pages, one item, the files."""

from typing import Any
from urllib.parse import quote

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.assets.known import KnownVersion, load_versions
from tidemill.inference.results.finding import ResultWish, find
from tidemill.inference.results.reading import Line, Place, read_places
from tidemill.inference.schemas import ResultPage, ResultView, ShardView
from tidemill.inference.tables import RESULTS, InferenceRunRow, InferenceShardRow
from tidemill.kernel.db import Database
from tidemill.kernel.errors import NotFound
from tidemill.store.backends import BlobBackend

__all__ = ["ResultWish", "get_result", "get_shard", "list_results", "list_shards"]

SHARDS_SHOWN = 10_000
_API = "/api/v1"


def list_results(db: Database, backend: BlobBackend, run: InferenceRunRow, wish: ResultWish) -> ResultPage:
    """One page of what a run found."""
    with db.read() as session:
        found = find(session, run, wish)
        known = _version(session, run)
    lines = read_places(db, backend, run.rid, found.places)
    return ResultPage(
        items=[result_view(lines[place.seq], known) for place in found.places],
        next=found.next,
        total=found.total,
        total_capped=found.is_capped,
    )


def get_result(db: Database, backend: BlobBackend, run: InferenceRunRow, seq: int) -> ResultView:
    """What was found in one item."""
    statement = sa.select(RESULTS.c.shard, RESULTS.c.start, RESULTS.c.length)
    with db.read() as session:
        mine = statement.where(RESULTS.c.rid == run.rid, RESULTS.c.seq == seq)
        row = session.connection().execute(mine).one_or_none()
        known = _version(session, run)
    if row is None:
        raise NotFound("inference_result_not_found", seq=seq, name=run.name)
    line = read_places(db, backend, run.rid, [Place(seq, row.shard, row.start, row.length)])[seq]
    return result_view(line, known)


def list_shards(session: Session, run: InferenceRunRow) -> list[ShardView]:
    rows = session.scalars(
        sa.select(InferenceShardRow)
        .where(InferenceShardRow.rid == run.rid)
        .order_by(InferenceShardRow.number)
        .limit(SHARDS_SHOWN)
    )
    return [_shard_view(row) for row in rows]


def get_shard(session: Session, run: InferenceRunRow, number: int) -> ShardView:
    row = session.get(InferenceShardRow, (run.rid, number))
    if row is None:
        raise NotFound("inference_shard_not_found", number=number, name=run.name)
    return _shard_view(row)


def result_view(line: Line, known: KnownVersion | None) -> ResultView:
    surest = surest_of(line["annotations"])
    place = _address(known, line["seq"]) if known else None
    return ResultView(
        seq=line["seq"],
        path=line["path"],
        label=surest.get("label"),
        score=surest.get("score"),
        annotations=line["annotations"],
        probabilities=line.get("probabilities"),
        value=line.get("value"),
        uncertainty=line.get("uncertainty"),
        error=line.get("error"),
        width=line.get("width"),
        height=line.get("height"),
        media=line.get("media"),
        thumbnail=f"{place}/thumbnail" if place else None,
        content=f"{place}/content" if place else None,
    )


def surest_of(annotations: list[dict[str, Any]]) -> dict[str, Any]:
    """The annotation with the highest score; of several the first."""
    return max(annotations, key=lambda one: float(one.get("score", 1.0)), default={})


def _shard_view(row: InferenceShardRow) -> ShardView:
    return ShardView(
        number=row.number,
        name=f"results-{row.number:05d}.jsonl",
        items=row.items,
        size_bytes=row.size_bytes,
        sha256=row.digest,
    )


def _version(session: Session, run: InferenceRunRow) -> KnownVersion | None:
    if run.dataset_version_id is None:
        return None
    known = load_versions(session, {run.dataset_version_id}).get(run.dataset_version_id)
    return known if known is not None and known.is_live else None


def _address(known: KnownVersion, seq: int) -> str:
    project, asset = quote(known.project, safe=""), quote(known.asset, safe="")
    return f"{_API}/projects/{project}/datasets/{asset}/versions/{known.number}/items/{seq}"
