"""Films to frames: so many a second, or one whenever the scene changes. By PyAV, loaded on first use."""

import io
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, BinaryIO, Literal

from tidemill.datasets.media.pictures import Unreadable

if TYPE_CHECKING:
    from PIL.Image import Image

_THUMB = (64, 36)
_JPEG_QUALITY = 92


@dataclass(frozen=True, slots=True)
class Film:
    """What a film's file says of it."""

    width: int
    height: int
    duration: float
    rate: float
    frames: int


@dataclass(frozen=True, slots=True)
class Frame:
    """A frame taken out of a film."""

    number: int
    """Of the film's frames, 0 first."""
    time: float
    """Seconds from the start."""
    image: "Image"

    def encoded(self, format: Literal["jpeg", "png"] = "jpeg") -> bytes:
        """As a file's bytes."""
        out = io.BytesIO()
        self.image.save(out, format.upper(), **({"quality": _JPEG_QUALITY} if format == "jpeg" else {}))
        return out.getvalue()


def probe(file: BinaryIO) -> Film:
    """Reads the head; raises `Unreadable`."""
    with _opened(file) as container:
        stream = container.streams.video[0]
        rate = float(stream.average_rate or stream.guessed_rate or 0)
        duration = float(stream.duration * stream.time_base) if stream.duration else (container.duration or 0) / 1e6
        frames = int(stream.frames or round(duration * rate))
        return Film(stream.width, stream.height, duration, rate, frames)


def frames_by_rate(file: BinaryIO, per_second: float) -> Iterator[Frame]:
    """The frames nearest after each step of 1/per_second; all of them for 0. Raises `Unreadable`."""
    due = 0.0
    for number, time, frame in _frames(file):
        if per_second <= 0:
            yield Frame(number, time, frame.to_image())
        elif time >= due - 1e-6:
            yield Frame(number, time, frame.to_image())
            # A gap in the film makes no backlog.
            due = max(due + 1 / per_second, (int(time * per_second) + 1) / per_second)


def frames_by_scene(file: BinaryIO, threshold: float = 0.12, least_s: float = 0.5) -> Iterator[Frame]:
    """The first frame, and each that differs from the one before by more than `threshold` (0 to 1, the mean difference
    of small pictures' channels), at most one every `least_s` seconds."""
    import numpy as np

    before: Any = None
    taken = float("-inf")
    for number, time, frame in _frames(file):
        small = np.asarray(frame.reformat(*_THUMB, format="rgb24").to_ndarray(), dtype=np.int16)
        changed = before is None or float(np.abs(small - before).mean()) / 255 > threshold
        before = small
        if changed and time - taken >= least_s:
            taken = time
            yield Frame(number, time, frame.to_image())


def _frames(file: BinaryIO) -> Iterator[tuple[int, float, Any]]:
    with _opened(file) as container:
        stream = container.streams.video[0]
        stream.thread_type = "AUTO"
        rate = float(stream.average_rate or 25)
        start: float | None = None
        try:
            for number, frame in enumerate(container.decode(stream)):
                time = float(frame.time) if frame.time is not None else number / rate
                start = time if start is None else start
                yield number, time - start, frame
        except Exception as error:
            if _is_ours(error):
                raise
            raise Unreadable("film_broken", reason="data_damaged") from error


def _is_ours(error: Exception) -> bool:
    """Errors of whoever uses the frames go through; PyAV's are damage."""
    import av

    return not isinstance(error, (av.FFmpegError, OSError, ValueError, EOFError))


def _opened(file: BinaryIO) -> Any:
    import av

    try:
        container = av.open(file, mode="r")
    except Exception as error:  # decoders raise anything on hostile bytes
        raise Unreadable("film_unreadable", reason="no_known_film") from error
    if not container.streams.video:
        container.close()
        raise Unreadable("film_unreadable", reason="no_pictures_in_it")
    return container
