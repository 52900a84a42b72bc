"""Sweeping out what no longer counts: expired sessions, old attempts, answers kept for repeated writes."""

from datetime import datetime

import sqlalchemy as sa

from tidemill.accounts.attempts import forget_old_attempts
from tidemill.accounts.tables import SessionRow
from tidemill.kernel.db import Database
from tidemill.kernel.routing import forget_old_replays
from tidemill.kernel.settings import Settings


def sweep(db: Database, settings: Settings, now: datetime) -> None:
    """One turn of the broom; expired tokens stay, so that their users see why a script stopped working."""
    with db.write() as session:
        session.execute(sa.delete(SessionRow).where(SessionRow.expires_at <= now))
        forget_old_attempts(session, now, settings)
        forget_old_replays(session, now)
