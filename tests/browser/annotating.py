"""Datasets of every type of annotation, made through the API, and a hand that draws on the workbench."""

import hashlib
import io
import math
import struct
import wave
from dataclasses import dataclass, field
from typing import Any

from PIL import Image, ImageDraw
from playwright.sync_api import Page, expect

from tests.browser.conftest import Rest, Visitor

WIDTH, HEIGHT = 640, 480
DATA_TYPES = {
    "text-classification": "text",
    "audio-classification": "audio",
    "audio-transcription": "audio",
    "video": "video",
}
HAND = {"points": ["wrist", "thumb", "finger"], "edges": [[0, 1], [0, 2]]}


def picture(number: int = 1, width: int = WIDTH, height: int = HEIGHT) -> bytes:
    """A grey field with one thing of a plain colour on it, at another place for each number."""
    image = Image.new("RGB", (width, height), (196, 200, 204))
    x, y = width * 0.3 + 7 * number, height * 0.35
    ImageDraw.Draw(image).ellipse((x, y, x + width * 0.3, y + height * 0.35), fill=(190, 60, 40))
    out = io.BytesIO()
    image.save(out, "PNG")
    return out.getvalue()


def sound(seconds: float = 2.0, rate: int = 8000) -> bytes:
    """A tone that swells and fades."""
    out = io.BytesIO()
    with wave.open(out, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(rate)
        count = int(seconds * rate)
        loud = (math.sin(math.pi * i / count) * math.sin(i * 440 * 2 * math.pi / rate) for i in range(count))
        file.writeframes(b"".join(struct.pack("<h", int(20_000 * value)) for value in loud))
    return out.getvalue()


@dataclass
class Version:
    """A draft with labels and items, as the API sees it."""

    rest: Rest
    project: str
    name: str
    number: int
    labels: list[int] = field(default_factory=list)

    @property
    def path(self) -> str:
        return f"/projects/{self.project}/datasets/{self.name}/versions/{self.number}"

    def page(self, item: int | None = None) -> str:
        address = f"/p/{self.project}/datasets/{self.name}/versions/{self.number}/annotate"
        return address if item is None else f"{address}?item={item}"

    def item(self, seq: int = 1) -> dict[str, Any]:
        found: dict[str, Any] = self.rest.call("get", f"{self.path}/items/{seq}")
        return found

    def annotations(self, seq: int = 1) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.item(seq)["annotations"]
        return found

    def save(self, seq: int, annotations: list[dict[str, Any]]) -> None:
        """Somebody else's change."""
        base = self.item(seq)["revision"]
        self.rest.call("put", f"{self.path}/items/{seq}/annotations", {"base": base, "annotations": annotations})


def make_version(
    rest: Rest,
    project: str,
    kind: str,
    files: dict[str, bytes],
    *,
    labels: list[dict[str, Any]] | None = None,
    items: dict[str, dict[str, Any]] | None = None,
) -> Version:
    """A dataset of one draft with these files as items; `items` adds fields to some of them."""
    data_type = DATA_TYPES.get(kind, "image")
    rest.call("post", f"/projects/{project}/datasets", {"name": kind, "data_type": data_type, "annotation_type": kind})
    number = rest.call("post", f"/projects/{project}/datasets/{kind}/versions", {})["number"]
    version = Version(rest, project, kind, number)
    given = labels or [{"name": "boat"}, {"name": "buoy"}]
    version.labels = [one["number"] for one in rest.call("post", f"{version.path}/labels", {"labels": given})["items"]]
    # Content comes into the project with any asset; items then name it by its digest.
    rest.version(project, "models", f"{kind}-content", files, commit=False)
    body = [_item(path, content, (items or {}).get(path, {})) for path, content in files.items()]
    rest.call("post", f"{version.path}/items/bulk", {"items": body})
    return version


def _item(path: str, content: bytes, fields: dict[str, Any]) -> dict[str, Any]:
    known = {"path": path, "sha256": hashlib.sha256(content).hexdigest(), "size_bytes": len(content)}
    if path.endswith(".png"):
        width, height = Image.open(io.BytesIO(content)).size
        known |= {"media": "image/png", "width": width, "height": height}
    elif path.endswith(".wav"):
        known |= {"media": "audio/wav", "duration": 2.0}
    else:
        known |= {"media": "text/plain"}
    return known | fields


class Hand:
    """Draws on the open workbench, in pixels of the picture."""

    def __init__(self, visitor: Visitor) -> None:
        self.page: Page = visitor.page

    def open(self, visitor: Visitor, version: Version, item: int = 1) -> "Hand":
        visitor.go(version.page(item))
        return self.wait()

    def wait(self) -> "Hand":
        expect(self.page.get_by_test_id("save-state")).to_be_visible()
        content = "[data-testid=canvas], [data-testid=waveform], [data-testid=text]"
        expect(self.page.locator(content).first).to_be_visible()
        if self.page.get_by_test_id("canvas").count():
            self.ready()
        return self

    def ready(self) -> None:
        """The picture is there, and no helper is at work on it."""
        expect(self.page.get_by_test_id("canvas")).to_have_attribute("aria-busy", "false")

    def at(self, x: float, y: float) -> tuple[float, float]:
        place = self.page.evaluate(
            """([x, y]) => { const c = document.querySelector('[data-testid=canvas]');
            const box = c.getBoundingClientRect(); const [sx, sy] = c.stage.view.toScreen([x, y]);
            return [sx + box.left, sy + box.top]; }""",
            [x, y],
        )
        return place[0], place[1]

    def tool(self, name: str) -> None:
        self.page.get_by_role("toolbar").get_by_role("button", name=name, exact=True).click()

    def click(self, x: float, y: float, **options: Any) -> None:
        self.page.mouse.click(*self.at(x, y), **options)

    def drag(self, *points: tuple[float, float]) -> None:
        places = [self.at(x, y) for x, y in points]
        self.page.mouse.move(*places[0])
        self.page.mouse.down()
        for place in places[1:]:
            self.page.mouse.move(*place, steps=4)
        self.page.mouse.up()

    def saved(self) -> None:
        """Everything has been stored."""
        expect(self.page.locator("[data-testid=save-state][data-kind=saved]")).to_be_visible()
