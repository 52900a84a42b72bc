"""Looking into a version's files."""

from itertools import islice

from sqlalchemy.orm import Session

from tidemill.accounts.access import Caller
from tidemill.assets.extras import extras_of
from tidemill.assets.lookup import Place, get_version
from tidemill.assets.media import SNIFFED_BYTES, is_text, media_type
from tidemill.assets.schemas import ChangePage, ChangeView, EntryView, TreePage
from tidemill.kernel.errors import Invalid
from tidemill.kernel.paging import PageQuery
from tidemill.store import trees
from tidemill.store.backends import BlobBackend
from tidemill.store.paths import check_path


def tree_of(session: Session, place: Place, *, by: Caller) -> str:
    """The id of a version's tree."""
    _, version = get_version(session, place, project_id=by.project.id)
    return version.tree_id


def list_tree(session: Session, place: Place, path: str, page: PageQuery, *, by: Caller) -> TreePage:
    """One page of a folder, or of what a search finds below it."""
    tree_id = tree_of(session, place, by=by)
    folder = check_path(path.strip("/")) if path.strip("/") else ""
    if page.q:
        found = trees.search(session, tree_id, page.q, folder, page.cursor, page.limit)
    else:
        found = trees.list_folder(session, tree_id, folder, page.cursor, page.limit)
    items = [entry_view(node) for node in found.items]
    return TreePage(items=items, next=found.next, total=found.total, total_capped=found.total_capped)


def get_node(session: Session, place: Place, path: str, *, by: Caller) -> trees.Node:
    """The file or folder at a path of a version."""
    _, version = get_version(session, place, project_id=by.project.id)
    checked = check_path(path)
    extra = next((node for node in extras_of(session, version) if node.path == checked), None)
    return extra or trees.get_entry(session, version.tree_id, checked)


def get_file(session: Session, place: Place, path: str, *, by: Caller) -> trees.Node:
    """The file at a path of a version."""
    node = get_node(session, place, path, by=by)
    if not node.is_file:
        raise Invalid("path_is_a_folder", field="path", path=node.path)
    return node


def entry_view(node: trees.Node, *, is_text: bool | None = None) -> EntryView:
    return EntryView(
        path=node.path,
        name=node.name,
        type=node.type,
        size_bytes=node.size_bytes,
        digest=node.digest,
        files=None if node.is_file else node.files,
        media_type=media_type(node.name) if node.is_file else None,
        is_text=is_text,
        updated_at=node.updated_at,
    )


def sniffed_view(node: trees.Node, backend: BlobBackend) -> EntryView:
    """With a look at the first bytes, which says whether it can be shown as text."""
    if node.digest is None:
        return entry_view(node)
    start = b"".join(backend.read(node.digest, 0, SNIFFED_BYTES)) if node.size_bytes else b""
    return entry_view(node, is_text=is_text(start))


def compare(session: Session, place: Place, other: str, page: PageQuery, *, by: Caller) -> ChangePage:
    """Files that differ between two versions of an asset, by path: `other` is the older one."""
    new = tree_of(session, place, by=by)
    old = tree_of(session, Place(place.kind, place.asset, other), by=by)
    if new == old:
        return ChangePage(items=[])
    after = check_path(page.cursor, field="cursor") if page.cursor else None
    found = list(islice(trees.diff(session, old, new, after), page.limit + 1))
    shown = found[: page.limit]
    items = [ChangeView.model_validate(difference) for difference in shown]
    return ChangePage(items=items, next=shown[-1].path if len(found) > page.limit else None)
