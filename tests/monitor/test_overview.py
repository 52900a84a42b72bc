"""Counts, capacity, use, and curves of it."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from fastapi import FastAPI

from tests.conftest import Api, count
from tests.workloads.conftest import GIB, House
from tests.workloads.engine import MemoryEngine, machine
from tidemill.engines.base import Device
from tidemill.kernel.clock import utc_now
from tidemill.monitor import keeping
from tidemill.monitor.tables import UsageMinuteRow


@pytest.fixture
def house(app: FastAPI, api: Api, tmp_path: Path) -> Iterator[House]:
    engine = MemoryEngine(tmp_path / "workspaces", [machine(devices=(Device("gpu", "0"), Device("gpu", "1")))])
    app.state.engine.close()
    app.state.engine = engine
    made = House(app, api, engine)
    made.spec("gpu", cpus=2, gib=1, accelerator="gpu", accelerators=1.0)
    yield made
    made.conductor.close()


def test_the_platform_shows_what_there_is_and_what_is_held(house: House) -> None:
    house.until(house.submit(spec="gpu"), "running")
    house.submit(nodes=4)
    house.api.admin.ok("post", "/projects/tides/models", json={"name": "m", "scene": "other"})
    shown = house.api.admin.ok("get", "/overview")
    resources = {item["name"]: (item["capacity"], item["used"]) for item in shown["resources"]}
    assert resources == {"cpu": (4, 2), "memory": (8 * GIB, GIB), "gpu": (2, 1)}
    assert shown["counts"]["models"] == 1
    assert shown["counts"]["datasets"] == 0
    assert (shown["workloads"]["running"], shown["workloads"]["pending"], shown["workloads"]["failed"]) == (1, 1, 0)


def test_a_project_shows_its_own_within_its_quota(house: House) -> None:
    house.api.project("other", quota={"cpu": 3})
    house.until(house.submit(spec="gpu"), "running")
    shown = house.api.admin.ok("get", "/projects/other/overview")
    assert {item["name"]: item["capacity"] for item in shown["resources"]} == {"cpu": 3, "memory": 8 * GIB, "gpu": 2}
    assert all(item["used"] == 0 for item in shown["resources"])
    assert shown["workloads"]["running"] == 0


def test_only_administrators_see_the_platform(house: House) -> None:
    ann = house.api.user("ann", project="tides", role="viewer")
    assert ann.get("/overview").status_code == 403
    assert ann.get("/overview/usage").status_code == 403
    assert ann.get("/projects/tides/overview").status_code == 200
    assert ann.get("/projects/tides/overview/usage").status_code == 200


def test_curves_are_means_of_minutes_and_end_with_now(house: House) -> None:
    now = utc_now().replace(second=0, microsecond=0)
    keeping.look(house.db, now - timedelta(minutes=5))
    workload = house.submit(spec="gpu")
    house.until(workload, "running")
    keeping.look(house.db, now - timedelta(minutes=5) + timedelta(seconds=30))
    keeping.look(house.db, now - timedelta(minutes=3))
    points = house.api.admin.ok("get", "/overview/usage", params={"hours": 1})["points"]
    assert [point["resources"]["cpu"]["used"] for point in points] == [1, 2, 2]
    mine = house.api.admin.ok("get", "/projects/tides/overview/usage", params={"hours": 1})["points"]
    assert [point["resources"]["gpu"]["used"] for point in mine] == [0.5, 1, 1]
    house.api.project("other")
    theirs = house.api.admin.ok("get", "/projects/other/overview/usage", params={"hours": 1})["points"]
    assert [point["resources"]["gpu"]["used"] for point in theirs] == [0, 0, 0]


def test_a_day_of_minutes_is_thinned_out(house: House) -> None:
    now = utc_now()
    with house.db.write() as session:
        for minute in range(24 * 60):
            at = now.replace(second=0, microsecond=0) - timedelta(minutes=minute)
            session.add(UsageMinuteRow(scope="", minute=at, looks=4, resources={"cpu": [4.0, 1.0]}))
    points = house.api.admin.ok("get", "/overview/usage")["points"]
    assert 200 < len(points) <= keeping.POINTS_MAX + 2
    assert all(point["resources"]["cpu"]["used"] == 1 for point in points[:-1])


def test_what_is_older_than_a_week_goes(house: House) -> None:
    now = utc_now()
    keeping.look(house.db, now - timedelta(days=8))
    keeping.look(house.db, now)
    keeping.forget_old(house.db, now)
    assert count(house.db, UsageMinuteRow) == 1
