"""Tidemill for benchmarks that drive annotation products through one set of methods; see README.md beside this file."""

import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Protocol

from bench.data.calls import Calls

PROJECT = "labelling"
AT_ONCE = 1000
SENDERS = 3


class Box(Protocol):
    """In pixels."""

    label: str
    x: float
    y: float
    width: float
    height: float


class Item(Protocol):
    """A picture by address, with boxes that are finished or only suggested."""

    url: str
    width: int
    height: int
    annotation: list[Box]
    suggestion: list[Box]


class Tidemill:
    """A dataset's draft stands for a project. Each thread has a connection of its own, as annotators have."""

    def __init__(self, url: str, token: str) -> None:
        self._url, self._token = url, token
        self._local = threading.local()
        self._labels: dict[str, int] = {}
        self._revisions: dict[str, int | None] = {}
        shared = self._calls("none")
        if not any(one["name"] == PROJECT for one in shared("GET", "/api/v1/projects", limit=200)["items"]):
            shared("POST", "/api/v1/projects", {"name": PROJECT})

    def create_project(self, name: str, labels: list[str]) -> str:
        dataset = name.replace(" ", "-").replace(".", "-")
        calls = self._calls(dataset)
        calls(
            "POST",
            f"{calls.project}/datasets",
            {"name": dataset, "data_type": "image", "annotation_type": "detection"},
        )
        calls("POST", f"{calls.dataset}/versions", {})
        made = calls("POST", calls.version(1, "/labels"), {"labels": [{"name": label} for label in labels]})
        self._labels = {one["name"]: one["number"] for one in made["items"]}
        return dataset

    def import_items(self, project: str, items: Sequence[Item]) -> None:
        parts = [items[start : start + AT_ONCE] for start in range(0, len(items), AT_ONCE)]
        # While one part is written and waits for the disk, the next ones are being checked.
        with ThreadPoolExecutor(SENDERS) as senders:
            for added, part in zip(senders.map(lambda part: self._bring_in(project, part), parts), parts, strict=True):
                assert added == len(part)

    def _bring_in(self, project: str, items: Sequence[Item]) -> int:
        calls = self._calls(project)
        bodies = [self._item(item) for item in items]
        return int(calls("POST", calls.version(1, "/items/bulk"), {"items": bodies})["added"])

    def count(self, project: str) -> int:
        calls = self._calls(project)
        return int(calls("GET", calls.version(1, "/statistics"))["items"])

    def page(self, project: str, number: int, size: int, *, with_boxes: bool) -> list[str]:
        wish = {"with": "annotations"} if with_boxes else {}
        return self._page(project, limit=size, after=(number - 1) * size, **wish)

    def filtered_page(self, project: str, size: int) -> list[str]:
        return self._page(project, limit=size, state="suggested")

    def next_item(self, project: str) -> str:
        calls = self._calls(project)
        return str(calls("GET", calls.version(1, "/items/next"), state="suggested")["seq"])

    def annotate(self, project: str, item: str, boxes: Sequence[Box], width: int, height: int) -> None:
        del width, height
        calls = self._calls(project)
        address = calls.version(1, f"/items/{item}/annotations")
        while True:
            body = {"base": self._revisions.get(item), "annotations": self._shapes(boxes)}
            status, told = calls.try_call("PUT", address, body)
            if status < 300:
                self._revisions[item] = told["revision"]
                return
            if status != 409:
                raise RuntimeError(f"{status} {told}")
            # Another annotator was quicker: as the workbench does, it looks what is there and saves on top of it.
            self._revisions[item] = calls("GET", calls.version(1, f"/items/{item}"))["revision"]

    def export(self, project: str, format: str) -> int:
        calls = self._calls(project)
        name = {"json": "tidemill", "coco": "coco"}[format]
        work = calls("POST", calls.version(1, "/exports"), {"format": name, "fresh": True})
        address = calls.version(1, f"/exports/{work['id']}")
        while work["state"] not in {"ready", "failed", "stopped"}:
            time.sleep(0.02)
            work = calls("GET", address)
        assert work["state"] == "ready", work
        return len(calls("GET", f"{address}/file", raw=True))

    def _page(self, project: str, **query: Any) -> list[str]:
        calls = self._calls(project)
        found = calls("GET", calls.version(1, "/items"), **query)["items"]
        self._revisions |= {str(one["seq"]): one["revision"] for one in found}
        return [str(one["seq"]) for one in found]

    def _item(self, item: Item) -> dict[str, Any]:
        return {
            "path": item.url.partition("//")[2].partition("/")[2],
            # Nobody fetches the pictures: their addresses are the content, kept in the store as pictures would be.
            "content": item.url,
            "width": item.width,
            "height": item.height,
            "annotations": self._shapes(item.annotation or item.suggestion),
            "state": "labelled" if item.annotation else "suggested",
        }

    def _shapes(self, boxes: Sequence[Box]) -> list[dict[str, Any]]:
        return [
            {"id": str(n), "type": "box", "label": self._labels[b.label], "x": b.x, "y": b.y, "w": b.width,
             "h": b.height}
            for n, b in enumerate(boxes, start=1)
        ]  # fmt: skip

    def _calls(self, dataset: str) -> Calls:
        """This thread's connection."""
        known: dict[str, Calls] = self._local.__dict__.setdefault("calls", {})
        if dataset not in known:
            known[dataset] = Calls(self._url, self._token, PROJECT, dataset)
        return known[dataset]
