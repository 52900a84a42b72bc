"""Project tokens, asked of a real database."""

import asyncio
from typing import Any

from tests.conftest import Api
from tidemill.gateway.tokens import KEPT_S, Tokens
from tidemill.kernel.db import Database


def test_a_token_calls_the_services_of_its_project_while_its_user_may(api: Api, app: Any) -> None:
    api.project("tides")
    api.project("winds")
    db: Database = app.state.db
    member = api.user("may", project="tides")
    viewer = api.user("lee", project="tides", role="viewer")
    tides = api.admin.ok("get", "/projects/tides")["id"]
    winds = api.admin.ok("get", "/projects/winds")["id"]

    def token(person: Any, **more: Any) -> bytes:
        body = {"name": f"t{len(made)}", "days": 1, **more}
        made.append(body)
        return str(person.ok("post", "/me/tokens", json=body)["token"]).encode()

    made: list[Any] = []
    whole, scoped = token(member), token(member, scopes=["service.call"], project="tides")
    other, looks = token(member, scopes=["dataset.read"]), token(viewer)

    async def ask() -> None:
        now = 0.0
        tokens = Tokens(db, monotonic=lambda: now)
        try:
            assert tokens.find(whole, tides) is None
            assert await tokens.ask(whole, tides)
            assert tokens.find(whole, tides) is True
            assert await tokens.ask(scoped, tides)
            assert not await tokens.ask(whole, winds)
            assert not await tokens.ask(scoped, winds)
            assert not await tokens.ask(other, tides)
            assert not await tokens.ask(b"tm_none", tides)
            assert tokens.find(b"tm_none", tides) is False
            assert await tokens.ask(looks, tides) is ("service.call" in _viewer())
            now += KEPT_S + 1
            assert tokens.find(whole, tides) is None
        finally:
            tokens.close()

    asyncio.run(ask())


def _viewer() -> frozenset[str]:
    from tidemill.accounts.permissions import BUILTIN_ROLES

    return BUILTIN_ROLES["viewer"]
