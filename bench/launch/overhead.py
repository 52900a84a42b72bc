"""What training costs more on the platform than bare: the same script, its own clock."""

import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from tidemill.sdk import Client

# A few seconds of plain work with a number logged every step, as a training loop would.
SCRIPT = """
import sys, time
import tidemill

def work(size):
    a = [[(i * j) % 7 for j in range(size)] for i in range(size)]
    columns = list(zip(*a))
    return sum(sum(x * y for x, y in zip(row, column)) for row in a for column in columns)

began, used = time.perf_counter(), time.process_time()
for step in range(int(sys.argv[1])):
    loss = work(60) / (step + 1)
    tidemill.log(loss=loss, step=step)
print("took", time.perf_counter() - began, time.process_time() - used)
"""


class Took(NamedTuple):
    """What one training took: seconds by the clock and of the processor."""

    clock_s: float
    processor_s: float


def measure(client: Client, folder: Path, steps: int, pairs: int) -> list[tuple[Took, Took]]:
    """On the platform and bare, in pairs run one right after the other, which goes first in turns."""
    source = folder / "training"
    source.mkdir()
    (source / "train.py").write_text(SCRIPT)
    client.algorithms.push(source, "training")
    # As many processors as there are: bare, nothing holds it to one either.
    client.specs.create("training", cpus=os.cpu_count() or 1, memory_bytes=2**30)
    client.tasks.create("training", f"python train.py {steps}", algorithm="training", spec="training")
    found = []
    for number in range(pairs):
        if number % 2:
            ours, bare = _on_platform(client), _bare(source, steps)
        else:
            bare, ours = _bare(source, steps), _on_platform(client)
        found.append((ours, bare))
    return found


def _on_platform(client: Client) -> Took:
    run = client.runs.wait(client.tasks.start("training"))
    return _took("".join(client.runs.logs(run.id)))


def _bare(source: Path, steps: int) -> Took:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("TIDEMILL_")}
    command = [sys.executable, "train.py", str(steps)]
    done = subprocess.run(command, cwd=source, env=environment, capture_output=True, text=True, check=True)
    return _took(done.stdout)


def _took(output: str) -> Took:
    line = next(line for line in output.splitlines() if line.startswith("took"))
    _, clock_s, processor_s = line.split()
    return Took(float(clock_s), float(processor_s))
