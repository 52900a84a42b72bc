"""The program of auto-annotation: a model looks at a draft's items; what it says is kept as suggestions.

The server keeps how many items were done; a note in the workspace says which was the last, so that an attempt after a
crash goes on there.
"""

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tidemill.datasets.notes import Note
from tidemill.datasets.works.office import Office, plain
from tidemill.datasets.works.program import run
from tidemill.models.auto.confident import Judged, LabelError, Usual, find_box_errors, find_class_errors
from tidemill.models.auto.predicting import Said, Words, as_item, looks
from tidemill.models.auto.services import Service
from tidemill.models.using import load_model

AT_ONCE = 32
PASSED = 2000
"""Items that are passed by before that is told."""
LOW = 0.05
"""What a model is asked for of labelled items: also what it is unsure of."""
ERRORS_AT_ONCE = 500
ERRORS_MAX = 20_000
_DONE = frozenset({"labelled", "reviewed"})


def annotate_all(office: Office, task: dict[str, Any], scratch: Path) -> None:
    """Looks at everything, suggests, and lists what seems to be labelled wrongly."""
    office.progress("loading", total=task["items"])
    work = _Work(office, task, scratch)
    at = work.look(task["done"])
    if task["asked"]["label_errors"]:
        work.tell_errors(at)
    office.finish()


class _Work:
    def __init__(self, office: Office, task: dict[str, Any], scratch: Path) -> None:
        self._office, self._task, self._scratch = office, task, scratch
        self._asked: dict[str, Any] = task["asked"]
        self._folder = scratch.parent / "source"
        self._words = Words(task["labels"], self._asked["mapping"])
        self._model = _open(self._asked["source"], scratch.parent)
        self._memory = _Memory(scratch)
        self._count = 0

    def look(self, done: int) -> int:
        """Looks at all items from where an attempt before came to; how far that is."""
        self._count, after = self._memory.begin(done)
        skip = done - self._count
        batch: list[dict[str, Any]] = []
        at, passed, last = done, 0, after
        for line in self._office.items(after):
            self._count += 1
            if skip > 0:
                skip -= 1
                continue
            passed, last = passed + 1, line["seq"]
            if self._is_wanted(line):
                batch.append(line)
            if len(batch) >= AT_ONCE or passed >= PASSED:
                at = self._do(batch, at, last)
                batch, passed = [], 0
        if passed:
            at = self._do(batch, at, last)
        return at

    def tell_errors(self, at: int) -> None:
        """Sends what was found; `at` is the number of items, and one more for each part that was sent."""
        found = self._memory.errors()[:ERRORS_MAX]
        parts = [found[start : start + ERRORS_AT_ONCE] for start in range(0, len(found), ERRORS_AT_ONCE)] or [[]]
        for number, part in enumerate(parts):
            if at > self._count + number:
                continue
            body = {"at": at, "done": at + 1, "is_first": number == 0, "items": [_wire(one) for one in part]}
            at = int(self._office.post("label-errors", body)["done"])

    def _is_wanted(self, line: dict[str, Any]) -> bool:
        if line["state"] in self._asked["states"]:
            return True
        return bool(self._asked["label_errors"]) and line["state"] in _DONE and line["revision"] is not None

    def _do(self, batch: list[dict[str, Any]], at: int, last: int) -> int:
        """A step: what the model says of these items, kept."""
        fresh = [line for line in batch if line["state"] in self._asked["states"]]
        known = [line for line in batch if line["state"] not in self._asked["states"]]
        body: dict[str, Any] = {
            "at": at,
            "done": self._count,
            "total": max(self._count, self._task["items"]),
            "stage": "predicting",
            "items": [],
            "notes": [],
            "counts": {"looked": len(batch)},
        }
        for line, said in zip(fresh, self._said(fresh, self._asked["threshold"]), strict=True):
            if said.error is not None:
                note = Note("model_item_failed", line["path"], params={"reason": said.error})
                body["notes"].append(plain(note))
                continue
            body["items"].append(
                {
                    "seq": line["seq"],
                    "revision": line["revision"],
                    "annotations": said.annotations,
                    "uncertainty": said.uncertainty,
                    "surprise": said.surprise,
                }
            )
        self._judge(known)
        done = int(self._office.post("suggestions", body)["done"])
        self._memory.note(done, last)
        return done

    def _said(self, lines: list[dict[str, Any]], threshold: float) -> list[Said]:
        if not lines:
            return []
        return looks(self._model, [as_item(line, self._folder) for line in lines], self._words, threshold)

    def _judge(self, lines: list[dict[str, Any]]) -> None:
        """Labelled items: their labels against what the model thinks."""
        for line, said in zip(lines, self._said(lines, LOW), strict=True):
            given = line["annotations"]
            if said.error is not None:
                continue
            if said.probabilities is not None:
                classes = [one for one in given if one["type"] == "class"]
                if len(classes) == 1:
                    one = classes[0]
                    self._memory.judged(
                        Judged(line["seq"], line["revision"], one["label"], said.probabilities, one.get("id"))
                    )
            elif self._asked["task"] == "object-detection":
                boxes = [one for one in given if one["type"] == "box" and not one.get("angle")]
                predicted = [one for one in said.annotations if one["type"] == "box"]
                self._memory.found(find_box_errors(line["seq"], line["revision"], boxes, predicted))


