"""The command of a node as a child of its runner: plain, or inside a sandbox."""

import ctypes
import json
import os
import signal
import time

from tidemill.engines.runner import cgroups, gang
from tidemill.engines.runner.processes import (
    become_program,
    boot_id,
    children_of,
    descendants,
    end_all,
    group_mates,
    handles,
    is_alive,
    marked,
    own_children,
    reap,
    send,
    start_ticks,
    stat_of,
)

PR_SET_CHILD_SUBREAPER = 36


class StartFailed(Exception):
    """The command could not be started; the text says why."""


def make_job(folder: str, launch: gang.LaunchRecord, node: gang.NodeRecord) -> "Job":
    """The job of a node, by its runtime."""
    if launch["runtime"] == "container":
        from tidemill.engines.runner.container import ContainerJob  # its imports cost the others time

        return ContainerJob(folder, launch, node)
    if launch["runtime"] == "sandbox":
        return SandboxJob(folder, launch, node)
    return Job(folder, launch, node)


class Job:
    """A command as a process group of its own, in a control group where there are any."""

    def __init__(self, folder: str, launch: gang.LaunchRecord, node: gang.NodeRecord) -> None:
        self.folder = folder
        self.launch = launch
        self.node = node
        self.group: cgroups.Group = node["group"]
        self.mark = f"{launch['id']}/{node['index']}"
        self.pid = 0
        self.server_pid = 0
        self.output = -1
        self._to_ask: list[int] = []
        self._asked: set[int] = set()

    def prepare(self, wait: "Wait") -> None:
        """What must be there before the command: the control group, the way to the other nodes."""
        _become_subreaper()
        if self.group:
            try:
                limits = {name: self.node[name] for name in ("cpus", "memory_bytes", "pids")}
                cgroups.make_group(self.group, **limits)
            except OSError as error:
                raise StartFailed(f"limits could not be set: {error}") from None
        if len(self.launch["nodes"]) > 1:
            from tidemill.engines.runner.reach import prepare

            self.server_pid = prepare(self.launch, self.node, wait)

    def start(self) -> None:
        """Starts the command; its output can be read from `output`."""
        self.output, into = os.pipe2(os.O_CLOEXEC)
        failed, failing = os.pipe2(os.O_CLOEXEC)
        self.pid = os.fork()
        if self.pid == 0:
            self._become(into, failing)
        os.close(into)
        os.close(failing)
        trouble = os.read(failed, 4096)
        os.close(failed)
        if trouble:
            raise StartFailed(trouble.decode())

    def started(self) -> dict[str, object]:
        """The record of the process."""
        return {
            "at": time.time(),
            "boot": boot_id(),
            "pid": self.pid,
            "inner": self.inner_pid(),
            "ticks": start_ticks(self.pid),
            "server": self.server_pid,
        }

    def inner_pid(self) -> int:
        """The process whose surroundings are the node's."""
        return self.pid

    def terminate(self) -> None:
        """Asks it to end."""
        self._to_ask = group_mates(self.inner_pid())
        self.press()

    def press(self) -> bool:
        """Passes the request on to those it was held back from; says whether there still are any.

        A shell that would die of it at once is asked after what it waits for has ended: when the first process is
        gone so is the node, and a script's program could not save its work.
        """
        alive = [pid for pid in self._to_ask if is_alive(pid)]
        parents = {int(fields[1]) for pid in alive if (fields := stat_of(pid))}
        for pid in alive:
            if pid not in self._asked and (pid not in parents or handles(pid, signal.SIGTERM)):
                send(pid, signal.SIGTERM)
                self._asked.add(pid)
        return any(pid not in self._asked for pid in alive)

    def kill(self) -> None:
        """Ends it and everything it started."""
        if self.group:
            cgroups.kill(self.group, reaps=True)
        end_all(self._rest, reaps=True)

    def remove(self) -> None:
        """Leaves nothing behind."""
        reap()
        if self.group:
            cgroups.remove(self.group)

    def exit_code(self, status: int) -> int:
        """By the shell's rule: 128 and the signal's number, for what a signal ended."""
        code = os.waitstatus_to_exitcode(status)
        return 128 - code if code < 0 else code

    def reason(self, code: int) -> str:
        """Why it ended, when nobody asked it to."""
        if code == 0:
            return "finished"
        return "out_of_memory" if self.group and cgroups.out_of_memory_kills(self.group) else "exit_code"

    def usage_group(self) -> cgroups.Group:
        """Where its use is counted."""
        return self.group

    def members(self) -> list[int]:
        """Its processes."""
        if self.group:
            return cgroups.members(self.group)
        return [pid for pid in descendants(os.getpid()) if pid != self.server_pid]

    def _rest(self) -> list[int]:
        """What no control group holds: our children; without one our descendants (orphans come to us) and strays."""
        if self.group:
            return own_children()
        return descendants(os.getpid()) + marked(self.mark)

    def _become(self, into: int, failing: int) -> "NoReturn":
        """In the child: becomes the command, or says why not."""
        try:
            os.setsid()
            null = os.open("/dev/null", os.O_RDONLY)
            for source, target in ((null, 0), (into, 1), (into, 2)):
                os.dup2(source, target)
            for number in (signal.SIGCHLD, signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGPIPE):
                signal.signal(number, signal.SIG_DFL)
            if self.group:
                cgroups.join(self.group)
            os.chdir(self.node["folder"])
            os.umask(0o022)
            self._execute()
        except BaseException as error:  # noqa: BLE001  whatever it is, the parent reports it
            os.write(failing, _explain(error, self.node["argv"][0]).encode())
        os._exit(127)

    def _execute(self) -> None:
        become_program(self.node["argv"], self.environment())

    def environment(self) -> dict[str, str]:
        """The node's variables, secrets among them."""
        environment: dict[str, str] = dict(self.node["environment"])
        try:
            with open(f"{self.folder}/secrets.json", "rb") as file:
                environment.update(json.loads(file.read()))
        except FileNotFoundError:
            pass  # the launch has none
        environment["TIDEMILL_LAUNCH"] = self.mark
        return environment


