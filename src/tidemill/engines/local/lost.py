"""Nodes whose runner is gone without a record: what it left behind is ended, and then the end is written down."""

import os
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from tidemill.engines.runner import cgroups
from tidemill.engines.runner.files import remove_file, write_record_once
from tidemill.engines.runner.gang import end_others
from tidemill.engines.runner.processes import end_all, marked


def close(launch: dict[str, Any], index: int, folder: Path) -> None:
    """Ends all that is left of the node, then records that it was lost. May be done by several at once."""
    node = next(node for node in launch["nodes"] if node["index"] == index)
    if node["group"]:
        cgroups.kill(node["group"])
        cgroups.remove(node["group"])
    end_all(lambda: marked(f"{launch['id']}/{index}"))
    if launch["runtime"] == "container":
        from tidemill.engines.runner.container import remove_container

        remove_container(node["container"]["socket"], launch["id"], index)
    remove_file(f"{folder}/secrets.json")
    record = {"reason": "node_lost", "exit_code": None, "message": "", "at": time.time()}
    write_record_once(f"{folder}/exit.json", record, sync=True)
    end_others(launch, index, "node_lost")


def remove_strays(bases: cgroups.Group, tag: str, known: set[str]) -> None:
    """Removes control groups of launches of ours that have ended."""
    for base in set(bases.values()):
        with suppress(OSError):
            for name in os.listdir(base):
                if name.startswith(f"{tag}-") and name not in known:
                    group = cgroups.group_of(bases, name)
                    cgroups.kill(group)
                    cgroups.remove(group)
