"""A node inside bubblewrap: its own file tree, process and host name space; nothing of the platform but what it needs.

The tree begins empty. Programs and libraries of the system come in read-only, of /etc only what programs look up, the
Python environment at its own path, the workspace at /workspace, materials read-only in it.
"""

import os
import shutil
import sysconfig
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from tidemill.engines.base import Launch
from tidemill.engines.local.layer import find_python
from tidemill.engines.local.layout import Layout

SYSTEM = ("/usr", "/opt", "/lib", "/lib32", "/lib64", "/libx32", "/bin", "/sbin")
ETC = (
    "alternatives",
    "ca-certificates",
    "ca-certificates.conf",
    "bash.bashrc",
    "fonts",
    "host.conf",
    "inputrc",
    "ld.so.cache",
    "ld.so.conf",
    "ld.so.conf.d",
    "localtime",
    "magic",
    "mime.types",
    "nsswitch.conf",
    "OpenCL",
    "openmpi",
    "os-release",
    "pip.conf",
    "pki",
    "profile",
    "protocols",
    "resolv.conf",
    "services",
    "ssl",
    "terminfo",
    "timezone",
    "vulkan",
)


def sandbox_program() -> str | None:
    """bubblewrap, where it is installed."""
    return shutil.which("bwrap")


def sandbox_argv(launch: Launch, node: dict[str, Any], layout: Layout, command: Sequence[str]) -> list[str]:
    """The whole command line, the command at its end."""
    shared = layout.launch(launch.id) / "shared"
    workspace = layout.workspace(launch.workspace)
    argv = [str(sandbox_program() or "bwrap"), *base_options(node["host_name"]), *_system(), *_python(launch)]
    for name in ("passwd", "group", "hosts"):
        argv += ["--ro-bind", str(shared / name), f"/etc/{name}"]
    argv += ["--ro-bind", str(shared / "hostname" / str(node["index"])), "/etc/hostname"]
    argv += ["--ro-bind", str(shared), "/run/tidemill"]
    if len(launch.nodes) > 1:
        argv += ["--ro-bind", str(shared / "ssh" / "config"), "/etc/ssh/ssh_config"]
    argv += ["--bind", str(workspace), "/workspace"]
    for placed in launch.materials:
        if placed.mode == "link":
            argv += ["--ro-bind", str(layout.material(placed.key)), f"/workspace/{placed.target}"]
    argv += _devices(node["devices"])
    return [*argv, "--remount-ro", "/", "--chdir", "/workspace", "--", *command]


def base_options(host_name: str) -> list[str]:
    """What is kept apart, whatever is in it."""
    options = ["--die-with-parent", "--new-session", "--unshare-pid", "--unshare-ipc", "--unshare-uts"]
    options += ["--unshare-cgroup-try", "--hostname", host_name, "--cap-drop", "ALL"]
    options += ["--tmpfs", "/", "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"]  # noqa: S108
    return [*options, "--tmpfs", "/run", "--tmpfs", "/var", "--dir", "/var/tmp"]  # noqa: S108


def write_etc(shared: Path, hosts: Sequence[str]) -> None:
    """Files of /etc that are the launch's own."""
    user, group = os.getuid(), os.getgid()
    root = "root:x:0:0:root:/workspace/.home:/bin/bash\n"
    own = f"tidemill:x:{user}:{group}:tidemill:/workspace/.home:/bin/bash\n" if user else ""
    (shared / "passwd").write_text(f"{root}{own}nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n")
    own_group = f"tidemill:x:{group}:\n" if group else ""
    (shared / "group").write_text(f"root:x:0:\n{own_group}nogroup:x:65534:\n")
    (shared / "hostname").mkdir()
    for index, name in enumerate(hosts):
        (shared / "hostname" / str(index)).write_text(f"{name}\n")


def _system() -> Iterator[str]:
    for folder in SYSTEM:
        if os.path.islink(folder):
            yield from ("--symlink", os.readlink(folder), folder)
        elif os.path.isdir(folder):
            yield from ("--ro-bind", folder, folder)
    # What programs read of processors and memory; nothing else of /sys.
    yield from ("--ro-bind-try", "/sys/devices/system", "/sys/devices/system")
    for name in ETC:
        if os.path.exists(f"/etc/{name}"):
            yield from ("--ro-bind", os.path.realpath(f"/etc/{name}"), f"/etc/{name}")


def _python(launch: Launch) -> Iterator[str]:
    """The image's environment, its interpreter, and the platform's own package for the SDK, each where it is."""
    python = find_python(launch.image.reference)
    wanted = [python.base, python.folder, *_packages_elsewhere(python.site)]
    for folder in dict.fromkeys(wanted):
        if not str(folder).startswith(("/usr/", "/opt/")) and str(folder) not in ("/", "/usr"):
            yield from ("--ro-bind", str(folder), str(folder))


def _packages_elsewhere(site: Path) -> Iterator[Path]:
    """The platform's own package for the SDK, and its own packages where the environment's path file names them.

    No others: environments are built from packages of strangers, who must not choose what a sandbox sees.
    """
    yield Path(__file__).parents[2]
    lent = site / "tidemill.pth"
    if lent.is_file():
        named = set(lent.read_text("utf-8").splitlines())
        own = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
        yield from map(Path, sorted(own & named))


def _devices(devices: Sequence[Sequence[Any]]) -> Iterator[str]:
    """Device files of what was granted, and no others."""
    numbers = [id for kind, id, _ in devices if kind == "gpu" or kind.startswith("nvidia")]
    if not numbers:
        return
    for name in ("nvidiactl", "nvidia-uvm", "nvidia-uvm-tools", "nvidia-modeset", *(f"nvidia{id}" for id in numbers)):
        yield from ("--dev-bind-try", f"/dev/{name}", f"/dev/{name}")
    yield from ("--ro-bind-try", "/sys", "/sys")
