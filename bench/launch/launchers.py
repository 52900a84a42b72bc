"""Ways to run a command: Tidemill, and its peers in the same run.

A launcher has `run()`: seconds from "submit" of `true` to "done" as a user sees it; and `burst(count)`: seconds until
so many have ended.
"""

import os
import shlex
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Protocol

from tidemill.sdk import Client

LOOK_EVERY_S = 0.01
SENDERS = 4
FINAL = {"completed", "failed", "stopped"}


class Launcher(Protocol):
    name: str

    def run(self) -> float: ...
    def burst(self, count: int) -> float: ...


class Bare:
    """The floor: fork, exec, wait."""

    name = "subprocess"

    def run(self) -> float:
        return _timed(lambda: subprocess.run(["true"], check=True))

    def burst(self, count: int) -> float:
        return _timed(lambda: [subprocess.run(["true"], check=True) for _ in range(count)])


class Tidemill:
    """Starting a task over HTTP, and asking for its run until it has ended."""

    name = "tidemill"

    def __init__(self, client: Client) -> None:
        self.client = client
        # The bench declares more processors than there are: as with the peers, a job that does nothing waits for none.
        client.specs.create("bench", cpus=1, memory_bytes=64 * 2**20)
        client.tasks.create("true", "true", spec="bench")

    def run(self) -> float:
        began = time.perf_counter()
        self._wait(self.client.tasks.start("true").id)
        return time.perf_counter() - began

    def burst(self, count: int) -> float:
        began = time.perf_counter()
        with ThreadPoolExecutor(SENDERS) as senders:
            ids = list(senders.map(lambda _: self.client.tasks.start("true").id, range(count)))
        for run_id in ids:
            self._wait(run_id)
        return time.perf_counter() - began

    def _wait(self, run_id: str) -> None:
        while True:
            found = self.client.runs.get(run_id)
            if found.state in FINAL:
                assert found.state == "completed", found
                return
            time.sleep(LOOK_EVERY_S)


class RayJobs:
    """Ray's Jobs API on a running head."""

    name = "ray jobs"

    def __init__(self, address: str) -> None:
        from ray.job_submission import JobSubmissionClient  # type: ignore[import-not-found]

        self.client = JobSubmissionClient(address)

    def run(self) -> float:
        began = time.perf_counter()
        self._wait(self.client.submit_job(entrypoint="true"))
        return time.perf_counter() - began

    def burst(self, count: int) -> float:
        began = time.perf_counter()
        for job in [self.client.submit_job(entrypoint="true") for _ in range(count)]:
            self._wait(job)
        return time.perf_counter() - began

    def _wait(self, job: str) -> None:
        while not self.client.get_job_status(job).is_terminal():
            time.sleep(LOOK_EVERY_S)


class RayJobsElsewhere:
    """Ray in a Python of its own: a small program there does the timing, and prints it."""

    name = "ray jobs"

    def __init__(self, python: str, address: str) -> None:
        self.python = python
        self.address = address

    def run(self) -> float:
        return self._measure("run()")

    def burst(self, count: int) -> float:
        return self._measure(f"burst({count})")

    def _measure(self, what: str) -> float:
        here = os.path.dirname(os.path.dirname(os.path.dirname(__file__)))
        script = f"import sys; sys.path[:0] = [{here!r}, {os.path.join(here, 'src')!r}]\n"
        script += "import types; sys.modules['tidemill.sdk'] = types.SimpleNamespace(Client=None)\n"
        script += f"from bench.launch.launchers import RayJobs\nprint(RayJobs({self.address!r}).{what})"
        done = subprocess.run([self.python, "-c", script], capture_output=True, text=True, check=True)
        return float(done.stdout.splitlines()[-1])


class Slurm:
    """`sbatch` of a script; the end is seen by asking squeue."""

    name = "slurm"

    def run(self) -> float:
        began = time.perf_counter()
        job = self._submit()
        while subprocess.run(["squeue", "-h", "-j", job], capture_output=True, text=True).stdout.strip():
            time.sleep(LOOK_EVERY_S)
        return time.perf_counter() - began

    def burst(self, count: int) -> float:
        began = time.perf_counter()
        for _ in range(count):
            self._submit()
        while subprocess.run(["squeue", "-h"], capture_output=True, text=True).stdout.strip():
            time.sleep(0.1)
        return time.perf_counter() - began

    def _submit(self) -> str:
        text = f"#!/bin/sh\n{shlex.join(['true'])}\n"
        command = ["sbatch", "--parsable", "-o", "/dev/null"]
        return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout.strip()


def _timed(work: object) -> float:
    began = time.perf_counter()
    work()  # type: ignore[operator]
    return time.perf_counter() - began
