"""The engine contract: what a machine or a cluster does for us. `tidemill.engines.contract` is the suite to pass.

An engine runs launches. A launch is one attempt of a workload on one or several nodes; who may launch, and when, is
decided above. Everything an engine is told survives a kill of the process that told it: launches are written down
before they begin, are supervised apart from the control plane, and leave a record when they end. Every call may be
repeated: after a crash the caller does not know whether its last call arrived.

Methods are called from many threads. They raise `EngineError` when the engine cannot do what was asked; the text is
shown to users.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Literal, Protocol


class EngineError(Exception):
    """The engine cannot do this, and says why in words for users."""


class Runtime(StrEnum):
    """How a launch is kept apart from the rest of its machine."""

    PROCESS = "process"
    SANDBOX = "sandbox"
    CONTAINER = "container"


@dataclass(frozen=True, slots=True)
class Device:
    """An accelerator. `shares` is how many workloads may use it together: 1 unless it can be divided."""

    kind: str
    id: str
    memory_bytes: int | None = None
    shares: int = 1


@dataclass(frozen=True, slots=True)
class Machine:
    """What can be given out in one place."""

    name: str
    cpus: float
    memory_bytes: int
    devices: tuple[Device, ...] = ()
    fabrics: frozenset[str] = frozenset()
    """`ib`, `roce`"""
    runtimes: tuple[Runtime, ...] = (Runtime.PROCESS,)
    """The best first."""
    enforced: Mapping[Runtime, frozenset[str]] = field(default_factory=dict)
    """Which limits (`cpu`, `memory`, `pids`) each runtime really holds workloads to, here."""


@dataclass(frozen=True, slots=True)
class Granted:
    """A device, or a share of one, for one node of a launch."""

    kind: str
    id: str
    share: float = 1.0


@dataclass(frozen=True, slots=True)
class NodePlan:
    """One node of a launch: where it is to run and what it may use."""

    index: int
    machine: str
    cpus: float
    memory_bytes: int
    devices: tuple[Granted, ...] = ()


@dataclass(frozen=True, slots=True)
class Image:
    """What a launch runs in: an OCI image by its reference, or a Python environment by its folder."""

    kind: Literal["oci", "python"]
    reference: str
    """`registry/name@sha256:…`, or the folder of the virtual environment. Empty: the platform's own interpreter."""


@dataclass(frozen=True, slots=True)
class MaterialFile:
    """A file of a material: where it is to be, and its bytes by digest."""

    path: str
    digest: str
    size_bytes: int


@dataclass(frozen=True, slots=True)
class Material:
    """A tree of files from the store, by a key that stands for exactly this content."""

    key: str
    files: Callable[[], Iterable[MaterialFile]]


@dataclass(frozen=True, slots=True)
class Placed:
    """A prepared material in a launch's workspace.

    `link`: read-only, without copying bytes. `copy`: the workload's own files, made once; later launches with the same
    workspace find them as they left them.
    """

    key: str
    target: str
    """Below the workspace: `dataset/tides`."""
    mode: Literal["link", "copy"] = "link"


@dataclass(frozen=True, slots=True)
class Launch:
    """One attempt of a workload. The same id is never run twice, however often it is asked for."""

    id: str
    workspace: str
    """Key of the folder at `/workspace`. It outlives launches; nodes of one launch share it."""
    command: tuple[str, ...]
    nodes: tuple[NodePlan, ...]
    image: Image
    runtime: Runtime
    run_on: Literal["all", "first"] = "all"
    """`first`: the other nodes only wait to be reached over SSH, as mpirun wants it."""
    environment: Mapping[str, str] = field(default_factory=dict)
    secrets: Mapping[str, str] = field(default_factory=dict)
    """Environment too, but never in process lists, logs or anything that is shown."""
    materials: tuple[Placed, ...] = ()
    time_limit_s: float | None = None
    grace_s: float = 10.0
    log_bytes: int = 64 * 1024 * 1024
    """How much of each node's output is kept: the newest."""


EndReason = Literal[
    "finished", "exit_code", "stopped", "time_limit", "out_of_memory", "node_lost", "launch_failed", "log_full"
]


@dataclass(frozen=True, slots=True)
class NodeSeen:
    """A node as it is now."""

    index: int
    host_name: str
    address: str
    state: Literal["starting", "running", "ended"]
    exit_code: int | None = None


@dataclass(frozen=True, slots=True)
class Seen:
    """A launch as it is now. `absent`: the engine has never heard of it, or has forgotten it."""

    state: Literal["absent", "starting", "running", "ended"]
    reason: EndReason | None = None
    exit_code: int | None = None
    message: str = ""
    """Why it could not be launched, in words."""
    started_at: datetime | None = None
    ended_at: datetime | None = None
    nodes: tuple[NodeSeen, ...] = ()


