"""What runs in an image: asked by the room of images before one is deleted or its environment is collected."""

from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.workloads.tables import WorkloadRow

SHOWN = 20


class WorkloadUsers:
    """Workloads that have not ended."""

    def of_image(self, session: Session, image_id: str, *, project_id: str | None = None) -> list[dict[str, Any]]:
        in_it = WorkloadRow.resolved_image["id"].as_string() == image_id
        statement = sa.select(WorkloadRow).where(WorkloadRow.ended_at.is_(None), in_it).limit(SHOWN)
        if project_id is not None:
            statement = statement.where(WorkloadRow.project_id == project_id)
        rows = session.scalars(statement)
        return [{"id": row.id, "name": row.name, "kind": row.kind} for row in rows]

    def digests(self, session: Session) -> set[str]:
        digest = WorkloadRow.resolved_image["digest"].as_string()
        return set(session.scalars(sa.select(digest).where(WorkloadRow.ended_at.is_(None))))
