"""Control groups of version 2, against a tree of files that behaves as the kernel's does."""

import os
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from tidemill.engines.runner import cgroups

FILES = (
    "cgroup.subtree_control",
    "cgroup.procs",
    "cgroup.kill",
    "cpu.max",
    "memory.max",
    "memory.swap.max",
    "pids.max",
)
OWN = "/system.slice/tidemill.service"


class Kernel:
    """A mounted tree: a folder that is made has its files at once, and goes with them."""

    def __init__(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.root = root
        self.make(str(root))
        self.make(f"{root}{OWN}")
        mounts = f"30 23 0:26 / {root} rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n23 1 8:1 / / rw - ext4 /dev/sda1 rw\n"
        texts = {"/proc/self/mountinfo": mounts, "/proc/self/cgroup": f"0::{OWN}\n", "/proc/42/cgroup": f"0::{OWN}\n"}
        self._open: Callable[..., Any] = open
        monkeypatch.setattr(cgroups, "open", lambda path: self.open(texts, path), raising=False)
        self._rmdir = os.rmdir
        monkeypatch.setattr(os, "makedirs", self.make)
        monkeypatch.setattr(os, "rmdir", self.remove)

    def remove(self, path: str) -> None:
        for entry in Path(path).iterdir():
            entry.unlink()
        self._rmdir(path)

    def make(self, path: str, *, exist_ok: bool = True) -> None:
        assert exist_ok
        if not Path(path).is_dir():
            Path(path).mkdir(parents=True)
            for name in FILES:
                Path(path, name).touch()

    def open(self, texts: dict[str, str], path: str) -> Any:
        return StringIO(texts[path]) if path in texts else self._open(path)

    def forbid(self, path: str) -> None:
        """Nothing may be handed down from there."""
        Path(f"{self.root}{path}", "cgroup.subtree_control").unlink()

    def read(self, group: cgroups.Group, name: str) -> str:
        return Path(group["unified"], name).read_text()


@pytest.fixture
def kernel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Kernel:
    return Kernel(tmp_path / "cgroup", monkeypatch)


@pytest.fixture
def group(kernel: Kernel) -> cgroups.Group:
    made = cgroups.group_of(cgroups.find_bases("tidemill"), "node-0")
    cgroups.make_group(made, cpus=1.5, memory_bytes=256 << 20, pids=100)
    return made


def test_groups_are_made_below_the_root_where_that_is_ours(kernel: Kernel) -> None:
    bases = cgroups.find_bases("tidemill")
    assert set(bases.values()) == {f"{kernel.root}/tidemill"}
    assert cgroups.enforced(bases) == {"cpu", "memory", "pids"}
    for folder in (kernel.root, kernel.root / "tidemill"):
        assert (folder / "cgroup.subtree_control").read_text() == "+cpu +memory +pids"
    assert not list((kernel.root / "tidemill").glob("probe-*"))


def test_groups_are_made_below_our_own_where_the_root_is_not_ours(kernel: Kernel) -> None:
    kernel.forbid("")
    assert cgroups.find_bases("tidemill")["memory"] == f"{kernel.root}{OWN}/tidemill"


def test_where_nothing_is_handed_down_no_limit_is_promised(kernel: Kernel) -> None:
    kernel.forbid("")
    kernel.forbid(OWN)
    assert cgroups.find_bases("tidemill") == {}
    assert cgroups.enforced({}) == frozenset()


def test_limits_are_written_as_version_2_reads_them(kernel: Kernel, group: cgroups.Group) -> None:
    assert cgroups.is_v2(group)
    assert kernel.read(group, "cpu.max") == "150000 100000"
    assert kernel.read(group, "memory.max") == str(256 << 20)
    assert kernel.read(group, "memory.swap.max") == "0"
    assert kernel.read(group, "pids.max") == "100"
    cgroups.join(group, 42)
    assert kernel.read(group, "cgroup.procs") == "42"


def test_use_is_read_as_version_2_tells_it(kernel: Kernel, group: cgroups.Group) -> None:
    assert cgroups.cpu_seconds(group) is None
    folder = Path(group["unified"])
    (folder / "cpu.stat").write_text("usage_usec 2500000\nuser_usec 2000000\nnr_throttled 3\n")
    (folder / "memory.current").write_text("1000000\n")
    (folder / "memory.stat").write_text("anon 600000\ninactive_file 400000\n")
    (folder / "memory.events").write_text("low 0\nhigh 0\nmax 9\noom 2\noom_kill 2\n")
    assert cgroups.cpu_seconds(group) == 2.5
    assert cgroups.memory_bytes(group) == 600_000
    assert cgroups.out_of_memory_kills(group) == 2


def test_everything_in_a_group_is_killed_in_one_call_and_the_group_goes(kernel: Kernel, group: cgroups.Group) -> None:
    assert cgroups.kill(group)
    assert kernel.read(group, "cgroup.kill") == "1"
    assert kernel.read(group, "pids.max").startswith("0"), "nothing is born meanwhile"
    cgroups.remove(group)
    assert not Path(group["unified"]).exists()


def test_the_group_of_a_container_is_found_by_its_process(kernel: Kernel) -> None:
    found = cgroups.group_of_process(42)
    assert cgroups.is_v2(found)
    assert set(found.values()) == {f"{kernel.root}{OWN}"}