class _Memory:
    """Files of the workspace, which an attempt after a crash finds again."""

    def __init__(self, scratch: Path) -> None:
        self._place = scratch / "place.json"
        self._judged = scratch / "judged.jsonl"
        self._found = scratch / "found.jsonl"

    def begin(self, done: int) -> tuple[int, int]:
        """How many items are behind us, and the number of the last; lines of a step that was not kept are left out."""
        place = json.loads(self._place.read_text()) if self._place.is_file() else {}
        if not done:
            for file in (self._judged, self._found):
                file.unlink(missing_ok=True)
        if done and place.get("done") == done:
            return done, int(place["seq"])
        return 0, 0

    def note(self, done: int, seq: int) -> None:
        part = self._place.with_suffix(".tmp")
        part.write_text(json.dumps({"done": done, "seq": seq}))
        os.replace(part, self._place)

    def judged(self, one: Judged) -> None:
        self._append(
            self._judged,
            {"seq": one.seq, "revision": one.revision, "given": one.given, "id": one.annotation_id,
             "probabilities": {str(label): value for label, value in one.probabilities.items()}},
        )  # fmt: skip

    def found(self, errors: list[LabelError]) -> None:
        for one in errors:
            self._append(self._found, _wire(one))

    def errors(self) -> list[LabelError]:
        """All label errors, the surest first. An item that was judged twice, before and after a crash, counts once."""
        usual = Usual()
        for one in self._read_judged():
            usual.add(one)
        by_class = find_class_errors(self._read_judged(), usual)
        others = [LabelError(**row) for row in _lines(self._found)]
        unique = {(one.seq, one.kind): one for one in [*by_class, *others]}
        return sorted(unique.values(), key=lambda one: (-one.score, one.seq))

    def _read_judged(self) -> Iterator[Judged]:
        seen: set[int] = set()
        for row in _lines(self._judged):
            if row["seq"] in seen:
                continue
            seen.add(row["seq"])
            probabilities = {int(label): value for label, value in row["probabilities"].items()}
            yield Judged(row["seq"], row["revision"], row["given"], probabilities, row["id"])

    def _append(self, file: Path, row: dict[str, Any]) -> None:
        with file.open("a", encoding="utf-8") as lines:
            lines.write(json.dumps(row) + "\n")


def _lines(file: Path) -> Iterator[dict[str, Any]]:
    if not file.is_file():
        return
    with file.open(encoding="utf-8") as lines:
        for line in lines:
            if line.endswith("\n"):
                yield json.loads(line)


def _wire(one: LabelError) -> dict[str, Any]:
    return {
        "seq": one.seq,
        "revision": one.revision,
        "kind": one.kind,
        "score": one.score,
        "given": one.given,
        "predicted": one.predicted,
        "about": one.about,
    }


def _open(source: dict[str, Any], workspace: Path) -> Any:
    if source["type"] == "service":
        is_own = bool(source.get("is_own"))
        token = os.environ.get("TIDEMILL_TOKEN" if is_own else "TIDEMILL_SERVICE_TOKEN")
        # A service of ours may be between two replicas; an address of others answers or does not.
        return Service(source["url"], source["model"], token, is_patient=is_own)
    return load_model(workspace / source["folder"])


if __name__ == "__main__":
    sys.exit(run(annotate_all))
