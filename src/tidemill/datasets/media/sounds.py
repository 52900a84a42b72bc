"""Sounds: how long, how many samples a second, how many channels. WAV by the standard library, the rest by PyAV."""

import wave
from dataclasses import dataclass
from typing import BinaryIO

from tidemill.datasets.media.pictures import Unreadable


@dataclass(frozen=True, slots=True)
class Sound:
    """What a sound's file says of it."""

    duration: float
    """Seconds."""
    rate: int
    channels: int


def probe(file: BinaryIO) -> Sound:
    """Reads the head; raises `Unreadable`."""
    head = file.read(12)
    file.seek(0)
    if head[:4] == b"RIFF" and head[8:12] == b"WAVE":
        found = _wave(file)
        if found:
            return found
        file.seek(0)
    return _by_pyav(file)


def _wave(file: BinaryIO) -> Sound | None:
    """None for the kinds of WAV the standard library does not know (floats, compressed)."""
    try:
        with wave.open(file) as sound:
            frames, rate = sound.getnframes(), sound.getframerate()
            return Sound(frames / rate, rate, sound.getnchannels()) if rate and frames else None
    except (wave.Error, EOFError, ZeroDivisionError, OSError):
        return None


def _by_pyav(file: BinaryIO) -> Sound:
    import av

    try:
        with av.open(file, mode="r") as container:
            if not container.streams.audio:
                raise Unreadable("sound_unreadable", reason="no_sound_in_it")
            stream = container.streams.audio[0]
            duration = _duration(container, stream)
            return Sound(duration, int(stream.rate or 0), int(stream.channels or 0))
    except Unreadable:
        raise
    except Exception as error:  # decoders raise anything on hostile bytes
        raise Unreadable("sound_unreadable", reason="no_known_sound") from error


def _duration(container: "object", stream: "object") -> float:
    """As the file says, or by going through it where it does not."""
    length, base = getattr(stream, "duration", None), getattr(stream, "time_base", None)
    if length and base:
        return float(length * base)
    whole = getattr(container, "duration", None)
    if whole:
        return float(whole) / 1_000_000
    end = 0.0
    for packet in container.demux(stream):  # type: ignore[attr-defined]
        if packet.pts is not None:
            end = max(end, float((packet.pts + (packet.duration or 0)) * packet.time_base))
    return end
