"""Runs as rows: touched, told of, owners in the store's books."""

from datetime import datetime

from sqlalchemy.orm import Session

from tidemill.inference.tables import InferenceRunRow
from tidemill.kernel.db import announce

TOPIC = "inferences"


def touch(session: Session, run: InferenceRunRow, now: datetime) -> None:
    """People see that it changed."""
    run.revision = (run.revision or 0) + 1
    run.changed_at = now
    announce(session, TOPIC)


def pin_owner(run_id: str) -> str:
    """Whose the shards are, in the store's books."""
    return f"inference:{run_id}"