@dataclass(frozen=True, slots=True)
class LogPiece:
    """Output from `offset`. Offsets count from the first byte ever written; what was dropped is skipped over."""

    data: bytes
    offset: int
    next_offset: int
    end_offset: int
    """How much has been written so far."""
    is_over: bool
    """Nothing will be written any more."""


@dataclass(frozen=True, slots=True)
class LogMark:
    """What had been written at a time: logs by time range are found with these."""

    at: datetime
    offset: int


@dataclass(frozen=True, slots=True)
class Usage:
    """Use of a node's resources over the last interval."""

    at: datetime
    cpus: float
    memory_bytes: int
    disk_read_bytes_s: float = 0.0
    disk_write_bytes_s: float = 0.0
    net_read_bytes_s: float | None = None
    """None where it is not measured: the node shares its machine's network."""
    net_write_bytes_s: float | None = None
    devices: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    """By device id: `busy` from 0 to 1, `memory_bytes`."""


class Shell(Protocol):
    """A program running inside a node. Descriptors are the caller's to read and write; `close` ends the program.

    The caller may close `stdin` earlier, to say that there is no more of it.
    """

    stdin: int
    stdout: int
    stderr: int | None
    """None with a terminal, where there is one stream: `stdin` and `stdout` are then the same descriptor."""

    def resize(self, columns: int, rows: int) -> None:
        """The terminal's new size."""

    def wait(self) -> int:
        """The exit code, when it has ended."""

    def close(self) -> None:
        """Ends it and all of its session; closes the descriptors.

        What began a session of its own (a daemon, tmux) lives on, as it does on any machine one logs in to, and ends
        with the node.
        """


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A node frozen: an OCI archive (`docker save` form) to be removed after use, or a locked list of packages."""

    kind: Literal["oci", "python"]
    archive: Path | None = None
    requirements: tuple[str, ...] = ()


class Engine(Protocol):
    """See the module's text."""

    name: str

    def machines(self) -> Sequence[Machine]:
        """What there is to give out, whether free or not."""

    def prepare(self, material: Material, on_progress: Callable[[int], None] | None = None) -> None:
        """Makes a material ready to be placed; returns at once when it is. Told how many files are done so far."""

    def drop_materials(self, keep: Iterable[str]) -> None:
        """Removes all prepared materials but these and those of launches that have not ended."""

    def launch(self, launch: Launch) -> None:
        """Begins; returns when that is written down. Materials must be prepared. A known id is left as it is."""

    def seen(self, ids: Iterable[str]) -> dict[str, Seen]:
        """How these launches are.

        When a node of a gang ends badly, the engine ends the others, and the launch's reason and exit code are those of
        the first that did. A node that finishes well lets the others finish; with `run_on="first"` the first node's end
        is the end of all.
        """

    def launches(self) -> Iterator[str]:
        """Ids of all launches the engine remembers."""

    def on_change(self, listener: Callable[[], None]) -> None:
        """Calls the listener soon after any launch changed its state: a hint to look, which may be missed."""

    def stop(self, id: str, *, grace_s: float | None = None) -> None:
        """Asks the launch to end (SIGTERM), and ends it and all it started after the grace. Returns at once."""

    def forget(self, id: str) -> None:
        """Removes what is kept of an ended launch (logs, usage, records); not its workspace."""

    def logs(self, id: str, node: int, *, offset: int, limit: int) -> LogPiece:
        """Output, at most `limit` bytes. A negative offset counts from the end."""

    def log_marks(self, id: str, node: int) -> Sequence[LogMark]:
        """When what was written, in order."""

    def usage(self, id: str, node: int, *, since: datetime | None, points: int) -> Sequence[Usage]:
        """Use over time, oldest first, thinned out evenly to at most so many points."""

    def address(self, id: str, node: int, port: int) -> tuple[str, int]:
        """Where a port that the node's own processes listen on is reached; raises EngineError when none does."""

    def exec(
        self,
        id: str,
        node: int,
        argv: Sequence[str],
        *,
        environment: Mapping[str, str],
        terminal: tuple[int, int] | None,
    ) -> Shell:
        """Runs a program inside a running node, in its workspace; `terminal` is columns and rows."""

    def snapshot(self, id: str, node: int) -> Snapshot:
        """Freezes a running node's software."""

    def workspace(self, key: str) -> Path:
        """The folder of a workspace, made when it is not there, for the control plane to read and write."""

    def remove_workspace(self, key: str) -> None:
        """Removes a workspace that no launch uses."""
