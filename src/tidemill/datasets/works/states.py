"""Where a work is."""

from typing import Literal

State = Literal["waiting", "running", "done", "failed", "stopped"]
Kind = Literal["import", "export", "preprocess", "scan", "auto"]

WAITING, RUNNING, DONE, FAILED, STOPPED = "waiting", "running", "done", "failed", "stopped"
ENDED = frozenset({DONE, FAILED, STOPPED})
PREFIXES: dict[str, str] = {"import": "imp", "export": "exp", "preprocess": "pre", "scan": "scn", "auto": "aut"}
WORKLOAD_KINDS: dict[str, str] = {
    "import": "import",
    "export": "export",
    "preprocess": "preprocess",
    "scan": "dataset-scan",
    "auto": "auto-annotate",
}
