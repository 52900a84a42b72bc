"""The program of a package's build. It needs the standard library only, and pip.

It finds what of the dependencies its environment does not have, builds what must be built from source, leaves wheels in
the folder `wheels` of the workspace, and then has the server put the package together; what that says is the rest of
the log. A server that is away is waited for.
"""

import json
import os
import shutil
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

WHEELS = "wheels"
RESULT = "\x1e"
"""Begins the last line of what the server says: the state the build is in, in JSON."""
PATIENCE_S = 600.0
ANSWER_WITHIN_S = 120.0
"""The server says something at least every few seconds."""
_AWAY = frozenset({429, 502, 503, 504})


class Away(Exception):
    """The server did not answer, or broke off."""


class Refused(Exception):
    """The server said no."""


def main() -> int:
    """0 only when the package is built."""
    workspace = Path(os.environ.get("TIDEMILL_WORKSPACE") or Path.cwd())
    office = Office(os.environ)
    try:
        task = office.begin()
        if task["state"] in {"completed", "failed", "stopped"}:
            return _exit_code(task["state"])
        if task["requirements"] and (code := gather(workspace, task["requirements"])):
            office.fail("package_pip", {"status": code})
            return code
        return _exit_code(office.assemble())
    except Refused as error:
        _say(str(error))
        return 1


def gather(workspace: Path, requirements: Sequence[str]) -> int:
    """Leaves wheels of what the environment does not have; pip's exit code."""
    wheels, listed, report = workspace / WHEELS, workspace / "requirements.txt", workspace / "report.json"
    shutil.rmtree(wheels, ignore_errors=True)
    wheels.mkdir(parents=True)
    listed.write_text("".join(f"{line}\n" for line in requirements), "utf-8")
    _say(f"dependencies: {', '.join(requirements)}")
    if code := _pip("install", "--dry-run", "--report", str(report), "--requirement", str(listed)):
        return code
    missing = [_exact(one) for one in json.loads(report.read_text("utf-8"))["install"]]
    if not missing:
        _say("the base image has them all")
        return 0
    listed.write_text("".join(f"{line}\n" for line in missing), "utf-8")
    return _pip("wheel", "--no-deps", "--wheel-dir", str(wheels), "--requirement", str(listed))


class Office:
    """The server as this program sees it."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        project, work = quote(environment["TIDEMILL_PROJECT"], safe=""), quote(environment["TIDEMILL_WORK"], safe="")
        self._base = f"{environment['TIDEMILL_URL'].rstrip('/')}/api/v1/projects/{project}/package-works/{work}"
        self._token = environment["TIDEMILL_TOKEN"]
        self._opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))

    def begin(self) -> dict[str, Any]:
        """What is to be done."""
        found: dict[str, Any] = json.loads(self._repeat(lambda: self._post("begin").read()))
        return found

    def fail(self, code: str, params: Mapping[str, Any]) -> None:
        """Nothing more can be done."""
        self._repeat(lambda: self._post("fail", {"code": code, "params": dict(params)}).read())

    def assemble(self) -> str:
        """Has the package put together, and tells what the server says of it; the state at the end."""
        return str(self._repeat(self._assemble))

    def _assemble(self) -> str:
        for line in self._lines("assemble"):
            if line.startswith(RESULT):
                return str(json.loads(line[len(RESULT) :])["state"])
            if line:
                _say(line)
        raise Away("the answer broke off")

    def _lines(self, what: str) -> Any:
        try:
            with self._post(what) as answer:
                for line in answer:
                    yield line.decode(errors="replace").rstrip("\n")
        except OSError as error:
            raise Away(str(error)) from error

    def _post(self, what: str, body: Any = None) -> Any:
        headers = {"Authorization": f"Bearer {self._token}", "X-Tidemill": "1", "Content-Type": "application/json"}
        request = urllib.request.Request(f"{self._base}/{what}", json.dumps(body or {}).encode(), headers)  # noqa: S310
        try:
            return self._opener.open(request, timeout=ANSWER_WITHIN_S)
        except urllib.error.HTTPError as error:
            said = error.read().decode(errors="replace")[:1000]
            if error.code in _AWAY:
                raise Away(said) from error
            raise Refused(f"{error.code}: {said}") from error
        except OSError as error:
            raise Away(str(error)) from error

    def _repeat(self, call: Any) -> Any:
        begun, wait_s = time.monotonic(), 0.2
        while True:
            try:
                return call()
            except (Away, OSError) as error:
                if time.monotonic() - begun > PATIENCE_S:
                    raise Refused(f"the server is away: {error}") from error
                time.sleep(wait_s)
                wait_s = min(wait_s * 2, 5.0)


def _pip(*arguments: str) -> int:
    command = [sys.executable, "-m", "pip", "--no-input", "--disable-pip-version-check", "--no-cache-dir"]
    return subprocess.run([*command, *arguments, "--progress-bar", "off"], check=False).returncode


def _exact(one: Mapping[str, Any]) -> str:
    name, version = one["metadata"]["name"], one["metadata"]["version"]
    return f"{name} @ {one['download_info']['url']}" if one.get("is_direct") else f"{name}=={version}"


def _exit_code(state: str) -> int:
    return 0 if state == "completed" else 1


def _say(line: str) -> None:
    print(line, flush=True)  # noqa: T201 — this is the build's log


if __name__ == "__main__":
    sys.exit(main())
