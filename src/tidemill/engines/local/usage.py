"""Reading back what a node used."""

import json
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path

from tidemill.engines.base import Usage


def read_usage(path: Path, *, since: datetime | None, points: int) -> Sequence[Usage]:
    """Samples after a time, thinned out evenly."""
    if points <= 0 or not path.exists():
        return []
    lines = path.read_bytes().splitlines()
    samples = [_usage(json.loads(line)) for line in lines if line.endswith(b"]")]
    if since is not None:
        samples = [sample for sample in samples if sample.at > since]
    if len(samples) <= points:
        return samples
    step = len(samples) / points
    return [_mean(samples[round(place * step) : round((place + 1) * step)]) for place in range(points)]


def _usage(line: list[object]) -> Usage:
    at, cpus, memory, read, written, received, sent, devices = line
    return Usage(
        at=datetime.fromtimestamp(float(str(at)), UTC),
        cpus=float(str(cpus)),
        memory_bytes=int(str(memory)),
        disk_read_bytes_s=float(str(read)),
        disk_write_bytes_s=float(str(written)),
        net_read_bytes_s=None if received is None else float(str(received)),
        net_write_bytes_s=None if sent is None else float(str(sent)),
        devices=devices if isinstance(devices, dict) else {},
    )


def _mean(samples: Sequence[Usage]) -> Usage:
    """One sample for several: means, and the greatest memory, which is what limits are about."""
    last = samples[-1]
    return Usage(
        at=last.at,
        cpus=_average(sample.cpus for sample in samples),
        memory_bytes=max(sample.memory_bytes for sample in samples),
        disk_read_bytes_s=_average(sample.disk_read_bytes_s for sample in samples),
        disk_write_bytes_s=_average(sample.disk_write_bytes_s for sample in samples),
        net_read_bytes_s=_average_known(sample.net_read_bytes_s for sample in samples),
        net_write_bytes_s=_average_known(sample.net_write_bytes_s for sample in samples),
        devices=last.devices,
    )


def _average(values: Iterable[float]) -> float:
    found = list(values)
    return sum(found) / len(found)


def _average_known(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return _average(known) if known else None
