"""How the program of a work begins and ends."""

import gc
import logging
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tidemill.datasets.notes import Note, Refused
from tidemill.datasets.works import guard
from tidemill.datasets.works.office import Office, Refusal
from tidemill.datasets.works.states import DONE, ENDED

FAILURE = 1

log = logging.getLogger("tidemill.datasets")

_OVER = frozenset({"work_ended", "work_not_found", "token_invalid", "unauthenticated"})
"""Somebody ended the work: nothing is left to do here."""
_FINAL = frozenset(
    {"storage_limit", "dataset_published", "dataset_publishing", "work_version_gone", "forbidden_permission"}
)
"""Trying again would not help."""


def run(work: Callable[[Office, dict[str, Any], Path], None]) -> int:
    """Does the work this process was started for; its exit code: 0 only where the work is done.

    What the program itself found to be impossible is said to the server, which then does not have it tried again.
    Everything else is, from where it was.
    """
    logging.basicConfig(level=logging.INFO, format="%(message)s", stream=sys.stdout)
    logging.getLogger("httpx2").setLevel(logging.WARNING)
    guard.install()
    # Records come and go by hundreds of thousands and hold no cycles: looking for some would be a fifth of the work.
    gc.freeze()
    gc.set_threshold(200_000, 20, 50)
    office = Office.from_environment()
    scratch = Path(os.environ.get("TIDEMILL_WORKSPACE") or Path.cwd()) / ".work"
    scratch.mkdir(parents=True, exist_ok=True)
    try:
        task = office.begin()
        if task["state"] in ENDED:
            # An attempt before this one ended it.
            return _exit_code(task["state"])
        begun_s, begun_cpu_s = time.monotonic(), time.process_time()
        work(office, task, scratch)
        log.info("done in %.2f s (%.2f s of processor)", time.monotonic() - begun_s, time.process_time() - begun_cpu_s)
    except Refused as refused:
        log.error("%s", refused)
        office.fail(refused.note)
        return FAILURE
    except Refusal as refusal:
        if refusal.code in _OVER:
            log.info("%s", refusal)
            return _exit_code(office.begin()["state"]) if refusal.code == "work_ended" else FAILURE
        if refusal.code not in _FINAL:
            raise
        log.error("%s", refusal)
        office.fail(Note(refusal.code, params={"message": refusal.message}))
        return FAILURE
    finally:
        office.close()
    return 0


def _exit_code(state: str) -> int:
    return 0 if state == DONE else FAILURE
