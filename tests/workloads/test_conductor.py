"""From waiting to an end, over an engine whose launches do what the test says."""

import threading
from datetime import timedelta
from typing import Any

import pytest
import sqlalchemy as sa

from tests.conftest import Person
from tests.workloads.conftest import House, eventually
from tests.workloads.engine import machine
from tidemill.accounts.tables import ProjectRow, TokenRow
from tidemill.assets import emptying
from tidemill.engines.base import Device, Launch
from tidemill.workloads import service, tidy
from tidemill.workloads.tables import WorkloadAttemptRow, WorkloadRow


def test_a_workload_starts_runs_and_ends(house: House) -> None:
    workload = house.submit(environment={"DEPTH": "12"}, secrets={"KEY": "hush"}, time_limit_s=60)
    row = house.until(workload, "running")
    (launch,) = house.engine.launched
    assert launch.id == row.attempt_id
    assert (launch.command, launch.time_limit_s, launch.workspace) == (("true",), 60, workload)
    assert launch.environment["DEPTH"] == "12"
    assert launch.environment["TIDEMILL_WORKLOAD_ID"] == workload
    assert launch.environment["TIDEMILL_PROJECT"] == "tides"
    assert launch.secrets["KEY"] == "hush"
    house.end(workload)
    row = house.until(workload, "completed")
    assert (row.stop_reason, row.exit_code, row.secrets, row.placement) == ("finished", 0, {}, [])
    assert row.started_at
    assert row.ended_at


def test_every_end_has_its_state_and_reason(house: House) -> None:
    for reason, state, shown in [
        ("exit_code", "failed", "exit_code"),
        ("time_limit", "stopped", "time_limit"),
        ("out_of_memory", "failed", "out_of_memory"),
        ("node_lost", "failed", "node_lost"),
        ("log_full", "failed", "log_full"),
        ("stopped", "failed", "node_lost"),
    ]:
        workload = house.submit()
        house.until(workload, "running")
        house.end(workload, reason, 3)
        assert house.until(workload, state).stop_reason == shown


def test_the_token_of_a_launch_is_good_in_its_project_until_the_end(house: House) -> None:
    house.api.project("other")
    workload = house.submit(token_scopes=("model.read", "workload.read"))
    house.until(workload, "running")
    token = house.engine.launched[0].secrets["TIDEMILL_TOKEN"]
    headers = {"Authorization": f"Bearer {token}"}
    mine = f"projects/tides/workloads/{workload}"
    assert house.api.nobody.get(mine, headers=headers).status_code == 200
    assert house.api.nobody.get("projects/tides/algorithms", headers=headers).status_code == 403
    assert house.api.nobody.get("projects/other/models", headers=headers).status_code == 404
    assert house.api.nobody.get("users", headers=headers).status_code == 403
    tokens = house.api.admin.ok("get", "/me/tokens")["items"]
    assert tokens == [], "it is not one of the user's own"
    house.end(workload)
    house.until(workload, "completed")
    assert house.api.nobody.get(mine, headers=headers).status_code == 401


def test_a_token_without_scopes_may_nothing(house: House) -> None:
    workload = house.submit()
    house.until(workload, "running")
    headers = {"Authorization": f"Bearer {house.engine.launched[0].secrets['TIDEMILL_TOKEN']}"}
    assert house.api.nobody.get(f"projects/tides/workloads/{workload}", headers=headers).status_code in {403, 404}
    assert house.api.nobody.get("projects/tides/models", headers=headers).status_code in {403, 404}


def test_stopping_is_asked_for_and_comes_to_pass(house: House) -> None:
    workload = house.submit()
    house.until(workload, "running")
    house.api.admin.ok("post", f"/projects/tides/workloads/{workload}/stop")
    assert house.state(workload) == "stopping"
    house.turn()
    assert house.engine.is_told_to_stop(house.engine.launched[0].id)
    house.end(workload, "exit_code", 143)
    row = house.until(workload, "stopped")
    assert (row.stop_reason, row.exit_code) == ("user", 143)


def test_one_that_waits_is_stopped_at_once(house: House) -> None:
    workload = house.submit()
    house.stop(workload)
    assert house.state(workload) == "stopped"
    house.turn()
    assert house.engine.launched == []


