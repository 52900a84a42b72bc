"""The program of a scan: every picture decoded once; what was seen of it is kept, and what is bad is listed."""

import sys
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

from tidemill.datasets.formats.finding import FILMS, PICTURES, SOUNDS, suffix_of
from tidemill.datasets.media import films, pictures, sounds
from tidemill.datasets.media.pictures import Unreadable
from tidemill.datasets.notes import Note
from tidemill.datasets.preprocessing.likeness import find_groups
from tidemill.datasets.works.office import Office, plain
from tidemill.datasets.works.program import run

THREADS = 4
AHEAD = 32
BATCH = 500
LISTED_MAX = 1000
"""Items of one group that are listed."""


def scan_all(office: Office, task: dict[str, Any], scratch: Path) -> None:
    """Looks at everything, then says what is bad."""
    found = _Found(task["asked"])
    at = task["done"]
    is_listed = at > task["items"]
    batch: list[dict[str, Any]] = []
    count = 0
    office.progress("looking", total=task["items"])
    for item, seen in _looked_at(office.items(), scratch.parent / "source"):
        count += 1
        found.add(item, seen)
        if count <= at:
            continue
        batch.append({"seq": item["seq"], "info": seen})
        if len(batch) >= BATCH:
            at = office.findings({"at": at, "done": count, "total": max(count, task["items"]), "items": batch})
            batch = []
    if batch:
        at = office.findings({"at": at, "done": count, "total": count, "items": batch})
    notes = found.notes()
    if not is_listed:
        _list(office, at, count, notes)
    office.finish(counts=found.counts)


def _list(office: Office, at: int, count: int, notes: list[dict[str, Any]]) -> None:
    """The list comes at once, so that an interruption leaves none rather than a part."""
    body = {"at": at, "done": count + 1, "total": count + 1, "items": [], "notes": notes[:5000]}
    office.findings(body)
    done = count + 1
    for start in range(5000, len(notes), 5000):
        office.findings({"at": done, "done": done + 1, "items": [], "notes": notes[start : start + 5000]})
        done += 1


class _Found:
    """What is bad, gathered over all items."""

    def __init__(self, asked: dict[str, Any]) -> None:
        self._asked = asked
        self._seqs: list[int] = []
        self._paths: list[str] = []
        self._hashes: list[str] = []
        self._sharpness: list[float] = []
        self._notes: list[dict[str, Any]] = []
        self.counts = {"items": 0, "blurred": 0, "broken": 0, "groups": 0, "duplicates": 0}

    def add(self, item: dict[str, Any], seen: dict[str, Any]) -> None:
        self.counts["items"] += 1
        if item["state"] == "aside":
            return
        if seen.get("broken"):
            if self._asked["broken"]:
                self._note("item_broken", item["path"], seq=item["seq"], reason=seen["broken"])
                self.counts["broken"] += 1
            return
        if "sharpness" not in seen:
            return
        if self._asked["blurred"] and seen["sharpness"] < self._asked["threshold"]:
            self._note("item_blurred", item["path"], seq=item["seq"], sharpness=seen["sharpness"])
            self.counts["blurred"] += 1
        self._seqs.append(item["seq"])
        self._paths.append(item["path"])
        self._hashes.append(seen["phash"])
        self._sharpness.append(seen["sharpness"])

    def notes(self) -> list[dict[str, Any]]:
        """Lines of the report; of each group the sharpest first."""
        if self._asked["near_duplicates"]:
            for group in find_groups(self._hashes, self._asked["distance"]):
                best = sorted(group, key=lambda place: (-self._sharpness[place], place))
                self.counts["groups"] += 1
                self.counts["duplicates"] += len(group) - 1
                seqs = [self._seqs[place] for place in best[:LISTED_MAX]]
                self._note("near_duplicates", self._paths[best[0]], count=len(group), seqs=seqs)
        return self._notes

    def _note(self, code: str, path: str, **params: Any) -> None:
        self._notes.append({**plain(Note(code, path, level="info")), "params": params})


def _looked_at(items: Iterator[dict[str, Any]], folder: Path) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Each item with what was seen of it, in order, several looked at at once."""
    with ThreadPoolExecutor(THREADS, thread_name_prefix="look") as pool:
        ahead: deque[tuple[dict[str, Any], Future[dict[str, Any]]]] = deque()
        for item in items:
            ahead.append((item, pool.submit(_look, item, folder)))
            if len(ahead) > AHEAD:
                first, seen = ahead.popleft()
                yield first, seen.result()
        while ahead:
            first, seen = ahead.popleft()
            yield first, seen.result()


def _look(item: dict[str, Any], folder: Path) -> dict[str, Any]:
    """An item's content never changes: what was seen once need not be looked at again."""
    info = item["info"]
    if "broken" in info or ("sharpness" in info and "phash" in info):
        return {name: info[name] for name in ("sharpness", "phash", "broken") if name in info}
    suffix = suffix_of(item["path"])
    try:
        with (folder / item["path"]).open("rb") as file:
            if suffix in PICTURES:
                image = pictures.load(file)
                return {"sharpness": round(pictures.sharpness(image), 2), "phash": pictures.perceptual_hash(image)}
            if suffix in SOUNDS:
                sounds.probe(file)
            elif suffix in FILMS:
                films.probe(file)
    except Unreadable as error:
        return {"broken": {"code": error.code, "params": error.params}}
    return {}


if __name__ == "__main__":
    sys.exit(run(scan_all))
