"""`python -m bench.active`: least certain first against random order, on real texts. See README.md."""

import argparse
import random
import shutil
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np

from bench.active.pieces import Pool
from bench.models import sets
from tidemill.datasets.doubts import millionths
from tidemill.runtime.classes import predictions
from tidemill.sdk.data import open_folder

BEGIN, STEP, ROUNDS = 200, 200, 20
"""Labels to begin with, labels a round, and how many trainings there are."""
BAR = 0.7
Curve = list[float]
Choose = Callable[[np.ndarray, list[int], int], list[int]]


def main() -> int:
    options = _options()
    trial = next(one for one in sets.TRIALS if one.name == options.set)
    place = Path(tempfile.mkdtemp(prefix="tidemill-active-", dir=options.folder))
    try:
        trial.make(place / trial.name)
        pool = Pool(open_folder(place / trial.name).labelled())
    finally:
        shutil.rmtree(place)
    curves: dict[str, list[Curve]] = {"random": [], "least certain first": []}
    for seed in range(options.seeds):
        chance = random.Random(seed)
        curves["random"].append(_curve(pool, seed, lambda _, left, count, by=chance: by.sample(left, count)))
        curves["least certain first"].append(_curve(pool, seed, _least_certain(pool)))
        print(f"seed {seed} done", flush=True)
    return _judge({name: np.mean(found, axis=0).tolist() for name, found in curves.items()})


def _curve(pool: Pool, seed: int, choose: Choose) -> Curve:
    """Accuracies after each round of an order. All orders begin with the same labels and are asked the same."""
    chance = random.Random(seed)
    mixed = chance.sample(range(len(pool)), len(pool))
    asked, left = mixed[: len(mixed) // 5], mixed[len(mixed) // 5 :]
    labelled, left = left[:BEGIN], left[BEGIN:]
    curve = []
    for _ in range(ROUNDS):
        said = pool.probabilities(labelled, seed)
        curve.append(float((said[asked].argmax(axis=1) == pool.classes[asked]).mean()))
        chosen = choose(said, left, STEP)
        labelled, left = labelled + chosen, sorted(set(left) - set(chosen))
    return curve


def _least_certain(pool: Pool) -> Choose:
    """As the platform orders them: by the runtime's uncertainty, in millionths."""

    def choose(said: np.ndarray, left: list[int], count: int) -> list[int]:
        made = predictions(said[left], pool.names)
        doubts = {at: millionths(one.uncertainty) for at, one in zip(left, made, strict=True)}
        return sorted(left, key=lambda at: (doubts[at], at), reverse=True)[:count]

    return choose


def _judge(curves: Mapping[str, Sequence[float]]) -> int:
    """How many labels the order of doubts needs for the accuracy that random order ends with."""
    print(f"{'labels':>6}  {'random':>8}  least certain first")
    for at, (by_chance, by_doubt) in enumerate(zip(*curves.values(), strict=True)):
        print(f"{BEGIN + at * STEP:6}  {by_chance:8.4f}  {by_doubt:.4f}")
    labels, goal = BEGIN + (ROUNDS - 1) * STEP, curves["random"][-1]
    reached = [at for at, accuracy in enumerate(curves["least certain first"]) if accuracy >= goal]
    if not reached:
        print(f"missed: accuracy {goal:.4f}, which random order has with {labels} labels, is not reached")
        return 1
    needed = BEGIN + reached[0] * STEP
    share = needed / labels
    print(f"accuracy {goal:.4f}: random order takes {labels} labels, least certain first {needed} ({share:.0%})")
    if share > BAR:
        print(f"missed: {share:.0%} of the labels, not {BAR:.0%}")
    return 1 if share > BAR else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.active", description=__doc__)
    parser.add_argument("--set", choices=["thucnews", "waimai", "movie"], default="thucnews")
    parser.add_argument("--seeds", type=int, default=5, help="how many times; the mean is judged")
    parser.add_argument("--folder", help="where temporary files go")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
