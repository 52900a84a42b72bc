"""A house with models in it."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI

from tests.conftest import Person
from tests.datasets.conftest import Desk, run_jobs
from tests.datasets.conftest import ada as ada
from tests.datasets.conftest import ann as ann
from tests.datasets.conftest import project as project
from tests.datasets.working import Works
from tests.models.colours import picture
from tidemill.accounts.access import ProjectRef, find_project, system_caller
from tidemill.assets.kinds import BY_NAME
from tidemill.kernel.clock import utc_now
from tidemill.models.planting import Entry, Plant, plant
from tidemill.store import intake


def put(app: FastAPI, project: str, kind: str, name: str, files: Mapping[str, bytes], scene: str = "other") -> int:
    """A committed version of an asset with these files; its number."""
    state = app.state
    with state.db.read() as session:
        row = find_project(session, project)
    assert row is not None
    by = replace(
        system_caller(utc_now()),
        project_ref=ProjectRef(row.id, row.name, row.is_public),
        permissions=frozenset({f"{kind}.read", f"{kind}.write"}),
    )
    entries = []
    for path, content in files.items():
        digest, size = intake.keep_bytes(state.db, state.store.backend, row.id, content, by.now)
        entries.append(Entry(path, digest, size))
    number, _ = plant(state.db, state.store, Plant(BY_NAME[kind], name, scene, "", "", entries), by=by)
    return number


def colours(desk: Desk, counts: Mapping[str, int], *, labelled: bool = True, first: int = 0) -> list[int]:
    """Pictures of colours in the draft; the numbers of the labels red, green and blue."""
    numbers = desk.labels("red", "green", "blue")
    by_name = dict(zip(("red", "green", "blue"), numbers, strict=True))
    items = []
    for colour, count in counts.items():
        for number in range(first, first + count):
            item: dict[str, Any] = {"path": f"{colour}/{number}.png", "width": 24, "height": 16}
            item |= desk.keep(picture(colour, number))
            if labelled and colour in by_name:
                item["annotations"] = [{"type": "class", "label": by_name[colour]}]
            items.append(item)
    desk.ok("post", "/items/bulk", json={"items": items})
    return numbers


def publish(desk: Desk, app: FastAPI) -> None:
    desk.ok("post", "/publish", json={})
    run_jobs(app)


@pytest.fixture
def desk(ada: Person) -> Desk:
    """A draft of pictures with classes."""
    return Desk(ada).begin("colours", kind="classification")


@pytest.fixture
def works(app: FastAPI, tmp_path: Path) -> Works:
    return Works(app, tmp_path)
