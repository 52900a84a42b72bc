"""What every engine does."""

import os
import shlex
import socket
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from tidemill.engines.base import (
    Engine,
    EngineError,
    Granted,
    Image,
    Placed,
    Runtime,
    Seen,
)
from tidemill.engines.contract.bench import PATIENCE_S, Bench, free_port, material_of, read_all, read_until

QUIET_S = 0.3


class EngineContract:
    """See the package's text."""

    @pytest.fixture
    def machine(self, engine: Engine) -> str:
        return engine.machines()[0].name

    @pytest.fixture
    def bench(self, engine: Engine, machine: str, image: Image, runtime: Runtime) -> Iterator[Bench]:
        bench = Bench(engine, machine, image, runtime)
        engine.on_change(bench.changed.set)
        yield bench
        bench.clean()

    def test_a_command_that_exits_with_0_is_finished(self, bench: Bench) -> None:
        seen, output = bench.run("echo out; echo err >&2")
        assert (seen.reason, seen.exit_code) == ("finished", 0)
        assert sorted(output.split()) == ["err", "out"]
        assert seen.started_at is not None
        assert seen.ended_at is not None
        assert seen.started_at <= seen.ended_at

    def test_a_command_that_fails_gives_its_exit_code(self, bench: Bench) -> None:
        seen, _ = bench.run("exit 7")
        assert (seen.reason, seen.exit_code, seen.nodes[0].exit_code) == ("exit_code", 7, 7)

    def test_a_program_that_is_not_there_fails_to_launch_and_is_named(self, bench: Bench) -> None:
        seen, _ = bench.run("", command=("no-such-program",))
        assert seen.reason == "launch_failed"
        assert "no-such-program" in seen.message

    def test_a_launch_is_run_once_however_often_it_is_asked_for(self, bench: Bench) -> None:
        launch = bench.describe("echo once >> runs")
        bench.started.append(launch.id)
        threads = [threading.Thread(target=bench.engine.launch, args=[launch]) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        bench.wait(launch.id, "ended")
        bench.engine.launch(launch)
        assert bench.engine.seen([launch.id])[launch.id].state == "ended"
        assert (bench.engine.workspace(launch.workspace) / "runs").read_text() == "once\n"

    def test_an_unknown_launch_is_absent_and_may_be_stopped_and_forgotten(self, bench: Bench) -> None:
        assert bench.engine.seen(["nobody"]) == {"nobody": Seen("absent")}
        bench.engine.stop("nobody")
        bench.engine.forget("nobody")
        with pytest.raises(EngineError):
            bench.engine.logs("nobody", 0, offset=0, limit=1)

    def test_a_launch_is_forgotten_when_it_has_ended_and_not_before(self, bench: Bench) -> None:
        id = bench.launch("sleep 1000")
        bench.wait(id, "running")
        assert id in set(bench.engine.launches())
        with pytest.raises(EngineError):
            bench.engine.forget(id)
        bench.engine.stop(id, grace_s=0)
        bench.wait(id, "ended")
        bench.engine.forget(id)
        assert bench.engine.seen([id])[id].state == "absent"
        assert id not in set(bench.engine.launches())

    def test_listeners_are_told_of_changes(self, bench: Bench) -> None:
        told = threading.Event()
        bench.engine.on_change(told.set)
        bench.launch("true")
        assert told.wait(PATIENCE_S)

    def test_a_stopped_command_may_tidy_up_first(self, bench: Bench) -> None:
        id = bench.launch("trap 'echo tidy; exit 3' TERM; echo ready; while :; do sleep 0.02; done")
        bench.says(id, "ready")
        bench.engine.stop(id)
        bench.engine.stop(id)
        seen = bench.wait(id, "ended")
        assert (seen.reason, seen.exit_code) == ("stopped", 3)
        assert "tidy" in bench.output(id)
        bench.engine.stop(id)

    def test_a_command_that_ignores_the_request_is_killed_after_the_grace(self, bench: Bench) -> None:
        id = bench.launch("trap '' TERM; echo ready; while :; do env true; done")
        bench.says(id, "ready")
        bench.engine.stop(id, grace_s=0.2)
        seen = bench.wait(id, "ended")
        assert (seen.reason, seen.exit_code, bench.output(id)) == ("stopped", 137, "ready\n")

    def test_a_program_that_a_script_waits_for_may_tidy_up_too(self, bench: Bench) -> None:
        if bench.runtime is Runtime.CONTAINER:
            pytest.skip("a container's first process alone is asked to end")
        program = "trap 'sleep 0.3; echo tidy > tidy; exit 0' TERM; echo ready; while :; do sleep 0.02; done"
        id = bench.launch(f"sh -c {shlex.quote(program)}; echo went on > late; sleep 1000")
        bench.says(id, "ready")
        bench.engine.stop(id)
        assert bench.wait(id, "ended").reason == "stopped"
        assert (bench.engine.workspace(id) / "tidy").exists()

    def test_a_second_more_urgent_stop_shortens_the_grace(self, bench: Bench) -> None:
        id = bench.launch("trap '' TERM; echo ready; while :; do sleep 0.02; done")
        bench.says(id, "ready")
        bench.engine.stop(id, grace_s=1000)
        bench.engine.stop(id, grace_s=0)
        assert bench.wait(id, "ended").reason == "stopped"

    def test_everything_a_command_started_ends_with_it(self, bench: Bench) -> None:
        beat = "i=0; while :; do i=$((i+1)); echo $i > beat; sleep 0.02; done"
        id = bench.launch(f"setsid sh -c 'trap \"\" TERM; ({beat}) & wait' & while [ ! -s beat ]; do sleep 0.02; done")
        assert bench.wait(id, "ended").reason == "finished"
        assert _stands_still(bench.engine.workspace(id) / "beat")

    def test_a_time_limit_ends_a_launch(self, bench: Bench) -> None:
        seen, _ = bench.run("sleep 1000", time_limit_s=0.3, grace_s=0.2)
        assert seen.reason == "time_limit"

    def test_variables_and_secrets_reach_the_command(self, bench: Bench) -> None:
        seen, output = bench.run(
            'echo "$GREETING $PASSWORD $TIDEMILL_NODE_INDEX $TIDEMILL_NODES $NODE_RANK $NNODES"; '
            '[ "$PWD" = "$TIDEMILL_WORKSPACE" ]',
            environment={"GREETING": "hello"},
            secrets={"PASSWORD": "hush"},
        )
        assert output == "hello hush 0 1 0 1\n"
        assert seen.reason == "finished"

    def test_granted_devices_reach_the_command(self, bench: Bench) -> None:
        nodes = bench.plan(devices=(Granted("gpu", "1"), Granted("gpu", "3", 0.5)))
        _, output = bench.run("echo $TIDEMILL_DEVICES $CUDA_VISIBLE_DEVICES", nodes=nodes)
        assert output == "gpu:1,gpu:3 1,3\n"

    def test_a_workspace_outlives_its_launches(self, bench: Bench) -> None:
        bench.run("echo kept > file", workspace="shared")
        _, output = bench.run("cat file", workspace="shared")
        assert output == "kept\n"
        assert (bench.engine.workspace("shared") / "file").read_text() == "kept\n"

    def test_a_workspace_is_removed_when_nobody_uses_it(self, bench: Bench) -> None:
        id = bench.launch("echo there > file; sleep 1000")
        bench.wait(id, "running")
        with pytest.raises(EngineError):
            bench.engine.remove_workspace(id)
        bench.engine.stop(id, grace_s=0)
        bench.wait(id, "ended")
        bench.engine.remove_workspace(id)
        bench.engine.remove_workspace(id)
        assert not (bench.engine.workspace(id) / "file").exists()

    def test_linked_materials_are_in_the_workspace(self, bench: Bench, put: Callable[[bytes], str]) -> None:
        told: list[int] = []
        material = material_of(put, {"a.txt": b"alpha\n", "deep/b.txt": b"beta\n"})
        bench.engine.prepare(material, told.append)
        bench.engine.prepare(material)
        _, output = bench.run("cat data/tides/a.txt data/tides/deep/b.txt", materials=(Placed("tides", "data/tides"),))
        assert output == "alpha\nbeta\n"
        assert told[-1] == 2

    def test_linked_materials_cannot_be_written(self, bench: Bench, put: Callable[[bytes], str]) -> None:
        if bench.runtime is Runtime.PROCESS:
            pytest.skip("plain processes are not kept from writing to what their user owns")
        bench.engine.prepare(material_of(put, {"a.txt": b"alpha\n"}))
        seen, _ = bench.run("echo spoiled > tides/a.txt", materials=(Placed("tides", "tides"),))
        assert seen.reason == "exit_code"
        assert bench.run("cat tides/a.txt", materials=(Placed("tides", "tides"),))[1] == "alpha\n"

    def test_copied_materials_are_the_workloads_own_and_made_once(
        self, bench: Bench, put: Callable[[bytes], str]
    ) -> None:
        bench.engine.prepare(material_of(put, {"a.txt": b"alpha\n"}))
        placed = (Placed("tides", "code", "copy"),)
        bench.run("echo changed > code/a.txt", workspace="kept", materials=placed)
        assert bench.run("cat code/a.txt", workspace="kept", materials=placed)[1] == "changed\n"
        assert bench.run("cat code/a.txt", workspace="other", materials=placed)[1] == "alpha\n"

    def test_a_material_that_is_not_prepared_cannot_be_placed(self, bench: Bench) -> None:
        with pytest.raises(EngineError, match="unheard"):
            bench.engine.launch(bench.describe("true", materials=(Placed("unheard", "x"),)))

    def test_materials_are_dropped_but_for_those_in_use(self, bench: Bench, put: Callable[[bytes], str]) -> None:
        bench.engine.prepare(material_of(put, {"a.txt": b"alpha\n"}))
        placed = (Placed("tides", "data"),)
        id = bench.launch("sleep 1000", materials=placed)
        bench.engine.drop_materials([])
        assert bench.run("cat data/a.txt", materials=placed)[1] == "alpha\n"
        bench.engine.stop(id, grace_s=0)
        bench.wait(id, "ended")
        bench.engine.drop_materials([])
        with pytest.raises(EngineError):
            bench.engine.launch(bench.describe("true", materials=placed))

    @pytest.mark.parametrize("path", ["../out", "/etc/out", "a/../../out"])
    def test_a_material_cannot_reach_outside(self, bench: Bench, put: Callable[[bytes], str], path: str) -> None:
        with pytest.raises(EngineError):
            bench.engine.prepare(material_of(put, {path: b"x"}))
        bench.engine.prepare(material_of(put, {"a.txt": b"alpha\n"}))
        with pytest.raises(EngineError):
            bench.engine.launch(bench.describe("true", materials=(Placed("tides", path),)))

    def test_output_is_read_from_any_offset(self, bench: Bench) -> None:
        id = bench.launch("echo 0123456789")
        bench.wait(id, "ended")
        piece = bench.engine.logs(id, 0, offset=2, limit=3)
        assert (piece.data, piece.offset, piece.next_offset, piece.end_offset) == (b"234", 2, 5, 11)
        assert bench.engine.logs(id, 0, offset=-3, limit=100).data == b"89\n"
        assert bench.engine.logs(id, 0, offset=100, limit=100).next_offset == 11
        assert piece.is_over

    def test_output_can_be_followed_while_it_is_written(self, bench: Bench) -> None:
        id = bench.launch("echo first; while [ ! -e go ]; do sleep 0.02; done; echo second")
        bench.says(id, "first")
        assert not bench.engine.logs(id, 0, offset=0, limit=100).is_over
        (bench.engine.workspace(id) / "go").touch()
        bench.says(id, "second")

    def test_only_the_newest_output_is_kept(self, bench: Bench) -> None:
        limit = 64 * 1024
        id = bench.launch("seq 100000", log_bytes=limit)
        bench.wait(id, "ended")
        piece = bench.engine.logs(id, 0, offset=0, limit=1 << 30)
        assert piece.end_offset == sum(len(f"{number}\n") for number in range(1, 100001))
        assert limit // 2 <= len(piece.data) <= limit
        assert piece.data.endswith(b"\n99999\n100000\n")
        assert piece.offset + len(piece.data) == piece.next_offset == piece.end_offset

    def test_a_flood_of_output_is_bounded_and_does_not_end_the_launch(self, bench: Bench) -> None:
        id = bench.launch("yes flood", log_bytes=256 * 1024)
        bench.until(lambda: bench.engine.logs(id, 0, offset=0, limit=1).end_offset, lambda end: end > 1 << 20)
        assert len(bench.engine.logs(id, 0, offset=0, limit=1 << 30).data) <= 256 * 1024
        assert bench.engine.seen([id])[id].state == "running"
        bench.engine.stop(id, grace_s=0.5)
        assert bench.wait(id, "ended").reason == "stopped"

    def test_a_command_that_closes_its_output_goes_on(self, bench: Bench) -> None:
        id = bench.launch("echo last; exec >/dev/null 2>&1; while [ ! -e go ]; do sleep 0.02; done; exit 3")
        bench.says(id, "last")
        assert bench.engine.seen([id])[id].state == "running"
        (bench.engine.workspace(id) / "go").touch()
        assert bench.wait(id, "ended").exit_code == 3

    def test_marks_say_when_what_was_written(self, bench: Bench) -> None:
        id = bench.launch("echo one; while [ ! -e go ]; do sleep 0.02; done; echo two")
        bench.says(id, "one")
        (bench.engine.workspace(id) / "go").touch()
        seen = bench.wait(id, "ended")
        marks = bench.engine.log_marks(id, 0)
        assert [mark.offset for mark in marks] == sorted(mark.offset for mark in marks)
        assert (marks[0].offset, marks[-1].offset) == (0, 8)
        assert seen.started_at is not None
        assert seen.ended_at is not None
        assert marks[-1].at <= seen.ended_at

    def test_use_of_resources_is_measured(self, bench: Bench) -> None:
        id = bench.launch("while :; do :; done")
        samples = bench.until(
            lambda: bench.engine.usage(id, 0, since=None, points=100),
            lambda found: any(one.cpus > 0.05 for one in found),
        )
        assert samples[-1].memory_bytes > 0
        assert samples[-1].cpus < 1.5
        assert len(bench.engine.usage(id, 0, since=None, points=1)) == 1
        assert all(one.at > samples[-1].at for one in bench.engine.usage(id, 0, since=samples[-1].at, points=100))

    def test_a_program_runs_inside_the_node(self, bench: Bench) -> None:
        id = bench.launch("echo mine > file; echo ready; sleep 1000", secrets={"PASSWORD": "hush"})
        bench.says(id, "ready")
        script = "cat file; cat; echo $PASSWORD $EXTRA; echo bad >&2; exit 5"
        shell = bench.engine.exec(id, 0, ["sh", "-c", script], environment={"EXTRA": "more"}, terminal=None)
        os.write(shell.stdin, b"typed\n")
        os.close(shell.stdin)
        assert shell.stderr is not None
        assert (read_all(shell.stdout), read_all(shell.stderr)) == (b"mine\ntyped\nhush more\n", b"bad\n")
        assert shell.wait() == 5
        shell.close()

    def test_a_terminal_has_a_size_that_changes(self, bench: Bench) -> None:
        id = bench.launch("echo ready; sleep 1000")
        bench.says(id, "ready")
        script = "stty -echo; stty size; read line; stty size; exit 4"
        shell = bench.engine.exec(id, 0, ["sh", "-c", script], environment={}, terminal=(100, 30))
        assert b"30 100" in read_until(shell, b"30 100")
        shell.resize(120, 40)
        os.write(shell.stdin, b"\n")
        assert b"40 120" in read_until(shell, b"40 120")
        assert (shell.wait(), shell.stderr) == (4, None)
        shell.close()

    def test_closing_a_shell_ends_its_program(self, bench: Bench) -> None:
        id = bench.launch("echo ready; sleep 1000")
        bench.says(id, "ready")
        beat = "trap '' HUP TERM; i=0; while :; do i=$((i+1)); echo $i > beat; sleep 0.02; done"
        shell = bench.engine.exec(id, 0, ["sh", "-c", beat], environment={}, terminal=(80, 24))
        path = bench.engine.workspace(id) / "beat"
        bench.until(path.exists, bool)
        shell.close()
        assert _stands_still(path)
        assert bench.engine.seen([id])[id].state == "running"

    def test_programs_run_inside_end_with_the_node(self, bench: Bench) -> None:
        id = bench.launch("echo ready; sleep 1000")
        bench.says(id, "ready")
        shell = bench.engine.exec(id, 0, ["sh", "-c", "echo in; sleep 1000"], environment={}, terminal=None)
        assert os.read(shell.stdout, 100) == b"in\n"
        bench.engine.stop(id, grace_s=0)
        bench.wait(id, "ended")
        assert shell.wait() != 0
        shell.close()

    def test_nothing_runs_inside_a_node_that_has_ended(self, bench: Bench) -> None:
        id = bench.launch("true")
        bench.wait(id, "ended")
        with pytest.raises(EngineError):
            bench.engine.exec(id, 0, ["true"], environment={}, terminal=None)
        with pytest.raises(EngineError):
            bench.engine.snapshot(id, 0)
        with pytest.raises(EngineError):
            bench.engine.address(id, 0, 80)

    def test_ports_of_the_node_are_reached_and_no_others(
        self, bench: Bench, serve: Callable[[int], Sequence[str]]
    ) -> None:
        with socket.create_server(("127.0.0.1", 0)) as foreign:
            port = free_port()
            id = bench.launch("", command=tuple(serve(port)))
            bench.wait(id, "running")
            address = bench.until(lambda: _address(bench.engine, id, port), lambda found: found is not None)
            assert address is not None
            socket.create_connection(address, PATIENCE_S).close()
            with pytest.raises(EngineError):
                bench.engine.address(id, 0, foreign.getsockname()[1])

    def test_a_snapshot_is_of_the_images_kind(self, bench: Bench) -> None:
        id = bench.launch("echo ready; sleep 1000")
        bench.says(id, "ready")
        snapshot = bench.engine.snapshot(id, 0)
        assert snapshot.kind == bench.image.kind
        if snapshot.archive is not None:
            assert snapshot.archive.stat().st_size > 0
            snapshot.archive.unlink()
        else:
            assert snapshot.requirements
            assert all("==" in line or " @ " in line for line in snapshot.requirements)

    def test_nodes_know_each_other(self, bench: Bench) -> None:
        script = (
            'echo "$NODE_RANK/$NNODES"; cat "$TIDEMILL_HOSTS_FILE" "$TIDEMILL_HOSTFILE"; echo $MASTER_ADDR:$MASTER_PORT'
        )
        id = bench.launch(script, nodes=bench.plan(2))
        seen = bench.wait(id, "ended")
        assert (seen.reason, len({node.host_name for node in seen.nodes})) == ("finished", 2)
        assert len({node.address for node in seen.nodes}) == 2
        first, second = (bench.output(id, node).splitlines() for node in (0, 1))
        assert (first[0], second[0]) == ("0/2", "1/2")
        assert first[1:] == second[1:]
        assert first[1:3] == [node.host_name for node in seen.nodes]
        assert first[3:5] == [f"{node.host_name} slots=1" for node in seen.nodes]

    def test_a_node_that_fails_ends_the_gang_and_its_reason_counts(self, bench: Bench) -> None:
        script = 'if [ "$NODE_RANK" = 1 ]; then exit 9; fi; sleep 1000'
        seen, _ = bench.run(script, nodes=bench.plan(2), grace_s=1)
        assert (seen.reason, seen.exit_code, seen.nodes[1].exit_code) == ("exit_code", 9, 9)

    def test_nodes_that_finish_let_the_others_finish(self, bench: Bench) -> None:
        script = 'if [ "$NODE_RANK" = 0 ]; then exit 0; fi; sleep 0.5; echo late > late'
        id = bench.launch(script, nodes=bench.plan(2))
        assert bench.wait(id, "ended").reason == "finished"
        assert (bench.engine.workspace(id) / "late").exists()

    def test_the_first_nodes_end_is_the_end_when_it_alone_works(self, bench: Bench) -> None:
        id = bench.launch("echo working", nodes=bench.plan(2), run_on="first", grace_s=1)
        seen = bench.wait(id, "ended")
        assert (seen.reason, seen.exit_code) == ("finished", 0)
        outputs = (bench.output(id, 0), bench.output(id, 1))
        assert outputs == ("working\n", ""), outputs

    def test_all_nodes_are_stopped_together(self, bench: Bench) -> None:
        id = bench.launch("echo ready; sleep 1000", nodes=bench.plan(2))
        bench.says(id, "ready", 1)
        bench.engine.stop(id, grace_s=0)
        seen = bench.wait(id, "ended")
        assert (seen.reason, {node.state for node in seen.nodes}) == ("stopped", {"ended"})

    def test_launches_go_on_without_the_control_plane(self, bench: Bench, reopen: Callable[[], Engine]) -> None:
        script = "echo before; while [ ! -e go ]; do sleep 0.02; done; echo after; exit 6"
        id = bench.launch(script)
        bench.says(id, "before")
        bench.engine = reopen()
        assert bench.engine.seen([id])[id].state == "running"
        (bench.engine.workspace(id) / "go").touch()
        seen = bench.wait(id, "ended")
        assert (seen.reason, seen.exit_code, bench.output(id)) == ("exit_code", 6, "before\nafter\n")

    def test_a_memory_hog_is_ended(self, bench: Bench) -> None:
        self._must_enforce(bench, "memory")
        hog = "x=aaaaaaaaaaaaaaaa; while :; do x=$x$x; done"
        seen, _ = bench.run(f"sh -c '{hog}'; exit $?", nodes=bench.plan(memory_bytes=64 << 20))
        assert seen.reason in ("out_of_memory", "exit_code")
        seen, _ = bench.run(hog, nodes=bench.plan(memory_bytes=64 << 20))
        assert seen.reason == "out_of_memory"

    def test_a_fork_bomb_is_bounded_and_ends(self, bench: Bench) -> None:
        self._must_enforce(bench, "pids")
        id = bench.launch("bomb() { bomb | bomb & }; echo ready; bomb; sleep 1000")
        bench.says(id, "ready")
        bench.engine.stop(id, grace_s=0)
        assert bench.wait(id, "ended").reason in ("stopped", "exit_code")

    def test_a_processor_limit_holds(self, bench: Bench) -> None:
        self._must_enforce(bench, "cpu")
        id = bench.launch("(while :; do :; done) & while :; do :; done", nodes=bench.plan(cpus=0.25))
        samples = bench.until(lambda: bench.engine.usage(id, 0, since=None, points=100), lambda found: len(found) >= 2)
        assert samples[-1].cpus < 0.5

    def _must_enforce(self, bench: Bench, limit: str) -> None:
        machine = bench.engine.machines()[0]
        if limit not in machine.enforced.get(bench.runtime, frozenset()):
            pytest.skip(f"this machine does not enforce the limit {limit!r} in the runtime {bench.runtime.value!r}")


def _address(engine: Engine, id: str, port: int) -> tuple[str, int] | None:
    try:
        return engine.address(id, 0, port)
    except EngineError:
        return None


def _stands_still(path: Path) -> bool:
    """Whether nobody writes to the file any more."""
    before = path.read_bytes()
    time.sleep(QUIET_S)
    return path.read_bytes() == before
