"""Nothing is lost or run twice, whoever is killed and when."""

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.engines.conftest import Open
from tests.engines.driver import describe
from tidemill.engines.base import Engine, Image, Launch, Runtime
from tidemill.engines.contract import Bench
from tidemill.engines.local import LocalEngine
from tidemill.engines.local.states import lock_holder
from tidemill.engines.runner.processes import is_alive, marked
from tidemill.store.local import LocalBackend

PYTHON = Image("python", "")
ONCE = "echo once >> runs; echo said; exit 4"


@pytest.fixture
def bench(open_engine: Open) -> Iterator[Bench]:
    bench = bench_of(open_engine())
    yield bench
    bench.clean()


def bench_of(engine: Engine, runtime: Runtime = Runtime.PROCESS) -> Bench:
    bench = Bench(engine, "local", PYTHON, runtime)
    engine.on_change(bench.changed.set)
    return bench


def runner_of(engine: LocalEngine, id: str, node: int = 0) -> int:
    pid = lock_holder(engine._layout.node(id, node) / "lock")
    assert pid is not None
    return pid


def test_a_control_plane_may_be_killed_before_any_step_of_a_launch(tmp_path: Path) -> None:
    """Each step in a folder of its own, until one is not killed because there are no more steps."""
    argv = [sys.executable, "-m", "tests.engines.driver", str(tmp_path), ONCE]
    driver = subprocess.run(argv, capture_output=True, text=True, timeout=120, check=False)
    assert driver.returncode == 0, driver.stderr
    steps = int(driver.stdout)
    assert steps > 15, "a launch has more steps than that"
    for step in range(1, steps + 1):
        check_one_run(tmp_path / str(step))


def check_one_run(folder: Path) -> None:
    """After the kill: asked again, it runs, and it ran once."""
    engine = LocalEngine(folder / "engine", LocalBackend(folder.parent / "store", fsync=False))
    try:
        bench = bench_of(engine)
        engine.launch(describe(ONCE))
        seen = bench.wait("lau-driver", "ended")
        assert (seen.reason, seen.exit_code, bench.output("lau-driver")) == ("exit_code", 4, "said\n")
        assert (engine.workspace("space") / "runs").read_text() == "once\n"
    finally:
        engine.close()


def test_twenty_launches_are_all_found_again(open_engine: Open, tmp_path: Path) -> None:
    """Running, stopping, ended and just launched, when the control plane is killed; what it wrote is all there is."""
    ids = [f"lau-{number}" for number in range(20)]
    program = f"""
from tests.engines.test_local_kill import twenty
twenty({str(tmp_path)!r})
"""
    control = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    assert control.stdout is not None
    assert control.stdout.readline() == "all launched\n"
    control.kill()
    control.wait()
    control.stdout.close()
    bench = bench_of(open_engine())
    try:
        check_twenty(bench, ids)
    finally:
        bench.started += ids
        bench.clean()


def check_twenty(bench: Bench, ids: list[str]) -> None:
    assert set(bench.engine.launches()) == set(ids)
    for number, id in enumerate(ids):
        (bench.engine.workspace(id) / "go").touch()
        seen = bench.wait(id, "ended")
        expected = "stopped" if number % 4 == 1 else "exit_code"
        assert (id, seen.reason) == (id, expected)
        assert (bench.engine.workspace(id) / "runs").read_text() == "once\n"
        if expected == "exit_code":
            assert (seen.exit_code, bench.output(id)) == (number + 1, "begin\nend\n")


def twenty(folder: str) -> None:
    """The control plane of the test above."""
    engine = LocalEngine(Path(folder) / "engine", LocalBackend(Path(folder) / "store", fsync=False))
    bench = bench_of(engine)
    for number in range(20):
        wait = "while [ ! -e go ]; do sleep 0.05; done;" if number % 4 != 2 else ""
        stubborn = "trap '' TERM;" if number % 4 == 1 else ""
        script = f"{stubborn} echo once >> runs; echo begin; {wait} echo end; exit {number + 1}"
        launch = bench.describe(script, grace_s=1.0)
        engine.launch(_named(launch, f"lau-{number}"))
        if number % 4 == 1:
            bench.says(f"lau-{number}", "begin")
            engine.stop(f"lau-{number}")
    print("all launched", flush=True)
    time.sleep(60)


