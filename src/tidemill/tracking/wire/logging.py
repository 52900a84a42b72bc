"""Metrics, parameters and tags, one by one and in batches: what training scripts call again and again."""

import time
from collections.abc import Iterator
from typing import Any

import orjson
import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.kernel.errors import NotFound
from tidemill.tracking import models, runs, targets, writing
from tidemill.tracking.search.experiments import page_start, page_token
from tidemill.tracking.wire.bodies import INT_MAX, Values, broken
from tidemill.tracking.wire.calls import Call, endpoint
from tidemill.tracking.wire.experiments import KEY_MAX
from tidemill.tracking.wire.runs import TAG_MAX, run_id_of
from tidemill.tracking.wire.runs_out import SPECIAL
from tidemill.tracking.writing import Measured
from tidemill.training.metrics import journal
from tidemill.training.metrics.series import list_series, load_points
from tidemill.training.tables import TagRow

PARAMETER_MAX = 6000
AT_ONCE = 1000
METRICS_AT_ONCE = 10_000
HISTORY_MAX = 25_000
"""Points of one answer, as with MLflow's own server."""

_telling = runs.Telling()


@endpoint("POST", "/mlflow/runs/log-metric", "metric.write")
def log_metric(call: Call) -> Any:
    values = call.values
    key, point = _metric(values, int(time.time() * 1000))
    model_id = values.text("model_id", most=100, default=None)
    _log(call, {key: [point]}, {}, {}, _model_metrics(values, key, point) if model_id else [])


@endpoint("POST", "/mlflow/runs/log-parameter", "metric.write")
def log_parameter(call: Call) -> Any:
    key = call.values.text("key", most=KEY_MAX)
    value = call.values.text("value", most=PARAMETER_MAX, least=0, default="")
    _log(call, {}, {key: value}, {})


@endpoint("POST", "/mlflow/runs/set-tag", "metric.write")
def set_tag(call: Call) -> Any:
    key = call.values.text("key", most=KEY_MAX)
    _log(call, {}, {}, {key: call.values.text("value", most=TAG_MAX, least=0, default="")})


@endpoint("POST", "/mlflow/runs/delete-tag", "metric.write")
def delete_tag(call: Call) -> Any:
    key = call.values.text("key", most=KEY_MAX)

    def work(session: Session) -> None:
        target = targets.get_target(session, run_id_of(call.values), by=call.by, measures=False)
        gone: Any = session.execute(sa.delete(TagRow).where(TagRow.run_id == target.id, TagRow.key == key))
        if not gone.rowcount:
            raise NotFound("tag_not_found", key=key)

    call.db.write_small(work)


@endpoint("POST", "/mlflow/runs/log-batch", "metric.write")
def log_batch(call: Call) -> Any:
    values = call.values
    now_ms = int(time.time() * 1000)
    by_key: dict[str, list[Measured]] = {}
    of_models: list[models.Metric] = []
    for key, point, one in _metrics(values, now_ms):
        by_key.setdefault(key, []).append(point)
        if one is not None and one.raw("model_id"):
            of_models += _model_metrics(one, key, point)
    parameters = values.pairs("params", key_max=KEY_MAX, value_max=PARAMETER_MAX, most=AT_ONCE)
    tags = values.pairs("tags", key_max=KEY_MAX, value_max=TAG_MAX, most=AT_ONCE)
    _log(call, by_key, parameters, tags, of_models)


@endpoint("GET", "/mlflow/metrics/get-history", "training.read")
def get_metric_history(call: Call) -> Any:
    values = call.values
    key = values.text("metric_key", most=KEY_MAX)
    limit = values.whole("max_results", default=HISTORY_MAX, least=1, most=HISTORY_MAX)
    before = page_start(values.text("page_token", most=200, default=None))
    with call.db.read() as session:
        target = targets.find_target(session, run_id_of(values), by=call.by)
        points = _history(session, target.id, key)
    body = _points_json(key, points[before : before + limit])
    if before + limit >= len(points):
        return b'{"metrics":[' + body + b"]}"
    token = orjson.dumps(page_token(before + limit))
    return b'{"metrics":[' + body + b'],"next_page_token":' + token + b"}"


