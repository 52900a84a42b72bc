"""Python environments on disk: `home/environments/<digest>`, made once, shared by all that use them.

Scripts of an environment name its interpreter by its whole path, so one is made where it stays. It counts as made when
its marker is there, which is written last; what a crash left without one is made again. One maker at a time: whoever
comes later waits for the lock and finds it made.
"""

import fcntl
import hashlib
import importlib.metadata
import json
import os
import platform
import shutil
import sys
import sysconfig
import time
import venv
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import tidemill
from tidemill.kernel.ids import new_id

MARKER = "tidemill.json"
OWN_ENTRY = f"tidemill_python-{sys.version_info.major}.{sys.version_info.minor}-own"
"""In a lock: not a wheel, but the platform's own Python with all that it has."""
_PIP = """#!{python}
import sys
from pip._internal.cli.main import main
sys.exit(main())
"""

Progress = Callable[[str], None]


def unseen(text: str) -> None:
    """Progress that nobody looks at."""
    del text


class Environments:
    """The folder of all environments."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder

    def path(self, digest: str) -> Path:
        return self._folder / digest

    def is_made(self, digest: str) -> bool:
        return (self.path(digest) / MARKER).is_file()

    def size_bytes(self, digest: str) -> int:
        """How much disk a made environment takes."""
        return int(json.loads((self.path(digest) / MARKER).read_text("utf-8"))["size_bytes"])

    def ensure(self, digest: str, fill: Callable[[Path], None]) -> Path:
        """The environment's folder. When it is not made yet, `fill` is given a bare one to put things into."""
        folder = self.path(digest)
        with suppress(FileNotFoundError):
            # Not there, or collected this very moment.
            return self.touch(digest)
        with self.turn(digest):
            if not self.is_made(digest):
                shutil.rmtree(folder, ignore_errors=True)
                _make_bare(folder)
                fill(folder)
                _mark(folder)
        return folder

    def touch(self, digest: str) -> Path:
        """The folder of a made environment, which is now in use: it is not collected for a while."""
        os.utime(self.path(digest) / MARKER)
        return self.path(digest)

    def ensure_own(self) -> tuple[str, Path]:
        """The platform's own interpreter with all that it has, the SDK among it; digest and folder."""
        digest = own_digest()
        return digest, self.ensure(digest, _open_to_own_packages)

    @contextmanager
    def turn(self, key: str) -> Iterator[None]:
        """Waits until nobody else, here or in another process, makes what has that key."""
        with (self._folder / f"{key}.lock").open("w") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield

    def scratch(self) -> Path:
        """A new folder on the same disk, for the caller to remove."""
        folder = self._folder / new_id("tmp")
        folder.mkdir()
        return folder

    def collect(self, keep: set[str], *, before_s: float) -> list[str]:
        """Removes environments that are not to be kept and were last used before that time, and what crashes left."""
        gone = []
        for entry in sorted(self._folder.iterdir()):
            if entry.suffix == ".lock" or entry.name in keep or _last_used(entry) >= before_s:
                continue
            with self.turn(entry.name):
                if _last_used(entry) >= before_s:
                    continue
                aside = entry.rename(self._folder / new_id("tmp"))
            shutil.rmtree(aside, ignore_errors=True)
            (self._folder / f"{entry.name}.lock").unlink(missing_ok=True)
            gone.append(entry.name)
        return gone


def lock_digest(wheels: Sequence[Sequence[str | int]]) -> str:
    """What names an environment of these wheels, for this interpreter on this kind of machine."""
    place = [platform.python_implementation(), platform.python_version(), sysconfig.get_platform(), sys.base_prefix]
    listed = [
        [name, own_digest(), size] if name == OWN_ENTRY else [name, digest, size] for name, digest, size in wheels
    ]
    return hashlib.sha256(json.dumps([place, sorted(listed)]).encode()).hexdigest()


def own_entry() -> list[str | int]:
    """What a lock begins with whose environment has, behind its own wheels, all that the platform's own Python has."""
    return [OWN_ENTRY, own_digest(), 0]


def open_to_own(folder: Path) -> None:
    """Lets the platform's own packages into an environment, the SDK among them; its own come first."""
    _open_to_own_packages(folder)


def own_digest() -> str:
    """What names the platform's own environment: another one after each upgrade of it or of its interpreter."""
    place = [sys.version, sys.base_prefix, tidemill.__version__, *_own_folders()]
    return hashlib.sha256(json.dumps(place).encode()).hexdigest()


def sdk_requirements() -> list[str]:
    """What the SDK needs, which is part of every environment."""
    return [line for line in importlib.metadata.requires("tidemill") or [] if "extra ==" not in line]


def give_sdk(folder: Path) -> None:
    """The SDK as this server has it: training scripts speak to the server they were started by."""
    (site_packages(folder) / "tidemill").symlink_to(Path(tidemill.__file__).parent)


def site_packages(folder: Path) -> Path:
    return folder / "lib" / f"python{sys.version_info.major}.{sys.version_info.minor}" / "site-packages"


def _make_bare(folder: Path) -> None:
    # The interpreter's own packages are let in, because pip refuses to install for a user without them.
    venv.EnvBuilder(system_site_packages=True, symlinks=True, with_pip=False).create(folder)


def _open_to_own_packages(folder: Path) -> None:
    lines = "".join(f"{path}\n" for path in _own_folders())
    (site_packages(folder) / "tidemill.pth").write_text(lines, "utf-8")
    pip = folder / "bin" / "pip"
    pip.write_text(_PIP.format(python=folder / "bin" / "python"), "utf-8")
    pip.chmod(0o755)


def _own_folders() -> list[str]:
    own = Path(tidemill.__file__).parent.parent
    return list(dict.fromkeys([sysconfig.get_path("purelib"), sysconfig.get_path("platlib"), str(own)]))


def _mark(folder: Path) -> None:
    made = {"size_bytes": _tree_size(folder), "made_at": time.time()}
    aside = folder / f"{MARKER}.new"
    with aside.open("w", encoding="utf-8") as file:
        json.dump(made, file)
        file.flush()
        os.fsync(file.fileno())
    aside.rename(folder / MARKER)


def _tree_size(folder: Path) -> int:
    total = 0
    for parent, _, names in os.walk(folder):
        total += sum(os.lstat(os.path.join(parent, name)).st_size for name in names)
    return total


def _last_used(entry: Path) -> float:
    marker = entry / MARKER
    try:
        return (marker if marker.is_file() else entry).stat().st_mtime
    except FileNotFoundError:
        return time.time()
