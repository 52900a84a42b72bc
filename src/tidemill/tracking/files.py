"""Files that were logged to runs and models. They are trees of the one store, so that a version of a model made from
them costs rows only."""

from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.accounts.access import Caller
from tidemill.assets.kinds import MODEL
from tidemill.assets.lookup import Place, get_version
from tidemill.kernel.errors import Invalid, NotFound
from tidemill.store import trees
from tidemill.store.paths import check_path
from tidemill.store.tables import FOLDER, TreeEntryRow, TreeRow
from tidemill.store.trees import Entry, Node
from tidemill.tracking import models, targets
from tidemill.tracking.tables import LoggedModelRow
from tidemill.training.tables import RunRow

LISTED_MAX = 10_000
REGISTRY = "registry"


@dataclass(frozen=True, slots=True)
class Spot:
    """Where an address below `mlflow-artifacts:/` leads: whose files, and which of them."""

    run_id: str | None = None
    model_id: str | None = None
    version: tuple[str, str] | None = None
    path: str = ""


def find_spot(address: str) -> Spot:
    """`<experiment>/<run>/artifacts/…`, `<experiment>/models/<model>/artifacts/…` or `registry/<model>/<version>/…`."""
    parts = address.strip("/").split("/")
    if len(parts) >= 3 and parts[0] == REGISTRY:
        return Spot(version=(parts[1], parts[2]), path="/".join(parts[3:]))
    if len(parts) >= 4 and parts[1] == "models" and parts[3] == "artifacts":
        return Spot(model_id=parts[2], path="/".join(parts[4:]))
    if len(parts) >= 3 and parts[2] == "artifacts":
        return Spot(run_id=parts[1], path="/".join(parts[3:]))
    raise NotFound("artifact_not_found", path=address[:200])


def tree_of(session: Session, spot: Spot, *, by: Caller) -> str | None:
    """The tree that holds the spot's files, for reading; None while there are none."""
    if spot.run_id is not None:
        target = targets.find_target(session, spot.run_id, by=by)
        return session.scalar(sa.select(RunRow.tree_id).where(RunRow.id == target.id))
    if spot.model_id is not None:
        return models.get_model(session, spot.model_id, by=by).tree_id
    assert spot.version is not None
    asset, number = spot.version
    if not by.may("model.read"):
        raise NotFound("artifact_not_found", path=spot.path[:200])
    _, version = get_version(session, Place(MODEL, asset, number), project_id=by.project.id)
    return version.tree_id


def check_writable(session: Session, spot: Spot, *, by: Caller) -> None:
    """Raises when the caller may not put files there."""
    if spot.run_id is not None:
        targets.get_target(session, spot.run_id, by=by)
    elif spot.model_id is not None:
        models.get_own_model(session, spot.model_id, by=by)
    else:
        raise Invalid("registry_read_only", field="path")


def put_file(session: Session, spot: Spot, entry: Entry, *, by: Caller) -> None:
    """Puts content that the project holds at the spot."""
    trees.put_entries(session, _own_tree(session, spot, by=by), [entry], by.now)


def remove_files(session: Session, spot: Spot, *, by: Caller) -> None:
    """Takes a file, or a folder with all that is in it, away."""
    check_writable(session, spot, by=by)
    tree_id = tree_of(session, spot, by=by)
    if tree_id is None:
        raise NotFound("artifact_not_found", path=spot.path[:200])
    tree = session.get_one(TreeRow, tree_id)
    paths = [spot.path] if spot.path else [node.path for node in trees.list_folder(session, tree_id, limit=1000).items]
    trees.remove(session, tree, paths, by.now)


def get_file(session: Session, spot: Spot, *, by: Caller) -> Node:
    """The file at the spot."""
    tree_id = tree_of(session, spot, by=by)
    node = trees.find_entry(session, tree_id, check_path(spot.path)) if tree_id and spot.path else None
    if node is None or node.digest is None:
        raise NotFound("artifact_not_found", path=spot.path[:200])
    return node


def list_folder(session: Session, tree_id: str | None, path: str) -> list[dict[str, Any]]:
    """What is directly in a folder, as MLflow's client reads it: paths from the top."""
    if tree_id is None:
        return []
    entries = session.execute(
        sa.select(TreeEntryRow.path, TreeEntryRow.kind, TreeEntryRow.size_bytes)
        .where(TreeEntryRow.tree_id == tree_id, TreeEntryRow.folder == path)
        .order_by(TreeEntryRow.path)
        .limit(LISTED_MAX)
    )
    return [
        {"path": name, "is_dir": True} if kind == FOLDER else {"path": name, "is_dir": False, "file_size": size_bytes}
        for name, kind, size_bytes in entries
    ]


def _own_tree(session: Session, spot: Spot, *, by: Caller) -> TreeRow:
    """The spot's tree, made with the first file; its owner is locked, so that two first files find one tree."""
    check_writable(session, spot, by=by)
    owner: RunRow | LoggedModelRow
    if spot.run_id is not None:
        owner = session.get_one(RunRow, spot.run_id, with_for_update=True, populate_existing=True)
    else:
        assert spot.model_id is not None
        owner = models.get_own_model(session, spot.model_id, by=by)
    if owner.tree_id is None:
        tree = trees.create_tree(session, owner.project_id, by.now)
        session.flush()
        owner.tree_id = tree.id
        session.flush()
        return tree
    return session.get_one(TreeRow, owner.tree_id)
