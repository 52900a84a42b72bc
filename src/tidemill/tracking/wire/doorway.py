"""How MLflow clients find their project.

Their calls have one form, `…/api/2.0/mlflow/runs/create`, below whatever address they were given:

    http://host:8700                                the project of the token
    http://host:8700/p/<project>                    that project
    http://host:8700/api/v1/projects/<project>/mlflow   the same, as the rest of the API names it

All three lead to the routes of the last form. They are looked up by their whole address: going through every route of
the platform, one after the other, would take longer than the work itself.
"""

import re
from collections.abc import Callable, Coroutine, Mapping
from typing import Any, NamedTuple

from fastapi import FastAPI, Request, Response
from fastapi.routing import APIRoute
from starlette.routing import BaseRoute, Match
from starlette.types import Receive, Scope, Send

from tidemill.kernel.errors import NotFound
from tidemill.tracking.wire.calls import NOT_NAMED, PREFIX, refusal, router

_BY_PROJECT = re.compile(r"^(?:/api/v1/projects/([^/]+)/mlflow|/p/([^/]+))(/(?:api|ajax-api)/\d\.0/mlflow.*)$")
_BY_TOKEN = re.compile(r"^/(?:api|ajax-api)/\d\.0/mlflow(?:-artifacts)?/")


class Doorway(BaseRoute):
    """Takes every call of an MLflow client, before all other routes."""

    def __init__(self) -> None:
        ways = [
            _Way(route.path.removeprefix(PREFIX), route, route.get_route_handler())
            for route in router.routes
            if isinstance(route, APIRoute)
        ]
        self._plain = {
            (method, way.tail): way for way in ways for method in way.route.methods or () if "{" not in way.tail
        }
        self._others = [(_pattern(way.tail), way) for way in ways if "{" in way.tail]

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        if scope["type"] != "http":
            return Match.NONE, {}
        path: str = scope["path"]
        if found := _BY_PROJECT.match(path):
            return Match.FULL, {"tidemill_mlflow": (found[1] or found[2], found[3])}
        if _BY_TOKEN.match(path):
            return Match.FULL, {"tidemill_mlflow": (NOT_NAMED, path)}
        return Match.NONE, {}

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        project, tail = scope["tidemill_mlflow"]
        way, values = self._find(scope["method"], re.sub(r"^/(?:api|ajax-api)/\d\.0", "", tail))
        if way is None:
            await refusal(Request(scope, receive), NotFound("mlflow_no_endpoint", path=tail[:200]))(
                scope, receive, send
            )
            return
        scope["path_params"] = {**values, "project": project}
        scope["route"], scope["endpoint"] = way.route, way.route.endpoint
        # Straight to its handler: these routes have no dependencies that FastAPI would have to open and close.
        answer = await way.handler(Request(scope, receive, send))
        await answer(scope, receive, send)

    def _find(self, method: str, tail: str) -> "tuple[_Way | None, Mapping[str, str]]":
        if plain := self._plain.get((method, tail)):
            return plain, {}
        for pattern, way in self._others:
            if method in (way.route.methods or ()) and (found := pattern.fullmatch(tail)):
                return way, found.groupdict()
        return None, {}


class _Way(NamedTuple):
    """What is behind the end of an address."""

    tail: str
    route: APIRoute
    handler: Callable[[Request], Coroutine[Any, Any, Response]]


def install(app: FastAPI) -> None:
    """This one comes before all other routes."""
    app.router.routes.insert(0, Doorway())
    app.add_api_route("/version", _version, methods=["GET"], include_in_schema=False)


def _version() -> Response:
    """What MLflow's client asks for to know what it may send: the version whose calls are understood here."""
    return Response("3.17.2", media_type="text/plain")


def _pattern(tail: str) -> "re.Pattern[str]":
    def group(found: "re.Match[str]") -> str:
        return f"(?P<{found[1]}>{'.*' if found[2] else '[^/]+'})"

    return re.compile(re.sub(r"\\\{(\w+)(:path)?\\\}", group, re.escape(tail)))
