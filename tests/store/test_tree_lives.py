"""Whole trees: shared, copied on writing, sealed, forked, dropped."""

import pytest

from tests.store.conftest import NOW, Shelf, get_tree, later, sha
from tests.store.test_trees import change, files_of, new_tree
from tidemill.kernel.errors import Conflict, TooLarge
from tidemill.store import trees, verify
from tidemill.store.tables import TreeRow


def test_a_shared_tree_is_copied_when_one_of_its_users_changes_it(shelf: Shelf, project_id: str) -> None:
    tree_id = new_tree(shelf, project_id, {"a/b": b"a", "c": b"bb"})
    with shelf.db.write() as session:
        trees.make_folder(session, get_tree(session, tree_id), "empty", NOW)
    with shelf.db.write() as session:
        tree = get_tree(session, tree_id)
        trees.share(session, tree)
        with pytest.raises(Conflict) as refused:
            trees.remove(session, tree, ["c"], NOW)
        assert refused.value.code == "tree_sealed"
        copy = trees.own(session, tree, NOW)
        trees.remove(session, copy, ["c"], NOW)
        copy_id = copy.id
    assert files_of(shelf, tree_id) == {"a/b": sha(b"a"), "c": sha(b"bb")}
    assert files_of(shelf, copy_id) == {"a/b": sha(b"a")}
    assert (shelf.uses(project_id, sha(b"a")), shelf.uses(project_id, sha(b"bb"))) == (2, 1)
    assert shelf.used(project_id) == 3
    assert (shelf.tree(tree_id).users, shelf.tree(copy_id).users) == (1, 1)
    with shelf.db.read() as session:
        assert [node.path for node in trees.list_folder(session, copy_id).items] == ["a", "empty"]


def test_a_tree_of_ones_own_is_not_copied(shelf: Shelf, project_id: str) -> None:
    tree_id = new_tree(shelf, project_id, {"a": b"a"})
    with shelf.db.write() as session:
        assert trees.own(session, get_tree(session, tree_id), NOW).id == tree_id


def test_a_sealed_tree_never_changes(shelf: Shelf, project_id: str) -> None:
    tree_id = new_tree(shelf, project_id, {"a": b"a"})
    trees.seal(shelf.db, shelf.store, tree_id, NOW)
    for operation in [("put", "b", b"a"), ("remove", "a"), ("make_folder", "f"), ("move", "a", "b", True)]:
        with pytest.raises(Conflict):
            change(shelf, tree_id, operation)
    assert files_of(shelf, tree_id) == {"a": sha(b"a")}


def test_the_seal_is_the_digest_of_the_manifest(shelf: Shelf, project_id: str) -> None:
    tree_id = new_tree(shelf, project_id, {"b/ü": b"bb", "a": b"a"})
    digest = trees.seal(shelf.db, shelf.store, tree_id, NOW)
    text = b"".join(shelf.store.backend.read(digest))
    assert text.decode() == (
        f'{{"path":"a","sha256":"{sha(b"a")}","size_bytes":1}}\n{{"path":"b/ü","sha256":"{sha(b"bb")}","size_bytes":2}}\n'
    )
    assert sha(text) == digest
    assert shelf.used(project_id) == 3
    assert trees.seal(shelf.db, shelf.store, tree_id, NOW) == digest


def test_two_trees_of_the_same_files_have_the_same_seal(shelf: Shelf, project_id: str) -> None:
    other = shelf.project("rivers")
    files = {"a": b"a", "b/c": b"bb"}
    seals = [trees.seal(shelf.db, shelf.store, new_tree(shelf, p, files), NOW) for p in (project_id, other)]
    assert seals[0] == seals[1]


def test_sealing_refuses_a_tree_that_changed_meanwhile(
    shelf: Shelf, project_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree_id = new_tree(shelf, project_id, {"a": b"a"})
    place = shelf.store.backend.put_files

    def place_late(*arguments: object, **options: object) -> None:
        change(shelf, tree_id, ("remove", "a"))
        place(*arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(shelf.store.backend, "put_files", place_late)
    with pytest.raises(Conflict) as refused:
        trees.seal(shelf.db, shelf.store, tree_id, NOW)
    assert refused.value.code == "tree_changed"
    assert shelf.tree(tree_id).manifest_digest is None
    assert list(shelf.store.temporary.iterdir()) == []


def test_a_fork_into_another_project_takes_no_bytes_and_is_charged(shelf: Shelf, project_id: str) -> None:
    other = shelf.project("rivers")
    shelf.keep(other, b"bb")
    tree_id = new_tree(shelf, project_id, {"a": b"a", "b": b"bb", "c/d": b"bb"})
    with shelf.db.write() as session:
        fork_id = trees.clone_into(session, get_tree(session, tree_id), other, NOW).id
    assert files_of(shelf, fork_id) == files_of(shelf, tree_id)
    assert (shelf.used(other), shelf.uses(other, sha(b"bb"))) == (3, 2)
    with shelf.db.write() as session:
        trees.drop(session, get_tree(session, tree_id))
    shelf.collect(later(days=2))
    assert shelf.store.backend.size(sha(b"bb")) == 2
    assert verify.verify(shelf.db, shelf.store).problems == []


def test_a_fork_respects_the_limit(shelf: Shelf, project_id: str) -> None:
    other = shelf.project("small", limit=2)
    tree_id = new_tree(shelf, project_id, {"a": b"a", "b": b"bb"})
    with pytest.raises(TooLarge), shelf.db.write() as session:
        trees.clone_into(session, get_tree(session, tree_id), other, NOW)
    assert shelf.used(other) == 0


def test_dropping_the_last_use_gives_everything_back(shelf: Shelf, project_id: str) -> None:
    tree_id = new_tree(shelf, project_id, {"a": b"a", "b/c": b"bb"})
    with shelf.db.write() as session:
        trees.share(session, get_tree(session, tree_id))
    with shelf.db.write() as session:
        trees.drop(session, get_tree(session, tree_id))
    assert shelf.used(project_id) == 3
    with shelf.db.write() as session:
        assert trees.drop(session, get_tree(session, tree_id)) is True
    assert shelf.used(project_id) == 0
    with shelf.db.read() as session:
        assert session.get(TreeRow, tree_id) is None
