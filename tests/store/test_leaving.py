"""The end of a project."""

import sqlalchemy as sa

from tests.store.conftest import NOW, Shelf, get_tree, sha
from tests.store.test_trees import new_tree
from tidemill.accounts.tables import ProjectRow
from tidemill.store import trees, uploads
from tidemill.store.leaving import clear_project


def test_a_project_that_dropped_its_trees_can_be_removed(shelf: Shelf, project_id: str) -> None:
    other = shelf.project("rivers")
    new_tree(shelf, other, {"kept": b"a"})
    tree_id = new_tree(shelf, project_id, {"x": b"a", "y": b"bb"})
    shelf.keep(project_id, b"never used")
    with shelf.db.write() as session:
        uploads.begin_upload(
            session, project_id=project_id, by="ada", digest="0" * 64, size_bytes=9, name="", now=NOW, days=7
        )
        tree = get_tree(session, tree_id)
        tree.users = 0
    clear_project(shelf.db, project_id)
    clear_project(shelf.db, project_id)
    with shelf.db.write() as session:
        session.execute(sa.delete(ProjectRow).where(ProjectRow.id == project_id))
    assert shelf.uses(other, sha(b"a")) == 1


def test_what_is_still_used_is_not_touched(shelf: Shelf, project_id: str) -> None:
    tree_id = new_tree(shelf, project_id, {"x": b"a"})
    clear_project(shelf.db, project_id)
    assert shelf.uses(project_id, sha(b"a")) == 1
    with shelf.db.read() as session:
        assert trees.find_entry(session, tree_id, "x") is not None
