"""Fetching one commit of a Git repository, and reading its files, with no working copy.

Nothing of the repository is ever checked out: its objects are fetched into a bare repository and read from there. So
there are no links to follow, no hooks or filters to run, no paths to escape by. Git connects to the address that was
checked, follows no redirect, asks nobody for a password and reads nobody's configuration.
"""

import os
import re
import shlex
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO

from tidemill.kernel.errors import Invalid, TidemillError, TooLarge, Unavailable
from tidemill.kernel.outbound import Target

_POLL_S = 0.2
_MEASURE_EVERY_S = 1.0
_PERCENT = re.compile(rb"Receiving objects:\s+(\d+)%")
_SAID_KEPT = 4000
_BLOCK = 1 << 20

_LINK, _SUBMODULE = "120000", "160000"


class GitCancelled(Exception):
    """Told to stop."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How long and how large a fetch may be."""

    timeout_s: float
    max_bytes: int


@dataclass(frozen=True, slots=True)
class GitFile:
    """A file in a commit. `problem` says why it cannot be taken, as a code."""

    path: str
    object_id: str
    size_bytes: int
    problem: str | None = None


def open_repository(folder: Path) -> None:
    """An empty bare repository in a new folder; what was there before (from a run that was interrupted) is removed."""
    if shutil.which("git") is None:
        raise Unavailable("git_missing")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True, mode=0o700)
    _ask(folder, ["init", "--quiet", "--bare", "."])


