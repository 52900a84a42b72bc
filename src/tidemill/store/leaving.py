"""The end of a project, as far as the store is concerned."""

import sqlalchemy as sa

from tidemill.kernel.db import Database
from tidemill.store import blobs, pins, trees
from tidemill.store.tables import HoldingRow, TreeRow, UploadRow


def clear_project(db: Database, project_id: str) -> None:
    """Removes what a project nobody can reach any more still has here: dropped trees, pins, uploads, unused content.

    Its versions must have dropped their trees before. Safe to repeat. Files of its uploads are collected later.
    """
    with db.read() as session:
        dropped = session.scalars(
            sa.select(TreeRow.id).where(TreeRow.project_id == project_id, TreeRow.users == 0)
        ).all()
    for tree_id in dropped:
        trees.dissolve(db, tree_id)
    with db.write() as session:
        pins.unpin_project(session, project_id)
        session.execute(sa.delete(UploadRow).where(UploadRow.project_id == project_id))
        blobs.lock_project(session, project_id)
        session.execute(sa.delete(HoldingRow).where(HoldingRow.project_id == project_id, HoldingRow.uses == 0))
