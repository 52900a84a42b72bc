"""Everything the model server refuses on purpose.

Refusal
├── Malformed  400  the request breaks a rule: says which input and which rule
├── Unknown    404  no such model, version or address
├── Oversized  413  the body is over the limit
├── Busy       429  the queue is full; come back later
├── Failed     500  the model itself failed
├── NotReady   503  starting, or told to stop
└── TimedOut   504  no answer in time
"""

from typing import ClassVar


class Refusal(Exception):
    """Base of all; never raised itself."""

    status: ClassVar[int] = 500
    retry_after_s: ClassVar[int | None] = None


class Malformed(Refusal):
    """The request breaks a rule."""

    status = 400


class Unknown(Refusal):
    """There is no such thing here."""

    status = 404


class Oversized(Refusal):
    """The body is over the limit."""

    status = 413


class Busy(Refusal):
    """As much waits as may wait."""

    status = 429
    retry_after_s = 1


class Failed(Refusal):
    """The model raised something on a request that was as it should be."""

    status = 500


class NotReady(Refusal):
    """Models are still being loaded, or the server is about to end."""

    status = 503
    retry_after_s = 1


class TimedOut(Refusal):
    """The time for an answer is over."""

    status = 504