@endpoint("GET", "/mlflow/metrics/get-history-bulk-interval", "training.read")
def get_metric_history_bulk_interval(call: Call) -> Any:
    values = call.values
    run_ids = values.texts("run_ids", most=100, length=100)
    key = values.text("metric_key", most=KEY_MAX)
    start = values.whole("start_step", default=-INT_MAX)
    end = values.whole("end_step", default=INT_MAX)
    limit = values.whole("max_results", default=2500, least=1, most=2500)
    found: list[dict[str, Any]] = []
    with call.db.read() as session:
        for run_id in run_ids:
            target = targets.find_target(session, run_id, by=call.by)
            points = [point for point in _history(session, target.id, key) if start <= point[0] <= end]
            stride = max(1, -(-len(points) // limit))
            shown = [*points[::stride], *(points[-1:] if points[::stride][-1:] != points[-1:] else [])]
            found += [_point(key, point) | {"run_id": run_id} for point in shown]
    return {"metrics": found}


def _metrics(values: Values, now_ms: int) -> Iterator[tuple[str, Measured, Values | None]]:
    """Those that are plain, as almost all are, are read at a glance; the others field by field, with their errors."""
    given = values.raw("metrics") or []
    if isinstance(given, list) and len(given) <= METRICS_AT_ONCE and all(map(_is_plain, given)):
        for one in given:
            yield one["key"], (one.get("step", 0), float(one["value"]), one["timestamp"]), None
        return
    for each in values.objects("metrics", most=METRICS_AT_ONCE):
        yield *_metric(each, now_ms), each


def _is_plain(one: Any) -> bool:
    if type(one) is not dict or "model_id" in one:
        return False
    key, at_ms, step = one.get("key"), one.get("timestamp"), one.get("step", 0)
    if type(key) is not str or not 0 < len(key) <= KEY_MAX or "\x00" in key:
        return False
    if (
        type(at_ms) is not int
        or type(step) is not int
        or not -INT_MAX < at_ms < INT_MAX
        or not -INT_MAX < step < INT_MAX
    ):
        return False
    value = one.get("value")
    return type(value) is float or (type(value) is int and -INT_MAX < value < INT_MAX)


def _metric(values: Values, now_ms: int) -> tuple[str, Measured]:
    key: str = values.text("key", most=KEY_MAX)
    step: int = values.whole("step", default=0)
    at_ms: int = values.whole("timestamp", default=now_ms)
    return key, (step, values.number("value"), at_ms)


def _model_metrics(values: Values, key: str, point: Measured) -> list[models.Metric]:
    return [
        models.Metric(
            model_id=values.text("model_id", most=100),
            key=key,
            point=point,
            dataset_name=values.text("dataset_name", most=500, default=None),
            dataset_digest=values.text("dataset_digest", most=100, default=None),
        )
    ]


def _log(
    call: Call,
    by_key: dict[str, list[Measured]],
    parameters: dict[str, str],
    tags: dict[str, str],
    of_models: list[models.Metric] | None = None,
) -> None:
    """All of it, or nothing."""
    run_id = run_id_of(call.values)
    if len(parameters) > writing.PARAMETERS_MAX:
        raise broken("list_too_long", "params", max_length=writing.PARAMETERS_MAX)

    def work(session: Session) -> None:
        target = targets.get_target(session, run_id, by=call.by, measures=bool(by_key or parameters))
        if by_key:
            writing.add_metrics(session, target, by_key)
        if parameters:
            writing.add_parameters(session, target, parameters)
        if tags:
            writing.set_tags(session, target, tags)
        if of_models:
            models.add_metrics(session, target, of_models, by=call.by)
        if _telling.is_due(target.id, call.by.now):
            runs.note_growth(session, target.id, call.by.now)

    call.db.write_small(work)


def _history(session: Session, run_id: str, key: str) -> list[Measured]:
    """Every value of the curve that counts for the key."""
    rows = list_series(session, [run_id], [key])
    if not rows:
        return []
    (row,) = rows
    if row.source == "mlflow":
        return journal.read_all(session, row)
    return [(point.step, point.value, point.at_ms) for point in load_points(session, rows)[row.id]]


def _points_json(key: str, points: list[Measured]) -> bytes:
    """Ten thousand points are written as text of one form, not as as many objects."""
    start = f'{{"key":{orjson.dumps(key).decode()},"value":'
    return ",".join(
        f'{start}{_said(value)},"timestamp":{at_ms},"step":{step}}}' for step, value, at_ms in points
    ).encode()


def _said(value: float) -> str:
    text = repr(value)
    return f'"{SPECIAL[text]}"' if text in SPECIAL else text


def _point(key: str, point: Measured) -> dict[str, Any]:
    step, value, at_ms = point
    return {"key": key, "value": SPECIAL.get(repr(value), value), "timestamp": at_ms, "step": step}
