"""Debian packages: installed when we are root and apt-get is there, otherwise named in one line."""

import os
import shutil
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from steps import say


@dataclass(frozen=True)
class Package:
    """A package, how to see that what it brings is there, and what is missed without it."""

    name: str
    is_here: Callable[[], bool]
    without: str


def _program(name: str) -> Callable[[], bool]:
    return lambda: shutil.which(name) is not None


def _files(root: str, pattern: str) -> Callable[[], bool]:
    return lambda: any(Path(root).glob(pattern))


GIT = Package("git", _program("git"), "importing from Git addresses is refused")
VENV = Package("python3-venv", lambda: False, "no Python environment can be made")
SANDBOX = Package("bubblewrap", _program("bwrap"), "workloads run as plain processes, not kept apart")
SSH = Package("openssh-client", _program("ssh"), "nodes of one run do not reach each other, Git over SSH is refused")
SFTP = Package("openssh-sftp-server", _files("/usr/lib/openssh", "sftp-server"), "environments take no files over SFTP")
RAR = Package("unar", _program("unar"), "rar archives are refused")
FOR_RUNNING = [GIT, SANDBOX, SSH, SFTP, RAR]
FOR_TESTS = [
    *FOR_RUNNING,
    Package("haproxy", _program("haproxy"), "the gateway is not tried behind HAProxy"),
    Package("openmpi-bin", _program("mpirun"), "runs started by mpirun are not tried"),
    Package("skopeo", _program("skopeo"), "the image registry is not tried with skopeo"),
    Package("podman", _program("podman"), "tests with containers are skipped"),
    Package("runc", _program("runc"), "tests with containers are skipped"),
    Package("busybox-static", _program("busybox"), "tests with containers are skipped"),
    Package("libarchive-tools", _program("bsdtar"), "archives are not tried with a second reader"),
    Package("postgresql", _files("/usr/lib/postgresql", "*/bin/initdb"), "tests on PostgreSQL are skipped"),
    Package("mariadb-server-core", _files("/usr/sbin", "mariadbd"), "tests of imports from MariaDB are skipped"),
    Package("chromium", _program("chromium"), "browser tests are skipped"),
    Package("fonts-noto-cjk", _files("/usr/share/fonts", "**/NotoSansCJK*"), "Chinese text in pictures is boxes"),
]


def install_missing(packages: Sequence[Package]) -> None:
    """Installs what is not here where we can; says what is missed where we cannot, and goes on."""
    missing = [package for package in packages if not package.is_here()]
    if not missing:
        return
    names = [package.name for package in missing]
    if os.geteuid() == 0 and shutil.which("apt-get"):
        say(f"installing Debian packages: {' '.join(names)}")
        if _apt("install", *names) or (_apt("update") and _apt("install", *names)):
            return
    consequences = "; ".join(f"{package.name} ({package.without})" for package in missing)
    say(f"missing Debian packages: {consequences}. As root: apt-get install {' '.join(names)}")


def _apt(verb: str, *names: str) -> bool:
    options = ["--yes", "--no-install-recommends"] if verb == "install" else []
    environ = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    command = ["apt-get", "-qq", verb, *options, *names]
    # apt's own words go to the screen: they are what helps when it fails.
    return subprocess.run(command, env=environ, stdout=subprocess.DEVNULL, check=False).returncode == 0
