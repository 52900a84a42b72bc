"""The caller: profile, password, sessions, tokens, notifications."""

from collections.abc import Sequence
from typing import Any

from tidemill.sdk.paging import Listing
from tidemill.sdk.refs import address
from tidemill.sdk.resources.base import Resource, given
from tidemill.sdk.views import Me, Notification, Session, Token


class Myself(Resource):
    """`client.me`"""

    def get(self) -> Me:
        return Me.read(self._call("GET", "/session"))

    def update(self, **changes: Any) -> Me:
        """Changes `display_name`, `mail`, `language`. A new mail ends all sessions."""
        return Me.read(self._call("PATCH", "/me", json=changes))

    def change_password(self, old_password: str, new_password: str) -> None:
        """All sessions end, this one too."""
        body = {"old_password": old_password, "new_password": new_password}
        self._call("POST", "/me/password", json=body, is_repeatable=False)

    def sessions(self) -> Listing[Session]:
        return self._listing("/me/sessions", Session.read)

    def end_session(self, session: str) -> None:
        self._call("DELETE", address("me", "sessions", session))

    def notifications(self, *, unread: bool | None = None) -> Listing[Notification]:
        return self._listing("/me/notifications", Notification.read, {"unread": unread})

    def mark_read(self, ids: Sequence[str] | None = None) -> None:
        """Marks notifications as read; all of them when none are named."""
        self._call("POST", "/me/notifications/read", json=given(ids=list(ids) if ids is not None else None))


class Tokens(Resource):
    """`client.tokens`: the caller's own."""

    def list(self) -> Listing[Token]:
        return self._listing("/me/tokens", Token.read)

    def create(
        self, name: str, *, days: int | None = None, scopes: Sequence[str] = (), project: str | None = None
    ) -> Token:
        """A new token; its secret is in `.token`, now and never again. Not repeated when the answer is lost."""
        body = given(name=name, days=days, scopes=[*scopes], project=project)
        return Token.read(self._call("POST", "/me/tokens", json=body, is_repeatable=False))

    def revoke(self, token: str) -> None:
        self._call("DELETE", address("me", "tokens", token))
