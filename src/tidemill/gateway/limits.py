"""The gateway's own limits and times. Those of a service are in its route."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Numbers that tests make smaller."""

    head_bytes: int = 64 << 10
    """Of a request's line and headers together."""
    headers: int = 128
    head_s: float = 15.0
    """Within this the head of a request is there, once its first byte (or the connection) is."""
    idle_s: float = 75.0
    """How long a connection may rest between requests."""
    body_idle_s: float = 60.0
    """The longest silence of a caller within a body, or before they take more of the answer."""
    connect_s: float = 3.0
    pool_idle_s: float = 4.0
    """Connections to replicas that rested longer are not used again: many servers close theirs after five seconds."""
    pool_fresh_s: float = 1.0
    """The same for a request that cannot be sent twice."""
    aside_s: float = 1.0
    """How long a replica that did not answer gets nothing, while others do."""
    attempts: int = 5
    kept_bytes: int = 1 << 20
    """How much of a body is kept to send it again, or to the shadow."""
    kept_total_bytes: int = 128 << 20
    """The same over all requests under way."""
    waiting_bytes: int = 64 << 10
    """How much of a body is taken in before the request has a connection to a replica."""
    shadows: int = 32
    """Copies under way at a time."""
    linger_s: float = 2.0
    """How long we go on listening to a caller who was refused in the middle of a body, so that they hear of it."""
    drain_idle_s: float = 5.0
    """When we leave: how long a resting connection may bring one more request."""
    drain_s: float = 60.0
    """When we leave: how long requests may take."""
