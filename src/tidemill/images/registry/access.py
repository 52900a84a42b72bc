"""Who calls the registry: an API token as the password of its user, or a short-lived token got for it.

Cookies do not count here, so that no page in a browser can act on the registry as its user.
"""

import base64
import binascii
import hashlib
import hmac
import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import sqlalchemy as sa
from fastapi import Depends, Request
from sqlalchemy.orm import Session

from tidemill.accounts.access import (
    Caller,
    ProjectRef,
    caller_of_token,
    find_project,
    is_secret,
    note_seen,
    permissions_in,
)
from tidemill.accounts.tables import TokenRow
from tidemill.images.depot import Images
from tidemill.images.names import is_name
from tidemill.kernel.errors import Forbidden, Invalid, NotFound, Unauthenticated
from tidemill.kernel.fields import name_key

LIFETIME = timedelta(minutes=30)
ANY_USER = "token"
"""What may stand for the user's name, where only the token is at hand."""
_PREFIX = "tmr_"
_LABEL = b"tidemill registry 1\n"


class RegistryNeeds:
    """Dependency of a route: signs the caller in and demands the permission in the path's project."""

    def __init__(self, permission: str | None) -> None:
        self.permission = permission

    def __call__(self, request: Request) -> Caller:
        images: Images = request.app.state.images
        with images.db.read() as session:
            caller = identify(session, request, images)
            if self.permission is not None:
                caller = self._in_project(session, request, caller)
        request.state.caller_key = caller.user_id
        note_seen(images.db, caller)
        return caller

    def _in_project(self, session: Session, request: Request, caller: Caller) -> Caller:
        project_name, name = request.path_params["project"], request.path_params["name"]
        caller = in_project(session, caller, project_name)
        assert self.permission is not None
        if not caller.may(self.permission):
            raise Forbidden("forbidden_permission", permission=self.permission)
        if not is_name(name):
            raise Invalid("registry_name_invalid", name=name[:100])
        return caller


def registry(permission: str | None) -> Any:
    """The route needs this permission, or merely somebody signed in."""
    return Depends(RegistryNeeds(permission))


def in_project(session: Session, caller: Caller, project_name: str) -> Caller:
    """The caller with what they may do in a project; raises NotFound for one they must not know of."""
    project = find_project(session, project_name)
    held = permissions_in(session, caller, project) if project else frozenset()
    if project is None or not held:
        raise NotFound("project_not_found", name=project_name[:100])
    return replace(caller, permissions=held, project_ref=ProjectRef(project.id, project.name, project.is_public))


def identify(session: Session, request: Request, images: Images) -> Caller:
    """Who sent this request; raises Unauthenticated when nobody did."""
    scheme, _, secret = request.headers.get("Authorization", "").partition(" ")
    if scheme.lower() == "basic":
        caller = by_password(session, request, *_basic(secret))
    elif scheme.lower() == "bearer":
        caller = _bearer(session, request, images, secret.strip())
    else:
        raise Unauthenticated
    if caller.must_change_password:
        raise Forbidden("password_change_required")
    return caller


def by_password(session: Session, request: Request, user: str, password: str) -> Caller:
    """Who has that API token; the name must be its user's."""
    caller = caller_of_token(session, request, is_secret(password))
    if user != ANY_USER and name_key(user) != name_key(caller.user_name):
        raise Unauthenticated("token_invalid")
    return caller


def issue(images: Images, token_id: str, now: datetime) -> str:
    """A token that stands for an API token for a while; it ends with it, too."""
    body = json.dumps([token_id, int((now + LIFETIME).timestamp())]).encode()
    return f"{_PREFIX}{_encode(body)}.{_encode(_sign(images.registry_key, body))}"


def _bearer(session: Session, request: Request, images: Images, secret: str) -> Caller:
    if not secret.startswith(_PREFIX):
        return caller_of_token(session, request, is_secret(secret))
    token_id = _find_token(images, secret.removeprefix(_PREFIX))
    if token_id is None:
        raise Unauthenticated("token_invalid")
    return caller_of_token(session, request, sa.and_(TokenRow.id == token_id))


def _find_token(images: Images, text: str) -> str | None:
    try:
        body_text, _, mark_text = text.partition(".")
        body, mark = _decode(body_text), _decode(mark_text)
    except (ValueError, binascii.Error):
        return None
    if not hmac.compare_digest(mark, _sign(images.registry_key, body)):
        return None
    token_id, expires_at = json.loads(body)
    return str(token_id) if datetime.fromtimestamp(expires_at, UTC) > images.clock() else None


def _basic(encoded: str) -> tuple[str, str]:
    try:
        user, colon, password = base64.b64decode(encoded.strip(), validate=True).decode().partition(":")
    except (ValueError, binascii.Error):
        raise Unauthenticated("token_invalid") from None
    if not colon:
        raise Unauthenticated("token_invalid")
    return user, password


def _sign(key: bytes, body: bytes) -> bytes:
    return hmac.digest(key, _LABEL + body, hashlib.sha256)


def _encode(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def _decode(text: str) -> bytes:
    return base64.b64decode(text.encode("ascii") + b"=" * (-len(text) % 4), altchars=b"-_", validate=True)
