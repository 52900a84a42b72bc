"""Datasets as people and import workers handle them, over HTTP."""

import hashlib
from dataclasses import dataclass
from typing import Any

import pytest
from fastapi import FastAPI

from tests.conftest import Api, Person
from tidemill.accounts.access import find_project
from tidemill.jobs.runner import Runner
from tidemill.kernel.clock import utc_now
from tidemill.store import intake


@dataclass
class Desk:
    """One person's view of one version of a dataset."""

    person: Person
    project: str = "tides"
    dataset: str = "boats"
    number: int = 1

    @property
    def root(self) -> str:
        return f"/projects/{self.project}/datasets"

    @property
    def at(self) -> str:
        return f"{self.root}/{self.dataset}/versions/{self.number}"

    def ok(self, verb: str, path: str = "", **options: Any) -> Any:
        return self.person.ok(verb, f"{self.at}{path}", **options)

    def call(self, verb: str, path: str = "", **options: Any) -> Any:
        return getattr(self.person, verb)(f"{self.at}{path}", **options)

    def as_(self, person: Person) -> "Desk":
        return Desk(person, self.project, self.dataset, self.number)

    def version(self, number: int) -> "Desk":
        return Desk(self.person, self.project, self.dataset, number)

    def begin(self, name: str = "boats", *, data: str = "image", kind: str = "detection") -> "Desk":
        """A new dataset with an empty draft."""
        body = {"name": name, "data_type": data, "annotation_type": kind}
        self.person.ok("post", self.root, json=body)
        number = self.person.ok("post", f"{self.root}/{name}/versions", json={})["number"]
        return Desk(self.person, self.project, name, number)

    def keep(self, data: bytes) -> dict[str, Any]:
        """Content of the project's, as an import sends it first."""
        state = self.person.http.app.state  # type: ignore[attr-defined]
        with state.db.read() as session:
            project = find_project(session, self.project)
        assert project is not None
        digest, size = intake.keep_bytes(state.db, state.store.backend, project.id, data, utc_now())
        return {"sha256": digest, "size_bytes": size}

    def labels(self, *names: str) -> list[int]:
        """Labels of these names; their numbers."""
        body = {"labels": [{"name": name} for name in names]}
        return [label["number"] for label in self.ok("post", "/labels", json=body)["items"]]

    def add(self, *paths: str, annotations: list[Any] | None = None, **fields: Any) -> dict[str, Any]:
        """Items with content of their own."""
        items = [
            {"path": path, "width": 640, "height": 480, **self.keep(path.encode()), **fields}
            | ({} if annotations is None else {"annotations": annotations})
            for path in paths
        ]
        answer: dict[str, Any] = self.ok("post", "/items/bulk", json={"items": items})
        return answer

    def item(self, seq: int) -> dict[str, Any]:
        found: dict[str, Any] = self.ok("get", f"/items/{seq}")
        return found

    def save(self, seq: int, base: int | None, annotations: list[Any], key: str | None = None, **fields: Any) -> Any:
        body = {"base": base, "annotations": annotations, **fields}
        headers = {"Idempotency-Key": key} if key else {}
        return self.call("put", f"/items/{seq}/annotations", json=body, headers=headers)

    def saved(self, seq: int, base: int | None, annotations: list[Any], **fields: Any) -> dict[str, Any]:
        answer = self.save(seq, base, annotations, **fields)
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()
        return found

    def seqs(self, **query: Any) -> list[int]:
        """Numbers on all pages that a filter finds."""
        found: list[int] = []
        cursor = None
        while True:
            page = self.ok("get", "/items", params={**query, **({"cursor": cursor} if cursor else {})})
            found += [item["seq"] for item in page["items"]]
            cursor = page["next"]
            if cursor is None:
                return found

    def statistics(self) -> dict[str, Any]:
        found: dict[str, Any] = self.ok("get", "/statistics")
        return found


def box(label: int, x: float = 10, y: float = 20, w: float = 100, h: float = 50, **fields: Any) -> dict[str, Any]:
    return {"type": "box", "label": label, "x": x, "y": y, "w": w, "h": h, **fields}


def sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def code_of(answer: Any) -> str:
    """The error's code; fails the test when the call was not refused in our envelope."""
    assert not answer.is_success, answer.text
    code: str = answer.json()["error"]["code"]
    return code


def run_jobs(app: FastAPI) -> None:
    """Runs all background work that waits."""
    runner = Runner(app)
    while runner.run_next():
        continue


@pytest.fixture
def project(api: Api) -> str:
    return api.project("tides")


@pytest.fixture
def ada(api: Api, project: str) -> Person:
    """A member."""
    return api.user("ada", project=project)


@pytest.fixture
def ann(api: Api, project: str) -> Person:
    """An annotator."""
    return api.user("ann", project=project, role="annotator", kind="annotator")


@pytest.fixture
def desk(ada: Person) -> Desk:
    """A draft of a dataset of boats."""
    return Desk(ada).begin()