def test_one_that_is_stopped_on_its_way_to_the_engine_never_reaches_it(house: House) -> None:
    """The launch waits for its image while the stop comes."""
    reached, go_on = threading.Event(), threading.Event()
    images: Any = house.app.state.images
    own = images.environments.ensure_own

    def slow() -> Any:
        reached.set()
        assert go_on.wait(20)
        return own()

    images.environments.ensure_own = slow
    workload = house.submit()
    house.turn()
    assert reached.wait(20)
    house.stop(workload)
    house.until(workload, "stopped")
    go_on.set()
    other = house.submit("other")
    house.until(other, "running")
    assert [launch.workspace for launch in house.engine.launched] == [other]


def test_failures_are_tried_again_up_to_the_limit(house: House) -> None:
    workload = house.submit(retries=2)
    for attempt, reason in enumerate(["exit_code", "node_lost", "out_of_memory"], start=1):
        assert house.until(workload, "running").attempt == attempt
        house.end(workload, reason, 1)
    row = house.until(workload, "failed")
    assert (row.attempt, row.retries_used, row.stop_reason) == (3, 2, "out_of_memory")
    assert len({launch.id for launch in house.engine.launched}) == 3
    assert len({launch.workspace for launch in house.engine.launched}) == 1
    with house.db.read() as session:
        attempts = session.scalars(sa.select(WorkloadAttemptRow).order_by(WorkloadAttemptRow.number)).all()
    assert [attempt.reason for attempt in attempts] == ["exit_code", "node_lost", "out_of_memory"]
    events = house.api.admin.ok("get", f"/projects/tides/workloads/{workload}/events")["items"]
    assert [event["message"] for event in events if event["message"]] == [
        "Trying again: 1 of 2.",
        "Trying again: 2 of 2.",
    ]


def test_what_the_user_stopped_or_finished_is_not_tried_again(house: House) -> None:
    first = house.submit(retries=2)
    house.until(first, "running")
    house.stop(first)
    house.end(first, "exit_code", 1)
    assert house.until(first, "stopped").attempt == 1


def test_a_launch_the_engine_refuses_ends_with_its_words(house: House) -> None:
    house.engine.refuses = "no such thing here"
    row = house.until(house.submit(), "failed")
    assert row.stop_reason == "launch_failed"
    view = house.api.admin.ok("get", f"/projects/tides/workloads/{row.id}")
    assert view["message"] == "no such thing here"


def test_a_conductor_that_dies_before_the_launch_launches_it_after(house: House) -> None:
    """The plan is in the database; the engine never heard of it."""

    def die(launch: Launch) -> None:
        raise SystemExit

    house.engine.at_launch = die
    workload = house.submit()
    house.turn()
    eventually(lambda: not house.conductor._launcher._flights)
    assert house.state(workload) == "starting"
    attempt = house.row(workload).attempt_id
    house.conductor.close()
    house.engine.at_launch = lambda _launch: None
    house.conductor = house.new_conductor()
    assert house.until(workload, "running").attempt_id == attempt
    assert len(house.engine.launched) == 1


def test_what_ended_while_nobody_looked_is_found(house: House) -> None:
    workload = house.submit()
    house.until(workload, "running")
    house.conductor.close()
    house.end(workload, "exit_code", 7)
    house.conductor = house.new_conductor()
    assert house.until(workload, "failed").exit_code == 7


def test_a_launch_that_the_engine_lost_has_failed(house: House) -> None:
    workload = house.submit()
    row = house.until(workload, "running")
    assert row.attempt_id
    house.engine.forget(row.attempt_id)
    assert house.until(workload, "failed").stop_reason == "node_lost"


def test_launches_nobody_knows_are_stopped_and_forgotten(house: House) -> None:
    workload = house.submit()
    row = house.until(workload, "running")
    assert row.attempt_id
    with house.db.write() as session:
        session.execute(sa.delete(WorkloadRow).where(WorkloadRow.id == workload))
    conductor = house.new_conductor()
    conductor.do_what_is_due()
    assert house.engine.is_told_to_stop(row.attempt_id)
    house.engine.end(row.attempt_id, "stopped", 143)
    house.new_conductor().do_what_is_due()
    assert list(house.engine.launches()) == []


