"""Rules over figures: pure functions."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal

from tidemill.serving.metrics.counts import Counts

_QUANTILES = {"p50_ms": 0.5, "p90_ms": 0.9, "p99_ms": 0.99}

Step = Literal["nothing", "begin", "open", "go_on", "close", "forget"]


def figure(counts: Counts, metric: str) -> float | None:
    """The figure a rule is about; None where nothing was asked."""
    if metric == "error_rate":
        return counts.error_rate
    return counts.quantile_ms(_QUANTILES[metric])


@dataclass(frozen=True, slots=True)
class Judged:
    """What becomes of an alert, and the figure it is about."""

    step: Step
    value: float = 0.0


def judge_alert(
    rule: dict[str, Any], counts: Counts, *, state: str | None, pending_at: datetime | None, now: datetime
) -> Judged:
    """An alert is pending while the figure is above but not for long enough, then open, then closed.

    `state` is that of the alert there is: pending, open, or None.
    """
    value = figure(counts, rule["metric"]) if counts.requests >= rule["requests"] else None
    if value is None or value <= rule["above"]:
        return Judged({"open": "close", "pending": "forget"}.get(state or "", "nothing"), value or 0.0)  # type: ignore[arg-type]
    if state == "open":
        return Judged("go_on", value)
    since = pending_at or now
    if now - since >= timedelta(seconds=rule["for_s"]):
        return Judged("open", value)
    return Judged("begin" if state is None else "go_on", value)


@dataclass(frozen=True, slots=True)
class Broken:
    """A rule of rollback that is broken, with its figures."""

    metric: Literal["error_rate", "p99_ms"]
    value: float
    above: float
    requests: int


def judge_rollback(rule: dict[str, Any], counts: Counts) -> Broken | None:
    """Which threshold the canary is above, once there were requests enough to tell."""
    if counts.requests < rule["requests"]:
        return None
    for metric in ("error_rate", "p99_ms"):
        above, value = rule.get(metric), figure(counts, metric)
        if above is not None and value is not None and value > above:
            return Broken(metric, value, above, counts.requests)
    return None
