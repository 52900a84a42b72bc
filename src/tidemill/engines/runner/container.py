"""The command of a node as a container of Docker or Podman, driven through a child of the runner.

The child makes and starts the container, writes its output to the runner's pipe and ends with its exit code: to the
runner it is a process like any other.
"""

import contextlib
import os
import signal
import time

from tidemill.engines.runner import cgroups, gang
from tidemill.engines.runner.docker import ApiError, Docker, container_path
from tidemill.engines.runner.job import Job, StartFailed
from tidemill.engines.runner.processes import descendants, end_all, is_alive

CAPABILITIES = ["CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "SETGID", "SETUID", "NET_BIND_SERVICE"]
"""What installing packages inside takes; nothing that reaches out of the container."""
ENDING_S = 1.0
FRAME_BYTES = 8


class ContainerJob(Job):
    """A container; limits are the container engine's to hold."""

    def __init__(self, folder: str, launch: gang.LaunchRecord, node: gang.NodeRecord) -> None:
        super().__init__(folder, launch, node)
        self.name = container_name(launch["id"], node["index"])
        self.docker = Docker(node["container"]["socket"])
        self._inner = 0

    def start(self) -> None:
        super().start()
        self._inner = int(self._state().get("Pid") or 0)

    def inner_pid(self) -> int:
        return self._inner or self.pid

    def usage_group(self) -> cgroups.Group:
        """The group the container engine has made."""
        return cgroups.group_of_process(self._inner) if self._inner else {}

    def members(self) -> list[int]:
        return [self._inner, *descendants(self._inner)] if self._inner else []

    def terminate(self) -> None:
        self._signal("SIGTERM")

    def press(self) -> bool:
        return False

    def kill(self) -> None:
        """The container first: its last output is then still carried over."""
        self._signal("SIGKILL")
        deadline = time.monotonic() + ENDING_S
        while self.pid and is_alive(self.pid) and time.monotonic() < deadline:
            time.sleep(0.01)
        end_all(lambda: descendants(os.getpid()), reaps=True)

    def remove(self) -> None:
        remove_container(self.node["container"]["socket"], self.launch["id"], self.node["index"])

    def reason(self, code: int) -> str:
        if code == 128 + signal.SIGKILL and (self._state().get("OOMKilled") or self.docker.is_podman()):
            # Podman does not say; but nobody else kills the first process of a container.
            return "out_of_memory"
        return "finished" if code == 0 else "exit_code"

    def _become(self, into: int, failing: int) -> "NoReturn":
        """In the child: makes and starts the container, then carries its output until it ends."""
        try:
            os.setsid()
            signal.set_wakeup_fd(-1)
            os.dup2(into, 1)
            docker = Docker(self.node["container"]["socket"], timeout_s=None)
            self._create(docker)
            output = docker.call("POST", container_path(self.name, "/attach?stream=1&stdout=1&stderr=1"))
            docker.call("POST", container_path(self.name, "/start")).read()
        except (ApiError, OSError, StartFailed) as error:
            os.write(failing, _in_words(str(error), self.node["argv"][0]).encode())
            os._exit(127)
        os.close(failing)
        _carry(output)
        os._exit(int(docker.json("POST", container_path(self.name, "/wait"))["StatusCode"]) & 255)

    def _create(self, docker: Docker) -> None:
        path = f"/containers/create?name={self.name}"
        try:
            docker.json("POST", path, self._settings())
        except ApiError as error:
            if error.status != 404:
                raise
            _pull(docker, self.node["container"]["image"])
            docker.json("POST", path, self._settings())

    def _settings(self) -> "dict[str, Any]":
        node = self.node
        gpus = [id for kind, id, _ in node["devices"] if kind == "gpu" or kind.startswith("nvidia")]
        host: dict[str, Any] = {
            "Binds": [":".join(mount) for mount in node["container"]["mounts"]],
            "NetworkMode": "host",
            "IpcMode": "private",
            "NanoCpus": int(node["cpus"] * 1e9),
            "Memory": node["memory_bytes"],
            "MemorySwap": node["memory_bytes"],
            "ShmSize": max(64 << 20, node["memory_bytes"] // 2),
            "PidsLimit": node["pids"],
            "CapDrop": ["ALL"],
            "CapAdd": CAPABILITIES,
            "SecurityOpt": ["no-new-privileges"],
            "LogConfig": {"Type": "none"},
            "ExtraHosts": [f"{other['host_name']}:{other['address']}" for other in self.launch["nodes"]],
        }
        if gpus:
            host["DeviceRequests"] = [{"Driver": "nvidia", "DeviceIDs": gpus, "Capabilities": [["gpu"]]}]
        return {
            "Image": node["container"]["image"],
            "Entrypoint": [],
            "Cmd": node["argv"],
            "Env": [f"{name}={value}" for name, value in self.environment().items()],
            "Hostname": node["host_name"],
            "WorkingDir": "/workspace",
            "User": "0:0",
            "Labels": {"tidemill.launch": self.launch["id"]},
            "HostConfig": host,
        }

    def _signal(self, name: str) -> None:
        with contextlib.suppress(ApiError, OSError):  # it has ended, or was never started
            self.docker.call("POST", container_path(self.name, f"/kill?signal={name}")).read()

    def _state(self) -> "dict[str, Any]":
        try:
            found: dict[str, Any] = self.docker.json("GET", container_path(self.name, "/json"))["State"]
        except (ApiError, OSError):
            return {}
        return found


def container_name(id: str, index: int) -> str:
    """The name of a node's container."""
    return f"tidemill-{id}-{index}"


def remove_container(socket_path: str, id: str, index: int) -> None:
    """Ends and removes a container that may be gone."""
    with contextlib.suppress(ApiError, OSError):
        Docker(socket_path).call("DELETE", container_path(container_name(id, index), "?force=1&v=1")).read()


def _pull(docker: Docker, reference: str) -> None:
    from urllib.parse import quote

    answer = docker.call("POST", f"/images/create?fromImage={quote(reference, safe='')}").read()
    # A failure comes inside an answer that is good on the outside.
    if b'"error"' in answer:
        raise StartFailed(f"{reference}: the image cannot be pulled")


def _in_words(told: str, program: str) -> str:
    """What the container engine says, and plainly what is most often wrong: a program the image does not have."""
    is_missing = "no such file or directory" in told or "executable file not found" in told
    if is_missing and f'exec: "{program}"' in told:
        return f"the image has no {program}, which is to be run in it ({told})"
    return told or "the container could not be started"


def _carry(output: "HTTPResponse") -> None:
    """Output comes in frames: stream and length in eight bytes, then the bytes."""
    while True:
        head = output.read(FRAME_BYTES)
        if len(head) < FRAME_BYTES:
            return
        data = output.read(int.from_bytes(head[4:], "big"))
        while data:
            data = data[os.write(1, data) :]


TYPE_CHECKING = False
if TYPE_CHECKING:
    from http.client import HTTPResponse
    from typing import Any, NoReturn
