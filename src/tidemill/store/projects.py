"""The end of a project in the store."""

import sqlalchemy as sa

from tidemill.kernel.db import Database
from tidemill.store import trees
from tidemill.store.tables import HoldingRow, TreeRow, UploadRow


def forget_project(db: Database, project_id: str) -> None:
    """Gives up what is left of a project whose trees nobody uses any more. Safe to repeat, and to be stopped anywhere.

    Its books are closed with it; the bytes themselves, and parts of uploads, are collected as always.
    """
    with db.read() as session:
        dropped = session.scalars(
            sa.select(TreeRow.id).where(TreeRow.project_id == project_id, TreeRow.users == 0)
        ).all()
    for tree_id in dropped:
        trees.dissolve(db, tree_id)
    with db.write() as session:
        session.execute(sa.delete(UploadRow).where(UploadRow.project_id == project_id))
        session.execute(sa.delete(HoldingRow).where(HoldingRow.project_id == project_id, HoldingRow.uses <= 0))
