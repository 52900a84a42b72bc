"""The machine is reset: nothing that ran is left, and everything is told and taken up again."""

import os
import signal
from pathlib import Path

from tests.live import LiveServer
from tests.training.conftest import Trainer
from tests.training.test_runs import counting


def kill_all(server: LiveServer) -> int:
    """Ends the server, its runners and all that runs in their workspaces, without warning; how many runners."""
    server.kill()
    runners = 0
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid() and _belongs(entry, str(server.home)):
            runners += b"runner" in (entry / "cmdline").read_bytes()
            os.kill(int(entry.name), signal.SIGKILL)
    return runners


def _belongs(process: Path, home: str) -> bool:
    """A runner is at home in its node's folder, whatever its command line says: it was forked."""
    try:
        told = (process / "cmdline").read_bytes() + (process / "environ").read_bytes()
        return home.encode() in told or os.readlink(process / "cwd").startswith(home)
    except OSError:
        return False


def test_after_a_reset_runs_are_marked_and_go_on_from_their_checkpoints(trainer: Trainer, server: LiveServer) -> None:
    waits_at_8 = "time.sleep(600 if start == 0 and step == 8 else 0)"
    again = trainer.start(counting(12, waits_at_8), retries=1, save_model="again")
    once = trainer.start(counting(12, waits_at_8), save_model="once")
    for run in (again, once):
        trainer.until_logged(run, "counted", 8)
    assert kill_all(server) >= 2
    server.start()
    ended = trainer.finish(again)
    assert (ended.attempt, ended.retries) == (2, 1)
    assert ended.resumed_from == "persistent-model/checkpoints/step-0008"
    moves = [(event.to_state, event.reason) for event in trainer.client.runs.events(again.id)]
    assert ("pending", "node_lost") in moves
    assert [point[0] for point in trainer.collected(again)["counted"]] == list(range(12))
    lost = trainer.finish(once, "failed")
    assert (lost.stop_reason, lost.attempt) == ("node_lost", 1)
    resumed = trainer.client.runs.resume(once.id)
    assert resumed.resumed_from == "persistent-model/checkpoints/step-0008"
    assert trainer.finish(once).attempt == 2
