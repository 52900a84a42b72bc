"""How often a caller may come: a bucket of tokens for each, filled at their rate."""

from collections.abc import Callable

CALLERS_MAX = 100_000


class Rates:
    """Buckets of callers. A bucket holds one second's worth of calls, and at least one."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._buckets: dict[tuple[str, str], tuple[float, float]] = {}

    def wait_s(self, service_id: str, caller: str, rate_per_s: float) -> float:
        """Takes a token and returns 0; where there is none, how long until there is."""
        now = self._clock()
        capacity = max(1.0, rate_per_s)
        tokens, at = self._buckets.get((service_id, caller), (capacity, now))
        tokens = min(capacity, tokens + (now - at) * rate_per_s)
        if tokens < 1.0:
            return (1.0 - tokens) / rate_per_s
        if len(self._buckets) >= CALLERS_MAX:
            self._forget(now)
        self._buckets[service_id, caller] = (tokens - 1.0, now)
        return 0.0

    def _forget(self, now: float) -> None:
        """Those who were not here for a minute have a full bucket, as strangers do; if all are busy, all begin anew."""
        self._buckets = {who: bucket for who, bucket in self._buckets.items() if bucket[1] > now - 60.0}
        if len(self._buckets) >= CALLERS_MAX:
            self._buckets.clear()
