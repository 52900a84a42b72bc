"""Assets as their users handle them, over HTTP."""

import hashlib
import json
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

import pytest
from fastapi import FastAPI

from tests.conftest import Api, Person
from tidemill.jobs.runner import Runner


@dataclass
class Shelf:
    """One person's view of one project's assets of one kind."""

    person: Person
    project: str
    kind: str

    @property
    def root(self) -> str:
        return f"/projects/{self.project}/{self.kind}"

    def at(self, asset: str, version: int | str | None = None) -> str:
        where = f"{self.root}/{quote(asset, safe='')}"
        return where if version is None else f"{where}/versions/{version}"

    def create(self, name: str, scene: str = "other", **fields: Any) -> dict[str, Any]:
        made: dict[str, Any] = self.person.ok("post", self.root, json={"name": name, "scene": scene, **fields})
        return made

    def draft(self, asset: str, **fields: Any) -> dict[str, Any]:
        made: dict[str, Any] = self.person.ok("post", f"{self.at(asset)}/versions", json=fields)
        return made

    def save(self, asset: str, version: int, path: str, content: bytes | str = b"x", **headers: str) -> dict[str, Any]:
        data = content.encode() if isinstance(content, str) else content
        url = f"{self.at(asset, version)}/files/{quote(path)}"
        saved: dict[str, Any] = self.person.ok("put", url, content=data, headers=headers)
        return saved

    def read(self, asset: str, version: int, path: str) -> bytes:
        answer = self.person.get(f"{self.at(asset, version)}/files/{quote(path)}")
        assert answer.status_code == 200, answer.text
        content: bytes = answer.content
        return content

    def commit(self, asset: str, version: int, **fields: Any) -> dict[str, Any]:
        done: dict[str, Any] = self.person.ok("post", f"{self.at(asset, version)}/commit", json=fields)
        return done

    def committed(self, name: str, files: dict[str, bytes | str], **fields: Any) -> dict[str, Any]:
        """A new asset with one committed version."""
        self.create(name, **fields)
        return self.next(name, files)

    def next(self, name: str, files: dict[str, bytes | str], **fields: Any) -> dict[str, Any]:
        """Another committed version."""
        number = self.draft(name, **fields)["number"]
        for path, content in files.items():
            self.save(name, number, path, content)
        return self.commit(name, number)

    def paths(self, asset: str, version: int | str) -> dict[str, str]:
        """Every file's digest, by the manifest."""
        answer = self.person.get(f"{self.at(asset, version)}/manifest")
        assert answer.status_code == 200, answer.text
        lines = [json.loads(line) for line in answer.text.splitlines()]
        return {line["path"]: line["sha256"] for line in lines}

    def get(self, asset: str, version: int | str | None = None) -> dict[str, Any]:
        found: dict[str, Any] = self.person.ok("get", self.at(asset, version))
        return found

    def delete(self, asset: str, version: int | None = None) -> None:
        self.person.ok("delete", self.at(asset, version))

    def bin(self, **query: Any) -> list[dict[str, Any]]:
        items: list[dict[str, Any]] = self.person.ok("get", f"/projects/{self.project}/bin", params=query)["items"]
        return items


def sha(data: bytes | str) -> str:
    return hashlib.sha256(data.encode() if isinstance(data, str) else data).hexdigest()


def code_of(answer: Any) -> str:
    """The error's code; fails the test when the call was not refused in our envelope."""
    assert not answer.is_success, answer.text
    code: str = answer.json()["error"]["code"]
    return code


@pytest.fixture
def project(api: Api) -> str:
    return api.project("tides")


@pytest.fixture
def ada(api: Api, project: str) -> Person:
    """A member."""
    return api.user("ada", project=project)


@pytest.fixture
def vic(api: Api, project: str) -> Person:
    """A viewer."""
    return api.user("vic", project=project, role="viewer")


@pytest.fixture
def eve(api: Api) -> Person:
    """A member of another project only."""
    return api.user("eve", project=api.project("elsewhere"))


@pytest.fixture
def models(ada: Person, project: str) -> Shelf:
    return Shelf(ada, project, "models")


@pytest.fixture
def algorithms(ada: Person, project: str) -> Shelf:
    return Shelf(ada, project, "algorithms")


@pytest.fixture
def public_models(api: Api) -> Shelf:
    return Shelf(api.admin, "public", "models")


def used_bytes(api: Api, project: str) -> int:
    used: int = api.admin.ok("get", f"/projects/{project}")["storage_used_bytes"]
    return used


def run_jobs(app: FastAPI) -> None:
    """Does all background work that waits, here and now."""
    runner = Runner(app)
    while runner.run_next():
        pass


def job_of(person: Person, project: str, job: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = person.ok("get", f"/projects/{project}/jobs/{job['id']}")
    return found
