"""How a launch is, read from what its runners left on disk."""

import fcntl
import os
import struct
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal, cast

from tidemill.engines.base import EndReason, NodeSeen, Seen
from tidemill.engines.runner.files import read_record

_LOCK = struct.Struct("hhqqi4x")


@dataclass(frozen=True, slots=True)
class NodeState:
    """A node. `waiting`: no runner has taken it up. `lost`: one had, and is gone without a record."""

    index: int
    state: Literal["waiting", "starting", "running", "ended", "lost"]
    started: dict[str, Any]
    ended: dict[str, Any]


def look_at(folder: Path, index: int) -> NodeState:
    """A node as it is now. The order of looking matters: what has begun has taken its lock before."""
    ended = read_record(f"{folder}/exit.json")
    has_begun = ended is not None or (folder / "begun.json").exists()
    if ended is None:
        is_held = lock_holder(folder / "lock") is not None
        ended = None if is_held else read_record(f"{folder}/exit.json")
    started = read_record(f"{folder}/started.json") or {}
    if ended is not None:
        return NodeState(index, "ended", started, ended)
    if is_held:
        return NodeState(index, "running" if started else "starting", started, {})
    return NodeState(index, "lost" if has_begun else "waiting", started, {})


def lock_holder(path: Path) -> int | None:
    """The process that holds a lock, found without taking it."""
    try:
        handle = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    try:
        asked = _LOCK.pack(fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0)
        kind, _, _, _, pid = _LOCK.unpack(fcntl.fcntl(handle, fcntl.F_GETLK, asked))
    finally:
        os.close(handle)
    return None if kind == fcntl.F_UNLCK else int(pid)


def seen_of(launch: dict[str, Any], nodes: Iterable[NodeState]) -> Seen:
    """The launch as a whole."""
    states = sorted(nodes, key=lambda node: node.index)
    views = tuple(_view(node, state) for node, state in zip(launch["nodes"], states, strict=True))
    started = [state.started["at"] for state in states if state.started]
    started_at = _time(min(started)) if started else None
    if any(state.state != "ended" for state in states):
        is_running = all(state.started for state in states)
        return Seen("running" if is_running else "starting", started_at=started_at, nodes=views)
    deciding = _deciding(launch, states)
    return Seen(
        "ended",
        reason=cast(EndReason, deciding["reason"]),
        exit_code=deciding["exit_code"],
        message=deciding["message"],
        started_at=started_at,
        ended_at=_time(max(state.ended["at"] for state in states)),
        nodes=views,
    )


def _deciding(launch: dict[str, Any], states: list[NodeState]) -> dict[str, Any]:
    """The end that is the launch's: the first that was not good, else the last good one."""
    if launch["run_on"] == "first" and states[0].ended["reason"] not in ("gang", "stopped"):
        return states[0].ended
    own = sorted((s.ended for s in states if s.ended["reason"] != "gang"), key=lambda end: end["at"])
    bad = [end for end in own if end["reason"] != "finished"]
    return (bad or own[-1:] or [states[0].ended])[0]


def _view(node: dict[str, Any], state: NodeState) -> NodeSeen:
    shown = {"waiting": "starting", "lost": "running"}.get(state.state, state.state)
    return NodeSeen(
        index=state.index,
        host_name=node["host_name"],
        address=node["address"],
        state=cast(Literal["starting", "running", "ended"], shown),
        exit_code=state.ended.get("exit_code"),
    )


def _time(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)