class SandboxJob(Job):
    """A command inside bubblewrap: `argv` holds its options up to `--`, and then the command."""

    def __init__(self, folder: str, launch: gang.LaunchRecord, node: gang.NodeRecord) -> None:
        super().__init__(folder, launch, node)
        self._information = -1
        self._told = -1
        self._init = 0

    def prepare(self, wait: "Wait") -> None:
        super().prepare(wait)
        program = self.node["argv"][self.node["argv"].index("--") + 1]
        if not self._is_there(program):
            raise StartFailed(f"{program}: there is no such program")

    def _is_there(self, program: str) -> bool:
        """Whether the sandbox will find the program: what it mounts elsewhere is looked up where it lies."""
        path = self.node["environment"]["PATH"].split(":")
        places = [program] if "/" in program else [f"{folder}/{program}" for folder in path]
        return any(os.access(self._outside(place), os.X_OK) for place in places)

    def _outside(self, place: str) -> str:
        if not place.startswith("/"):
            place = f"/workspace/{place}"
        if place.startswith("/run/tidemill/"):
            return f"{self.launch['folder']}/shared/{place.removeprefix('/run/tidemill/')}"
        if place.startswith("/workspace/"):
            return f"{self.node['workspace']}/{place.removeprefix('/workspace/')}"
        return place

    def start(self) -> None:
        self._told, self._information = os.pipe2(os.O_CLOEXEC)
        super().start()
        os.close(self._information)
        told = b""
        while block := os.read(self._told, 4096):
            told += block
        os.close(self._told)
        # Empty: it ended before it began. What it said is in the log, and its exit code follows.
        self._init = int(json.loads(told)["child-pid"]) if told else 0

    def inner_pid(self) -> int:
        """The command itself: the child of the sandbox's first process."""
        if not self._init:
            return self.pid
        deadline = time.monotonic() + 2.0
        while is_alive(self._init) and time.monotonic() < deadline:
            inner = children_of(self._init)
            if inner:
                return inner[0]
            time.sleep(0.002)
        return self._init

    def _execute(self) -> None:
        os.set_inheritable(self._information, True)
        program, *rest = self.node["argv"]
        end = rest.index("--")
        # Options come by descriptor: on the command line the workload would see where the platform keeps its files.
        options = os.memfd_create("options", 0)
        os.write(options, b"".join(os.fsencode(option) + b"\0" for option in rest[:end]))
        os.lseek(options, 0, os.SEEK_SET)
        argv = [program, "--info-fd", str(self._information), "--args", str(options), *rest[end:]]
        os.execve(argv[0], argv, self.environment())  # noqa: S606


def _become_subreaper() -> None:
    """Orphans below us become our children instead of disappearing to the first process of the machine."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def _explain(error: BaseException, program: str) -> str:
    if isinstance(error, FileNotFoundError):
        return f"{program}: there is no such program or folder"
    if isinstance(error, PermissionError):
        return f"{program}: is not a program that may be run"
    return f"{program}: {error}"


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import NoReturn

    Wait = Callable[[Callable[[], bool], float], None]
