"""The machine is reset: nothing that ran is left, and everything is told and taken up again."""

from tests.live import LiveServer
from tests.training.conftest import Trainer
from tests.training.test_runs import counting


def test_after_a_reset_runs_are_marked_and_go_on_from_their_checkpoints(trainer: Trainer, server: LiveServer) -> None:
    waits_at_8 = "time.sleep(600 if start == 0 and step == 8 else 0)"
    again = trainer.start(counting(12, waits_at_8), retries=1, save_model="again")
    once = trainer.start(counting(12, waits_at_8), save_model="once")
    for run in (again, once):
        trainer.until_logged(run, "counted", 8)
    assert server.reset() >= 2
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
