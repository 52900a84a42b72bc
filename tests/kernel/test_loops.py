"""Loops go on after a failure and end when told."""

import threading

from tidemill.kernel.loops import Loop, LoopRunner


def test_a_loop_that_fails_runs_again() -> None:
    turns = []
    enough = threading.Event()

    def turn() -> None:
        turns.append(1)
        if len(turns) == 3:
            enough.set()
        raise ValueError("once more")

    runner = LoopRunner([Loop("failing", turn, every_s=0.001)])
    runner.start()
    assert enough.wait(5)
    runner.stop()
    ended_at = len(turns)
    assert ended_at >= 3
    assert not any(t.name == "loop-failing" and t.is_alive() for t in threading.enumerate())
