"""Thumbnails: drawn apart from the server, upright, kept; what is no picture has none."""

import io
from collections.abc import Iterator

import pytest
from fastapi import FastAPI
from PIL import Image

from tests.datasets.conftest import Desk, code_of


@pytest.fixture(autouse=True)
def _studio_closes(app: FastAPI) -> Iterator[None]:
    yield
    app.state.thumbnails.close()


def picture(size: tuple[int, int], *, orientation: int = 1) -> bytes:
    exif = Image.Exif()
    exif[0x0112] = orientation
    out = io.BytesIO()
    Image.new("RGB", size, "red").save(out, "JPEG", exif=exif)
    return out.getvalue()


def test_pictures_have_thumbnails_and_nothing_else_has(desk: Desk, app: FastAPI) -> None:
    content = {
        "wide.jpg": picture((800, 400)),
        "turned.jpg": picture((800, 400), orientation=6),
        "broken.jpg": b"\xff\xd8 nothing",
        "notes.txt": b"text",
    }
    items = [{"path": path, **desk.keep(data)} for path, data in content.items()]
    desk.ok("post", "/items/bulk", json={"items": items})
    answer = desk.call("get", "/items/1/thumbnail?size=200")
    assert (answer.headers["content-type"], Image.open(io.BytesIO(answer.content)).size) == ("image/jpeg", (256, 128))
    turned = desk.call("get", "/items/2/thumbnail?size=128")
    assert Image.open(io.BytesIO(turned.content)).size == (64, 128)
    assert code_of(desk.call("get", "/items/3/thumbnail")) == "thumbnail_none"
    assert code_of(desk.call("get", "/items/4/thumbnail")) == "thumbnail_none"
    app.state.thumbnails.close()
    digest = desk.item(1)["digest"]
    again = desk.call("get", f"/items/1/thumbnail?size=200&digest={digest[:12]}")
    assert again.content == answer.content
    assert "immutable" in again.headers["cache-control"]


def test_a_process_that_dies_costs_one_picture(desk: Desk, app: FastAPI, monkeypatch: pytest.MonkeyPatch) -> None:
    items = [{"path": f"{n}.jpg", **desk.keep(picture((300, 200 + n)))} for n in range(2)]
    desk.ok("post", "/items/bulk", json={"items": items})
    studio = app.state.thumbnails
    for worker in studio._all:
        worker._started().kill()
        worker._process.wait()
    assert desk.call("get", "/items/1/thumbnail").status_code == 200
    monkeypatch.setattr("tidemill.datasets.thumbnails.studio.PATIENCE_S", 0.0)
    assert code_of(desk.call("get", "/items/2/thumbnail")) == "thumbnail_none"
