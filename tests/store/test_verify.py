"""Verification finds what is wrong, and nothing where nothing is."""

from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from tests.store.conftest import NOW, Shelf, get_tree, sha
from tests.store.test_trees import new_tree
from tidemill.accounts.tables import ProjectRow
from tidemill.store import blobs, trees, verify
from tidemill.store.tables import BlobRow, HoldingRow, TreeEntryRow, TreeRow

FILES = {"a": b"ebb", "b/c": b"flow", "b/d": b"flow"}


@pytest.fixture
def tree_id(shelf: Shelf, project_id: str) -> str:
    tree_id = new_tree(shelf, project_id, FILES)
    trees.seal(shelf.db, shelf.store, tree_id, NOW)
    return tree_id


def kinds(shelf: Shelf) -> set[str]:
    return {problem.kind for problem in verify.verify(shelf.db, shelf.store).problems}


def change(shelf: Shelf, table: Any, where: Any, **values: Any) -> None:
    with shelf.db.write() as session:
        session.execute(sa.update(table).where(where).values(**values))


def blob_file(shelf: Shelf, data: bytes) -> Path:
    path = shelf.store.backend.local_path(sha(data))
    assert path is not None
    return path


def test_a_store_in_order_has_no_problems(shelf: Shelf, project_id: str, tree_id: str) -> None:
    shelf.keep(project_id, b"unused")
    other = shelf.project("rivers")
    with shelf.db.write() as session:
        trees.clone_into(session, get_tree(session, tree_id), other, NOW)
    report = verify.verify(shelf.db, shelf.store)
    assert (report.problems, report.clean, report.trees) == ([], True, 2)
    manifest_bytes = sum(found.size_bytes for found in shelf.store.backend.iterate()) - len(b"ebbflowunused")
    assert (report.blobs, report.bytes) == (4, len(b"ebbflowunused") + manifest_bytes)


@pytest.mark.usefixtures("tree_id")
def test_bytes_that_are_gone(shelf: Shelf) -> None:
    blob_file(shelf, b"ebb").unlink()
    assert kinds(shelf) == {"blob_missing"}


@pytest.mark.usefixtures("tree_id")
@pytest.mark.parametrize("damage", [b"EBB", b"eb", b"ebb!", b""])
def test_bytes_that_changed(shelf: Shelf, damage: bytes) -> None:
    blob_file(shelf, b"ebb").write_bytes(damage)
    (problem,) = verify.verify(shelf.db, shelf.store).problems
    assert (problem.kind, problem.subject) == ("blob_damaged", sha(b"ebb"))


@pytest.mark.usefixtures("tree_id")
def test_an_entry_whose_content_is_not_live(shelf: Shelf) -> None:
    change(shelf, BlobRow, BlobRow.digest == sha(b"ebb"), state="deleting")
    assert kinds(shelf) == {"entry_without_blob"}


@pytest.mark.usefixtures("tree_id")
@pytest.mark.parametrize("uses", [0, 1, 3])
def test_a_holding_that_is_miscounted(shelf: Shelf, uses: int) -> None:
    change(shelf, HoldingRow, HoldingRow.digest == sha(b"flow"), uses=uses)
    assert kinds(shelf) == {"holding_wrong"}


@pytest.mark.usefixtures("tree_id")
def test_a_holding_that_is_not_there(shelf: Shelf, project_id: str) -> None:
    with shelf.db.write() as session:
        session.execute(sa.delete(HoldingRow).where(HoldingRow.digest == sha(b"flow")))
        blobs._charge(session, project_id, -4)
    assert kinds(shelf) == {"holding_wrong"}


@pytest.mark.usefixtures("tree_id")
def test_storage_that_does_not_add_up(shelf: Shelf, project_id: str) -> None:
    change(shelf, ProjectRow, ProjectRow.id == project_id, storage_used_bytes=8)
    (problem,) = verify.verify(shelf.db, shelf.store).problems
    assert (problem.kind, problem.subject, problem.detail) == ("storage_wrong", project_id, "8 7")


@pytest.mark.parametrize("counts", [{"files": 4}, {"size_bytes": 12}])
def test_a_tree_that_is_miscounted(shelf: Shelf, tree_id: str, counts: dict[str, int]) -> None:
    change(shelf, TreeRow, TreeRow.id == tree_id, **counts)
    assert kinds(shelf) == {"tree_wrong"}


@pytest.mark.usefixtures("tree_id")
@pytest.mark.parametrize("counts", [{"files": 1}, {"size_bytes": 4}])
def test_a_folder_that_is_miscounted(shelf: Shelf, counts: dict[str, int]) -> None:
    change(shelf, TreeEntryRow, TreeEntryRow.path == "b", **counts)
    assert kinds(shelf) == {"folder_wrong"}


@pytest.mark.usefixtures("tree_id")
def test_a_sealed_tree_that_was_changed(shelf: Shelf) -> None:
    change(shelf, TreeEntryRow, TreeEntryRow.path == "a", path="z")
    assert kinds(shelf) == {"manifest_wrong"}


@pytest.mark.usefixtures("tree_id")
def test_progress_ends_at_the_whole_and_cancelling_stops(shelf: Shelf) -> None:
    seen: list[tuple[int, int]] = []
    verify.verify(shelf.db, shelf.store, progress=lambda done, total: seen.append((done, total)))
    assert seen == sorted(seen)
    assert seen[-1][0] == seen[-1][1] > 0
    report = verify.verify(shelf.db, shelf.store, cancelled=lambda: True)
    assert (report.cancelled, report.blobs) == (True, 0)
