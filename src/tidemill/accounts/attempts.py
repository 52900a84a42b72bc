"""Sign-in attempts are counted before they are tried, so that many at once cannot slip past the limit."""

import hashlib
from datetime import datetime, timedelta

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.accounts.tables import AttemptRow
from tidemill.kernel.db import take_turn
from tidemill.kernel.errors import TooMany
from tidemill.kernel.fields import name_key
from tidemill.kernel.ids import new_id
from tidemill.kernel.settings import Settings


def reserve_attempt(session: Session, *, account: str, address: str, now: datetime, settings: Settings) -> None:
    """Counts one attempt against the account and the address; raises TooMany when that was one too many."""
    take_turn(session, "attempts")
    key = account_key(account)
    of_account, of_address = AttemptRow.account_key == key, AttemptRow.address == address
    window = timedelta(seconds=settings.attempts_window_s)
    waits = [
        _wait(session, (of_account, of_address), settings.attempts_per_account_and_address, now, window),
        _wait(session, (of_account,), settings.attempts_per_account, now, window),
        _wait(session, (of_address,), settings.attempts_per_address, now, window),
    ]
    if any(waits):
        raise TooMany("too_many_attempts", retry_after_s=max(waits))
    session.add(AttemptRow(id=new_id("att"), account_key=key, address=address, at=now))


def forget_attempts(session: Session, account: str) -> None:
    """A success wipes the account's slate."""
    session.execute(sa.delete(AttemptRow).where(AttemptRow.account_key == account_key(account)))


def forget_old_attempts(session: Session, now: datetime, settings: Settings) -> None:
    """Drops attempts that no longer count."""
    since = now - timedelta(seconds=settings.attempts_window_s)
    session.execute(sa.delete(AttemptRow).where(AttemptRow.at <= since))


def account_key(account: str) -> str:
    """A hash: what was typed as a name may be a password typed in the wrong field."""
    return hashlib.sha256(name_key(account.strip()).encode()).hexdigest()


def _wait(
    session: Session, conditions: tuple[sa.ColumnElement[bool], ...], limit: int, now: datetime, window: timedelta
) -> int:
    """Seconds until one more attempt is allowed; 0 when it is now."""
    oldest = session.scalar(
        sa.select(AttemptRow.at)
        .where(*conditions, AttemptRow.at > now - window)
        .order_by(AttemptRow.at.desc())
        .offset(max(limit, 1) - 1)
        .limit(1)
    )
    return 0 if oldest is None else max(1, int((oldest + window - now).total_seconds()) + 1)
