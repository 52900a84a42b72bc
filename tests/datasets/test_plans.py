"""What is done again and again never walks all items of a version: a million of them cost no more than ten."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
import sqlalchemy as sa
from fastapi import FastAPI

from tests.datasets.conftest import Desk, box

WALKS = re.compile(
    r"^(SCAN|SEARCH) dataset_(items|contents|item_labels|revisions)\b(?!.*\(\w+=\? AND|.*\((id|rowid)=\?\))"
)


@pytest.fixture
def statements(app: FastAPI) -> Iterator[list[tuple[str, Any]]]:
    """All that SQLite was asked, with what it was asked for."""
    if not app.state.db.is_sqlite:
        pytest.skip("PostgreSQL chooses its plans by statistics")
    seen: list[tuple[str, Any]] = []

    def note(_connection: Any, _cursor: Any, statement: str, parameters: Any, _context: Any, many: bool) -> None:
        seen.append((statement, parameters[0] if many else parameters))

    sa.event.listen(app.state.db.engine, "before_cursor_execute", note)
    yield seen
    sa.event.remove(app.state.db.engine, "before_cursor_execute", note)


def walks(app: FastAPI, statements: list[tuple[str, Any]]) -> list[str]:
    found = []
    with app.state.db.engine.connect() as connection:
        for statement, parameters in statements:
            if statement.lstrip().split(" ")[0] not in {"SELECT", "INSERT", "UPDATE", "DELETE"}:
                continue
            plan = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", parameters).all()
            found += [f"{row[3]} in {statement}" for row in plan if WALKS.match(row[3])]
    return found


@pytest.mark.both_databases
def test_adding_annotating_saving_marking_and_removing_items_walk_nothing(
    desk: Desk, app: FastAPI, statements: list[tuple[str, Any]]
) -> None:
    desk.labels("boat", "buoy")
    desk.add("a.jpg", "b.jpg", annotations=[box(1)])
    desk.add("c.jpg", "d.jpg")
    again = [{"path": path, "annotations": [box(2)]} for path in ("c.jpg", "d.jpg")]
    assert desk.ok("post", "/items/bulk", json={"items": again})["annotated"] == 2
    desk.saved(1, desk.item(1)["revision"], [box(2)])
    desk.ok("post", "/items/state", json={"seqs": [1, 2], "state": "aside"})
    desk.ok("post", "/items/delete", json={"seqs": [2]})
    assert walks(app, statements) == []


def test_a_walk_would_be_seen() -> None:
    assert WALKS.match("SEARCH dataset_items USING PRIMARY KEY (vid=?)")
    assert WALKS.match("SCAN dataset_items")
    assert not WALKS.match("SEARCH dataset_items USING PRIMARY KEY (vid=? AND seq=?)")
    assert not WALKS.match("SEARCH dataset_revisions USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN")
