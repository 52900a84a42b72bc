"""Everything that is done to a service, and everything that dies under it, while it is called: no request fails."""

import itertools
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from tests.serving.stage import PROJECT, Load, Stage, open_stage

LOAD_S = 60.0


def test_no_request_fails_whatever_is_changed_or_killed(tmp_path: Path) -> None:
    with open_stage(tmp_path) as stage:
        stage.make_app()
        stage.deploy("digits", environment={"COLOUR": "blue"}, retry_posts=True)
        stage.until_serving("digits")
        key = stage.key("digits")
        stage.until_open("digits", key)
        with Load(stage.server.port + 80, f"/{PROJECT}/digits/", key) as load:
            ends_s = time.monotonic() + LOAD_S
            for number, step in enumerate(itertools.cycle(STEPS)):
                if number >= len(STEPS) and time.monotonic() > ends_s:
                    break
                began_s = time.monotonic()
                before = sum(load.answered.values())
                step(stage)
                # What follows shows itself within a moment of requests.
                wait_for_requests(load, before + 20)
                print(f"{step.__name__}: {time.monotonic() - began_s:.1f} s, {len(load.failures)} failed")
                assert load.failures == [], step.__name__
        assert load.failures == []
        total = sum(load.answered.values())
        print(f"{total} requests, slowest {load.slowest_s:.2f} s, {dict(load.answered)}")
        assert total > 1000
        assert len(load.answered) >= 3, "production before and after, and the canary"


def wait_for_requests(load: Load, count: int) -> None:
    deadline = time.monotonic() + 30
    while sum(load.answered.values()) < count and not load.failures:
        assert time.monotonic() < deadline
        time.sleep(0.02)


def scale_up(stage: Stage) -> None:
    stage.ok("patch", stage.at("/digits/tracks/production"), json={"replicas": 3})
    stage.until("digits", lambda seen: seen["state"] == "serving" and seen["ready"] == 3)


def scale_down(stage: Stage) -> None:
    stage.ok("patch", stage.at("/digits/tracks/production"), json={"replicas": 2})
    stage.until("digits", lambda seen: seen["state"] == "serving" and only_live(seen, 2))


def roll_an_update(stage: Stage) -> None:
    before = stage.show("digits")["production"]
    colour = {"COLOUR": f"green {before['number']}"}
    stage.ok("patch", stage.at("/digits/tracks/production"), json={"environment": colour})
    seen = stage.until(
        "digits", lambda now: now["state"] == "serving" and now["production"]["number"] > before["number"]
    )
    ready = {one["number"] for one in seen["production"]["replicas"] if one["state"] == "ready"}
    assert ready == {seen["production"]["number"]}


def begin_a_canary(stage: Stage) -> None:
    body = {"package": "app@1", "spec": "small", "environment": {"COLOUR": "red"}, "share": 10}
    stage.ok("put", stage.at("/digits/canary"), json=body)
    stage.until("digits", lambda seen: seen["state"] == "serving" and seen["canary"]["ready"] == 1)


def change_the_share(stage: Stage) -> None:
    for share in (50, 100, 30):
        stage.ok("post", stage.at("/digits/canary/share"), json={"share": share})
        time.sleep(0.5)


def promote(stage: Stage) -> None:
    before = stage.show("digits")
    seen = stage.ok("post", stage.at("/digits/promote"))
    numbers = [seen[role]["number"] for role in ("production", "canary")]
    assert numbers == [before[role]["number"] for role in ("canary", "production")]
    assert seen["canary"]["share"] == before["canary"]["share"]


def kill_a_replica(stage: Stage) -> None:
    seen = stage.show("digits")
    victim = seen["canary"]["replicas"][0]
    os.kill(pid_of(stage, victim), signal.SIGKILL)
    stage.until("digits", lambda now: victim["id"] not in str(now) and now["state"] == "serving")


def kill_the_control_plane(stage: Stage) -> None:
    before = {one["id"] for one in replicas(stage.show("digits"))}
    stage.server.kill()
    time.sleep(1)
    stage.restart()
    seen = stage.until_serving("digits")
    assert {one["id"] for one in replicas(seen)} == before, "they were found again, and nothing runs twice"


def kill_the_control_plane_in_an_update(stage: Stage) -> None:
    stage.ok("post", stage.at("/digits/restart"))
    stage.until("digits", lambda seen: seen["state"] == "updating")
    stage.server.kill()
    stage.restart()
    stage.until_serving("digits")


def replace_the_gateway(stage: Stage) -> None:
    """As a new release does it: the next one takes the doors over, and this one ends when it has answered."""
    before = stage.control.state()
    assert before is not None
    # In a process of its own, whose child it is not when that has ended.
    place = (str(stage.server.home), str(stage.server.port))
    subprocess.run([sys.executable, "-c", _NEXT_RELEASE, *place], check=True, timeout=60)
    after = stage.control.state()
    assert after is not None
    assert after.pid != before.pid


def delete_the_canary(stage: Stage) -> None:
    stage.ok("delete", stage.at("/digits/canary"))
    stage.until("digits", lambda seen: seen["state"] == "serving" and seen["canary"] is None)


_NEXT_RELEASE = """
import sys
from tidemill.gateway.keeping import Keeper
from tidemill.kernel.settings import Settings
Keeper(Settings(home=sys.argv[1], port=int(sys.argv[2])), program="the next release").ensure()
"""

STEPS = (
    scale_up,
    scale_down,
    roll_an_update,
    begin_a_canary,
    change_the_share,
    promote,
    kill_a_replica,
    kill_the_control_plane,
    kill_the_control_plane_in_an_update,
    replace_the_gateway,
    delete_the_canary,
)


def replicas(seen: dict[str, Any]) -> list[dict[str, Any]]:
    return [one for role in ("production", "canary") if seen[role] for one in seen[role]["replicas"]]


def only_live(seen: dict[str, Any], count: int) -> bool:
    return len(seen["production"]["replicas"]) == count


def pid_of(stage: Stage, replica: dict[str, Any]) -> int:
    """The process of a replica, by the mark in its environment."""
    for folder in Path("/proc").iterdir():
        if not folder.name.isdecimal():
            continue
        try:
            environment = (folder / "environ").read_bytes()
            command = (folder / "cmdline").read_bytes()
        except OSError:
            continue
        if f"TIDEMILL_REPLICA={replica['id']}".encode() in environment and b"app.py" in command:
            return int(folder.name)
    raise AssertionError(f"no process of {replica['name']}")
