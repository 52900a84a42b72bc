"""One training of a built-in algorithm, in a process of its own, as a run would do it."""

import json
import os
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Done:
    """What it took."""

    seconds: float
    processor_s: float
    """On all cores: it says more than the clock where others work beside."""
    problem: str | None
    """The end of what it said, if it failed."""


def train(
    task: str, workspace: Path, parameters: Mapping[str, Any], *, threads: int = 2, is_loud: bool = False
) -> Done:
    """Trains on `workspace/dataset`, from `workspace/model` if there is one, into `workspace/persistent-model`."""
    algorithm = workspace / "algorithm" / task
    shutil.copytree(ROOT / "algorithms" / task, algorithm, dirs_exist_ok=True)
    environ = os.environ | {
        "TIDEMILL_WORKSPACE": str(workspace),
        "TIDEMILL_PARAMETERS": json.dumps(dict(parameters)),
        "OMP_NUM_THREADS": str(threads),
        # Threads that wait for work do not spin: beside others that would count as work.
        "OMP_WAIT_POLICY": "passive",
    }
    began, before = time.monotonic(), _processor_s()
    output = None if is_loud else subprocess.PIPE
    done = subprocess.run([sys.executable, "train.py"], cwd=algorithm, env=environ, stdout=output, stderr=output)
    problem = (done.stderr or b"").decode()[-3000:] if done.returncode else None
    return Done(time.monotonic() - began, _processor_s() - before, problem)


def _processor_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
