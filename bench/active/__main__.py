"""`python -m bench.active`: least certain first against random order, on real data. See README.md."""

import argparse
import json
import random
import shutil
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from bench.models import sets
from bench.models.running import train
from bench.models.sets import Trial
from tidemill.datasets.doubts import millionths
from tidemill.runtime import load
from tidemill.sdk.data import Item, open_folder

SETS = {"digits": (60, 60, 6), "thucnews": (300, 300, 8), "waimai": (300, 300, 8), "adult": (250, 250, 8)}
"""Labels to begin with, labels a round, rounds."""
BAR = 0.7
Choose = Callable[[Any, list[Item], int], list[Item]]


def main() -> int:
    options = _options()
    trial = next(one for one in sets.TRIALS if one.name == options.set)
    place = Path(tempfile.mkdtemp(prefix="tidemill-active-", dir=options.folder))
    try:
        trial.make(place / "whole" / trial.name)
        loop = Loop(trial, place, options)
        chance = random.Random(options.seed)
        orders: dict[str, Choose] = {
            "random": lambda _model, pool, count: chance.sample(pool, count),
            "least certain first": _least_certain,
        }
        curves = {name: loop.run(name, choose) for name, choose in orders.items()}
    finally:
        shutil.rmtree(place)
    return _judge(curves)


class Loop:
    """Label some, train, look at the rest; again."""

    def __init__(self, trial: Trial, place: Path, options: argparse.Namespace) -> None:
        self._trial, self._place, self._options = trial, place, options
        self._whole = open_folder(place / "whole" / trial.name)
        pool, self._test = self._whole.labelled().split(0.2, options.seed)
        self._pool = list(pool)
        begin, self._step, self._rounds = SETS[trial.name]
        self._first = random.Random(options.seed).sample(self._pool, begin)

    def run(self, name: str, choose: Choose) -> list[tuple[int, float]]:
        """The curve of an order: labels and accuracy. All orders begin with the same labels."""
        labelled, curve = list(self._first), []
        for _ in range(self._rounds):
            model = self._trained(labelled)
            curve.append((len(labelled), self._accuracy(model)))
            print(f"{name}: {curve[-1][0]} labels, accuracy {curve[-1][1]:.4f}", flush=True)
            known = {item.seq for item in labelled}
            left = [item for item in self._pool if item.seq not in known]
            labelled += choose(model, left, self._step)
        return curve

    def _trained(self, labelled: Sequence[Item]) -> Any:
        workspace = self._place / "run"
        shutil.rmtree(workspace, ignore_errors=True)
        self._publish({item.seq for item in labelled}, workspace / "dataset" / self._trial.name)
        parameters = {**self._trial.parameters, "seed": self._options.seed, "test_share": 0.0}
        done = train(self._trial.task, workspace, parameters, threads=self._options.threads)
        if done.problem is not None:
            raise RuntimeError(done.problem)
        return load(workspace / "persistent-model")

    def _publish(self, seqs: set[int], target: Path) -> None:
        """The set with these items alone; their files stay where they are."""
        whole = self._whole.folder
        target.mkdir(parents=True)
        (target / "dataset.json").write_bytes((whole / "dataset.json").read_bytes())
        with (target / "annotations.jsonl").open("w", encoding="utf-8") as lines:
            for line in (whole / "annotations.jsonl").read_text("utf-8").splitlines():
                row = json.loads(line)
                if row["seq"] in seqs:
                    lines.write(line + "\n")
                    file = target / row["path"]
                    file.parent.mkdir(parents=True, exist_ok=True)
                    file.symlink_to(whole / row["path"])

    def _accuracy(self, model: Any) -> float:
        items = list(self._test)
        said = _predicted(model, items)
        right = sum(one.annotations[0]["label"] == item.classes[0] for one, item in zip(said, items, strict=True))
        return right / len(items)


def _least_certain(model: Any, pool: list[Item], count: int) -> list[Item]:
    """As the platform orders them: by the runtime's uncertainty, in millionths."""
    said = _predicted(model, pool)
    doubts = {item.seq: millionths(one.uncertainty) for item, one in zip(pool, said, strict=True)}
    return sorted(pool, key=lambda item: (doubts[item.seq], item.seq), reverse=True)[:count]


def _predicted(model: Any, items: Sequence[Item]) -> list[Any]:
    return [one for at in range(0, len(items), 64) for one in model.predict(items[at : at + 64])]


def _judge(curves: dict[str, list[tuple[int, float]]]) -> int:
    """How many labels the order of doubts needs for the accuracy that random order ends with."""
    labels, goal = curves["random"][-1]
    needed = next((count for count, accuracy in curves["least certain first"] if accuracy >= goal), None)
    if needed is None:
        print(f"missed: accuracy {goal:.4f}, which random order has with {labels} labels, is not reached")
        return 1
    share = needed / labels
    print(f"accuracy {goal:.4f}: random order takes {labels} labels, least certain first {needed} ({share:.0%})")
    if share > BAR:
        print(f"missed: {share:.0%} of the labels, not {BAR:.0%}")
    return 1 if share > BAR else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.active", description=__doc__)
    parser.add_argument("--set", choices=sorted(SETS), default="digits")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--folder", help="where temporary files go")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
