"""Signing in and out."""

from typing import Annotated

from fastapi import Request, Response

from tidemill.accounts import me, sessions
from tidemill.accounts.access import COOKIE, Caller, address_of, signed_in
from tidemill.accounts.schemas.me import MeView, SignIn
from tidemill.kernel.routing import ReadSession, Router, WriteSession
from tidemill.kernel.settings import Settings
from tidemill.kernel.web import language_of

router = Router(tags=["session"])


@router.post("/session")
def sign_in(body: SignIn, request: Request, response: Response) -> MeView:
    """Signs in with a password; the session is in the cookie."""
    state = request.app.state
    browser = sessions.Browser(request.headers.get("User-Agent", ""), request.cookies.get(COOKIE))
    caller, secret = sessions.sign_in(
        state.db,
        state.passwords,
        state.settings,
        name=body.user,
        password=body.password,
        browser=browser,
        by=_somebody(request),
    )
    _set_cookie(response, secret, state.settings)
    with state.db.read() as session:
        return me.get_me(session, by=caller)


@router.get("/session")
def get_session(caller: Annotated[Caller, signed_in(before_password_change=True)], session: ReadSession) -> MeView:
    """Who is signed in, and what they may do."""
    return me.get_me(session, by=caller)


@router.delete("/session", status_code=204)
def sign_out(
    response: Response,
    caller: Annotated[Caller, signed_in(before_password_change=True, session_only=True)],
    session: WriteSession,
) -> None:
    """Signs out."""
    sessions.sign_out(session, by=caller)
    response.delete_cookie(COOKIE, path="/", httponly=True, samesite="lax")


def _somebody(request: Request) -> Caller:
    """The caller before we know who it is."""
    return Caller(
        user_id=None,
        user_name="",
        kind="session",
        is_administrator=False,
        address=address_of(request),
        request_id=getattr(request.state, "request_id", ""),
        language=language_of(request),
        now=request.app.state.clock(),
    )


def _set_cookie(response: Response, secret: str, settings: Settings) -> None:
    response.set_cookie(
        COOKIE,
        secret,
        max_age=int(settings.session_days * 86400),
        path="/",
        httponly=True,
        samesite="lax",
        secure=(settings.public_url or "").startswith("https:"),
    )
