"""Materials from stores of all kinds."""

import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tidemill.engines.base import EngineError, Material, MaterialFile
from tidemill.engines.contract import material_of
from tidemill.engines.local.layout import Layout
from tidemill.engines.local.materials import Materials
from tidemill.store.local import LocalBackend

Put = Callable[[bytes], str]


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    return Layout(tmp_path / "engine")


@pytest.fixture
def materials(layout: Layout, backend: LocalBackend) -> Materials:
    return Materials(layout, backend)


class Far(LocalBackend):
    """A store whose files are not on this machine."""

    def local_path(self, digest: str) -> Path | None:  # noqa: ARG002
        return None


def test_no_bytes_are_copied_where_the_store_is_on_the_same_file_system(
    materials: Materials, layout: Layout, backend: LocalBackend, put: Put
) -> None:
    digest = put(b"alpha")
    materials.prepare(Material("tides", lambda: [MaterialFile("deep/er/a.txt", digest, 5)]), None)
    assert (layout.material("tides") / "deep/er/a.txt").samefile(backend.local_path(digest) or "")


def test_files_of_a_store_elsewhere_are_fetched(layout: Layout, tmp_path: Path, put: Put) -> None:
    material = material_of(put, {"a.txt": b"alpha", "b/c.txt": b"gamma"})
    Materials(layout, Far(tmp_path / "store", fsync=False)).prepare(material, None)
    assert (layout.material("tides") / "b/c.txt").read_bytes() == b"gamma"


def test_a_material_is_there_whole_or_not_at_all(materials: Materials, layout: Layout, put: Put) -> None:
    rows = [MaterialFile("a.txt", put(b"alpha"), 5), MaterialFile("b.txt", "0" * 64, 1)]
    with pytest.raises(EngineError, match="missing"):
        materials.prepare(Material("tides", lambda: rows), None)
    assert not materials.has("tides")
    assert list(layout.temporary.iterdir()) == []


def test_a_listing_that_breaks_off_leaves_nothing(materials: Materials, layout: Layout, put: Put) -> None:
    def rows() -> Iterator[MaterialFile]:
        yield MaterialFile("a.txt", put(b"alpha"), 5)
        raise ConnectionError

    with pytest.raises(ConnectionError):
        materials.prepare(Material("tides", rows), None)
    assert not materials.has("tides")
    assert list(layout.temporary.iterdir()) == []


def test_several_may_make_the_same_material_at_once(materials: Materials, layout: Layout, put: Put) -> None:
    material = material_of(put, {f"{number}.txt": b"%d" % number for number in range(50)})
    threads = [threading.Thread(target=materials.prepare, args=(material, None)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(os.listdir(layout.material("tides"))) == 50
    assert list(layout.temporary.iterdir()) == []


def test_more_files_than_a_batch_are_all_there_and_told_of(materials: Materials, layout: Layout, put: Put) -> None:
    told: list[int] = []
    digest = put(b"same")
    rows = [MaterialFile(f"{number % 7}/{number}.txt", digest, 4) for number in range(4321)]
    materials.prepare(Material("many", lambda: rows), told.append)
    assert sum(len(files) for _, _, files in os.walk(layout.material("many"))) == 4321
    assert told == sorted(told)
    assert told[-1] == 4321


def test_a_path_that_is_named_twice_is_refused(materials: Materials, put: Put) -> None:
    rows = [MaterialFile("a.txt", put(b"alpha"), 5)] * 2
    with pytest.raises(EngineError, match="twice"):
        materials.prepare(Material("tides", lambda: rows), None)
