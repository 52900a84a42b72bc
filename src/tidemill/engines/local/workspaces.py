"""Workspaces: folders that outlive launches, and what is put into them for one."""

import os
import shutil
from pathlib import Path

from tidemill.engines.base import EngineError, Launch, Placed, Runtime
from tidemill.engines.local.inside import folder_inside, kind_of, parts_of, write_link
from tidemill.engines.local.layer import HOME, find_python, write_layer
from tidemill.engines.local.layout import Layout


def open_workspace(layout: Layout, key: str) -> Path:
    """The folder, made when it is not there."""
    folder = layout.workspace(key)
    folder.mkdir(mode=0o755, exist_ok=True)
    return folder


def fill_workspace(layout: Layout, launch: Launch, seen_at: str) -> None:
    """Puts what the launch needs into its workspace; what is there from earlier launches stays as it is."""
    folder = open_workspace(layout, launch.workspace)
    with folder_inside(folder, HOME):
        pass
    if launch.runtime is not Runtime.CONTAINER:
        write_layer(folder, find_python(launch.image.reference), seen_at=seen_at)
    for placed in launch.materials:
        if placed.mode == "copy":
            _copy(layout, folder, placed)
        else:
            _link(layout, folder, placed, launch.runtime)


def remove_workspace(layout: Layout, key: str) -> None:
    """Renamed away first, so that it is there whole or not at all."""
    folder = layout.workspace(key)
    leaving = layout.temporary / f"workspace-{os.urandom(8).hex()}"
    try:
        folder.rename(leaving)
    except FileNotFoundError:
        return
    shutil.rmtree(leaving)


def _link(layout: Layout, workspace: Path, placed: Placed, runtime: Runtime) -> None:
    """Plain processes get a symbolic link; for the others it is an empty folder to mount on."""
    parent, name = _split(placed.target)
    material = layout.material(placed.key)
    with folder_inside(workspace, parent) as handle:
        if runtime is Runtime.PROCESS:
            if kind_of(handle, name) == "folder":
                _remove_empty(handle, name, placed.target)
            write_link(handle, name, str(material))
            return
        if kind_of(handle, name) == "link":
            os.unlink(name, dir_fd=handle)
    with folder_inside(workspace, placed.target):
        return


def _copy(layout: Layout, workspace: Path, placed: Placed) -> None:
    parent, name = _split(placed.target)
    with folder_inside(workspace, parent) as handle:
        if kind_of(handle, name) is not None:
            return
        building = layout.temporary / f"copy-{os.urandom(8).hex()}"
        try:
            shutil.copytree(layout.material(placed.key), building, copy_function=_copy_file)
            os.rename(building, name, dst_dir_fd=handle)
        except OSError:
            if kind_of(handle, name) is None:
                raise
            # Another launch was quicker.
        finally:
            if building.is_dir():
                shutil.rmtree(building)


def _copy_file(source: str, target: str) -> str:
    """The bytes only: the store's modes are for the store."""
    return str(shutil.copyfile(source, target))


def _split(target: str) -> tuple[str, str]:
    parts = parts_of(target)
    if not parts:
        raise EngineError("a material's target must name a folder below the workspace")
    return "/".join(parts[:-1]), parts[-1]


def _remove_empty(handle: int, name: str, target: str) -> None:
    try:
        os.rmdir(name, dir_fd=handle)
    except OSError:
        raise EngineError(
            f"{target}: cannot be placed in the workspace, because a folder with files is there"
        ) from None
