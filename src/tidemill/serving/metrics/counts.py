"""What is counted within some time, and the arithmetic of it: sums, differences, percentiles."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from tidemill.gateway.schemas import LATENCY_BOUNDS_S

BUCKETS = len(LATENCY_BOUNDS_S) + 1
_ADDED = ("requests", "errors", "refused", "retried", "bytes_in", "bytes_out", "batches", "batch_rows", "latency_sum_s")


@dataclass(frozen=True, slots=True)
class Counts:
    """Counts of some time. `in_flight` is the most that was seen at once; all others are sums."""

    requests: int = 0
    errors: int = 0
    """5xx, and requests that were cut off."""
    refused: int = 0
    """4xx"""
    retried: int = 0
    bytes_in: int = 0
    bytes_out: int = 0
    batches: int = 0
    batch_rows: float = 0.0
    latency_sum_s: float = 0.0
    latency: tuple[int, ...] = ()
    """By bucket of `LATENCY_BOUNDS_S`; empty: none."""
    in_flight: int = 0

    def to_json(self) -> dict[str, Any]:
        """Without what is nothing."""
        return {name: list(value) if name == "latency" else value for name, value in asdict(self).items() if value}

    @staticmethod
    def from_json(content: Mapping[str, Any]) -> "Counts":
        known = {name: value for name, value in content.items() if name in Counts.__dataclass_fields__}
        return Counts(**{**known, "latency": tuple(known.get("latency", ()))})

    @property
    def is_nothing(self) -> bool:
        return not (self.requests or self.errors or self.in_flight or self.batches or self.retried)

    @property
    def error_rate(self) -> float | None:
        return min(1.0, self.errors / self.requests) if self.requests else None

    @property
    def batch_size(self) -> float | None:
        return self.batch_rows / self.batches if self.batches else None

    def quantile_ms(self, share: float) -> float | None:
        """The latency that this share of the requests did not exceed, as exactly as the buckets have it."""
        total = sum(self.latency)
        if not total:
            return None
        wanted, seen = share * total, 0.0
        for place, count in enumerate(self.latency):
            if count and seen + count >= wanted:
                low = LATENCY_BOUNDS_S[place - 1] if place else 0.0
                high = LATENCY_BOUNDS_S[place] if place < len(LATENCY_BOUNDS_S) else LATENCY_BOUNDS_S[-1] * 2
                return 1000 * (low + (high - low) * (wanted - seen) / count)
            seen += count
        return 1000 * LATENCY_BOUNDS_S[-1] * 2


def add(some: Iterable[Counts]) -> Counts:
    """All together."""
    total = Counts()
    for one in some:
        sums = {name: getattr(total, name) + getattr(one, name) for name in _ADDED}
        total = replace(
            total,
            **sums,
            latency=_add_buckets(total.latency, one.latency),
            in_flight=max(total.in_flight, one.in_flight),
        )
    return total


def together(some: Sequence[Counts]) -> Counts:
    """Of several at the same time: what each had in flight adds up."""
    return replace(add(some), in_flight=sum(one.in_flight for one in some))


def since(now: Counts, before: Counts | None) -> Counts:
    """What was counted since a mark of the same counters. Counters that went back began anew: all of them is new."""
    if before is None or any(getattr(now, name) < getattr(before, name) for name in _ADDED if name != "latency_sum_s"):
        return now
    differences = {name: getattr(now, name) - getattr(before, name) for name in _ADDED}
    buckets = tuple(max(0, a - b) for a, b in _pairs(now.latency, before.latency))
    return replace(now, **differences, latency=buckets if any(buckets) else ())


def _add_buckets(one: Sequence[int], other: Sequence[int]) -> tuple[int, ...]:
    return tuple(a + b for a, b in _pairs(one, other))


def _pairs(one: Sequence[int], other: Sequence[int]) -> Iterable[tuple[int, int]]:
    length = max(len(one), len(other))
    return zip((*one, *(0,) * (length - len(one))), (*other, *(0,) * (length - len(other))), strict=True)
