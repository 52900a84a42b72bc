"""Drafts, commits, copies, deletions and restorations in any order: each version has exactly its own files, and the
project is charged for exactly what it holds."""

import secrets
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.assets.conftest import Shelf, run_jobs, sha, used_bytes
from tests.conftest import Api, Person, count
from tidemill.store.tables import HoldingRow, TreeEntryRow, TreeRow

pytestmark = pytest.mark.both_databases

PATHS = ("a", "b", "d/x", "d/y")
CONTENTS = ("", "one", "second", "the third")

VERBS = ("draft", "draft_from", "save", "save", "save", "drop", "move", "commit", "delete", "restore", "purge")

Step = tuple[str, int, str, str]

steps = st.lists(
    st.tuples(
        st.sampled_from(VERBS),
        st.integers(0, 5),
        st.sampled_from(PATHS),
        st.sampled_from(CONTENTS),
    ),
    min_size=5,
    max_size=25,
)


@dataclass
class Version:
    files: dict[str, str] = field(default_factory=dict)
    is_draft: bool = True


@dataclass
class Model:
    """What there should be, by version number."""

    live: dict[int, Version] = field(default_factory=dict)
    deleted: dict[int, Version] = field(default_factory=dict)

    def held_bytes(self) -> int:
        versions = [*self.live.values(), *self.deleted.values()]
        return sum(map(len, {content for version in versions for content in version.files.values()}))

    def pick(self, number: int, *, of: dict[int, Version] | None = None) -> int | None:
        """Some version, as the step's number says."""
        among = sorted(self.live if of is None else of)
        return among[number % len(among)] if among else None

    def pick_draft(self, number: int) -> int | None:
        return self.pick(number, of={n: v for n, v in self.live.items() if v.is_draft})


class Both:
    """The real thing and the model, taking the same steps."""

    def __init__(self, shelf: Shelf, name: str) -> None:
        self.shelf, self.name, self.model = shelf, name, Model()
        shelf.create(name)

    def take(self, step: Step) -> None:
        verb, number, path, content = step
        getattr(self, verb)(number, path, content)

    def draft(self, *_: Any) -> None:
        made = self.shelf.draft(self.name)
        self.model.live[made["number"]] = Version()

    def draft_from(self, number: int, *_: Any) -> None:
        source = self.model.pick(number)
        if source is not None:
            made = self.shelf.draft(self.name, **{"from": str(source)})
            self.model.live[made["number"]] = Version(dict(self.model.live[source].files))

    def save(self, number: int, path: str, content: str) -> None:
        version = self.model.pick_draft(number)
        if version is not None:
            self.shelf.save(self.name, version, path, content)
            self.model.live[version].files[path] = content

    def drop(self, number: int, path: str, _content: str) -> None:
        version = self.model.pick_draft(number)
        if version is None:
            return
        answer = self.shelf.person.post(f"{self.shelf.at(self.name, version)}/files/delete", json={"paths": [path]})
        was_there = self.model.live[version].files.pop(path, None) is not None
        assert answer.status_code == (200 if was_there else 404), answer.text

    def move(self, number: int, path: str, _content: str) -> None:
        version = self.model.pick_draft(number)
        if version is None:
            return
        files = self.model.live[version].files
        to = PATHS[(PATHS.index(path) + 1) % len(PATHS)]
        body = {"moves": [{"from": path, "to": to}], "overwrite": True}
        answer = self.shelf.person.post(f"{self.shelf.at(self.name, version)}/files/move", json=body)
        assert answer.status_code == (200 if path in files else 404), answer.text
        if path in files:
            files[to] = files.pop(path)

    def commit(self, number: int, *_: Any) -> None:
        version = self.model.pick_draft(number)
        if version is None:
            return
        answer = self.shelf.person.post(f"{self.shelf.at(self.name, version)}/commit", json={})
        assert answer.status_code == (200 if self.model.live[version].files else 409), answer.text
        self.model.live[version].is_draft = not self.model.live[version].files

    def delete(self, number: int, *_: Any) -> None:
        version = self.model.pick(number)
        if version is not None:
            self.shelf.delete(self.name, version)
            self.model.deleted[version] = self.model.live.pop(version)

    def restore(self, number: int, *_: Any) -> None:
        version = self.model.pick(number, of=self.model.deleted)
        if version is not None:
            self.shelf.person.ok("post", f"/projects/{self.shelf.project}/bin/{self.entry(version)}/restore", json={})
            self.model.live[version] = self.model.deleted.pop(version)

    def purge(self, number: int, *_: Any) -> None:
        version = self.model.pick(number, of=self.model.deleted)
        if version is not None:
            self.shelf.person.ok("delete", f"/projects/{self.shelf.project}/bin/{self.entry(version)}")
            del self.model.deleted[version]

    def entry(self, version: int) -> str:
        (found,) = [item["id"] for item in self.shelf.bin() if item["name"] == f"{self.name}@{version}"]
        return found

    def check(self) -> None:
        asset = self.shelf.get(self.name)
        live = self.model.live
        assert asset["versions_count"] == len(live)
        assert asset["latest_version"] == max(live, default=None)
        assert asset["size_bytes"] == sum(len(content) for v in live.values() for content in v.files.values())
        for number, version in live.items():
            expected = {path: sha(content) for path, content in version.files.items()}
            assert self.shelf.paths(self.name, number) == expected
            shown = self.shelf.get(self.name, number)
            assert (shown["files"], shown["state"]) == (len(expected), "draft" if version.is_draft else "committed")


@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
@given(taken=steps)
def test_every_version_has_its_own_files_whatever_happens_to_the_others(
    api: Api, ada: Person, taken: list[Step]
) -> None:
    project = api.project(f"p-{secrets.token_hex(4)}")
    api.admin.ok("post", f"/projects/{project}/members", json={"user": "ada", "role": "member"})
    both = Both(Shelf(ada, project, "models"), "harbour")
    for step in taken:
        both.take(step)
    both.check()
    assert used_bytes(api, project) == both.model.held_bytes()

    for number in list(both.model.live):
        both.shelf.delete("harbour", number)
    ada.ok("post", f"/projects/{project}/bin/empty")
    run_jobs(api.app)
    assert used_bytes(api, project) == 0
    for table in (HoldingRow, TreeRow, TreeEntryRow):
        assert count(api.app.state.db, table) == 0