def test_the_urgent_put_out_the_less_urgent_who_come_back_later(house: House) -> None:
    low = house.submit("low", nodes=4, priority="low", preemptible=True)
    house.until(low, "running")
    urgent = house.submit("urgent", priority="high")
    house.until(low, "stopping")
    house.turn()
    assert house.engine.is_told_to_stop(house.engine.launched[0].id)
    house.end(low, "stopped", 143)
    house.until(urgent, "running")
    row = house.row(low)
    assert (row.state, row.stop_reason, row.retries_used) == ("pending", "preempted", 0)
    house.end(urgent)
    house.until(urgent, "completed")
    assert house.until(low, "running").attempt == 2


def test_a_preempted_one_that_is_stopped_does_not_come_back(house: House) -> None:
    low = house.submit("low", nodes=4, priority="low", preemptible=True)
    house.until(low, "running")
    house.submit("urgent", priority="high")
    house.until(low, "stopping")
    house.stop(low)
    house.end(low, "stopped", 143)
    assert house.until(low, "stopped").stop_reason == "user"


def test_devices_reach_the_launch_by_id(house: House) -> None:
    house.set_machines([machine(devices=(Device("gpu", "a"), Device("gpu", "b", shares=1)))])
    house.spec("gpu", cpus=1, gib=1, accelerator="gpu", accelerators=1.0)
    for name in ("x", "y"):
        house.until(house.submit(name, spec="gpu"), "running")
    given = [node.devices[0].id for launch in house.engine.launched for node in launch.nodes]
    assert sorted(given) == ["a", "b"]
    view = house.api.admin.ok("get", f"/projects/tides/workloads/{house.engine.launched[0].workspace}")
    assert view["nodes"][0]["devices"] == [f"gpu:{given[0]}"]
    assert view["nodes"][0]["host_name"] == "node-0"


def test_why_it_waits_who_holds_and_what_would_change_it(house: House) -> None:
    house.api.project("other")
    mine = house.submit("mine", nodes=2)
    theirs = house.submit("theirs", nodes=2, project="other")
    house.until(mine, "running")
    house.until(theirs, "running")
    first, second = house.submit("first", nodes=2), house.submit("second", nodes=2)
    house.turn()
    ann = house.api.user("ann", project="tides")
    told = ann.ok("get", f"/projects/tides/workloads/{second}/waiting")
    assert (told["code"], told["resource"], told["place"], told["of"]) == ("waiting_capacity", "cpus", 2, 2)
    by_name = {holder["name"]: holder for holder in told["holders"]}
    assert by_name["mine"]["id"] == mine
    assert (by_name[None]["id"], by_name[None]["project"], by_name[None]["amount"]) == (None, None, 2)
    assert told["smallest_change"].startswith("It could start as soon as")
    chinese = ann.ok("get", f"/projects/tides/workloads/{second}/waiting", headers={"Accept-Language": "zh-CN"})
    assert chinese["text"] == "可用资源不足：CPU 核心。"
    assert ann.ok("get", f"/projects/tides/workloads/{first}")["place"] == 1
    assert ann.get(f"/projects/tides/workloads/{mine}/waiting").status_code == 409


def test_a_window_that_is_closed_is_told_and_nobody_behind_it_waits(house: House) -> None:
    now = house.caller_now()
    opens = [(now + timedelta(hours=hours)).strftime("%H:%M") for hours in (2, 3)]
    waiting = house.submit("night", window=(*opens, "UTC"))
    house.until(house.submit("day"), "running")
    told = house.api.admin.ok("get", f"/projects/tides/workloads/{waiting}/waiting")
    assert (told["code"], told["place"], told["of"], told["holders"]) == ("waiting_window", 1, 1, [])
    assert told["text"] == f"It starts between {opens[0]} and {opens[1]} (UTC)."
    assert told["smallest_change"] == f"Remove the start window, or wait until {opens[0]}."


def test_the_smallest_change_is_a_spec_that_would_fit_now(house: House) -> None:
    house.spec("two", cpus=2, gib=1)
    house.spec("four", cpus=4, gib=1)
    house.until(house.submit("holder", spec="two"), "running")
    waiting = house.submit("big", spec="four")
    house.turn()
    told = house.api.admin.ok("get", f"/projects/tides/workloads/{waiting}/waiting")
    assert (told["code"], [holder["name"] for holder in told["holders"]]) == ("waiting_capacity", ["holder"])
    assert told["smallest_change"] == "It could start now with the spec “two”."


