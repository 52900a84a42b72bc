"""A workspace's own layer over a Python environment: what a workload installs stays with its workspace.

The layer is a virtual environment of no packages whose site folder points to the image's. `pip install` puts packages
into the layer and never touches the image, which many workloads share.
"""

import json
import os
import sys
from dataclasses import dataclass
from pathlib import Path

from tidemill.engines.base import EngineError
from tidemill.engines.local.inside import folder_inside, write_file, write_link

HOME = ".home"
LAYER = f"{HOME}/python"


@dataclass(frozen=True, slots=True)
class Python:
    """A Python environment as it lies on this machine."""

    folder: Path
    program: Path
    """The interpreter itself, behind all links."""
    site: Path
    version: str
    sees_base: bool
    """Whether packages of the interpreter's own installation are let in."""

    @property
    def base(self) -> Path:
        """The folder of the interpreter's installation."""
        return self.program.parent.parent


def find_python(reference: str) -> Python:
    """The environment in a folder; empty: the one this program runs in."""
    folder = Path(reference or sys.prefix)
    program = folder / "bin" / "python"
    sites = sorted(folder.glob("lib/python3*/site-packages"))
    if not program.exists() or not sites:
        raise EngineError(f"{folder}: there is no Python environment")
    version = sites[-1].parent.name.removeprefix("python")
    return Python(folder, program.resolve(), sites[-1], version, _sees_base(folder))


def write_layer(workspace: Path, python: Python, *, seen_at: str) -> None:
    """Makes the layer, or turns it to this environment. `seen_at` is where the workload sees its workspace."""
    lets_in = str(python.sees_base).lower()
    config = f"home = {python.program.parent}\ninclude-system-site-packages = {lets_in}\nversion = {python.version}\n"
    link = f"import site; site.addsitedir({str(python.site)!r})\n"
    state = config + link + seen_at
    if _is_written(workspace, state):
        return
    with folder_inside(workspace, f"{LAYER}/lib/python{python.version}/site-packages") as handle:
        write_file(handle, "_image.pth", link.encode())
    with folder_inside(workspace, f"{LAYER}/bin") as handle:
        for name in ("python", "python3", f"python{python.version}"):
            write_link(handle, name, str(python.program))
        for name in ("pip", "pip3"):
            write_file(handle, name, b'#!/bin/sh\nexec "$(dirname "$0")/python" -m pip "$@"\n', 0o755)
    with folder_inside(workspace, f"{LAYER}/share/jupyter/kernels/python3") as handle:
        write_file(handle, "kernel.json", _kernel(f"{seen_at}/{LAYER}/bin/python"))
    with folder_inside(workspace, LAYER) as handle:
        write_file(handle, "pyvenv.cfg", config.encode())
        write_file(handle, ".layer", state.encode())


def layer_environment(python: Python, seen_at: str) -> dict[str, str]:
    """Variables by which programs find the layer first and the image behind it."""
    layer = f"{seen_at}/{LAYER}"
    return {
        "PYTHONUSERBASE": f"{seen_at}/{HOME}/.local",
        "PYTHONPATH": f"{layer}/lib/python{python.version}/site-packages",
        "VIRTUAL_ENV": layer,
        "JUPYTER_PATH": f"{layer}/share/jupyter:{python.folder}/share/jupyter",
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    }


def layer_path(python: Python, seen_at: str) -> list[str]:
    """Folders of programs."""
    return [f"{seen_at}/{LAYER}/bin", f"{python.folder}/bin", f"{seen_at}/{HOME}/.local/bin"]


def _sees_base(folder: Path) -> bool:
    try:
        text = (folder / "pyvenv.cfg").read_text()
    except FileNotFoundError:
        return True  # not a virtual environment but an installation
    return "include-system-site-packages = true" in text.lower()


def _is_written(workspace: Path, state: str) -> bool:
    try:
        with folder_inside(workspace, LAYER) as handle:
            file = os.open(".layer", os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=handle)
            try:
                return os.read(file, 8192) == state.encode()
            finally:
                os.close(file)
    except OSError:
        return False


def _kernel(program: str) -> bytes:
    argv = [program, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    return json.dumps({"argv": argv, "display_name": "Python 3", "language": "python"}).encode()
