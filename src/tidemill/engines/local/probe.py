"""What this machine has: runtimes that work, limits that hold, devices."""

import os
import subprocess
from functools import cache

from tidemill.engines.base import EngineError, Machine, Runtime
from tidemill.engines.local.containers import limits_held
from tidemill.engines.local.devices import find_devices
from tidemill.engines.local.sandbox import base_options, sandbox_program
from tidemill.engines.local.settings import LocalSettings, cpus_of_machine, memory_of_machine, parse_devices
from tidemill.engines.runner import cgroups

NAME = "local"


def find_machine(settings: LocalSettings, bases: cgroups.Group, socket_path: str | None) -> Machine:
    """This machine, within what the settings allow of it."""
    runtimes = find_runtimes(settings, socket_path)
    held = cgroups.enforced(bases)
    by_container = limits_held(socket_path) if socket_path else frozenset()
    return Machine(
        name=NAME,
        cpus=settings.cpus or cpus_of_machine(),
        memory_bytes=settings.memory_bytes or memory_of_machine(),
        devices=find_devices() if settings.devices is None else parse_devices(settings.devices),
        runtimes=runtimes,
        enforced={runtime: by_container if runtime is Runtime.CONTAINER else held for runtime in runtimes},
    )


def find_runtimes(settings: LocalSettings, socket_path: str | None) -> tuple[Runtime, ...]:
    """Those that work here, the preferred one first."""
    found = [Runtime.PROCESS]
    if sandbox_trouble() is None:
        found.insert(0, Runtime.SANDBOX)
    if socket_path is not None:
        found.append(Runtime.CONTAINER)
    if settings.runtime is None:
        return tuple(found)
    if settings.runtime not in found:
        why = sandbox_trouble() if settings.runtime is Runtime.SANDBOX else "no container engine answers"
        raise EngineError(f"the runtime {settings.runtime.value!r} does not work on this machine: {why}")
    return (settings.runtime, *(runtime for runtime in found if runtime is not settings.runtime))


@cache
def sandbox_trouble() -> str | None:
    """Why there are no sandboxes here; None when there are. Tried once."""
    program = sandbox_program()
    if program is None:
        return "bubblewrap (bwrap) is not installed"
    bound = [part for folder in ("/usr", "/bin", "/lib", "/lib64") for part in ("--ro-bind-try", folder, folder)]
    argv = [program, *base_options("probe"), *bound, "/usr/bin/env", "true"]
    try:
        done = subprocess.run(argv, capture_output=True, timeout=20, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    return None if done.returncode == 0 else done.stderr.decode(errors="replace").strip()


def find_bases(settings: LocalSettings) -> cgroups.Group:
    """Where control groups of all engines go; none when they are not wanted or not allowed."""
    if not settings.use_control_groups or not os.path.exists("/proc/self/cgroup"):
        return {}
    return cgroups.find_bases("tidemill")