def fetch(
    folder: Path,
    target: Target,
    ref: str,
    *,
    ssh_folder: Path,
    limits: Limits,
    on_percent: Callable[[int], None],
    is_cancelled: Callable[[], bool],
) -> str:
    """Fetches one commit without its history; its id."""
    arguments = [
        "git",
        *_network_options(target),
        "fetch",
        "--progress",
        "--depth=1",
        "--no-tags",
        "--no-recurse-submodules",
    ]
    arguments += ["--no-write-fetch-head", "--", _remote(target), f"+{ref}:refs/tidemill/import"]
    process = subprocess.Popen(
        arguments,
        cwd=folder,
        env=_environment(folder, target, ssh_folder),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    said = _Said(process, on_percent)
    try:
        _watch(process, folder, limits, is_cancelled)
    finally:
        _end(process)
        said.finish()
    if process.returncode != 0:
        raise _failure(said.words, target, ref)
    return _ask(folder, ["rev-parse", "--verify", "refs/tidemill/import^{commit}"]).decode().strip()


def list_files(folder: Path, commit: str, subdir: str) -> list[GitFile]:
    """All files of the commit below `subdir`, links and submodules marked as problems."""
    try:
        listed = _ask(folder, ["ls-tree", "-r", "-z", "-l", "--full-tree", f"{commit}:{subdir}"])
    except subprocess.CalledProcessError:
        raise Invalid("git_subdir_unknown", field="subdir", subdir=subdir) from None
    return [_parse_line(line) for line in listed.split(b"\0") if line]


@contextmanager
def reading(folder: Path) -> Iterator[Callable[[str], Iterator[bytes]]]:
    """Gives a function that reads one object after another; each must be read to its end before the next."""
    process = subprocess.Popen(
        ["git", "cat-file", "--batch"],
        cwd=folder,
        env=_base_environment(folder),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    assert process.stdin
    assert process.stdout
    wants, gives = process.stdin, process.stdout
    try:
        yield lambda object_id: _read_object(wants, gives, object_id)
    finally:
        _end(process)
        wants.close()
        gives.close()


def _network_options(target: Target) -> list[str]:
    settings = {
        "protocol.allow": "never",
        f"protocol.{target.scheme}.allow": "always",
        "http.followRedirects": "false",
        "http.proxy": "",
        "http.lowSpeedLimit": "100",
        "http.lowSpeedTime": "60",
        "credential.helper": "",
        "core.hooksPath": os.devnull,
        "fetch.fsckObjects": "false",
        "gc.auto": "0",
        "maintenance.auto": "false",
    }
    if target.host != target.ip:
        address = f"[{target.ip}]" if ":" in target.ip else target.ip
        settings["http.curloptResolve"] = f"{target.host}:{target.port}:{address}"
    return [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]


def _base_environment(folder: Path) -> dict[str, str]:
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": str(folder),
        "LC_ALL": "C",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_ASKPASS": "false",
        "SSH_ASKPASS": "false",
        "GIT_LFS_SKIP_SMUDGE": "1",
        "GIT_NO_LAZY_FETCH": "1",
    }


def _environment(folder: Path, target: Target, ssh_folder: Path) -> dict[str, str]:
    environment = _base_environment(folder)
    if target.scheme == "ssh":
        ssh_folder.mkdir(mode=0o700, exist_ok=True)
        environment["GIT_SSH_COMMAND"] = ssh_command(target, ssh_folder)
        environment["GIT_SSH_VARIANT"] = "ssh"
    return environment


def _remote(target: Target) -> str:
    """The plain protocol has no other way to pin the address than to name it."""
    return replace(target, host=target.ip).url if target.scheme == "git" else target.url


def ssh_command(target: Target, ssh_folder: Path) -> str:
    """How Git calls ssh: to the checked address, with the platform's own key if there is one, and nobody's agent."""
    options = {
        "HostName": target.ip,
        "HostKeyAlias": target.host,
        "CheckHostIP": "no",
        "BatchMode": "yes",
        "StrictHostKeyChecking": "accept-new",
        "UserKnownHostsFile": str(ssh_folder / "known_hosts"),
        "GlobalKnownHostsFile": os.devnull,
        "IdentityAgent": "none",
        "IdentitiesOnly": "yes",
        "IdentityFile": str(key) if (key := ssh_folder / "id_ed25519").exists() else "none",
        "ProxyCommand": "none",
        "ProxyJump": "none",
        "ForwardAgent": "no",
        "PermitLocalCommand": "no",
        "ClearAllForwardings": "yes",
        "ConnectTimeout": "20",
        "ServerAliveInterval": "20",
    }
    return shlex.join(["ssh", "-F", os.devnull, *(part for o in options.items() for part in ("-o", f"{o[0]}={o[1]}"))])


class _Said:
    """Reads what Git says while it works: progress is passed on, the end is kept for when it fails."""

    def __init__(self, process: subprocess.Popen[bytes], on_percent: Callable[[int], None]) -> None:
        assert process.stderr
        self._stream = process.stderr
        self._on_percent = on_percent
        self.words = b""
        self._thread = threading.Thread(target=self._read, name="git-progress", daemon=True)
        self._thread.start()

    def finish(self) -> None:
        self._thread.join()
        self._stream.close()

    def _read(self) -> None:
        while block := os.read(self._stream.fileno(), 4096):
            self.words = (self.words + block)[-_SAID_KEPT:]
            if found := _PERCENT.findall(block):
                self._on_percent(int(found[-1]))


def _watch(process: "subprocess.Popen[bytes]", folder: Path, limits: Limits, is_cancelled: Callable[[], bool]) -> None:
    """Waits for Git to end; raises when it should not go on."""
    started = measured = time.monotonic()
    while True:
        try:
            process.wait(_POLL_S)
            break
        except subprocess.TimeoutExpired:
            now = time.monotonic()
        if is_cancelled():
            raise GitCancelled
        if now - started > limits.timeout_s:
            raise Unavailable("git_timeout", seconds=int(limits.timeout_s))
        if now - measured > _MEASURE_EVERY_S:
            measured = now
            _check_size(folder, limits)
    _check_size(folder, limits)


def _check_size(folder: Path, limits: Limits) -> None:
    """Git renames and removes files while we look: one that is gone counts nothing."""
    total = 0
    for place, _, names in os.walk(folder):
        for name in names:
            try:
                total += os.lstat(os.path.join(place, name)).st_size
            except FileNotFoundError:
                continue
    if total > limits.max_bytes:
        raise TooLarge("git_too_large", max_bytes=limits.max_bytes)


def _end(process: "subprocess.Popen[bytes]") -> None:
    """Ends Git and what it started: they are a process group of their own. One that ended by itself is left alone."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _ask(folder: Path, arguments: Sequence[str]) -> bytes:
    """A short local question to Git."""
    done = subprocess.run(
        ["git", *arguments],
        cwd=folder,
        env=_base_environment(folder),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=True,
    )
    return done.stdout


def _parse_line(line: bytes) -> GitFile:
    about, _, raw_path = line.partition(b"\t")
    mode, _, object_id, size = about.decode("ascii").split()
    try:
        path, problem = raw_path.decode("utf-8"), None
    except UnicodeDecodeError:
        path, problem = raw_path.decode("utf-8", "replace"), "path_invalid"
    if mode == _LINK:
        problem = "git_link"
    elif mode == _SUBMODULE:
        problem = "git_submodule"
    return GitFile(path, object_id, 0 if size == "-" else int(size), problem)


def _read_object(wants: IO[bytes], gives: IO[bytes], object_id: str) -> Iterator[bytes]:
    wants.write(f"{object_id}\n".encode())
    wants.flush()
    header = gives.readline().split()
    if len(header) != 3:
        raise Unavailable("git_failed", said="the repository is damaged")
    left = int(header[2])
    while left:
        block = gives.read(min(left, _BLOCK))
        if not block:
            raise Unavailable("git_failed", said="the repository is damaged")
        left -= len(block)
        yield block
    gives.read(1)


_FAILURES: tuple[tuple[str, str, str | None], ...] = (
    ("find remote ref", "git_ref_unknown", "ref"),
    ("not our ref", "git_ref_unknown", "ref"),
    ("returned error: 30", "git_redirect", "url"),
    ("redirect", "git_redirect", "url"),
    ("could not read username", "git_private", "url"),
    ("authentication failed", "git_private", "url"),
    ("permission denied", "git_private", "url"),
    ("returned error: 403", "git_private", "url"),
    ("terminal prompts disabled", "git_private", "url"),
    ("host key verification failed", "git_host_key", "url"),
    ("not found", "git_not_found", "url"),
    ("does not appear to be a git repository", "git_not_found", "url"),
    ("failed to connect", "git_unreachable", "url"),
    ("couldn't connect", "git_unreachable", "url"),
    ("could not resolve", "git_unreachable", "url"),
    ("no route to host", "git_unreachable", "url"),
    ("connection", "git_unreachable", "url"),
    ("timed out", "git_unreachable", "url"),
)


def _failure(words: bytes, target: Target, ref: str) -> TidemillError:
    """Git's failure in our words where we know it, in its own last line where we do not."""
    text = words.decode("utf-8", "replace")
    for sign, code, field in _FAILURES:
        if sign in text.lower():
            return Invalid(code, field=field, host=target.host, ref=ref)
    lines = [line.strip() for line in re.split(r"[\r\n]+", text) if line.strip()]
    return Unavailable("git_failed", said=lines[-1][:300] if lines else "?")
