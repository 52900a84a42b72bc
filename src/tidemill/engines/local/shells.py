"""Programs started inside a running node, through a helper that goes into it."""

import fcntl
import json
import os
import select
import socket
import struct
import subprocess
import sys
import termios
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from tidemill.engines import runner
from tidemill.engines.base import EngineError, Shell
from tidemill.engines.local.nodes import Node

OPEN_S = 30.0
CLOSE_S = 10.0


class NodeShell:
    """A program in a node: `Shell` of the contract."""

    stdin: int
    stdout: int
    stderr: int | None

    def __init__(self, helper: "subprocess.Popen[bytes]", control: socket.socket, streams: Sequence[int]) -> None:
        self._helper = helper
        self._control = control
        self._lock = threading.Lock()
        self._is_closed = False
        if len(streams) == 1:
            self.stdin = self.stdout = streams[0]
            self.stderr = None
        else:
            self.stdin, self.stdout, self.stderr = streams

    def resize(self, columns: int, rows: int) -> None:
        if self.stderr is None:
            fcntl.ioctl(self.stdin, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def wait(self) -> int:
        return self._helper.wait()

    def close(self) -> None:
        with self._lock:
            if self._is_closed:
                return
            self._is_closed = True
        self._control.close()
        for stream in {self.stdin, self.stdout, self.stderr} - {None}:
            with suppress(OSError):  # the caller may have closed the program's input
                os.close(stream)  # type: ignore[arg-type]
        try:
            self._helper.wait(CLOSE_S)
        except subprocess.TimeoutExpired:
            self._helper.kill()
            self._helper.wait()


def open_shell(
    node: Node, argv: Sequence[str], *, environment: Mapping[str, str], terminal: tuple[int, int] | None
) -> Shell:
    """Starts a program in the node's own surroundings."""
    if not argv:
        raise EngineError("a program to run must be named")
    request = _request(node, argv, environment, terminal)
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
    with theirs:
        helper, streams = _start(theirs, has_terminal=terminal is not None)
    data = json.dumps(request).encode()
    try:
        ours.sendall(struct.pack("!I", len(data)) + data)
        if terminal is not None:
            streams = [_receive_terminal(ours)]
    except (OSError, EngineError) as error:
        ours.close()
        helper.wait(CLOSE_S)
        raise EngineError(f"the node cannot be entered: {error}") from None
    return NodeShell(helper, ours, streams)


def _request(
    node: Node, argv: Sequence[str], environment: Mapping[str, str], terminal: tuple[int, int] | None
) -> dict[str, object]:
    variables = {"TERM": "xterm-256color"} if terminal else {}
    return {
        "pid": node.inner_pid,
        "is_apart": node.is_apart,
        "group": node.group,
        "folder": "/workspace" if node.is_apart else str(node.workspace),
        "argv": list(argv),
        "environment": variables | dict(environment),
        "terminal": list(terminal) if terminal else None,
    }


def _start(theirs: socket.socket, *, has_terminal: bool) -> "tuple[subprocess.Popen[bytes], list[int]]":
    """The helper, and our ends of its three streams; with a terminal there are none."""
    program = str(Path(runner.__file__).parent / "__main__.py")
    argv = [sys.executable, "-I", "-S", program, "enter", str(theirs.fileno())]
    pipes = [] if has_terminal else [os.pipe() for _ in range(3)]
    inner = [pipes[0][0], pipes[1][1], pipes[2][1]] if pipes else [subprocess.DEVNULL] * 3
    try:
        helper = subprocess.Popen(
            argv,
            stdin=inner[0],
            stdout=inner[1],
            stderr=inner[2],
            pass_fds=[theirs.fileno()],
            env={"LANG": "C.UTF-8"},
            cwd="/",
            start_new_session=True,
        )
    finally:
        for handle in inner if pipes else ():
            os.close(handle)
    return helper, [pipes[0][1], pipes[1][0], pipes[2][0]] if pipes else []


def _receive_terminal(control: socket.socket) -> int:
    ready, _, _ = select.select([control], [], [], OPEN_S)
    _, handles, _, _ = socket.recv_fds(control, 1, 1) if ready else (b"", [], 0, None)
    if not handles:
        raise EngineError("no terminal was opened")
    return int(handles[0])
