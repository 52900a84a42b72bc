"""Control planes to be killed: each launches the same and dies before one of the steps of launching.

`python -m tests.engines.driver <folder> <script>`: in `<folder>/1` one that dies before the first step that changes
anything, and so on. Says how many there were, the last of which was done before it could be killed.
"""

import os
import signal
import sys
from pathlib import Path
from typing import Any

from tidemill.engines.base import Image, Launch, NodePlan, Runtime
from tidemill.engines.local import LocalEngine, LocalSettings
from tidemill.store.local import LocalBackend

STEPS = {"os.mkdir", "os.rename", "os.link", "os.symlink", "os.posix_spawn", "open", "os.remove"}


def main(folder: Path, script: str) -> None:
    """A process for each step."""
    step, was_killed = 0, True
    while was_killed:
        step += 1
        pid = os.fork()
        if pid == 0:
            launch_and_die(folder / str(step), step, script)
            os._exit(0)
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        assert code in (0, -signal.SIGKILL)
        was_killed = code != 0
    print(step)


def launch_and_die(folder: Path, last: int, script: str) -> None:
    """Killed before the `last`th step, if there are so many."""
    engine = LocalEngine(
        folder / "engine", LocalBackend(folder.parent / "store", fsync=False), LocalSettings(devices="")
    )
    taken = 0

    def count(event: str, arguments: tuple[Any, ...]) -> None:
        nonlocal taken
        if event not in STEPS or (event == "open" and not _is_writing(arguments)):
            return
        taken += 1
        if taken == last:
            os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(count)
    engine.launch(describe(script))


def describe(script: str) -> Launch:
    """The launch, the same each time."""
    nodes = (NodePlan(0, "local", 1.0, 256 << 20),)
    return Launch("lau-driver", "space", ("sh", "-c", script), nodes, Image("python", ""), Runtime.PROCESS)


def _is_writing(arguments: tuple[Any, ...]) -> bool:
    flags = arguments[2] if len(arguments) > 2 else 0
    return isinstance(flags, int) and bool(flags & (os.O_WRONLY | os.O_RDWR))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
