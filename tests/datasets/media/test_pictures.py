"""Pictures as they come: on their side, in other colours, deep, moving, broken."""

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from tidemill.datasets.media import pictures


def saved(image: Image.Image, format: str, **options: Any) -> io.BytesIO:
    out = io.BytesIO()
    image.save(out, format, **options)
    out.seek(0)
    return out


def loaded(file: Path) -> Image.Image:
    with file.open("rb") as stream:
        return pictures.load(stream)


def gradient(width: int = 60, height: int = 40) -> Image.Image:
    values = np.linspace(0, 255, width * height).reshape(height, width).astype(np.uint8)
    return Image.merge("RGB", [Image.fromarray(values)] * 3)


@pytest.mark.parametrize("orientation", range(1, 9))
def test_a_picture_on_its_side_is_seen_upright(orientation: int) -> None:
    exif = Image.Exif()
    exif[0x0112] = orientation
    file = saved(gradient(), "JPEG", exif=exif)
    found = pictures.probe(file)
    expected = (40, 60) if orientation >= 5 else (60, 40)
    assert (found.width, found.height, found.orientation) == (*expected, orientation)
    assert found.stored_size == (60, 40)
    file.seek(0)
    assert pictures.size(file) == expected
    file.seek(0)
    assert pictures.load(file).size == expected


@pytest.mark.parametrize(
    ("mode", "format"),
    [("CMYK", "JPEG"), ("CMYK", "TIFF"), ("P", "PNG"), ("P", "GIF"), ("RGBA", "PNG"), ("LA", "PNG"), ("1", "PNG"),
     ("L", "JPEG"), ("I;16", "PNG"), ("I;16", "TIFF"), ("F", "TIFF"), ("RGB", "WEBP"),
     ("RGB", "BMP"), ("YCbCr", "JPEG")],
)  # fmt: skip
def test_pictures_in_all_colours_are_made_plain(mode: str, format: str) -> None:
    if mode == "I;16":
        image = Image.fromarray(np.linspace(0, 65535, 2400).reshape(40, 60).astype(np.uint16))
    else:
        image = gradient().convert("L").convert(mode) if mode in {"F", "1", "LA"} else gradient().convert(mode)
    file = saved(image, format)
    found = pictures.probe(file, verify=True)
    assert (found.width, found.height) == (60, 40)
    assert found.media.startswith("image/")
    file.seek(0)
    plain = pictures.load(file)
    assert plain.mode in {"L", "RGB"}
    values = np.asarray(plain.convert("L"), dtype=int)
    assert values[-1, -1] - values[0, 0] > 200


def test_what_is_transparent_is_white() -> None:
    file = saved(Image.new("RGBA", (4, 4), (0, 0, 0, 0)), "PNG")
    assert pictures.load(file).getpixel((0, 0)) == (255, 255, 255)


def test_of_many_frames_the_first_counts() -> None:
    frames = [Image.new("RGB", (8, 8), colour) for colour in ("red", "lime", "blue")]
    file = saved(frames[0], "TIFF", save_all=True, append_images=frames[1:])
    assert pictures.probe(file).frames == 3
    file.seek(0)
    assert pictures.load(file).getpixel((0, 0)) == (255, 0, 0)


def test_broken_pictures_are_told_apart() -> None:
    whole = saved(gradient(), "PNG").getvalue()
    with pytest.raises(pictures.Unreadable) as unreadable:
        pictures.probe(io.BytesIO(b"not a picture"))
    assert unreadable.value.code == "picture_unreadable"
    pictures.probe(io.BytesIO(whole[:-40]))
    for call in (lambda f: pictures.probe(f, verify=True), pictures.load):
        with pytest.raises(pictures.Unreadable) as broken:
            call(io.BytesIO(whole[: len(whole) // 2]))
        assert broken.value.code == "picture_broken"


def test_a_picture_of_a_billion_pixels_is_refused() -> None:
    header = b"P6 50000 50000 255\n"
    with pytest.raises(pictures.Unreadable) as refused:
        pictures.probe(io.BytesIO(header + b"\0" * 100))
    assert refused.value.code == "picture_too_large"


def test_any_bytes_are_a_picture_or_unreadable() -> None:
    for format in ("JPEG", "PNG", "GIF", "TIFF", "WEBP", "BMP"):
        whole = saved(gradient(), format).getvalue()
        for place in range(0, len(whole), max(1, len(whole) // 40)):
            for data in (whole[:place], whole[:place] + bytes([whole[place] ^ 0xFF]) + whole[place + 1 :]):
                try:
                    pictures.load(io.BytesIO(data))
                except pictures.Unreadable:
                    continue


def test_sharpness_is_the_variance_of_the_laplacian() -> None:
    values = np.zeros((5, 5), dtype=np.uint8)
    values[2, 2] = 10
    kernel = [0.0] * 20 + [10.0] * 4 + [-40.0]
    assert pictures.sharpness(Image.fromarray(values)) == pytest.approx(np.var(kernel))
    assert pictures.sharpness(Image.new("L", (20, 20), 99)) == 0.0
    assert pictures.sharpness(Image.new("L", (1, 1))) == 0.0


def test_pictures_that_look_alike_have_near_hashes(real_data: Path) -> None:
    files = sorted((real_data / "cls-flowers" / "rose").glob("*.jpg"))[:12]
    hashes = []
    for file in files:
        image = loaded(file)
        first = pictures.perceptual_hash(image)
        smaller = image.resize((image.width * 2 // 3, image.height * 2 // 3))
        again = pictures.perceptual_hash(pictures.load(saved(smaller, "JPEG", quality=60)))
        assert len(first) == 16
        assert pictures.distance(first, again) <= 6
        hashes.append(first)
    others = [pictures.distance(a, b) for i, a in enumerate(hashes) for b in hashes[:i]]
    assert min(others) > 8


def test_blurred_pictures_are_less_sharp(real_data: Path) -> None:
    from PIL import ImageFilter

    file = next((real_data / "cls-flowers" / "tulip").glob("*.jpg"))
    image = loaded(file)
    assert pictures.sharpness(image) > 4 * pictures.sharpness(image.filter(ImageFilter.GaussianBlur(3)))
