"""Sounds as arrays: one channel, at the rate and of the length a model takes.

{"kind": "sound", "rate": 16000, "seconds": 2.0}
"""

import io
import wave
from typing import Any

import numpy as np

from tidemill.runtime.content import content
from tidemill.runtime.model import Input

Array = Any
LONGEST_S = 600.0
_WIDTHS = {1: ("u1", 128.0, 128.0), 2: ("<i2", 0.0, 32768.0), 4: ("<i4", 0.0, 2147483648.0)}


def read(given: Input, rate: int) -> Array:
    """The sound between -1 and 1 at the rate wanted; of a very long one the beginning."""
    samples, own = _decoded(content(given))
    return resampled(samples[: int(LONGEST_S * own)], own, rate)


def own_rate(given: Input) -> int:
    """Samples a second, as the sound was recorded."""
    return _decoded(content(given))[1]


def resampled(samples: Array, own_rate: int, rate: int) -> Array:
    """The same sound with another number of samples a second; nothing above half the new rate is left in it."""
    if own_rate == rate or not len(samples):
        return samples.astype(np.float32)
    count = max(1, round(len(samples) * rate / own_rate))
    spectrum = np.fft.rfft(samples)
    bins = count // 2 + 1
    cut = np.zeros(bins, spectrum.dtype)
    kept = min(bins, len(spectrum))
    cut[:kept] = spectrum[:kept]
    return (np.fft.irfft(cut, count) * (count / len(samples))).astype(np.float32)


def windows(samples: Array, length: int) -> Array:
    """Rows of the length: a short sound in the middle of silence, a long one in pieces that overlap by half."""
    if len(samples) <= length:
        before = (length - len(samples)) // 2
        return np.pad(samples, (before, length - len(samples) - before))[None].astype(np.float32)
    starts = [*range(0, len(samples) - length, max(1, length // 2)), len(samples) - length]
    return np.stack([samples[at : at + length] for at in starts]).astype(np.float32)


def _decoded(data: bytes) -> tuple[Array, int]:
    return _wave(data) or _by_pyav(data)


def _wave(data: bytes) -> tuple[Array, int] | None:
    """None for what the standard library does not read."""
    if data[:4] != b"RIFF":
        return None
    try:
        with wave.open(io.BytesIO(data)) as sound:
            width, channels, rate = sound.getsampwidth(), sound.getnchannels(), sound.getframerate()
            raw = sound.readframes(sound.getnframes())
    except (wave.Error, EOFError):
        return None
    if width not in _WIDTHS or not rate:
        return None
    kind, middle, span = _WIDTHS[width]
    frames = np.frombuffer(raw[: len(raw) // (width * channels) * width * channels], kind)
    return (frames.reshape(-1, channels).mean(axis=1) - middle) / span, rate


def _by_pyav(data: bytes) -> tuple[Array, int]:
    import av

    pieces = []
    with av.open(io.BytesIO(data), mode="r") as container:
        stream = container.streams.audio[0]
        rate = int(stream.rate or 0)
        resampler = av.AudioResampler(format="fltp", layout="mono", rate=rate)
        for frame in container.decode(stream):
            pieces += [made.to_ndarray()[0] for made in resampler.resample(frame)]
            if sum(map(len, pieces)) > LONGEST_S * rate:
                break
    if not pieces:
        raise ValueError("there is no sound in it")
    return np.concatenate(pieces), rate
