"""From a launch to what its runners do: for each node the command line, the variables and the limits."""

import hashlib
import os
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tidemill.engines.base import Launch, NodePlan, Runtime
from tidemill.engines.local.layer import HOME, find_python, layer_environment, layer_path
from tidemill.engines.local.layout import Layout, name_of
from tidemill.engines.local.sandbox import sandbox_argv
from tidemill.engines.local.settings import LocalSettings
from tidemill.engines.runner.cgroups import Group, group_of
from tidemill.engines.runner.processes import boot_id

SYSTEM_PATH = ["/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"]
# Quietly: a shell tells of a child that was ended, and that is nobody's output.
WAITING = ("/bin/sh", "-c", "exec 2>/dev/null; trap 'exit 0' TERM; sleep 2147483647 & wait $!")
"""What a node does that only waits to be reached. The first process of a container hears only what it listens for."""
PASSED_ON = re.compile(
    r"LANG|LC_[A-Z]+|TZ|PIP_(INDEX_URL|EXTRA_INDEX_URL|TRUSTED_HOST)|(https?|no|all)_proxy|(HTTPS?|NO|ALL)_PROXY"
)
CERTIFICATES = re.compile(r"PIP_CERT|SSL_CERT_(FILE|DIR)|REQUESTS_CA_BUNDLE")
"""Variables of the platform's own surroundings that workloads need too. No others are theirs."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a launch is going to be, and what is allowed there."""

    layout: Layout
    settings: LocalSettings
    bases: Group
    master_port: int
    container_socket: str | None


def launch_record(launch: Launch, place: Place) -> dict[str, Any]:
    """All that the runners need, but for the secrets."""
    names = [node_host(launch.id, node.index) for node in launch.nodes]
    return {
        "id": launch.id,
        "boot": boot_id(),
        "runtime": launch.runtime.value,
        "run_on": launch.run_on,
        "image": [launch.image.kind, launch.image.reference],
        "workspace": launch.workspace,
        "workspace_name": place.layout.workspace(launch.workspace).name,
        "seen_at": seen_launch(launch, place.layout),
        "python": sys.executable,
        "materials": [placed.key for placed in launch.materials],
        "time_limit_s": launch.time_limit_s,
        "grace_s": launch.grace_s,
        "log_bytes": launch.log_bytes,
        "hosts": names,
        "nodes": [_node(launch, node, place) for node in launch.nodes],
    }


def hosts_files(launch: Launch) -> dict[str, str]:
    """Files every node finds: the nodes by name, with slots for MPI, and with addresses."""
    rows = [(node_host(launch.id, node.index), node_address(launch.id, node.index), node) for node in launch.nodes]
    return {
        "hosts.txt": "".join(f"{name}\n" for name, _, _ in rows),
        "hostfile": "".join(f"{name} slots={_slots(node)}\n" for name, _, node in rows),
        "hosts": "127.0.0.1 localhost\n::1 localhost\n" + "".join(f"{address} {name}\n" for name, address, _ in rows),
    }


def node_host(id: str, index: int) -> str:
    """The node's host name: short, and of letters and digits."""
    short = re.sub(r"[^a-z0-9]", "", id.lower())[-10:] or "node"
    return f"{short}-{index}"


def node_address(id: str, index: int) -> str:
    """An address of the loopback network that is this node's own."""
    number = hashlib.sha256(f"{id}/{index}".encode()).digest()
    return f"127.{16 + number[0] % 224}.{number[1]}.{1 + number[2] % 254}"


def group_name(layout: Layout, id: str, index: int) -> str:
    """The name of a node's control group."""
    return f"{layout.tag}-{name_of(id)}-{index}"


def seen_workspace(launch: Launch, layout: Layout) -> str:
    """Where the workload sees its workspace."""
    return str(layout.workspace(launch.workspace)) if launch.runtime is Runtime.PROCESS else "/workspace"


def seen_launch(launch: Launch, layout: Layout) -> str:
    """Where the workload sees the files about its launch."""
    return str(layout.launch(launch.id) / "shared") if launch.runtime is Runtime.PROCESS else "/run/tidemill"


def _node(launch: Launch, node: NodePlan, place: Place) -> dict[str, Any]:
    is_waiting = launch.run_on == "first" and node.index > 0
    command = WAITING if is_waiting else launch.command
    workspace = str(place.layout.workspace(launch.workspace))
    group = (
        {}
        if launch.runtime is Runtime.CONTAINER
        else group_of(place.bases, group_name(place.layout, launch.id, node.index))
    )
    record: dict[str, Any] = {
        "index": node.index,
        "machine": node.machine,
        "host_name": node_host(launch.id, node.index),
        "address": node_address(launch.id, node.index),
        "cpus": node.cpus,
        "memory_bytes": node.memory_bytes,
        "pids": place.settings.max_processes,
        "devices": [[device.kind, device.id, device.share] for device in node.devices],
        "group": group,
        "folder": workspace,
        "workspace": workspace,
        "argv": list(command),
        "environment": _environment(launch, node, place),
    }
    if launch.runtime is Runtime.SANDBOX:
        record["argv"] = sandbox_argv(launch, record, place.layout, command)
        record["folder"] = "/"
    if launch.runtime is Runtime.CONTAINER:
        record["container"] = _container(launch, place, workspace)
    return record


