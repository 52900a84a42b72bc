"""Counting: what each replica was asked, how it answered, how long it took."""

from bisect import bisect_left
from collections.abc import Iterable, Sequence

from tidemill.gateway.schemas import LATENCY_BOUNDS_S, STATUS_CLASSES, Counter, ShadowCount

SHADOW = "shadow"
FORGOTTEN_AFTER_S = 900.0
"""Counts of a replica that left the table are kept this long for whoever reads them."""

Key = tuple[str, str, str, bool]
"""Service, version, replica, and whether it is about copies that a shadow was shown."""


class Count:
    """Counts of one replica (or of the gateway's own answers for one service), as they grow."""

    __slots__ = (
        "bytes_in", "bytes_out", "cancelled", "carried", "classes", "failed", "in_flight", "key", "latency",
        "latency_sum_s", "left_at_s", "retried", "role", "shadow_different", "shadow_failed", "shadow_latency_s",
        "shadow_live_latency_s", "shadow_same", "shadow_skipped",
    )  # fmt: skip

    def __init__(self, key: Key, role: str) -> None:
        self.key = key
        self.role = role
        self.classes = [0, 0, 0, 0, 0, 0]
        """By the first digit of the status."""
        self.latency = [0] * (len(LATENCY_BOUNDS_S) + 1)
        self.latency_sum_s = 0.0
        self.in_flight = self.carried = self.retried = self.failed = self.cancelled = self.bytes_in = self.bytes_out = 0
        self.shadow_same = self.shadow_different = self.shadow_failed = self.shadow_skipped = 0
        self.shadow_latency_s = self.shadow_live_latency_s = 0.0
        self.left_at_s: float | None = None

    def answered(self, status: int, took_s: float) -> None:
        """One more answer."""
        self.classes[status // 100] += 1
        self.latency[bisect_left(LATENCY_BOUNDS_S, took_s)] += 1
        self.latency_sum_s += took_s

    def add(self, classes: Sequence[int], latency: Sequence[int], took_s: float) -> None:
        """Many more answers: how many of each class and in each bucket, and how long they took together."""
        self.classes = [have + more for have, more in zip(self.classes, classes, strict=True)]
        self.latency = [have + more for have, more in zip(self.latency, latency, strict=True)]
        self.latency_sum_s += took_s

    def counter(self, epoch: str) -> Counter:
        return Counter(
            epoch=epoch,
            service_id=self.key[0],
            version_id=self.key[1],
            replica_id=self.key[2],
            role=self.role,
            # An upgraded connection (101) is an answer that went well.
            requests=dict(zip(STATUS_CLASSES, [self.classes[1] + self.classes[2], *self.classes[3:]], strict=True)),
            latency=tuple(self.latency),
            latency_sum_s=self.latency_sum_s,
            in_flight=self.in_flight + self.carried,
            retried=self.retried,
            failed=self.failed,
            cancelled=self.cancelled,
            bytes_in=self.bytes_in,
            bytes_out=self.bytes_out,
            shadow=ShadowCount(
                same=self.shadow_same,
                different=self.shadow_different,
                failed=self.shadow_failed,
                skipped=self.shadow_skipped,
                latency_sum_s=self.shadow_latency_s,
                live_latency_sum_s=self.shadow_live_latency_s,
            ),
        )


class Counts:
    """All counts of a gateway."""

    def __init__(self) -> None:
        self._counts: dict[Key, Count] = {}

    def of(self, service_id: str, version_id: str = "", replica_id: str = "", role: str = "") -> Count:
        """The count of that replica, which goes on when it comes back or changes its role. Copies that it is shown
        (as `shadow`) have another: nobody waits for them."""
        key = (service_id, version_id, replica_id, role == SHADOW)
        count = self._counts.get(key)
        if count is None:
            count = self._counts[key] = Count(key, role)
        count.role = role
        count.left_at_s = None
        return count

    def keep_only(self, used: Iterable[Key], now_s: float) -> None:
        """Forgets, after a while, what is not in the table any more."""
        present = set(used)
        for key, count in list(self._counts.items()):
            if key in present:
                count.left_at_s = None
            elif count.left_at_s is None:
                count.left_at_s = now_s
            elif count.in_flight == 0 and count.left_at_s + FORGOTTEN_AFTER_S < now_s:
                del self._counts[key]

    def counters(self, epoch: str) -> list[Counter]:
        """What was counted up to now."""
        return [count.counter(epoch) for count in self._counts.values()]
