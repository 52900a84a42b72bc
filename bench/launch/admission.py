"""One round of deciding who starts: a thousand that wait, a hundred machines."""

import random
import statistics
import time
from datetime import UTC, datetime, timedelta

from tidemill.workloads.placing import FreeDevice, FreeMachine, Shape
from tidemill.workloads.planning import Situation, Waiting, plan

GIB = 2**30


def measure(pending: int = 1000, machines: int = 100, rounds: int = 7) -> float:
    """Seconds for one round, the median."""
    situation = _situation(pending, machines)
    took = []
    for _ in range(rounds):
        began = time.perf_counter()
        decisions = plan(situation)
        took.append(time.perf_counter() - began)
        assert decisions.starts
        assert len(decisions.starts) + len(decisions.why) == pending
    return statistics.median(took)


def _situation(pending: int, machines: int) -> Situation:
    chance = random.Random(1)
    now = datetime(2026, 5, 1, tzinfo=UTC)
    there = [
        FreeMachine(
            f"m{number}", 32.0, 128 * GIB, frozenset(), [FreeDevice("gpu", str(device), 1, 1) for device in range(8)]
        )
        for number in range(machines)
    ]
    waiting = [
        Waiting(
            f"w{number}",
            f"project-{chance.randrange(20)}",
            Shape(
                chance.choice([1.0, 2.0, 4.0, 8.0]),
                chance.choice([2, 4, 16, 32]) * GIB,
                *chance.choice([(None, 0.0), ("gpu", 1.0), ("gpu", 2.0), ("gpu", 8.0)]),
                frozenset(),
                chance.choice([1, 1, 1, 2, 4]),
            ),
            chance.randrange(3),
            now - timedelta(seconds=chance.randrange(600)),
        )
        for number in range(pending)
    ]
    return Situation(now, there, [], waiting, {})