def _named(launch: Launch, id: str) -> Launch:
    return replace(launch, id=id, workspace=id)


@pytest.mark.parametrize("settings", [{}, {"use_control_groups": False}], ids=["groups", "no groups"])
def test_when_a_runner_is_killed_the_node_is_lost_and_its_processes_end(
    open_engine: Open, settings: dict[str, object]
) -> None:
    engine = open_engine(**settings)
    bench = bench_of(engine)
    id = bench.launch("setsid sleep 1000 & echo ready; sleep 1000")
    bench.says(id, "ready")
    left = marked(f"{id}/0")
    assert len(left) >= 2
    os.kill(runner_of(engine, id), signal.SIGKILL)
    seen = bench.wait(id, "ended")
    assert seen.reason == "node_lost"
    assert not any(map(is_alive, left))
    engine.launch(_named(bench.describe("echo again >> runs"), id))
    assert engine.seen([id])[id].reason == "node_lost"


def test_a_lost_node_ends_its_gang(bench: Bench) -> None:
    id = bench.launch("echo ready; sleep 1000", nodes=bench.plan(2))
    bench.says(id, "ready", 0)
    bench.says(id, "ready", 1)
    assert isinstance(bench.engine, LocalEngine)
    os.kill(runner_of(bench.engine, id, 1), signal.SIGKILL)
    seen = bench.wait(id, "ended")
    assert (seen.reason, seen.nodes[0].state) == ("node_lost", "ended")
    deadline = time.monotonic() + 20
    while servers_of(id):
        assert time.monotonic() < deadline, "a server for SSH is left behind"
        time.sleep(0.1)


def servers_of(id: str) -> list[str]:
    """Programs that have the launch in their command line."""
    lines = [path.read_bytes() for path in Path("/proc").glob("[0-9]*/cmdline") if path.exists()]
    return [line.decode() for line in lines if id.encode() in line and b"nodessh" in line]


def test_runners_killed_at_any_time_leave_no_launch_open(open_engine: Open) -> None:
    engine = open_engine()
    bench = bench_of(engine)
    pick = random.Random(7)
    ids = [bench.launch("echo said; sleep 0.2") for _ in range(12)]
    for id in ids:
        pid = lock_holder(engine._layout.node(id, 0) / "lock")
        if pid is not None and pick.random() < 0.7:
            os.kill(pid, signal.SIGKILL)
    for id in ids:
        assert bench.wait(id, "ended").reason in ("node_lost", "finished")
        assert not any(map(is_alive, marked(f"{id}/0")))


def test_when_the_nursery_of_runners_is_killed_what_runs_goes_on_and_more_can_be_started(open_engine: Open) -> None:
    engine = open_engine()
    bench = bench_of(engine)
    running = bench.launch("until [ -e go ]; do sleep 0.05; done")
    bench.wait(running, "running")
    nursery = engine._launches._runners._nursery
    assert nursery is not None
    os.kill(nursery._pid, signal.SIGKILL)
    os.waitpid(nursery._pid, 0)
    another = bench.launch("true")
    assert bench.wait(another, "ended").reason == "finished"
    (engine.workspace(running) / "go").touch()
    assert bench.wait(running, "ended").reason == "finished"


def test_after_the_machine_started_anew_nothing_is_taken_up_again(
    open_engine: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A launch of an earlier boot that never began may have begun: what it left is not known."""
    engine = open_engine()
    monkeypatch.setattr("tidemill.engines.local.runners.Runners.start", lambda *_: None)
    bench = bench_of(engine)
    id = bench.launch("echo ran > ran")
    monkeypatch.setattr("tidemill.engines.local.records.boot_id", lambda: "another")
    bench = bench_of(open_engine())
    assert bench.wait(id, "ended").reason == "node_lost"
    assert not (bench.engine.workspace(id) / "ran").exists()


def test_control_groups_are_gone_when_their_launches_are(bench: Bench) -> None:
    engine = bench.engine
    assert isinstance(engine, LocalEngine)
    if not engine._bases:
        pytest.skip("no control groups here")
    id = bench.launch("sleep 0.1")
    bench.wait(id, "ended")
    bench.until(lambda: _groups(engine, id), lambda found: not found)


def _groups(engine: LocalEngine, id: str) -> list[str]:
    return [name for base in engine._bases.values() for name in os.listdir(base) if id in name]
