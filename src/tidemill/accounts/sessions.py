"""Sessions: signing in and out, and what is signed in where."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import NoReturn

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.accounts import audit
from tidemill.accounts.access import Caller, hash_secret
from tidemill.accounts.attempts import forget_attempts, reserve_attempt
from tidemill.accounts.passwords import Passwords
from tidemill.accounts.schemas.users import SessionView
from tidemill.accounts.tables import SessionRow, TokenRow, UserRow
from tidemill.kernel.db import Database
from tidemill.kernel.errors import Forbidden, NotFound, Unauthenticated
from tidemill.kernel.fields import name_key
from tidemill.kernel.ids import new_id
from tidemill.kernel.paging import Page, PageQuery, fetch_page
from tidemill.kernel.settings import Settings

USER_AGENT_MAX = 400


@dataclass(frozen=True, slots=True)
class Browser:
    """What a sign-in comes from."""

    user_agent: str
    old_secret: str | None
    """The session it had before, which ends."""


def sign_in(
    db: Database, passwords: Passwords, settings: Settings, *, name: str, password: str, browser: Browser, by: Caller
) -> tuple[Caller, str]:
    """Signs in: who it is now, and the session's secret. An unknown name and a wrong password get the same answer."""
    with db.write() as session:
        reserve_attempt(session, account=name, address=by.address, now=by.now, settings=settings)
    with db.read() as session:
        user = _find_user(session, name)
    stored = user.password_hash if user else None
    is_right = passwords.verify(stored, password)
    if user is None or stored is None or not is_right:
        _refuse(db, user, "wrong_password" if user else "unknown_user", by)
    if user.is_disabled:
        _refuse(db, user, "disabled", by)
    fresh_hash = passwords.hash(password) if passwords.is_outdated(stored) else stored
    with db.write() as session:
        return _begin(session, user.id, stored, fresh_hash, settings, browser, by)


def sign_out(session: Session, *, by: Caller) -> None:
    """Ends the session this call came with."""
    session.execute(sa.delete(SessionRow).where(SessionRow.id == by.session_id))
    audit.record(
        session, "session.end", by=by, target_kind="user", target_id=by.user_id or "", target_name=by.user_name
    )


def end_session(session: Session, session_id: str, *, by: Caller) -> None:
    """Ends one of the caller's own sessions."""
    row = session.scalar(sa.select(SessionRow).where(SessionRow.id == session_id, SessionRow.user_id == by.user_id))
    if row is None:
        raise NotFound("session_not_found")
    session.delete(row)
    audit.record(
        session,
        "session.revoke",
        by=by,
        target_kind="session",
        target_id=row.id,
        target_name=by.user_name,
        before={"address": row.address, "user_agent": row.user_agent},
    )


def end_all_sessions(session: Session, user_id: str) -> int:
    """Signs the user out everywhere; how many sessions that were."""
    found = session.execute(sa.delete(SessionRow).where(SessionRow.user_id == user_id))
    return int(getattr(found, "rowcount", 0))


def end_everything(session: Session, user_id: str) -> None:
    """Signs the user out everywhere and voids their API tokens."""
    end_all_sessions(session, user_id)
    session.execute(sa.delete(TokenRow).where(TokenRow.user_id == user_id))


def list_sessions(session: Session, page: PageQuery, *, user: UserRow, by: Caller) -> Page[SessionView]:
    """Where the user is signed in."""

    def view(rows: Sequence[SessionRow]) -> list[SessionView]:
        return [_view(row, user.name, by) for row in rows]

    return fetch_page(
        session,
        sa.select(SessionRow).where(SessionRow.user_id == user.id, SessionRow.expires_at > by.now),
        page,
        sorts={"created_at": SessionRow.created_at, "last_seen_at": SessionRow.last_seen_at},
        id_column=SessionRow.id,
        default_sort="-last_seen_at",
        view=view,
    )


def _find_user(session: Session, name: str) -> UserRow | None:
    key = name_key(name.strip())
    return session.scalar(sa.select(UserRow).where(UserRow.name_key == key, UserRow.deleted_at.is_(None)))


def _refuse(db: Database, user: UserRow | None, reason: str, by: Caller) -> NoReturn:
    with db.write() as session:
        audit.record(
            session,
            "session.refuse",
            by=replace(by, user_id=user.id, user_name=user.name) if user else by,
            target_kind="user",
            target_id=user.id if user else "",
            target_name=user.name if user else "",
            after={"reason": reason},
        )
    if reason == "disabled":
        raise Forbidden("user_disabled")
    raise Unauthenticated("sign_in_failed")


def _begin(
    session: Session, user_id: str, verified: str, fresh_hash: str, settings: Settings, browser: Browser, by: Caller
) -> tuple[Caller, str]:
    user = session.scalar(sa.select(UserRow).where(UserRow.id == user_id).with_for_update())
    if user is None or user.password_hash != verified or user.is_disabled or user.deleted_at is not None:
        raise Unauthenticated("sign_in_failed")  # it changed while we were verifying
    user.password_hash = fresh_hash
    user.last_seen_at = by.now
    forget_attempts(session, user.name)
    if browser.old_secret:
        session.execute(sa.delete(SessionRow).where(SessionRow.secret_hash == hash_secret(browser.old_secret)))
    secret = secrets.token_urlsafe(32)
    row = SessionRow(
        id=new_id("ses"),
        secret_hash=hash_secret(secret),
        user_id=user.id,
        address=by.address,
        user_agent=browser.user_agent[:USER_AGENT_MAX],
        created_at=by.now,
        last_seen_at=by.now,
        expires_at=by.now + timedelta(days=settings.session_days),
    )
    session.add(row)
    caller = replace(
        by,
        user_id=user.id,
        user_name=user.name,
        is_administrator=user.kind == "administrator",
        is_annotator=user.kind == "annotator",
        must_change_password=user.must_change_password,
        session_id=row.id,
    )
    audit.record(
        session,
        "session.begin",
        by=caller,
        target_kind="user",
        target_id=user.id,
        target_name=user.name,
        after={"user_agent": row.user_agent},
    )
    return caller, secret


def _view(row: SessionRow, user_name: str, by: Caller) -> SessionView:
    return SessionView(
        id=row.id,
        name=row.user_agent or row.address,
        address=row.address,
        user_agent=row.user_agent,
        current=row.id == by.session_id,
        created_at=row.created_at,
        created_by=user_name,
        last_seen_at=row.last_seen_at,
        expires_at=row.expires_at,
    )
