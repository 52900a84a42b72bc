"""What is counted, and the text Prometheus reads. Numbers are changed on the event loop only."""

import os
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence

LATENCY_S = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)
BATCH_ROWS = (1, 2, 4, 8, 16, 32, 64, 128, 256)


class Histogram:
    """How often a value was at most each bound."""

    __slots__ = ("bounds", "counts", "total")

    def __init__(self, bounds: Sequence[float]) -> None:
        self.bounds = bounds
        self.counts = [0] * (len(bounds) + 1)
        self.total = 0.0

    def add(self, value: float) -> None:
        self.counts[bisect_left(self.bounds, value)] += 1
        self.total += value

    def lines(self, name: str, labels: str) -> Iterable[str]:
        seen = 0
        for bound, count in zip((*(f"{one:g}" for one in self.bounds), "+Inf"), self.counts, strict=True):
            seen += count
            yield f'{name}_bucket{{{labels},le="{bound}"}} {seen}'
        yield f"{name}_sum{{{labels}}} {self.total:.9g}"
        yield f"{name}_count{{{labels}}} {seen}"


class ModelMetrics:
    """Of one model."""

    __slots__ = ("batches", "in_flight", "latency", "queue_length", "refused", "requests")

    def __init__(self) -> None:
        self.requests: dict[tuple[str, int], int] = {}
        self.latency = Histogram(LATENCY_S)
        self.batches = Histogram(BATCH_ROWS)
        self.queue_length = 0
        self.in_flight = 0
        self.refused = 0

    def batch(self, rows: int) -> None:
        self.batches.add(rows)

    def request(self, protocol: str, status: int, seconds: float) -> None:
        key = (protocol, status)
        self.requests[key] = self.requests.get(key, 0) + 1
        self.latency.add(seconds)


def text(models: Mapping[str, ModelMetrics], *, is_ready: bool) -> str:
    """Everything, in the text form of Prometheus."""
    lines: list[str] = []

    def about(name: str, kind: str, words: str) -> str:
        lines.extend((f"# HELP {name} {words}", f"# TYPE {name} {kind}"))
        return name

    name = about("tidemill_model_requests_total", "counter", "Requests that were answered.")
    for model, one in models.items():
        for (protocol, status), count in one.requests.items():
            lines.append(f'{name}{{{_model(model)},protocol="{protocol}",code="{status}"}} {count}')
    name = about("tidemill_model_errors_total", "counter", "Requests that were answered with an error.")
    for model, one in models.items():
        failed = sum(count for (_, status), count in one.requests.items() if status >= 400)
        lines.append(f"{name}{{{_model(model)}}} {failed}")
    name = about("tidemill_model_refused_total", "counter", "Requests that found the queue full.")
    lines.extend(f"{name}{{{_model(model)}}} {one.refused}" for model, one in models.items())
    name = about("tidemill_model_latency_seconds", "histogram", "From the request's first byte to its answer.")
    for model, one in models.items():
        lines.extend(one.latency.lines(name, _model(model)))
    name = about("tidemill_model_batch_size", "histogram", "Rows that went into the model together.")
    for model, one in models.items():
        lines.extend(one.batches.lines(name, _model(model)))
    name = about("tidemill_model_queue_length", "gauge", "Requests that wait for an instance.")
    lines.extend(f"{name}{{{_model(model)}}} {one.queue_length}" for model, one in models.items())
    name = about("tidemill_model_in_flight", "gauge", "Requests that have no answer yet.")
    lines.extend(f"{name}{{{_model(model)}}} {one.in_flight}" for model, one in models.items())
    name = about("tidemill_server_ready", "gauge", "Whether every model is warm and requests are taken.")
    lines.append(f"{name} {int(is_ready)}")
    name = about("process_resident_memory_bytes", "gauge", "Memory of the process.")
    lines.append(f"{name} {_resident_bytes()}")
    return "\n".join(lines) + "\n"


def _model(name: str) -> str:
    escaped = name.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'model="{escaped}"'


def _resident_bytes() -> int:
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:  # not Linux
        return 0