def _environment(launch: Launch, node: NodePlan, place: Place) -> dict[str, str]:
    """Ours first, the launch's over it, and what a node must be able to rely on over that."""
    seen_at = seen_workspace(launch, place.layout)
    environment = {name: value for name, value in os.environ.items() if PASSED_ON.fullmatch(name)}
    environment.setdefault("LANG", "C.UTF-8")
    path = SYSTEM_PATH
    if launch.runtime is not Runtime.CONTAINER:
        environment |= {name: value for name, value in os.environ.items() if CERTIFICATES.fullmatch(name)}
        python = find_python(launch.image.reference)
        environment |= layer_environment(python, seen_at)
        path = layer_path(python, seen_at) + path
        if len(launch.nodes) > 1:
            path = [f"{seen_launch(launch, place.layout)}/bin", *path]
        environment["PATH"] = ":".join(path)
        environment["SHELL"] = "/bin/bash" if os.path.exists("/bin/bash") else "/bin/sh"
    else:
        environment["PYTHONUSERBASE"] = f"{seen_at}/{HOME}/.local"
        environment["PIP_USER"] = "1"
    own_path = environment.get("PYTHONPATH")
    environment |= {"PYTHONUNBUFFERED": "1", "HOME": f"{seen_at}/{HOME}"}
    environment |= launch.environment
    if own_path and "PYTHONPATH" in launch.environment:
        environment["PYTHONPATH"] = f"{launch.environment['PYTHONPATH']}:{own_path}"
    return environment | _fixed(launch, node, place, seen_at)


def _fixed(launch: Launch, node: NodePlan, place: Place, seen_at: str) -> dict[str, str]:
    about = seen_launch(launch, place.layout)
    fixed = {
        "TIDEMILL_WORKSPACE": seen_at,
        "TIDEMILL_NODE_INDEX": str(node.index),
        "TIDEMILL_NODES": str(len(launch.nodes)),
        "TIDEMILL_HOSTS_FILE": f"{about}/hosts.txt",
        "TIDEMILL_HOSTFILE": f"{about}/hostfile",
        "TIDEMILL_DEVICES": ",".join(f"{device.kind}:{device.id}" for device in node.devices),
        "MASTER_ADDR": node_address(launch.id, 0) if len(launch.nodes) > 1 else "127.0.0.1",
        "MASTER_PORT": str(place.master_port),
        "NODE_RANK": str(node.index),
        "NNODES": str(len(launch.nodes)),
        "CUDA_VISIBLE_DEVICES": ",".join(d.id for d in node.devices if d.kind == "gpu" or d.kind.startswith("nvidia")),
    }
    return fixed | _mpi(launch, about)


def _mpi(launch: Launch, about: str) -> dict[str, str]:
    """So that `mpirun` without options starts on all nodes, over our SSH. All of them are on the loopback network."""
    variables = {
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        "OMPI_MCA_orte_default_hostfile": f"{about}/hostfile",
        "PRTE_MCA_prte_default_hostfile": f"{about}/hostfile",
    }
    if len(launch.nodes) == 1:
        return variables
    ssh = f"{about}/bin/ssh"
    return variables | {
        "OMPI_MCA_plm_rsh_agent": ssh,
        "PRTE_MCA_plm_ssh_agent": ssh,
        "OMPI_MCA_oob_tcp_if_include": "lo",
        "OMPI_MCA_btl_tcp_if_include": "lo",
        "OMPI_MCA_btl": "self,tcp",
        "GLOO_SOCKET_IFNAME": "lo",
        "NCCL_SOCKET_IFNAME": "lo",
        "TP_SOCKET_IFNAME": "lo",
    }


def _slots(node: NodePlan) -> int:
    return len(node.devices) or max(1, int(node.cpus))


def _container(launch: Launch, place: Place, workspace: str) -> dict[str, Any]:
    about = str(place.layout.launch(launch.id) / "shared")
    mounts = [[workspace, "/workspace", "rw"], [about, "/run/tidemill", "ro"]]
    mounts += [
        [str(place.layout.material(placed.key)), f"/workspace/{placed.target}", "ro"]
        for placed in launch.materials
        if placed.mode == "link"
    ]
    if len(launch.nodes) > 1:
        mounts.append([f"{about}/ssh/config", "/etc/ssh/ssh_config", "ro"])
    return {"socket": place.container_socket, "image": launch.image.reference, "mounts": mounts}


def files_of_launch(folder: Path, launch: Launch) -> None:
    """Writes the files the nodes share."""
    for name, text in hosts_files(launch).items():
        (folder / name).write_text(text)
