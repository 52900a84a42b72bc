"""The server's side of a build: what its program is told, and asks for."""

import json
import logging
import queue
import threading
from collections.abc import Iterator
from typing import Any

from fastapi import FastAPI

from tidemill.accounts.access import Caller
from tidemill.jobs.texts import error_text, say_error, text
from tidemill.kernel.errors import TidemillError
from tidemill.packages import assembling
from tidemill.packages.assembling import Ended
from tidemill.packages.building import needed
from tidemill.packages.schemas import BuildTask
from tidemill.packages.worker import RESULT

log = logging.getLogger("tidemill.packages")

QUIET_S = 5.0
"""A line without words is sent after this long, so that the other side knows that we are there."""


def begin(app: FastAPI, version_id: str, *, by: Caller) -> BuildTask:
    """What the program has to do."""
    try:
        build = assembling.open_build(app, version_id, by=by)
    except Ended as ended:
        return BuildTask(state=ended.state, requirements=[])
    return BuildTask(state=build.row.state, requirements=needed(build.plan))


def assemble(app: FastAPI, version_id: str, *, by: Caller) -> Iterator[bytes]:
    """Puts the version together in a thread of its own, and says how it goes; the last line is the end of it.

    A reader that goes away does not stop it: whoever asks again waits for it, and finds it done.
    """
    lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
    end: dict[str, Any] = {}

    def work() -> None:
        try:
            end.update(_assemble(app, version_id, lines.put, by=by))
        except Exception:
            # A defect of ours: the program comes again, as often as its workload is tried.
            log.exception("package version %s could not be put together", version_id)
            lines.put("internal error; the server's log has it")
        finally:
            lines.put(None)

    threading.Thread(target=work, name=f"package-{version_id}", daemon=True).start()
    while True:
        try:
            line = lines.get(timeout=QUIET_S)
        except queue.Empty:
            yield b"\n"
            continue
        if line is None:
            break
        yield f"{line}\n".encode(errors="replace")
    yield f"{RESULT}{json.dumps(end or {'state': 'failed'})}\n".encode()


def note_failure(app: FastAPI, version_id: str, status: int, *, by: Caller) -> None:
    """The program could not get what the version needs."""
    assembling.fail(app, version_id, text("package_pip", status=status), by=by)


def _assemble(app: FastAPI, version_id: str, say: assembling.Say, *, by: Caller) -> dict[str, Any]:
    try:
        assembling.assemble(assembling.open_build(app, version_id, by=by), say)
    except Ended as ended:
        return {"state": ended.state}
    except TidemillError as error:
        problem = error_text(error)
        assembling.fail(app, version_id, problem, by=by)
        say(str(say_error(problem, "en")["message"]))
        return {"state": "failed"}
    return {"state": "completed"}
