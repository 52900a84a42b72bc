"""Evaluations as rows: made, moved, filled from `evaluation.json`."""

from typing import Any

import orjson
from sqlalchemy.orm import Session

from tidemill.jobs.texts import text
from tidemill.kernel.db import announce
from tidemill.models.model_files import rank_of
from tidemill.models.tables import EvaluationRow

PREFIX = "evl"
TOPIC = "evaluations"
RESULT_MAX_BYTES = 64 << 20
METRICS_MAX = 500


class BadResult(Exception):
    """The file is not what an evaluation leaves."""


def read_result(content: bytes) -> dict[str, Any]:
    """`evaluation.json`, as far as its rows need it checked; raises BadResult."""
    try:
        found = orjson.loads(content)
    except orjson.JSONDecodeError as error:
        raise BadResult(str(error)) from None
    if not isinstance(found, dict) or not isinstance(found.get("metrics"), dict):
        raise BadResult("metrics")
    for name, kind in (("classes", list), ("worst", list), ("thresholds", list), ("confusion", dict), ("curves", dict)):
        if not isinstance(found.get(name) or kind(), kind):
            raise BadResult(name)
    return found


def fill(row: EvaluationRow, result: dict[str, Any]) -> None:
    """What lists show of a result."""
    metrics = {
        str(name)[:200]: value
        for name, value in list(result["metrics"].items())[:METRICS_MAX]
        if isinstance(value, int | float) and not isinstance(value, bool)
    }
    primary = result.get("primary")
    row.metrics = metrics
    row.primary_metric = primary if isinstance(primary, str) and primary in metrics else ""
    row.rank = rank_of(metrics, row.primary_metric)
    items, task = result.get("items"), result.get("task")
    row.items = items if isinstance(items, int) else None
    row.task = task[:200] if isinstance(task, str) else row.task
    part = result.get("part")
    if part in {"test", "all"}:
        # Where nothing was kept apart, all were looked at.
        row.part = part


def touch(session: Session, row: EvaluationRow, now: Any) -> None:
    row.revision += 1
    row.changed_at = now
    announce(session, TOPIC)


def pin_owner(evaluation_id: str) -> str:
    """Whose the files are, in the store's books."""
    return f"evaluation:{evaluation_id}"


def broke() -> dict[str, Any]:
    return text("evaluation_broke")
