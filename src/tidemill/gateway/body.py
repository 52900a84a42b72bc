"""The body of a request: framed for a replica, and kept while it is small, so that it can be sent again."""

from typing import TYPE_CHECKING

from tidemill.gateway.headers import Asked

if TYPE_CHECKING:
    from tidemill.gateway.core import Core


class Body:
    """A body as it comes. What is kept of it counts towards what all requests under way may keep together."""

    __slots__ = (
        "_core", "_is_end_sent", "_length", "_sent_pieces", "is_chunked", "is_complete", "kept_bytes", "pieces",
        "size_bytes",
    )  # fmt: skip

    def __init__(self, core: "Core", asked: Asked) -> None:
        self._core = core
        self._length = asked.length
        self.is_chunked = asked.is_chunked
        """Whether it goes to the replica in chunks, its length unsaid."""
        self.is_complete = self._is_end_sent = False
        self.pieces: list[bytes] | None = []
        """All up to now, to be sent (again); None when it grew too large for that."""
        self._sent_pieces = self.kept_bytes = self.size_bytes = 0

    @property
    def is_too_much(self) -> bool:
        """Whether no more of it should be kept."""
        core = self._core
        return self.kept_bytes > core.limits.kept_bytes or core.kept_bytes > core.limits.kept_total_bytes

    def keep(self, data: bytes) -> None:
        """Keeps a piece for `news`, and for replicas that are asked after this one."""
        assert self.pieces is not None
        self.pieces.append(data)
        self.kept_bytes += len(data)
        self._core.kept_bytes += len(data)

    def forget(self) -> None:
        """Keeps nothing any more."""
        if self.pieces is not None:
            self._core.kept_bytes -= self.kept_bytes
            self.pieces = None
            self.kept_bytes = 0

    def length_header(self) -> bytes:
        """How a replica is told where it ends."""
        if self.is_chunked and self.is_complete:
            # It is all here, so its length can be said.
            self.is_chunked = False
            return b"Content-Length: %d\r\n" % self.size_bytes
        if self.is_chunked:
            return b"Transfer-Encoding: chunked\r\n"
        return b"" if self._length is None else b"Content-Length: %d\r\n" % self._length

    def after(self, head: bytes) -> bytes:
        """A request from its beginning, as far as it is here."""
        self._is_end_sent = False
        pieces = self.pieces
        if pieces:
            self._sent_pieces = len(pieces)
            framed = [self.framed(piece) for piece in pieces] if self.is_chunked else pieces
            return b"".join((head, *framed)) + self._end()
        self._sent_pieces = 0
        return head + self._end() if self.is_chunked else head

    def news(self) -> bytes:
        """What is kept and was not sent yet, and the mark of the end where it has come."""
        pieces = self.pieces
        if pieces is None:
            return self._end()
        new = [self.framed(piece) for piece in pieces[self._sent_pieces :]]
        self._sent_pieces = len(pieces)
        return b"".join(new) + self._end()

    def framed(self, data: bytes) -> bytes:
        """A piece as it goes over the wire."""
        return b"%x\r\n%b\r\n" % (len(data), data) if self.is_chunked else data

    def whole(self) -> bytes:
        """All of it, once it is complete; nothing where it was not kept."""
        return b"".join(self.framed(piece) for piece in self.pieces or ()) + (b"0\r\n\r\n" if self.is_chunked else b"")

    def _end(self) -> bytes:
        """The mark after the last chunk, once."""
        if not self.is_chunked or not self.is_complete or self._is_end_sent:
            return b""
        self._is_end_sent = True
        return b"0\r\n\r\n"
