"""Runs the checks and says at the end how each went: `checks.py check` for the quick ones, `checks.py test` for all."""

import argparse
import os
import re
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import web
from environment import PYTHON, VENV
from steps import ROOT

_FAILED = re.compile(r"(\d+) failed")
_BROKEN = re.compile(r"\d+ error")
RETRIED_MAX = 5
_ESCAPES = re.compile(r"\x1b\[[0-9;]*m")
_SCREEN = threading.Lock()


@dataclass(frozen=True)
class Check:
    name: str
    command: list[str]
    cwd: Path = ROOT


@dataclass(frozen=True)
class Outcome:
    check: Check
    passed: bool
    seconds: float
    last_line: str


def _npm(script: str) -> list[str]:
    return ["npm", "run", "--silent", script]


def _pytest(*options: str) -> list[str]:
    return [str(PYTHON), "-m", "pytest", "-q", *options]


QUICK = [
    Check("format", ["ruff", "format", "--check", "."]),
    Check("lint", ["ruff", "check", "."]),
    Check("types", ["mypy"]),
    Check("rooms", ["lint-imports"]),
    Check("API client", [str(PYTHON), "scripts/api.py", "--check"]),
    Check("web types", _npm("typecheck"), web.WEB),
    Check("web lint", _npm("lint"), web.WEB),
]
SIDE_BY_SIDE = 2
# Three workers for two cores: tests wait for servers and processes half of their time. A file's tests stay together and
# share their servers. The browser comes last, two side by side, each test where there is room: all share one server.
_SPREAD = ["--dist", "loadfile", "--no-loadscope-reorder"]
WEB_TESTS = Check("web tests", _npm("test"), web.WEB)
TESTS = [
    Check("tests", _pytest("-m", "not browser", "-n", "3", *_SPREAD)),
    Check("browser tests", _pytest("-m", "browser", "-n", "2", "--dist", "load")),
]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("which", choices=["check", "test"])
    is_all = parser.parse_args().which == "test"
    environ = web.environ()
    environ["PATH"] = f"{VENV / 'bin'}{os.pathsep}{environ['PATH']}"
    began = time.monotonic()
    # The longest first, so that none is waited for alone at the end.
    quick = [WEB_TESTS, *reversed(QUICK)] if is_all else QUICK[::-1]
    with ThreadPoolExecutor(SIDE_BY_SIDE) as pool:
        outcomes = list(pool.map(lambda check: _run_quietly(check, environ), quick))
    outcomes += [_run_tests(check, environ) for check in TESTS] if is_all else []
    return _summarise(outcomes, time.monotonic() - began)


def _run_quietly(check: Check, environ: dict[str, str]) -> Outcome:
    """Shows what it said when it is done, so that two do not talk at the same time."""
    began = time.monotonic()
    done = subprocess.run(
        check.command, cwd=check.cwd, env=environ, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False
    )
    with _SCREEN:
        print(f"\n=== {check.name}: {' '.join(check.command)}", flush=True)
        sys.stdout.buffer.write(done.stdout)
        sys.stdout.buffer.flush()
    return Outcome(check, done.returncode == 0, time.monotonic() - began, _last_line(done.stdout[-4096:]))


def _run_tests(check: Check, environ: dict[str, str]) -> Outcome:
    """A few that fail beside others are tried once more alone, and named: a busy machine is told from a fault."""
    first = _run(check, environ)
    failed = _FAILED.search(first.last_line)
    if first.passed or failed is None or int(failed[1]) > RETRIED_MAX or _BROKEN.search(first.last_line):
        return first
    alone = check.command[: check.command.index("-n")]
    # The folders of runs before it are left to the next one: deleting them takes minutes.
    alone += ["--last-failed", "--last-failed-no-failures=none", "-vv", "-o", "tmp_path_retention_count=10"]
    again = _run(Check(check.name, alone), environ)
    told = f"{first.last_line}; alone: {again.last_line}"
    return Outcome(check, again.passed, first.seconds + again.seconds, told)


def _run(check: Check, environ: dict[str, str]) -> Outcome:
    print(f"\n=== {check.name}: {' '.join(check.command)}", flush=True)
    began = time.monotonic()
    tail = b""
    with subprocess.Popen(
        check.command, cwd=check.cwd, env=environ, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    ) as process:
        assert process.stdout is not None
        # As it comes, not line by line: pytest's dots are the only sign of life for minutes.
        while chunk := process.stdout.read1(65536):
            sys.stdout.buffer.write(chunk)
            sys.stdout.buffer.flush()
            tail = (tail + chunk)[-4096:]
    return Outcome(check, process.returncode == 0, time.monotonic() - began, _last_line(tail))


def _last_line(tail: bytes) -> str:
    lines = [_ESCAPES.sub("", line).strip() for line in tail.decode(errors="replace").splitlines()]
    return next((line for line in reversed(lines) if line), "")


def _summarise(outcomes: list[Outcome], seconds: float) -> int:
    print("\n=== summary")
    for outcome in outcomes:
        verdict = "ok    " if outcome.passed else "FAILED"
        print(f"{verdict} {outcome.check.name:<14}{outcome.seconds:7.1f} s   {outcome.last_line[:200]}")
    failed = [outcome.check.name for outcome in outcomes if not outcome.passed]
    verdict = (
        f"{len(failed)} of {len(outcomes)} failed: {', '.join(failed)}" if failed else f"all {len(outcomes)} passed"
    )
    print(f"{verdict}, in {seconds:.0f} s")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
