"""Trees against a model: a plain dict of paths, and a set of folders somebody made."""

from collections import Counter
from dataclasses import dataclass, field

import pytest
import sqlalchemy as sa
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.store.conftest import NOW, Shelf, get_tree, sha
from tidemill.kernel.errors import Conflict, Invalid, NotFound, TidemillError
from tidemill.store import trees
from tidemill.store.paths import ancestors
from tidemill.store.tables import HoldingRow, TreeEntryRow
from tidemill.store.trees import Entry

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
            if to == target and there:
                continue
            if to not in self.folders() or to in self.made or to in made or not there:
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


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
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
