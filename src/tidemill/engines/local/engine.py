"""The local engine: see `tidemill.engines.base` for what it promises, and `docs/engines.md` for how."""

import logging
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path

from tidemill.engines.base import (
    EngineError,
    Launch,
    LogMark,
    LogPiece,
    Machine,
    Material,
    Seen,
    Shell,
    Snapshot,
    Usage,
)
from tidemill.engines.local import workspaces
from tidemill.engines.local.addresses import find_address
from tidemill.engines.local.containers import container_socket
from tidemill.engines.local.layout import Layout, name_of
from tidemill.engines.local.logs import read_log, read_marks
from tidemill.engines.local.materials import Materials
from tidemill.engines.local.nodes import Node
from tidemill.engines.local.plans import Place
from tidemill.engines.local.probe import find_bases, find_machine
from tidemill.engines.local.records import Launches
from tidemill.engines.local.settings import LocalSettings
from tidemill.engines.local.shells import open_shell
from tidemill.engines.local.snapshots import take_snapshot
from tidemill.engines.local.states import NodeState
from tidemill.engines.local.usage import read_usage
from tidemill.engines.local.wake import Wake
from tidemill.store.backends import BlobBackend

log = logging.getLogger(__name__)


class LocalEngine:
    """Launches on this machine. One engine is to use a folder at a time; runners live on between engines."""

    name = "local"

    def __init__(self, folder: Path, backend: BlobBackend, settings: LocalSettings | None = None) -> None:
        self._settings = settings or LocalSettings()
        self._layout = Layout(folder)
        self._bases = find_bases(self._settings)
        self._socket = container_socket(self._settings.container_socket)
        self._machine = find_machine(self._settings, self._bases, self._socket)
        self._materials = Materials(self._layout, backend)
        self._launches = Launches(self._layout, self._bases)
        self._listeners: list[Callable[[], None]] = []
        self._launching: list[Launch] = []
        """Being written down: what they need is in use already."""
        self._lock = threading.Lock()
        self._launches.recover()
        self._wake = Wake(self._layout.folder, self._woken)

    def close(self) -> None:
        """Stops listening. Launches go on."""
        self._wake.close()
        self._launches.close()

    def machines(self) -> Sequence[Machine]:
        return (self._machine, *self._settings.machines)

    def prepare(self, material: Material, on_progress: Callable[[int], None] | None = None) -> None:
        self._materials.prepare(material, on_progress)

    def drop_materials(self, keep: Iterable[str]) -> None:
        with self._lock:
            coming = {placed.key for launch in self._launching for placed in launch.materials}
            self._materials.drop({*keep, *coming, *self._launches.materials_in_use()})

    def launch(self, launch: Launch) -> None:
        if self._launches.knows(launch.id):
            self._launches.look(launch.id)
            return
        self._check(launch)
        with self._lock:
            missing = [placed.key for placed in launch.materials if not self._materials.has(placed.key)]
            if missing:
                raise EngineError(f"{missing[0]}: is not prepared")
            self._launching.append(launch)
            port = self._launches.free_port()
        try:
            self._launches.write(launch, Place(self._layout, self._settings, self._bases, port, self._socket))
        except OSError as error:
            raise EngineError(f"the launch cannot be written down: {error}") from error
        finally:
            with self._lock:
                self._launching.remove(launch)
        self._launches.look(launch.id)

    def seen(self, ids: Iterable[str]) -> dict[str, Seen]:
        return {id: self._launches.seen(id) for id in ids}

    def launches(self) -> Iterator[str]:
        return self._launches.ids()

    def on_change(self, listener: Callable[[], None]) -> None:
        self._listeners.append(listener)

    def stop(self, id: str, *, grace_s: float | None = None) -> None:
        self._launches.stop(id, grace_s)

    def forget(self, id: str) -> None:
        self._launches.forget(id)

    def logs(self, id: str, node: int, *, offset: int, limit: int) -> LogPiece:
        # Whether it is over is asked first: what is written in between is then read, too.
        is_over = self._state(id, node).state == "ended"
        return read_log(self._layout.node(id, node) / "log", offset=offset, limit=limit, is_over=is_over)

    def log_marks(self, id: str, node: int) -> Sequence[LogMark]:
        self._state(id, node)
        return read_marks(self._layout.node(id, node) / "log")

    def usage(self, id: str, node: int, *, since: datetime | None, points: int) -> Sequence[Usage]:
        self._state(id, node)
        return read_usage(self._layout.node(id, node) / "usage", since=since, points=points)

    def address(self, id: str, node: int, port: int) -> tuple[str, int]:
        return find_address(self._node(id, node), port)

    def exec(
        self,
        id: str,
        node: int,
        argv: Sequence[str],
        *,
        environment: Mapping[str, str],
        terminal: tuple[int, int] | None,
    ) -> Shell:
        return open_shell(self._node(id, node), argv, environment=environment, terminal=terminal)

    def snapshot(self, id: str, node: int) -> Snapshot:
        return take_snapshot(self._node(id, node), self._layout)

    def workspace(self, key: str) -> Path:
        return workspaces.open_workspace(self._layout, key)

    def remove_workspace(self, key: str) -> None:
        with self._lock:
            coming = {name_of(launch.workspace) for launch in self._launching}
            if name_of(key) in coming | self._launches.workspaces_in_use():
                raise EngineError("the workspace is in use by a launch that has not ended")
            workspaces.remove_workspace(self._layout, key)

    def _node(self, id: str, index: int) -> Node:
        """A node that runs."""
        state = self._state(id, index)
        if state.state != "running":
            raise EngineError("the node is not running")
        return Node.of(self._launches.record(id), index, state, self._layout)

    def _state(self, id: str, index: int) -> NodeState:
        states = self._launches.look(id)
        found = next((state for state in states if state.index == index), None)
        if found is None:
            raise EngineError(f"there is no node {index} of the launch {id}")
        return found

    def _check(self, launch: Launch) -> None:
        machines = {machine.name: machine for machine in self.machines()}
        if [node.index for node in launch.nodes] != list(range(len(launch.nodes))) or not launch.nodes:
            raise EngineError("the nodes of a launch must be numbered from 0 on")
        if not launch.command:
            raise EngineError("a launch needs a command")
        for node in launch.nodes:
            if node.machine not in machines:
                raise EngineError(f"there is no machine {node.machine}")
        if launch.runtime not in self._machine.runtimes:
            raise EngineError(f"the runtime {launch.runtime.value!r} does not work on this machine")
        if (launch.image.kind == "oci") != (launch.runtime.value == "container"):
            raise EngineError(
                f"an image of kind {launch.image.kind!r} cannot run in the runtime {launch.runtime.value!r}"
            )

    def _woken(self) -> None:
        """Looks after launches that have not ended, and tells listeners when any changed."""
        if not self._launches.has_changed():
            return
        for listener in tuple(self._listeners):
            try:
                listener()
            except Exception:  # the others are to be told, too
                log.exception("a listener of the engine failed")
