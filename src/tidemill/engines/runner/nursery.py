"""Where runners come from: one process that has read everything a runner needs, and forks one for each node.

A runner that is forked is there in a millisecond or two; one that is started takes thirty. The nursery reads folders of
nodes from its standard input, each followed by a zero byte, and ends when whoever writes there has gone: its runners
are processes of their own sessions and go on.
"""

import gc
import os
import signal

from tidemill.engines.runner.node import main as run_node

_READ_BYTES = 1 << 16


def main() -> int:
    """Forks until the input ends; in each fork, runs the node."""
    # Nobody waits for them here: their records say how they ended.
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    # The runners share what is there now, as long as nobody writes to it.
    gc.freeze()
    rest = b""
    while asked := os.read(0, _READ_BYTES):
        *folders, rest = (rest + asked).split(b"\0")
        for folder in folders:
            if os.fork() == 0:
                return _become_runner(os.fsdecode(folder))
    return 0


def _become_runner(folder: str) -> int:
    os.setsid()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    null = os.open(os.devnull, os.O_RDWR)
    errors = os.open(f"{folder}/runner.log", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    for handle, place in ((null, 0), (null, 1), (errors, 2)):
        os.dup2(handle, place)
    return run_node(folder)
