"""Curves in the database."""

import math
import time

import pytest
import sqlalchemy as sa

from tests.conftest import Api
from tidemill.kernel.db import Database
from tidemill.training.metrics import cursors, reading
from tidemill.training.metrics.adding import add_metrics
from tidemill.training.metrics.series import CHUNK_POINTS, SERIES_MAX, Incoming, add_points, list_series, load_points
from tidemill.training.schemas import MetricsAdd
from tidemill.training.tables import ChunkRow, RunRow, SeriesRow


@pytest.fixture
def db(api: Api) -> Database:
    found: Database = api.app.state.db
    return found


@pytest.fixture
def run(api: Api) -> str:
    project = f"/projects/{api.project()}"
    api.admin.ok("post", f"{project}/tasks", json={"name": "net", "command": "true"})
    started: str = api.admin.ok("post", f"{project}/tasks/net/start")["id"]
    return started


def points(key: str, steps: range, scale: float = 1.0) -> Incoming:
    incoming = Incoming()
    for step in steps:
        incoming.add(key, step, step * scale, step * 10)
    return incoming


def add(db: Database, run: str, incoming: Incoming, source: str = "sdk") -> None:
    with db.write() as session:
        add_points(session, run, source, incoming)  # type: ignore[arg-type]


def curve(db: Database, run: str, key: str, since: int | None = None) -> list[tuple[int, float]]:
    with db.read() as session:
        rows = list_series(session, [run], [key])
        found = load_points(session, rows, since)
        return [(step, value) for row in rows for step, value, _ in found[row.id]]


def test_points_come_back_in_order_however_they_came_in(db: Database, run: str) -> None:
    for steps in (range(500, 1200), range(500), range(1200, 1201), range(2000, 3000)):
        add(db, run, points("loss", steps))
    wanted = [*range(1201), *range(2000, 3000)]
    assert curve(db, run, "loss") == [(step, float(step)) for step in wanted]
    assert [step for step, _ in curve(db, run, "loss", since=1200)] == list(range(2000, 3000))
    with db.read() as session:
        chunks = session.scalar(sa.select(sa.func.count()).select_from(ChunkRow)) or 0
        (row,) = list_series(session, [run])
        assert (row.count, row.last_step, row.min_value, row.max_value) == (2201, 2999, 0.0, 2999.0)
    assert chunks <= math.ceil(2201 / CHUNK_POINTS) + 4


def test_steps_gone_over_again_have_the_newer_value_once(db: Database, run: str) -> None:
    add(db, run, points("loss", range(1000)))
    add(db, run, points("loss", range(700, 1100), scale=-1.0))
    found = curve(db, run, "loss")
    assert [step for step, _ in found] == list(range(1100))
    assert found[699:701] == [(699, 699.0), (700, -700.0)]
    with db.read() as session:
        assert list_series(session, [run])[0].count == 1100


def test_points_without_a_step_follow_the_last(db: Database, run: str) -> None:
    incoming = Incoming()
    for value in (1.0, 2.0):
        incoming.add("loss", None, value, 0)
    add(db, run, incoming)
    add(db, run, incoming)
    assert curve(db, run, "loss") == [(0, 1.0), (1, 2.0), (2, 1.0), (3, 2.0)]


def test_one_key_of_two_sources_is_one_curve(db: Database, run: str) -> None:
    add(db, run, points("loss", range(10), scale=5.0), "log")
    add(db, run, points("loss", range(3)), "tensorboard")
    assert curve(db, run, "loss") == [(0, 0.0), (1, 1.0), (2, 2.0)]
    add(db, run, points("loss", range(2), scale=9.0), "sdk")
    assert curve(db, run, "loss") == [(0, 0.0), (1, 9.0)]


def test_what_is_no_number_is_kept_and_told_as_nothing(db: Database, run: str) -> None:
    incoming = Incoming()
    for step, value in enumerate((1.0, math.nan, math.inf)):
        incoming.add("loss", step, value, 0)
    add(db, run, incoming)
    with db.read() as session:
        view = reading.read_metrics(session, session.get_one(RunRow, run), keys=None, since_step=None, points=100)
    (series,) = view.series
    assert [value for _, value, _ in series.points] == [1.0, None, None]
    assert (series.last, series.min, series.max, series.count) == (None, 1.0, 1.0, 3)


def test_a_batch_that_comes_again_is_not_counted_twice(db: Database, run: str) -> None:
    body = MetricsAdd.model_validate({"sender": "me", "batch": 4, "points": [{"key": "loss", "value": 1.0}]})
    for _ in range(3):
        with db.write() as session:
            add_metrics(session, session.get_one(RunRow, run), body)
    assert curve(db, run, "loss") == [(0, 1.0)]
    with db.read() as session:
        assert cursors.find_offset(session, run, "sdk:me") == 4


def test_a_flood_of_keys_is_bounded(db: Database, run: str) -> None:
    incoming = Incoming()
    for number in range(SERIES_MAX + 50):
        incoming.add(f"key-{number}", 0, 1.0, 0)
    add(db, run, incoming)
    with db.read() as session:
        assert session.scalar(sa.select(sa.func.count()).select_from(SeriesRow)) == SERIES_MAX


def test_twenty_curves_of_ten_thousand_points_are_read_in_a_blink(db: Database, run: str) -> None:
    incoming = Incoming()
    for key in range(20):
        for step in range(10_000):
            incoming.add(f"key-{key}", step, float(step), step)
    add(db, run, incoming)
    with db.read() as session:
        row = session.get_one(RunRow, run)
        began = time.perf_counter()
        view = reading.read_metrics(session, row, keys=None, since_step=None, points=500)
        took_s = time.perf_counter() - began
    assert [len(series.points) <= 500 for series in view.series] == [True] * 20
    assert took_s < 1.0
