"""The nodes of a launch as their runners see them: its record, each other, and the engine to be told."""

import contextlib
import json
import os
import socket

from tidemill.engines.runner.files import write_record_once

LaunchRecord = dict[str, "Any"]
NodeRecord = dict[str, "Any"]


def read_launch(folder: str) -> LaunchRecord:
    """The launch of a folder."""
    with open(f"{folder}/launch.json", "rb") as file:
        record: LaunchRecord = json.loads(file.read())
    record["folder"] = os.path.abspath(folder)
    return record


def node_of(launch: LaunchRecord, index: int) -> NodeRecord:
    """One of its nodes."""
    node: NodeRecord = next(node for node in launch["nodes"] if node["index"] == index)
    return node


def folder_of(launch: LaunchRecord, index: int) -> str:
    """Where a node's records are."""
    return f"{launch['folder']}/nodes/{index}"


def end_others(launch: LaunchRecord, index: int, reason: str) -> None:
    """Asks the other nodes to end when this one's end is everybody's.

    A node that finished well lets the others finish: only where the first node alone does the work is its end the end.
    """
    if reason == "gang" or (reason == "finished" and not (launch["run_on"] == "first" and index == 0)):
        return
    for node in launch["nodes"]:
        if node["index"] != index:
            ask_to_end(folder_of(launch, node["index"]), "gang", float(launch["grace_s"]))


def ask_to_end(folder: str, reason: str, grace_s: float) -> bool:
    """Writes down that a node is to end and tells its runner; says whether nobody had asked before."""
    is_first = write_record_once(f"{folder}/stop.json", {"reason": reason, "grace_s": grace_s})
    tell(folder, "control.sock")
    return is_first


def wake(launch: LaunchRecord) -> None:
    """Tells the engine that something changed."""
    tell(os.path.dirname(os.path.dirname(launch["folder"])), "wake.sock")


def tell(folder: str, name: str) -> None:
    """Sends a datagram to whoever listens there. By descriptor: a socket's address may be 107 characters only."""
    try:
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError:
        return
    try:
        sender = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK)
        with sender, contextlib.suppress(OSError):  # nobody there, or too busy: the record is what counts
            sender.sendto(b"!", f"/proc/self/fd/{handle}/{name}")
    finally:
        os.close(handle)


TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any
