"""Sounds and films: how long, and frames out of films by rate or by scene."""

import io
from pathlib import Path

import av
import numpy as np
import pytest
from PIL import Image

from tidemill.datasets import formats
from tidemill.datasets.media import films, sounds
from tidemill.datasets.media.pictures import Unreadable


@pytest.fixture(scope="module")
def film() -> bytes:
    """Three seconds at ten frames a second: red, then green, then blue."""
    out = io.BytesIO()
    with av.open(out, "w", format="mp4") as container:
        stream = container.add_stream("mpeg4", rate=10)
        stream.width, stream.height, stream.pix_fmt = 64, 48, "yuv420p"
        for number in range(30):
            image = np.zeros((48, 64, 3), dtype=np.uint8)
            image[..., number // 10] = 220
            for packet in stream.encode(av.VideoFrame.from_ndarray(image, format="rgb24")):
                container.mux(packet)
        for packet in stream.encode():
            container.mux(packet)
    return out.getvalue()


def test_a_film_says_what_it_is(film: bytes) -> None:
    found = films.probe(io.BytesIO(film))
    assert (found.width, found.height, found.frames) == (64, 48, 30)
    assert found.duration == pytest.approx(3.0, abs=0.11)
    assert found.rate == pytest.approx(10)


@pytest.mark.parametrize(
    ("per_second", "numbers"),
    [(1, [0, 10, 20]), (2, [0, 5, 10, 15, 20, 25]), (0.5, [0, 20]), (0, list(range(30))), (99, list(range(30)))],
)
def test_frames_by_rate(film: bytes, per_second: float, numbers: list[int]) -> None:
    frames = list(films.frames_by_rate(io.BytesIO(film), per_second))
    assert [frame.number for frame in frames] == numbers
    assert [frame.time for frame in frames] == pytest.approx([number / 10 for number in numbers])
    assert frames[0].image.size == (64, 48)


def test_frames_by_scene(film: bytes) -> None:
    frames = list(films.frames_by_scene(io.BytesIO(film)))
    assert [frame.number for frame in frames] == [0, 10, 20]
    picture = Image.open(io.BytesIO(frames[1].encoded()))
    red, green, _ = picture.getpixel((32, 24))  # type: ignore[misc]
    assert green > 150 > red
    assert Image.open(io.BytesIO(frames[1].encoded("png"))).size == (64, 48)


def test_broken_films_and_sounds_are_told(film: bytes) -> None:
    for data in (b"", b"no film at all", film[:100]):
        with pytest.raises(Unreadable):
            films.probe(io.BytesIO(data))
        with pytest.raises(Unreadable):
            sounds.probe(io.BytesIO(data))
    with pytest.raises(Unreadable):
        sounds.probe(io.BytesIO(film))


def test_a_sound_says_how_long_it_is() -> None:
    found = sounds.probe(io.BytesIO(formats.sample("audio-manifest")["data/hello.wav"]))
    assert found == sounds.Sound(0.5, 8000, 1)


def test_real_films(real_data: Path) -> None:
    folder = real_data / "video-short"
    expected = {"Megamind.avi": (720, 528, 270), "bikes.mp4": (640, 272, 250), "bigbuckbunny.mp4": (1280, 720, 132)}
    for name, (width, height, frames) in expected.items():
        with (folder / name).open("rb") as file:
            found = films.probe(file)
        assert (found.width, found.height, found.frames) == (width, height, frames)
    with (folder / "bikes.mp4").open("rb") as file:
        assert len(list(films.frames_by_rate(file, 1))) == 10
    with (folder / "bigbuckbunny.mp4").open("rb") as file:
        assert sounds.probe(file).duration == pytest.approx(5.3, abs=0.2)


def test_real_sounds(real_data: Path) -> None:
    files = sorted((real_data / "audio-spoken-digits" / "recordings").glob("*.wav"))
    assert len(files) == 240
    for file in files[::12]:
        with file.open("rb") as stream:
            found = sounds.probe(stream)
        assert (found.rate, found.channels) == (8000, 1)
        assert 0.1 < found.duration < 3
