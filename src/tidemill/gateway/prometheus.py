"""The counters in Prometheus' text format."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from tidemill.gateway.counting import SHADOW
from tidemill.gateway.schemas import LATENCY_BOUNDS_S, Counter

_CALLS, _COPIES = "tidemill_gateway", "tidemill_gateway_shadow"
"""What callers asked, and copies of it that shadow versions were shown: of other names, so that nobody adds them up."""
_PLAIN: tuple[tuple[str, str, str, Callable[[Counter], Any]], ...] = (
    ("in_flight", "gauge", "Requests under way.", lambda one: one.in_flight),
    ("retried_total", "counter", "Requests done elsewhere, as the replica did not answer.", lambda one: one.retried),
    ("failed_total", "counter", "Requests that no replica answered.", lambda one: one.failed),
    ("cancelled_total", "counter", "Requests that their callers gave up.", lambda one: one.cancelled),
    ("received_bytes_total", "counter", "Bytes of requests' bodies.", lambda one: one.bytes_in),
    ("sent_bytes_total", "counter", "Bytes of answers.", lambda one: one.bytes_out),
)


def text(counters: Sequence[Counter]) -> str:
    """All counters, as a scrape gets them."""
    calls = [one for one in counters if one.role != SHADOW]
    copies = [one for one in counters if one.role == SHADOW]
    return "\n".join((*_all(_CALLS, calls), *(_all(_COPIES, copies) if copies else ()), *_shadows(copies), ""))


def _all(prefix: str, counters: Sequence[Counter]) -> Iterable[str]:
    yield from _requests(f"{prefix}_requests_total", counters)
    yield from _durations(f"{prefix}_request_duration_seconds", counters)
    yield from _plain(prefix, counters)


def _requests(name: str, counters: Sequence[Counter]) -> Iterable[str]:
    yield from _about(name, "counter", "Answers by class of status.")
    for one in counters:
        for status, count in one.requests.items():
            yield f"{name}{_labels(one, status=status)} {count}"


def _durations(name: str, counters: Sequence[Counter]) -> Iterable[str]:
    yield from _about(name, "histogram", "How long answers took.")
    for one in counters:
        total = 0
        for bound, count in zip((*LATENCY_BOUNDS_S, "+Inf"), one.latency, strict=True):
            total += count
            yield f"{name}_bucket{_labels(one, le=str(bound))} {total}"
        yield f"{name}_sum{_labels(one)} {one.latency_sum_s:.6f}"
        yield f"{name}_count{_labels(one)} {total}"


def _plain(prefix: str, counters: Sequence[Counter]) -> Iterable[str]:
    for name, kind, help_text, value in _PLAIN:
        yield from _about(f"{prefix}_{name}", kind, help_text)
        for one in counters:
            yield f"{prefix}_{name}{_labels(one)} {value(one)}"


def _shadows(counters: Sequence[Counter]) -> Iterable[str]:
    yield from _about(
        f"{_COPIES}_total", "counter", "Answers of shadow versions, compared with those that callers got."
    )
    for one in counters:
        results = {
            "same": one.shadow.same,
            "different": one.shadow.different,
            "failed": one.shadow.failed,
            "skipped": one.shadow.skipped,
        }
        if any(results.values()):
            for result, count in results.items():
                yield f"{_COPIES}_total{_labels(one, result=result)} {count}"


def _about(name: str, kind: str, help_text: str) -> Iterable[str]:
    yield f"# HELP {name} {help_text}"
    yield f"# TYPE {name} {kind}"


def _labels(one: Counter, **more: str) -> str:
    labels = {"service": one.service_id, "version": one.version_id, "replica": one.replica_id, "role": one.role, **more}
    return "{" + ",".join(f'{name}="{_escape(value)}"' for name, value in labels.items()) + "}"


def _escape(value: str) -> str:
    return value.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
