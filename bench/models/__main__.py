"""`python -m bench.models`: trains on real data, prints what comes of it, fails when a bar is missed. See README.md."""

import argparse
import json
import shutil
import sys
import tempfile
from pathlib import Path

from bench.models import picture_sets, sets
from bench.models.running import train
from bench.models.sets import Trial

TRIALS = [*sets.TRIALS, *picture_sets.TRIALS]


def main() -> int:
    options = _options()
    chosen = [trial for trial in TRIALS if _is_meant(trial, options)]
    missed = []
    place = Path(options.keep or tempfile.mkdtemp(prefix="tidemill-models-", dir=options.folder))
    try:
        for trial in chosen:
            missed += _run(trial, place / trial.name, options)
    finally:
        if not options.keep:
            shutil.rmtree(place)
    for line in missed:
        print(f"missed: {line}")
    return 1 if missed or not chosen else 0


def _run(trial: Trial, workspace: Path, options: argparse.Namespace) -> list[str]:
    shutil.rmtree(workspace, ignore_errors=True)
    trial.make(workspace / "dataset" / trial.name)
    if trial.start is not None:
        shutil.copytree(trial.start(), workspace / "model" / "start")
    parameters = {**trial.parameters, "seed": options.seed}
    done = train(trial.task, workspace, parameters, threads=options.threads, is_loud=options.verbose)
    if done.problem is not None:
        print(f"{trial.name}: the training failed\n{done.problem}", flush=True)
        return [f"{trial.name} failed"]
    found = json.loads((workspace / "persistent-model" / "evaluation" / "evaluation.json").read_bytes())
    value = found["metrics"][trial.metric]
    print(
        f"{trial.name:20} {trial.metric} {value:.4f} (bar {trial.bar}) on {found['items']} items kept apart, "
        f"{done.seconds:.0f} s (bar {trial.seconds:.0f}), {done.processor_s:.0f} s of processor",
        flush=True,
    )
    is_missed = value > trial.bar if trial.goal == "min" else value < trial.bar
    missed = [f"{trial.name}: {trial.metric} is {value:.4f}, not {trial.bar}"] if is_missed else []
    is_late = done.seconds > trial.seconds
    late = [f"{trial.name}: took {done.seconds:.0f} s, not {trial.seconds:.0f}"] if is_late else []
    return missed + late


def _is_meant(trial: Trial, options: argparse.Namespace) -> bool:
    by_task = not options.task or trial.task in options.task
    return by_task and (not options.set or trial.name in options.set)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.models", description=__doc__)
    parser.add_argument("--task", action="append", help="only this task; may be repeated")
    parser.add_argument("--set", action="append", help="only this set; may be repeated")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--folder", help="where temporary files go")
    parser.add_argument("--keep", help="a folder to work in, which is kept")
    parser.add_argument("--verbose", action="store_true", help="show what the trainings say")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
