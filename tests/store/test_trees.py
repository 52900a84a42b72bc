"""Trees against a model: a plain dict of paths, and a set of folders somebody made."""

import threading
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import pytest
import sqlalchemy as sa
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy.orm import Session

from tests.store.conftest import NOW, Shelf, get_tree, sha
from tidemill.kernel.errors import Conflict, Invalid, NotFound, TidemillError
from tidemill.kernel.ids import new_id
from tidemill.store import trees
from tidemill.store.paths import ancestors
from tidemill.store.tables import HoldingRow, TreeEntryRow
from tidemill.store.trees import Entry
from tidemill.store.trees.listing import TreeChanged

CONTENTS = [b"", b"a", b"bb", b"ccc"]
PARTS = ["a", "b", "a!", "ab", "é"]
PATHS = st.lists(st.sampled_from(PARTS), min_size=1, max_size=4).map("/".join)


@dataclass
class Model:
    """What a tree ought to be."""

    files: dict[str, bytes] = field(default_factory=dict)
    made: set[str] = field(default_factory=set)

    def folders(self) -> set[str]:
        return self.made | {above for path in [*self.files, *self.made] for above in ancestors(path)}

    def put(self, path: str, data: bytes) -> None:
        if path in self.folders() or any(above in self.files for above in ancestors(path)):
            raise Conflict
        self.files[path] = data

    def remove(self, path: str) -> None:
        if path not in self.files and path not in self.folders():
            raise NotFound
        self.files = {p: d for p, d in self.files.items() if p != path and not p.startswith(path + "/")}
        self.made = {p for p in self.made if p != path and not p.startswith(path + "/")}

    def make_folder(self, path: str) -> None:
        if path in self.files or path in self.folders() or any(above in self.files for above in ancestors(path)):
            raise Conflict
        self.made.add(path)

    def move(self, source: str, target: str, overwrite: bool) -> None:
        if source not in self.files and source not in self.folders():
            raise NotFound
        if source == target:
            return
        if target.startswith(source + "/"):
            raise Invalid
        there = target in self.files or target in self.folders()
        if there and (not overwrite or (source in self.files) != (target in self.files)):
            raise Conflict
        after = Model(dict(self.files), set(self.made))
        moved = {p: d for p, d in self.files.items() if p == source or p.startswith(source + "/")}
        made = {p for p in self.made if p == source or p.startswith(source + "/")}
        for path in moved:
            del after.files[path]
        after.made -= made
        for path, data in moved.items():
            after.put(target + path.removeprefix(source), data)
        for path in made:
            to = target + path.removeprefix(source)
            if to in after.files or any(above in after.files for above in ancestors(to)):
                raise Conflict
            after.made.add(to)
        if after.folders() & set(after.files):
            raise Conflict
        self.files, self.made = after.files, after.made


OPERATIONS = st.lists(
    st.one_of(
        st.tuples(st.just("put"), PATHS, st.sampled_from(CONTENTS)),
        st.tuples(st.just("remove"), PATHS),
        st.tuples(st.just("make_folder"), PATHS),
        st.tuples(st.just("move"), PATHS, PATHS, st.booleans()),
    ),
    max_size=14,
)


def entry(path: str, data: bytes) -> Entry:
    return Entry(path, sha(data), len(data))


def new_tree(shelf: Shelf, project_id: str, files: dict[str, bytes] | None = None) -> str:
    for data in set((files or {}).values()):
        shelf.keep(project_id, data)
    with shelf.db.write() as session:
        tree = trees.create_tree(session, project_id, NOW)
        if files:
            trees.put_entries(session, tree, [entry(p, d) for p, d in files.items()], NOW)
        return tree.id


def files_of(shelf: Shelf, tree_id: str) -> dict[str, str]:
    with shelf.db.read() as session:
        return {node.path: node.digest or "" for node in trees.walk(session, tree_id)}


