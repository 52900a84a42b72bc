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


def test_a_long_turn_is_told_to_end_before_it_is_waited_for() -> None:
    started, told = threading.Event(), threading.Event()

    def turn() -> None:
        started.set()
        assert told.wait(30)

    runner = LoopRunner([Loop("long", turn, every_s=60, stop=told.set)])
    runner.start()
    assert started.wait(5)
    runner.stop()
    assert not any(t.name == "loop-long" and t.is_alive() for t in threading.enumerate())
