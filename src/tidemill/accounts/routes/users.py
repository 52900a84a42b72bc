"""Users, for administrators."""

from typing import Annotated

from fastapi import Depends, Request

from tidemill.accounts import sessions, users
from tidemill.accounts.access import Caller, needs
from tidemill.accounts.lookup import get_user as get_user_row
from tidemill.accounts.schemas.fields import UserKind
from tidemill.accounts.schemas.users import PasswordReset, SessionView, UserCreate, UserPatch, UserView
from tidemill.kernel.paging import Page, Paging
from tidemill.kernel.routing import ReadSession, Router, WriteSession

router = Router(prefix="/users", tags=["users"])

Reader = Annotated[Caller, needs("user.read")]
Writer = Annotated[Caller, needs("user.write")]


def _hash_first_password(caller: Writer, body: UserCreate, request: Request) -> str:
    """Hashing is slow: it is done before the route's transaction begins, and after the caller is let in."""
    del caller
    hashed: str = request.app.state.passwords.hash_new(body.password)
    return hashed


def _hash_new_password(caller: Writer, body: PasswordReset, request: Request) -> str:
    del caller
    hashed: str = request.app.state.passwords.hash_new(body.new_password, field="new_password")
    return hashed


@router.get("")
def list_users(page: Paging, caller: Reader, session: ReadSession, kind: UserKind | None = None) -> Page[UserView]:
    """Users; search looks in names and mail addresses."""
    del caller
    return users.list_users(session, page, kind=kind)


@router.post("", status_code=201)
def create_user(
    body: UserCreate,
    caller: Writer,
    password_hash: Annotated[str, Depends(_hash_first_password)],
    session: WriteSession,
) -> UserView:
    """Makes a user."""
    return users.create_user(session, body, password_hash=password_hash, by=caller)


@router.get("/{user}")
def get_user(user: str, caller: Reader, session: ReadSession) -> UserView:
    """One user, by name or id."""
    del caller
    return users.view_user(session, get_user_row(session, user))


@router.patch("/{user}")
def update_user(user: str, body: UserPatch, caller: Writer, session: WriteSession) -> UserView:
    """Changes a user; disabling ends their sessions and tokens at once."""
    return users.update_user(session, user, body, by=caller)


@router.delete("/{user}", status_code=204)
def delete_user(user: str, caller: Writer, session: WriteSession) -> None:
    """Deletes a user; the name stays taken."""
    users.delete_user(session, user, by=caller)


@router.post("/{user}/password", status_code=204)
def reset_user_password(
    user: str,
    body: PasswordReset,
    caller: Writer,
    password_hash: Annotated[str, Depends(_hash_new_password)],
    session: WriteSession,
) -> None:
    """Sets a user's password, and ends their sessions and tokens."""
    users.reset_password(
        session, user, password_hash=password_hash, must_change_password=body.must_change_password, by=caller
    )


@router.get("/{user}/sessions")
def list_user_sessions(user: str, page: Paging, caller: Reader, session: ReadSession) -> Page[SessionView]:
    """Where a user is signed in."""
    return sessions.list_sessions(session, page, user=get_user_row(session, user), by=caller)


@router.delete("/{user}/sessions", status_code=204)
def end_user_sessions(user: str, caller: Writer, session: WriteSession) -> None:
    """Signs a user out everywhere."""
    users.end_sessions_of(session, user, by=caller)