def change(shelf: Shelf, tree_id: str, operation: tuple[object, ...]) -> None:
    verb, *arguments = operation
    with shelf.db.write() as session:
        tree = get_tree(session, tree_id)
        if verb == "put":
            path, data = arguments
            trees.put_entries(session, tree, [entry(path, data)], NOW)  # type: ignore[arg-type]
        elif verb == "remove":
            trees.remove(session, tree, [arguments[0]], NOW)  # type: ignore[list-item]
        elif verb == "make_folder":
            trees.make_folder(session, tree, arguments[0], NOW)  # type: ignore[arg-type]
        else:
            source, target, overwrite = arguments
            trees.move(session, tree, [(source, target)], overwrite=overwrite, now=NOW)  # type: ignore[list-item, arg-type]


def check_against(shelf: Shelf, project_id: str, tree_id: str, model: Model) -> None:
    assert files_of(shelf, tree_id) == {path: sha(data) for path, data in sorted(model.files.items())}
    with shelf.db.read() as session:
        rows = session.scalars(sa.select(TreeEntryRow).where(TreeEntryRow.tree_id == tree_id)).all()
        folders = {row.path: (row.files, row.size_bytes) for row in rows if row.digest is None}
        held = {
            row.digest: row.uses
            for row in session.scalars(sa.select(HoldingRow).where(HoldingRow.project_id == project_id))
            if row.uses
        }
        tree = get_tree(session, tree_id)
    below = {f: [d for p, d in model.files.items() if p.startswith(f + "/")] for f in model.folders()}
    assert folders == {f: (len(datas), sum(map(len, datas))) for f, datas in below.items()}
    assert held == Counter(map(sha, model.files.values()))
    assert (tree.files, tree.size_bytes) == (len(model.files), sum(map(len, model.files.values())))


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(operations=OPERATIONS)
def test_a_tree_does_what_a_dict_would(shelf: Shelf, operations: list[tuple[object, ...]]) -> None:
    project_id = shelf.project(
        f"p{shelf.db.is_sqlite}{id(operations)}{len(operations)}-{sha(repr(operations).encode())}"
    )
    tree_id, model = new_tree(shelf, project_id), Model()
    for operation in operations:
        for data in CONTENTS:
            shelf.keep(project_id, data)
        expected: type[TidemillError] | None = None
        verb, *arguments = operation
        try:
            getattr(model, verb)(*arguments)  # type: ignore[call-overload]
        except TidemillError as error:
            expected = type(error)
        if expected:
            with pytest.raises(expected):
                change(shelf, tree_id, operation)
        else:
            change(shelf, tree_id, operation)
        check_against(shelf, project_id, tree_id, model)


def test_a_page_of_a_folder_shows_folders_first_then_files_by_name(shelf: Shelf, project_id: str) -> None:
    files = {"b.txt": b"a", "a.txt": b"bb", "z/1": b"a", "z/y/2": b"bb", "m/3": b"ccc"}
    tree_id = new_tree(shelf, project_id, files)
    with shelf.db.read() as session:
        page = trees.list_folder(session, tree_id)
        inner = trees.list_folder(session, tree_id, "z")
    shown = [(node.name, node.type, node.size_bytes, node.files) for node in page.items]
    assert shown == [("m", "dir", 3, 1), ("z", "dir", 3, 2), ("a.txt", "file", 2, 0), ("b.txt", "file", 1, 0)]
    assert (page.total, page.next, page.total_capped) == (4, None, False)
    assert [node.path for node in inner.items] == ["z/y", "z/1"]


@pytest.mark.parametrize("limit", [1, 2, 3, 7])
def test_pages_follow_each_other_without_gap_or_repeat(shelf: Shelf, project_id: str, limit: int) -> None:
    files = {f"d{n}/x": b"a" for n in range(4)} | {f"f{n}": b"bb" for n in range(5)}
    tree_id = new_tree(shelf, project_id, files)
    seen: list[str] = []
    cursor = None
    with shelf.db.read() as session:
        while True:
            page = trees.list_folder(session, tree_id, after=cursor, limit=limit)
            seen += [node.name for node in page.items]
            cursor = page.next
            if cursor is None:
                break
    assert seen == [f"d{n}" for n in range(4)] + [f"f{n}" for n in range(5)]


