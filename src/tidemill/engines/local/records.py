"""Launches written down: made, looked after, stopped, forgotten."""

import json
import os
import random
import shutil
import socket
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from tidemill.engines.base import EngineError, Launch, Seen
from tidemill.engines.local import lost
from tidemill.engines.local.keys import write_keys
from tidemill.engines.local.layout import Layout, name_of
from tidemill.engines.local.plans import Place, files_of_launch, group_name, launch_record, node_host, seen_workspace
from tidemill.engines.local.runners import Runners
from tidemill.engines.local.sandbox import write_etc
from tidemill.engines.local.states import NodeState, look_at, seen_of
from tidemill.engines.local.workspaces import fill_workspace
from tidemill.engines.runner import cgroups
from tidemill.engines.runner.files import sync_folder, write_record
from tidemill.engines.runner.gang import ask_to_end, tell
from tidemill.engines.runner.processes import boot_id

PORTS = range(20_000, 32_000)
"""For MASTER_PORT: below what systems hand out for outgoing connections."""


class Launches:
    """The launches of an engine's folder. Those that have not ended are looked after at every wake-up."""

    def __init__(self, layout: Layout, bases: cgroups.Group) -> None:
        self._layout = layout
        self._bases = bases
        self._runners = Runners()
        self._boot = boot_id()
        self._lock = threading.RLock()
        self._open: dict[str, dict[str, Any]] = {}
        """Records of launches that have not been seen ended."""
        self._last: dict[str, tuple[str, ...]] = {}

    def recover(self) -> None:
        """After a start: takes up what was written down, and removes what nobody will ask for."""
        for entry in [*self._layout.temporary.iterdir(), *self._layout.launches.glob(".*")]:
            if entry.is_dir():
                shutil.rmtree(entry, ignore_errors=True)
            else:
                entry.unlink()
        for id in self.ids():
            self._open[id] = self.record(id)
            self.look(id)
        nodes = [(id, node["index"]) for id, launch in self._open.items() for node in launch["nodes"]]
        lost.remove_strays(self._bases, self._layout.tag, {group_name(self._layout, *node) for node in nodes})

    def close(self) -> None:
        """Starts no more runners. What runs goes on running."""
        self._runners.close()

    def write(self, launch: Launch, place: Place) -> None:
        """Writes a launch down, whole or not at all."""
        fill_workspace(self._layout, launch, seen_workspace(launch, self._layout))
        record = launch_record(launch, place)
        building = self._layout.launches / f".{os.urandom(8).hex()}"
        building.mkdir(mode=0o700)
        _write_launch(building, launch, record)
        try:
            building.rename(self._layout.launch(launch.id))
        except OSError:
            shutil.rmtree(building)
            if not self.knows(launch.id):
                raise
            return
        sync_folder(str(self._layout.launches))
        with self._lock:
            self._open[launch.id] = self.record(launch.id)

    def knows(self, id: str) -> bool:
        return self._layout.launch(id).is_dir()

    def ids(self) -> Iterator[str]:
        """All that are written down."""
        return self._layout.ids()

    def record(self, id: str) -> dict[str, Any]:
        """What was written down; raises EngineError when nothing was."""
        known = self._open.get(id)
        if known is not None:
            return known
        try:
            record: dict[str, Any] = json.loads((self._layout.launch(id) / "launch.json").read_bytes())
        except FileNotFoundError:
            raise EngineError(f"there is no launch {id}") from None
        record["folder"] = str(self._layout.launch(id))
        return record

    def look(self, id: str) -> list[NodeState]:
        """How its nodes are. Starts runners that were not started; closes the books of those that are lost."""
        launch = self.record(id)
        states = [self._look_after(launch, node["index"]) for node in launch["nodes"]]
        if all(state.state == "ended" for state in states):
            with self._lock:
                self._open.pop(id, None)
        return states

    def seen(self, id: str) -> Seen:
        try:
            launch = self.record(id)
            return seen_of(launch, self.look(id))
        except (EngineError, FileNotFoundError):
            if self.knows(id):
                raise
            return Seen("absent")

    def stop(self, id: str, grace_s: float | None) -> None:
        """Asks all nodes to end. A second, more urgent wish replaces the first."""
        if not self.knows(id):
            return
        launch = self.record(id)
        grace_s = launch["grace_s"] if grace_s is None else grace_s
        for state in self.look(id):
            folder = self._layout.node(id, state.index)
            if state.state == "ended" or ask_to_end(str(folder), "stopped", grace_s):
                continue
            asked = json.loads((folder / "stop.json").read_bytes())
            write_record(f"{folder}/stop.json", asked | {"grace_s": min(asked["grace_s"], grace_s)})
            tell(str(folder), "control.sock")

    def forget(self, id: str) -> None:
        """Removes an ended launch; one that is not there is forgotten already."""
        if not self.knows(id):
            return
        if any(state.state != "ended" for state in self.look(id)):
            raise EngineError("a launch can be forgotten when it has ended")
        leaving = self._layout.temporary / f"launch-{os.urandom(8).hex()}"
        with suppress(FileNotFoundError):
            self._layout.launch(id).rename(leaving)
            shutil.rmtree(leaving)

    def has_changed(self) -> bool:
        """Whether any launch that was open is in another state than when last asked."""
        with self._lock:
            ids = list(self._open)
        now: dict[str, tuple[str, ...]] = {}
        for id in ids:
            with suppress(EngineError, FileNotFoundError):  # forgotten meanwhile
                now[id] = tuple(state.state for state in self.look(id))
        before, self._last = self._last, {id: states for id, states in now.items() if set(states) != {"ended"}}
        return any(before.get(id) != states for id, states in now.items()) or bool(before.keys() - now.keys())

    def materials_in_use(self) -> set[str]:
        return {key for launch in self._unended() for key in launch["materials"]}

    def workspaces_in_use(self) -> set[str]:
        return {name_of(launch["workspace"]) for launch in self._unended()}

    def free_port(self) -> int:
        """A port no launch of ours was told to use and nobody listens on."""
        taken = {int(launch["nodes"][0]["environment"]["MASTER_PORT"]) for launch in self._unended()}
        while True:
            port = random.choice(PORTS)  # noqa: S311  not a secret
            if port not in taken and _is_free(port):
                return port

    def _unended(self) -> list[dict[str, Any]]:
        with self._lock:
            return list(self._open.values())

    def _look_after(self, launch: dict[str, Any], index: int) -> NodeState:
        folder = self._layout.node(launch["id"], index)
        state = look_at(folder, index)
        if state.state == "waiting" and launch["boot"] == self._boot:
            self._runners.start(folder)
        elif state.state in ("waiting", "lost"):
            lost.close(launch, index, folder)
            return look_at(folder, index)
        return state


def _write_launch(folder: Path, launch: Launch, record: dict[str, Any]) -> None:
    shared = folder / "shared"
    shared.mkdir()
    files_of_launch(shared, launch)
    write_etc(shared, [node_host(launch.id, node.index) for node in launch.nodes])
    if len(launch.nodes) > 1:
        write_keys(folder, record, record["seen_at"])
    (folder / "nodes").mkdir()
    for node in launch.nodes:
        place = folder / "nodes" / str(node.index)
        place.mkdir()
        if launch.secrets:
            write_record(str(place / "secrets.json"), dict(launch.secrets))
    write_record(str(folder / "launch.json"), record, sync=True)


def _is_free(port: int) -> bool:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        try:
            probe.bind(("", port))
        except OSError:
            return False
    return True