def test_a_quota_that_is_lowered_stops_nothing_and_starts_nothing(house: House) -> None:
    running = [house.submit(f"job-{n}") for n in range(2)]
    for workload in running:
        house.until(workload, "running")
    house.api.admin.ok("patch", "/projects/tides", json={"quota": {"cpu": 1}})
    waiting = house.submit("late")
    house.turn()
    assert [house.state(workload) for workload in [*running, waiting]] == ["running", "running", "pending"]
    house.end(running[0])
    house.until(running[0], "completed")
    assert house.state(waiting) == "pending", "the other still holds all of it"
    assert house.api.admin.ok("get", f"/projects/tides/workloads/{waiting}/waiting")["code"] == "waiting_quota"
    house.end(running[1])
    house.until(waiting, "running")


def test_a_quota_that_is_used_up_says_by_whom(house: House) -> None:
    house.api.admin.ok("patch", "/projects/tides", json={"quota": {"cpu": 2}})
    held = house.submit("held")
    house.until(held, "running")
    waiting = house.submit("more", nodes=2)
    house.turn()
    told = house.api.admin.ok("get", f"/projects/tides/workloads/{waiting}/waiting")
    assert told["text"] == "It needs 2 CPU; the project has 1 left of 2."
    assert [holder["id"] for holder in told["holders"]] == [held]
    assert told["smallest_change"].startswith("Have the quota of CPU raised by 1")


def test_deleting_takes_everything_away(house: House) -> None:
    workload = house.submit()
    house.until(workload, "running")
    by = house.caller()
    with pytest.raises(Exception, match="not_ended"), house.db.write() as session:
        service.delete(session, workload, by=by)
    (house.engine.workspace(workload) / "kept.txt").write_text("x")
    house.end(workload)
    house.until(workload, "completed")
    with house.db.write() as session:
        service.delete(session, workload, by=by)
    assert house.api.admin.get(f"/projects/tides/workloads/{workload}").status_code == 404
    tidy.remove_deleted(house.db, house.engine)
    assert not (house.engine.folder / workload).exists()
    assert list(house.engine.launches()) == []
    with house.db.read() as session:
        assert session.get(WorkloadRow, workload) is None


def test_a_project_that_goes_takes_its_workloads_along(house: House) -> None:
    running, waiting = house.submit("running"), house.submit("waiting", nodes=4)
    house.until(running, "running")
    project_id = house.row(running).project_id
    house.api.admin.ok("delete", "/projects/tides")
    tidy.stop_in_deleted_projects(house.db, house.caller_now())
    assert (house.state(running), house.state(waiting)) == ("stopping", "stopped")
    with pytest.raises(Exception, match="not_ended"):
        tidy.clear_project(house.db, house.engine, project_id)
    house.end(running, "stopped", 143)
    assert house.until(running, "stopped").stop_reason == "deleted"
    later = house.caller_now() + timedelta(days=31)
    emptying.do_what_is_due(house.db, house.app.state.settings, later, house.app.state.project_clearers)
    assert list(house.engine.launches()) == []
    with house.db.read() as session:
        assert session.get(ProjectRow, project_id) is None


def test_old_logs_go_and_the_workload_stays(house: House) -> None:
    workload = house.submit()
    house.until(workload, "running")
    house.end(workload)
    house.until(workload, "completed")
    tidy.forget_old_logs(house.db, house.engine, house.caller_now(), 1)
    assert len(list(house.engine.launches())) == 1
    tidy.forget_old_logs(house.db, house.engine, house.caller_now(), -1)
    assert list(house.engine.launches()) == []
    page = house.api.admin.ok("get", f"/projects/tides/workloads/{workload}/logs")
    assert (page["text"], page["is_over"]) == ("", True)


def test_tokens_of_workloads_do_not_count_as_the_users(house: House) -> None:
    house.until(house.submit(), "running")
    with house.db.read() as session:
        assert session.scalar(sa.select(sa.func.count()).select_from(TokenRow)) == 1
    ann: Person = house.api.admin
    assert ann.ok("get", "/me/tokens")["total"] == 0