@pytest.mark.parametrize("cursor", ["", "x", "W10", "WzAsMV0", "é", "WzIsImEiXQ", "bnVsbA", "WzAsIlx1MDAwMCJd"])
def test_a_cursor_from_nowhere_is_refused(shelf: Shelf, project_id: str, cursor: str) -> None:
    tree_id = new_tree(shelf, project_id)
    with shelf.db.read() as session, pytest.raises(Invalid):
        trees.list_folder(session, tree_id, after=cursor)


def test_listing_what_is_no_folder_says_so(shelf: Shelf, project_id: str) -> None:
    tree_id = new_tree(shelf, project_id, {"a": b"a"})
    with shelf.db.read() as session:
        with pytest.raises(NotFound):
            trees.list_folder(session, tree_id, "b")
        with pytest.raises(Invalid):
            trees.list_folder(session, tree_id, "a")


def test_search_finds_names_anywhere_below_whatever_their_case(shelf: Shelf, project_id: str) -> None:
    names = ["Straße/Model.ONNX", "a/b/model.pt", "model_/x", "other", "100%.txt"]
    tree_id = new_tree(shelf, project_id, dict.fromkeys(names, b"a"))

    def find(q: str, path: str = "") -> list[str]:
        with shelf.db.read() as session:
            return [node.path for node in trees.search(session, tree_id, q, path).items]

    assert find("MODEL") == ["model_", "Straße/Model.ONNX", "a/b/model.pt"]
    assert find("model", "a") == ["a/b/model.pt"]
    assert find("strasse") == ["Straße"]
    assert find("_") == ["model_"]
    assert find("%") == ["100%.txt"]


def test_a_batch_with_a_path_twice_is_refused(shelf: Shelf, project_id: str) -> None:
    shelf.keep(project_id, b"a")
    tree_id = new_tree(shelf, project_id)
    with shelf.db.write() as session, pytest.raises(Invalid) as refused:
        trees.put_entries(session, get_tree(session, tree_id), [entry("x", b"a"), entry("x", b"a")], NOW)
    assert refused.value.code == "path_twice"


@pytest.mark.parametrize("paths", [["a", "a/b"], ["a/b/c", "a/b"], ["x/y", "x"]])
def test_a_file_inside_a_file_is_refused_within_one_batch(shelf: Shelf, project_id: str, paths: list[str]) -> None:
    shelf.keep(project_id, b"a")
    tree_id = new_tree(shelf, project_id)
    with pytest.raises(Conflict), shelf.db.write() as session:
        trees.put_entries(session, get_tree(session, tree_id), [entry(path, b"a") for path in paths], NOW)
    assert files_of(shelf, tree_id) == {}


def test_content_that_was_not_sent_cannot_be_put_in(shelf: Shelf, project_id: str) -> None:
    tree_id = new_tree(shelf, project_id)
    with pytest.raises(Invalid) as refused, shelf.db.write() as session:
        trees.put_entries(session, get_tree(session, tree_id), [entry("a", b"unsent")], NOW)
    assert refused.value.code == "blob_missing"
    assert files_of(shelf, tree_id) == {}


def test_replacing_a_file_gives_the_old_content_up(shelf: Shelf, project_id: str) -> None:
    tree_id = new_tree(shelf, project_id, {"a": b"old!", "b": b"old!"})
    shelf.keep(project_id, b"new")
    for path, left in [("a", 1), ("b", None)]:
        with shelf.db.write() as session:
            trees.put_entries(session, get_tree(session, tree_id), [entry(path, b"new")], NOW)
        assert shelf.uses(project_id, sha(b"old!")) == left
    assert shelf.used(project_id) == 3


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(old=st.dictionaries(PATHS, st.sampled_from(CONTENTS)), new=st.dictionaries(PATHS, st.sampled_from(CONTENTS)))
def test_the_difference_of_two_trees_is_that_of_two_dicts(
    shelf: Shelf, old: dict[str, bytes], new: dict[str, bytes]
) -> None:
    project_id = shelf.project(new_id("tst"))
    old, new = without_files_in_files(old), without_files_in_files(new)
    old_id, new_id_ = new_tree(shelf, project_id, old), new_tree(shelf, project_id, new)
    with shelf.db.read() as session:
        found = [(d.path, d.change, d.size_bytes, d.old_size_bytes) for d in trees.diff(session, old_id, new_id_)]
    expected = []
    for path in sorted({*old, *new}):
        if path not in new:
            expected.append((path, "removed", None, len(old[path])))
        elif path not in old:
            expected.append((path, "added", len(new[path]), None))
        elif old[path] != new[path]:
            expected.append((path, "changed", len(new[path]), len(old[path])))
    assert found == expected


