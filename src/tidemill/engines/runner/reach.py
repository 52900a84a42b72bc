"""How the nodes of a launch reach each other: a server for each, and a client's settings that name them all."""

import json
import os

from tidemill.engines.runner import gang
from tidemill.engines.runner.files import read_record

READY_WITHIN_S = 60.0


def prepare(launch: gang.LaunchRecord, node: gang.NodeRecord, wait: "Wait") -> int:
    """Starts this node's server, waits for the others', writes the settings: the server's process id."""
    pid = _start_server(launch, node)
    folders = [gang.folder_of(launch, other["index"]) for other in launch["nodes"]]
    wait(lambda: all(os.path.exists(f"{folder}/ssh.json") for folder in folders), READY_WITHIN_S)
    if all(os.path.exists(f"{folder}/ssh.json") for folder in folders):
        _write_settings(launch)
    return pid


def _start_server(launch: gang.LaunchRecord, node: gang.NodeRecord) -> int:
    folder = gang.folder_of(launch, node["index"])
    # With its site folder, as asyncssh is there; and apart from the runner, which must stay small and sure.
    argv = [launch["python"], "-I", "-m", "tidemill.engines.local.nodessh", folder, str(os.getpid())]
    log = os.open(f"{folder}/ssh.log", os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
    actions = [(os.POSIX_SPAWN_DUP2, log, 1), (os.POSIX_SPAWN_DUP2, log, 2)]
    try:
        return os.posix_spawn(argv[0], argv, dict(os.environ), file_actions=actions, setsid=True)
    finally:
        os.close(log)


def _write_settings(launch: gang.LaunchRecord) -> None:
    """All runners write the same into the same file: a sandbox has mounted it, so it is not replaced by another."""
    shared = f"{launch['folder']}/shared/ssh"
    seen_at = launch["seen_at"]
    blocks, keys = [], []
    with open(f"{shared}/key.pub") as file:
        key = " ".join(file.read().split()[:2])
    for node in launch["nodes"]:
        port = int(str((read_record(f"{gang.folder_of(launch, node['index'])}/ssh.json") or {})["port"]))
        blocks.append(f"Host {node['host_name']} {node['address']}\n  HostName {node['address']}\n  Port {port}\n")
        keys.append(f"[{node['address']}]:{port} {key}\n")
    common = [
        "Host *",
        f"IdentityFile {json.dumps(seen_at + '/ssh/key')}",
        f"UserKnownHostsFile {json.dumps(seen_at + '/ssh/known_hosts')}",
        "GlobalKnownHostsFile /dev/null",
        "IdentitiesOnly yes",
        "BatchMode yes",
        "StrictHostKeyChecking yes",
        "LogLevel ERROR",
        "ForwardX11 no",
    ]
    _fill(f"{shared}/known_hosts", "".join(keys))
    _fill(f"{shared}/config", "".join(blocks) + "\n  ".join(common) + "\n")


def _fill(path: str, text: str) -> None:
    handle = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.write(handle, text.encode())
    finally:
        os.close(handle)


TYPE_CHECKING = False
if TYPE_CHECKING:
    from tidemill.engines.runner.job import Wait
