"""Writing below one folder and nowhere else.

The names come from a server that may be hostile, and the folder may hold links that lead anywhere. So every path is
checked, every folder on the way is looked at without following it, and a file appears under its name only whole.
"""

import os
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path

from tidemill.kernel.errors import Conflict, Invalid
from tidemill.sdk.language import problem
from tidemill.sdk.transfer.ignore import Ignore
from tidemill.sdk.transfer.paths import PARTS_FOLDER, check_writable
from tidemill.sdk.transfer.scan import LocalFile


class Target:
    """The folder a version is pulled into."""

    def __init__(self, folder: Path) -> None:
        if folder.exists() and not folder.is_dir():
            raise problem(Invalid, "sdk_target_not_folder", path=folder)
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise problem(Invalid, "sdk_target_unwritable", path=folder, cause=error.strerror) from error
        self.root = folder.resolve()
        self._checked: set[str] = set()

    def find(self, path: str) -> LocalFile | None:
        """The plain file at a path, if there is one and no link leads to it."""
        place = self._place(path)
        self._check_parents(path)
        try:
            seen = os.lstat(place)
        except (FileNotFoundError, NotADirectoryError):
            return None
        if stat.S_ISDIR(seen.st_mode):
            raise problem(Conflict, "sdk_target_in_the_way", path=place)
        if not stat.S_ISREG(seen.st_mode):
            return None
        return LocalFile(path, place, seen.st_size, seen.st_mtime_ns, seen.st_ino)

    def part(self, digest: str) -> Path:
        """Where a file's bytes gather until they are complete."""
        folder = self.root / PARTS_FOLDER
        if folder.is_symlink():
            raise problem(Conflict, "sdk_target_linked", path=folder)
        folder.mkdir(exist_ok=True)
        return folder / f"{digest}.part"

    def put(self, part: Path, path: str) -> LocalFile:
        """Gives a complete file its name; a link under that name is replaced, not followed."""
        place = self._place(path)
        self._check_parents(path, make=True)
        os.replace(part, place)
        seen = os.lstat(place)
        return LocalFile(path, place, seen.st_size, seen.st_mtime_ns, seen.st_ino)

    def copy(self, source: Path, path: str, digest: str) -> None:
        """A second file with the same content, without asking the server again."""
        part = self.part(f"{digest}-copy")
        shutil.copyfile(source, part, follow_symlinks=False)
        self.put(part, path)

    def others(self, wanted: set[str]) -> Iterator[Path]:
        """Files and links that a version does not have; what a push would leave out is left alone."""
        ignore = Ignore.of_folder(self.root)
        yield from self._others(self.root, "", wanted, ignore)

    def remove(self, places: list[Path]) -> None:
        """Removes files, then the folders that became empty."""
        for place in places:
            place.unlink()
        for parent in sorted({parent for place in places for parent in self._parents(place)}, reverse=True):
            if parent.is_dir() and not any(parent.iterdir()):
                parent.rmdir()

    def clean(self) -> None:
        """Takes the parts away; called when nothing is on its way any more."""
        folder = self.root / PARTS_FOLDER
        if folder.is_dir() and not folder.is_symlink():
            shutil.rmtree(folder)

    def _place(self, path: str) -> Path:
        check_writable(path)
        return self.root.joinpath(*path.split("/"))

    def _check_parents(self, path: str, *, make: bool = False) -> None:
        above = path.rpartition("/")[0]
        if not above or above in self._checked:
            return
        place = self.root
        for part in above.split("/"):
            place = place / part
            if make and not os.path.lexists(place):
                place.mkdir(exist_ok=True)
            if place.is_symlink():
                raise problem(Conflict, "sdk_target_linked", path=place)
            if place.exists() and not place.is_dir():
                raise problem(Conflict, "sdk_target_in_the_way", path=place)
        if make:
            self._checked.add(above)

    def _parents(self, place: Path) -> Iterator[Path]:
        yield from (parent for parent in place.parents if parent != self.root and parent.is_relative_to(self.root))

    def _others(self, folder: Path, prefix: str, wanted: set[str], ignore: Ignore) -> Iterator[Path]:
        with os.scandir(folder) as entries:
            for entry in entries:
                path = f"{prefix}{entry.name}"
                is_folder = entry.is_dir(follow_symlinks=False)
                if ignore.leaves_out(path, is_folder=is_folder):
                    continue
                if is_folder:
                    yield from self._others(Path(entry.path), f"{path}/", wanted, ignore)
                elif path not in wanted:
                    yield Path(entry.path)
