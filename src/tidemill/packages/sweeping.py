"""What is left of package versions that are gone for good: the images that were made for them."""

import sqlalchemy as sa
from fastapi import FastAPI
from sqlalchemy.orm import Session

from tidemill.accounts.access import Caller, system_caller
from tidemill.images import making
from tidemill.images.registry.repositories import drop_image
from tidemill.images.tables import ImageRow
from tidemill.kernel.db import Database
from tidemill.packages.tables import PackageImageRow
from tidemill.store import pins
from tidemill.workloads.tables import WorkloadRow

AT_ONCE = 50
EVERY_S = 60.0


def sweep(app: FastAPI) -> None:
    """Removes images whose version is gone, unless something still runs in one."""
    db: Database = app.state.db
    with db.read() as session:
        orphans = sa.select(PackageImageRow.image_id).where(PackageImageRow.version_id.is_(None)).limit(AT_ONCE)
        gone = session.scalars(orphans).all()
    for image_id in gone:
        with db.write() as session:
            _remove(session, image_id, by=system_caller(app.state.clock()))


def _remove(session: Session, image_id: str, *, by: Caller) -> None:
    in_it = WorkloadRow.resolved_image["id"].as_string() == image_id
    if session.scalar(sa.select(WorkloadRow.id).where(WorkloadRow.ended_at.is_(None), in_it).limit(1)):
        return
    row = session.get(ImageRow, image_id, with_for_update=True)
    if row is not None and row.kind == "oci":
        drop_image(session, row, by=by)
    elif row is not None:
        pins.unpin_all(session, row.project_id, making.owner(row.id))
        session.delete(row)
    session.execute(sa.delete(PackageImageRow).where(PackageImageRow.image_id == image_id))
