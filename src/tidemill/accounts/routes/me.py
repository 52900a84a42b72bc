"""The caller's own account: profile, password, sessions, tokens."""

from typing import Annotated

from fastapi import Request

from tidemill.accounts import me, sessions, tokens
from tidemill.accounts.access import Caller, signed_in
from tidemill.accounts.schemas.me import MePatch, MeView, PasswordChange, TokenCreate, TokenCreated, TokenView
from tidemill.accounts.schemas.users import SessionView
from tidemill.kernel.paging import Page, Paging
from tidemill.kernel.routing import ReadSession, Router, WriteSession, never_replayed

router = Router(prefix="/me", tags=["me"])

Myself = Annotated[Caller, signed_in()]
MyselfInPerson = Annotated[Caller, signed_in(session_only=True)]
"""Not with an API token: whoever finds one must not be able to take the account over."""


@router.patch("")
def update_me(body: MePatch, caller: MyselfInPerson, session: WriteSession) -> MeView:
    """Changes display name, mail or language; a changed mail ends all sessions."""
    return me.update_me(session, body, by=caller)


@router.post("/password", status_code=204)
def change_password(
    body: PasswordChange,
    request: Request,
    caller: Annotated[Caller, signed_in(before_password_change=True, session_only=True)],
) -> None:
    """Changes the password and ends all sessions. API tokens stay; they are listed under `/me/tokens`."""
    state = request.app.state
    me.change_password(state.db, state.passwords, state.settings, body, by=caller)


@router.get("/sessions")
def list_my_sessions(page: Paging, caller: Myself, session: ReadSession) -> Page[SessionView]:
    """Where the caller is signed in."""
    return sessions.list_sessions(session, page, user=me.get_own_row(session, caller), by=caller)


@router.delete("/sessions/{session_id}", status_code=204)
def end_my_session(session_id: str, caller: MyselfInPerson, session: WriteSession) -> None:
    """Signs one browser out."""
    sessions.end_session(session, session_id, by=caller)


@router.get("/tokens")
def list_my_tokens(page: Paging, caller: Myself, session: ReadSession) -> Page[TokenView]:
    """The caller's API tokens, without their secrets."""
    return tokens.list_tokens(session, page, by=caller)


@router.post("/tokens", status_code=201)
@never_replayed
def create_my_token(body: TokenCreate, caller: Myself, session: WriteSession) -> TokenCreated:
    """Makes an API token; its secret is in this answer and never shown again."""
    return tokens.create_token(session, body, by=caller)


@router.delete("/tokens/{token}", status_code=204)
def delete_my_token(token: str, caller: Myself, session: WriteSession) -> None:
    """Voids an API token."""
    tokens.delete_token(session, token, by=caller)
