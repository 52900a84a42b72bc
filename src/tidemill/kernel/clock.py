"""Time, passed in so that tests can turn the hands."""

from collections.abc import Callable
from datetime import UTC, datetime

Clock = Callable[[], datetime]


def utc_now() -> datetime:
    """The time now, aware, in UTC."""
    return datetime.now(UTC)