def without_files_in_files(files: dict[str, bytes]) -> dict[str, bytes]:
    return {path: data for path, data in files.items() if not any(above in files for above in ancestors(path))}


def test_a_walk_goes_over_batches_in_order(shelf: Shelf, project_id: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tidemill.store.trees.listing.WALK_BATCH", 3)
    files = {f"d{n % 3}/{n}": b"a" for n in range(10)} | {"d1!": b"a"}
    tree_id = new_tree(shelf, project_id, files)
    assert list(files_of(shelf, tree_id)) == sorted(files)
    with shelf.db.read() as session:
        assert [n.path for n in trees.walk(session, tree_id, "d1")] == ["d1/1", "d1/4", "d1/7"]
        assert [n.path for n in trees.walk(session, tree_id, "d1!")] == ["d1!"]
    assert [n.path for n in trees.stream(shelf.db, tree_id)] == sorted(files)


def test_a_stream_breaks_off_when_the_tree_changes(
    shelf: Shelf, project_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tidemill.store.trees.listing.WALK_BATCH", 2)
    tree_id = new_tree(shelf, project_id, {f"{n}": b"a" for n in range(5)})
    nodes = trees.stream(shelf.db, tree_id)
    next(nodes)
    change(shelf, tree_id, ("remove", "4"))
    with pytest.raises(TreeChanged):
        list(nodes)


def test_a_move_that_would_make_paths_too_long_is_refused(shelf: Shelf, project_id: str) -> None:
    deep = "/".join(["x" * 200] * 4)
    tree_id = new_tree(shelf, project_id, {f"a/{deep}": b"a"})
    with pytest.raises(Invalid) as refused:
        change(shelf, tree_id, ("move", "a", "y" * 255, False))
    assert refused.value.code == "path_move_too_long"
    assert files_of(shelf, tree_id) == {f"a/{deep}": sha(b"a")}


def test_two_writers_of_one_tree_wait_for_each_other(shelf: Shelf, project_id: str) -> None:
    tree_id = new_tree(shelf, project_id)
    for n in range(8):
        shelf.keep(project_id, b"%d" % n)
    threads = [threading.Thread(target=change, args=(shelf, tree_id, ("put", f"d/{n}", b"%d" % n))) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    model = Model({f"d/{n}": b"%d" % n for n in range(8)})
    check_against(shelf, project_id, tree_id, model)
    assert shelf.tree(tree_id).revision == 8


def test_a_listing_is_one_range_of_an_index(shelf: Shelf, project_id: str) -> None:
    """So it costs the same with ten files as with a million: no sorting, no looking through the whole tree."""
    tree_id = new_tree(shelf, project_id, {f"d/{n}": b"a" for n in range(5)})
    with shelf.db.read() as session:
        cursor = trees.list_folder(session, tree_id, "d", limit=2).next
        asked: list[tuple[str, Any]] = []
        listener = lambda _c, _k, text, values, *_: asked.append((text, values))  # noqa: E731
        sa.event.listen(shelf.db.engine, "before_cursor_execute", listener)
        trees.list_folder(session, tree_id, "d", after=cursor, limit=2)
        sa.event.remove(shelf.db.engine, "before_cursor_execute", listener)
        (text, values) = next((text, values) for text, values in asked if "ORDER BY" in text)
        plan = explain(session, text, values)
    assert "ix_tree_entries_listing" in plan
    assert "SORT" not in plan.upper()
    assert "TEMP B-TREE" not in plan.upper()


def explain(session: Session, text: str, values: Any) -> str:
    connection = session.connection()
    if connection.dialect.name == "sqlite":
        return str(connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {text}", values).all())
    for way in ("seqscan", "bitmapscan"):
        connection.exec_driver_sql(f"SET LOCAL enable_{way} = off")
    return str(connection.exec_driver_sql(f"EXPLAIN {text}", values).all())
