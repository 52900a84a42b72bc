"""Runs a program inside a running node: in its control group, its name spaces and its workspace, with its variables.

Started for each program, with a socket on which the request comes in. With a terminal, one is opened inside the node
and handed back over the socket. When the other end of the socket is closed, the program and its session are ended.
"""

import ctypes
import fcntl
import json
import os
import select
import signal
import socket
import struct
import termios

from tidemill.engines.runner import cgroups
from tidemill.engines.runner.processes import (
    all_pids,
    become_program,
    children_of,
    end_all,
    environment_of,
    is_alive,
    stat_of,
)

NS_GET_USERNS = 0xB701
PR_CAPBSET_DROP, PR_SET_NO_NEW_PRIVS = 24, 38
CAPABILITY_VERSION_3 = 0x20080522
LAST_CAPABILITY = 63
REQUEST_BYTES = 1 << 20


def main(descriptor: str) -> int:
    """Reads the request and watches over the one who fulfils it, from outside the node: gives the exit code."""
    control = socket.socket(fileno=int(descriptor))
    request = json.loads(_receive(control))
    ended = _hear_of_ends()
    pid = os.fork()
    if pid == 0:
        os._exit(_fulfil(control, request))
    _let_go_of_streams()
    return _watch(control, ended, pid)


def _fulfil(control: socket.socket, request: "dict[str, Any]") -> int:
    """Goes into the node, starts the program there and waits for it."""
    try:
        environment = environment_of(request["pid"]) | request["environment"]
        powers = _powers_of(request["pid"])
        if request["group"]:
            cgroups.join(request["group"])
        if request["is_apart"]:
            _enter(request["pid"])
        terminal = _open_terminal(control, request["terminal"]) if request["terminal"] else -1
    except OSError as error:
        os.write(2, f"{error}\n".encode())
        return 126
    control.close()
    pid = os.fork()
    if pid == 0:
        _become(request, environment, powers, terminal)
    if terminal >= 0:
        os.close(terminal)
    _let_go_of_streams()
    return _code(os.waitpid(pid, 0)[1])


def _hear_of_ends() -> int:
    """A descriptor that can be read when a child has ended."""
    ended, ending = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    signal.set_wakeup_fd(ending, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    return ended


def _receive(control: socket.socket) -> bytes:
    """The request: its length in four bytes, then itself."""
    (length,) = struct.unpack("!I", control.recv(4, socket.MSG_WAITALL))
    return control.recv(min(length, REQUEST_BYTES), socket.MSG_WAITALL)


def _enter(pid: int) -> None:
    """Moves into the name spaces of the process. As an ordinary user that takes its user name space first."""
    handles = {name: os.open(f"/proc/{pid}/ns/{name}", os.O_RDONLY | os.O_CLOEXEC) for name in _SPACES}
    owner = fcntl.ioctl(handles["mnt"], NS_GET_USERNS)
    if not _is_same(owner, "/proc/self/ns/user"):
        _set_space(owner)
    for name in ("ipc", "uts", "pid", "mnt"):
        _set_space(handles[name])
    if os.fstat(handles["user"]).st_ino != os.fstat(owner).st_ino:
        _set_space(handles["user"])


_SPACES = ("user", "ipc", "uts", "pid", "mnt")


def _is_same(handle: int, path: str) -> bool:
    return os.fstat(handle).st_ino == os.stat(path).st_ino


def _set_space(handle: int) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.setns(handle, 0) != 0:
        code = ctypes.get_errno()
        raise OSError(code, f"the node's name spaces cannot be entered: {os.strerror(code)}")


def _open_terminal(control: socket.socket, size: list[int]) -> int:
    ours, theirs = os.openpty()
    columns, rows = size
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    socket.send_fds(control, [b"t"], [ours])
    os.close(ours)
    return theirs


def _become(request: "dict[str, Any]", environment: dict[str, str], powers: int, terminal: int) -> "NoReturn":
    try:
        os.setsid()
        for number in (signal.SIGCHLD, signal.SIGHUP, signal.SIGPIPE):
            signal.signal(number, signal.SIG_DFL)
        if terminal >= 0:
            for target in (0, 1, 2):
                os.dup2(terminal, target)
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)
        if request["is_apart"]:
            _give_up_powers(powers)
        os.chdir(request["folder"])
        become_program(request["argv"], environment)
    except BaseException as error:  # noqa: BLE001  it is told on the program's own error stream
        os.write(2, f"{request['argv'][0]}: {error}\n".encode())
    os._exit(127)


def _powers_of(pid: int) -> int:
    """The capabilities the process has: it cannot gain any, neither can who comes to join it."""
    with open(f"/proc/{pid}/status") as file:
        return next(int(line.split()[1], 16) for line in file if line.startswith("CapPrm:"))


def _give_up_powers(kept: int) -> None:
    """What comes in from outside has no more rights than what is inside, now or after any exec."""
    libc = ctypes.CDLL(None, use_errno=True)
    for capability in range(LAST_CAPABILITY + 1):
        if not kept >> capability & 1:
            libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)
    libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    header = (ctypes.c_uint32 * 2)(CAPABILITY_VERSION_3, 0)
    low, high = kept & 0xFFFFFFFF, kept >> 32
    if libc.capset(header, (ctypes.c_uint32 * 6)(low, low, 0, high, high, 0)) != 0:
        raise OSError(ctypes.get_errno(), "capabilities cannot be given up")


def _let_go_of_streams() -> None:
    """They are the program's alone: who reads them sees their end when it ends."""
    null = os.open("/dev/null", os.O_RDWR)
    for target in (0, 1, 2):
        os.dup2(null, target)


def _watch(control: socket.socket, ended: int, pid: int) -> int:
    while True:
        found, status = os.waitpid(pid, os.WNOHANG)
        if found:
            return _code(status)
        ready, _, _ = select.select([control.fileno(), ended], [], [])
        if ended in ready:
            os.read(ended, 4096)
        if control.fileno() in ready and not control.recv(1):
            end_all(_Session(pid).find, within_s=5.0)
            return 128 + signal.SIGKILL


class _Session:
    """The program, its descendants, and all of its session. Who began a session of its own is let go."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        program = next(iter(children_of(pid)), 0)
        self._session = program or -1

    def find(self) -> list[int]:
        same = [pid for pid in all_pids() if (fields := stat_of(pid)) and int(fields[3]) == self._session]
        return [*same, *([self._pid] if is_alive(self._pid) else [])]


def _code(status: int) -> int:
    code = os.waitstatus_to_exitcode(status)
    return 128 - code if code < 0 else code


TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn
