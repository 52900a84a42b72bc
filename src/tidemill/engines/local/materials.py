"""Trees of files from the store, made ready once and shared by all launches that use them.

Where the store's files are on the same file system a material is a tree of hard links: no bytes are copied. It is made
in a temporary folder and renamed when it is whole.
"""

import os
import shutil
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import islice
from pathlib import Path

from tidemill.engines.base import EngineError, Material, MaterialFile
from tidemill.engines.local.inside import parts_of
from tidemill.engines.local.layout import Layout
from tidemill.store.backends import BlobBackend, BlobMissing

BATCH = 2000
THREADS = 4


class Materials:
    """The prepared materials of an engine."""

    def __init__(self, layout: Layout, backend: BlobBackend) -> None:
        self._layout = layout
        self._backend = backend

    def prepare(self, material: Material, on_progress: Callable[[int], None] | None) -> None:
        """Makes it unless it is there. Several may make the same at once: the first to be done is kept."""
        folder = self._layout.material(material.key)
        if folder.is_dir():
            return
        building = self._layout.temporary / f"material-{os.urandom(8).hex()}"
        building.mkdir()
        try:
            self._build(building, material, on_progress)
            try:
                building.rename(folder)
            except OSError:
                if not folder.is_dir():
                    raise
        except BlobMissing as error:
            raise EngineError(f"a file's content is missing in the store: {error}") from None
        finally:
            if building.is_dir():
                shutil.rmtree(building)

    def has(self, key: str) -> bool:
        return self._layout.material(key).is_dir()

    def drop(self, keep: set[str]) -> None:
        """Removes all but these, each renamed away first: none is ever there in part."""
        kept = {self._layout.material(key).name for key in keep}
        for entry in list(self._layout.materials.iterdir()):
            if entry.name not in kept:
                leaving = self._layout.temporary / f"material-{os.urandom(8).hex()}"
                entry.rename(leaving)
                shutil.rmtree(leaving)

    def _build(self, root: Path, material: Material, on_progress: Callable[[int], None] | None) -> None:
        """Files are placed while the next ones are being listed."""
        done = 0
        made: set[str] = {""}
        under_way: deque[tuple[int, list[Future[None]]]] = deque()

        def settle() -> None:
            nonlocal done
            count, parts = under_way.popleft()
            for part in parts:
                part.result()
            done += count
            if on_progress is not None:
                on_progress(done)

        with ThreadPoolExecutor(THREADS, thread_name_prefix="material") as pool:
            for batch in _batches(material.files()):
                _make_folders(str(root), batch, made)
                share = -(-len(batch) // THREADS)
                parts = [batch[start : start + share] for start in range(0, len(batch), share)]
                under_way.append((len(batch), [pool.submit(self._place, str(root), part) for part in parts]))
                if len(under_way) > 1:
                    settle()
            while under_way:
                settle()

    def _place(self, root: str, files: list[MaterialFile]) -> None:
        for file in files:
            source = self._backend.local_path(file.digest)
            target = f"{root}/{file.path}"
            if source is None or not _link(str(source), target):
                self._fetch(file.digest, target)

    def _fetch(self, digest: str, target: str) -> None:
        with open(target, "xb") as file:
            for block in self._backend.read(digest):
                file.write(block)
            os.fchmod(file.fileno(), 0o444)


def _link(source: str, target: str) -> bool:
    """False where the file must be copied: another file system, or one that has no more links to give."""
    try:
        os.link(source, target)
    except FileNotFoundError:
        raise BlobMissing(os.path.basename(source)) from None
    except FileExistsError:
        raise EngineError("a path is named twice in one version") from None
    except OSError:
        return False
    return True


def _make_folders(root: str, files: Iterable[MaterialFile], made: set[str]) -> None:
    for file in files:
        folder = file.path.rpartition("/")[0]
        if folder not in made:
            parts_of(file.path)
            os.makedirs(f"{root}/{folder}", exist_ok=True)
            made.add(folder)
        elif ".." in file.path:
            parts_of(file.path)


def _batches(files: Iterable[MaterialFile]) -> Iterator[list[MaterialFile]]:
    left = iter(files)
    while batch := list(islice(left, BATCH)):
        yield batch
