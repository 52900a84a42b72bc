"""Who may call a service: one of its keys, a token with the right, or anybody where it is open."""

import hashlib
import hmac
from dataclasses import dataclass
from typing import Protocol

from tidemill.gateway import tokens
from tidemill.gateway.answers import Refusal
from tidemill.gateway.routing import Service
from tidemill.gateway.tokens import DatabaseAway


@dataclass(frozen=True, slots=True)
class Grant:
    """They may call: who they are to the rate limit, and their own rate where they have one."""

    caller: str
    rate_per_s: float | None


class TokenOffice(Protocol):
    """Answers whether a project token may call."""

    def find(self, token: bytes, project_id: str) -> bool | None: ...

    async def ask(self, token: bytes, project_id: str) -> bool: ...


def decide(service: Service | None, secret: bytes | None, address: str, office: TokenOffice | None) -> Grant | None:
    """Whether this caller may; None where the database must be asked (`decide_by_token`). Raises `Refusal`.

    To strangers a service that is not there and one that is not theirs look alike.
    """
    if service is not None and service.route.access == "open":
        return Grant(address, service.route.rate_per_s)
    if secret is None:
        raise Refusal(401, "gateway_no_credentials")
    if service is None or not secret:
        raise Refusal(404, "gateway_not_found")
    digest = hashlib.sha256(secret).hexdigest()
    key = service.keys.get(digest)
    if key is not None and hmac.compare_digest(key.sha256, digest):
        service.used_keys.add(key.id)
        return Grant(key.id, service.route.rate_per_s if key.rate_per_s is None else key.rate_per_s)
    if office is None or not secret.startswith(tokens.PREFIX):
        raise Refusal(404, "gateway_not_found")
    known = office.find(secret, service.route.project_id)
    if known is None:
        return None
    return _by_token(service, digest, known)


async def decide_by_token(service: Service, secret: bytes, office: TokenOffice) -> Grant:
    """The same, asking the database."""
    try:
        allowed = await office.ask(secret, service.route.project_id)
    except DatabaseAway:
        raise Refusal(503, "gateway_database", retry_after_s=2) from None
    return _by_token(service, hashlib.sha256(secret).hexdigest(), allowed)


def _by_token(service: Service, digest: str, allowed: bool) -> Grant:
    if not allowed:
        raise Refusal(404, "gateway_not_found")
    return Grant(digest, service.route.rate_per_s)
