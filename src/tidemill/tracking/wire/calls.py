"""One call of an MLflow client: who calls, what was sent, and how it is answered.

Training scripts make these calls by the thousand, so they are read straight from the bytes, without declared models.
Everything else is as with all other routes: each declares the permission it needs, and one function decides.
"""

import inspect
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Annotated, Any

import orjson
from fastapi import Depends, Request, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.routing import APIRoute

from tidemill.accounts.access import Caller, Needs
from tidemill.kernel import web
from tidemill.kernel.db import Database, Glance
from tidemill.kernel.errors import (
    Conflict,
    Forbidden,
    Invalid,
    NotFound,
    TidemillError,
    TooLarge,
    TooMany,
    Unauthenticated,
    Unavailable,
)
from tidemill.kernel.routing import Router
from tidemill.tracking.wire.bodies import Values

PREFIX = "/projects/{project}/mlflow/api/2.0"
BODY_MAX_BYTES = 32 << 20
"""Of one call; MLflow's own server stops at one megabyte for batches."""

_CODES: dict[type[TidemillError], str] = {
    Invalid: "INVALID_PARAMETER_VALUE",
    Unauthenticated: "UNAUTHENTICATED",
    Forbidden: "PERMISSION_DENIED",
    NotFound: "RESOURCE_DOES_NOT_EXIST",
    Conflict: "INVALID_STATE",
    TooLarge: "RESOURCE_LIMIT_EXCEEDED",
    TooMany: "REQUEST_LIMIT_EXCEEDED",
    Unavailable: "TEMPORARILY_UNAVAILABLE",
}
_EXISTS = frozenset({"experiment_name_taken", "experiment_name_in_bin", "name_taken"})

NOT_NAMED = "/"
"""Instead of a project's name: the one that the token is of. No project can have this name."""


class WireNeeds(Needs):
    """Finds the project by the token where the address does not name one."""

    def _in_place(self, glance: Glance, caller: Caller, project_name: str | None) -> Caller:
        if project_name != NOT_NAMED:
            return super()._in_place(glance, caller, project_name)
        if caller.token_project_id is None:
            raise Forbidden("mlflow_which_project")
        return super()._in_place(glance, caller, caller.token_project_id)


router = Router(prefix=PREFIX, tags=["mlflow"], include_in_schema=False)


@dataclass(frozen=True, slots=True)
class Call:
    """What an endpoint works with."""

    request: Request
    by: Caller
    values: Values
    """What was sent: the body, or the query of a call without one."""

    @property
    def db(self) -> Database:
        found: Database = self.request.app.state.db
        return found

    @property
    def path(self) -> dict[str, Any]:
        return self.request.path_params


Endpoint = Callable[[Call], Any]


def endpoint(method: str, path: str, permission: str) -> Callable[[Endpoint], Endpoint]:
    """Declares an endpoint. It gives what goes out as JSON, or a whole answer."""
    needs = WireNeeds(permission)

    def declare(function: Endpoint) -> Endpoint:
        def answer(request: Request, content: bytes) -> Response:
            try:
                call = Call(request, needs(request), Values.read(request, content))
                return as_answer(function(call))
            except TidemillError as error:
                return refusal(request, error)

        add_route(method, path, needs, function.__name__, _route_class(answer))
        return function

    return declare


def add_route(method: str, path: str, needs: Needs, name: str, route_class: type[APIRoute]) -> None:
    """Enters an endpoint under the address the client calls, with what it needs in the open."""

    def declared(caller: Caller) -> None:
        del caller

    declared.__name__ = f"mlflow_{name}"
    declared.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [inspect.Parameter("caller", inspect.Parameter.KEYWORD_ONLY, annotation=Annotated[Caller, Depends(needs)])]
    )
    router.add_api_route(path, declared, methods=[method], route_class_override=route_class)


def as_answer(given: Any) -> Response:
    if isinstance(given, Response):
        return given
    body = given if isinstance(given, bytes) else orjson.dumps({} if given is None else given)
    return Response(body, media_type="application/json")


def refusal(request: Request, error: TidemillError) -> Response:
    """The error as MLflow's client reads it, with ours beside it."""
    request_id = getattr(request.state, "request_id", "")
    body = web.envelope(error, web.language_of(request), request_id)
    said = body["error"]
    message = " ".join(filter(None, (said["message"], said.get("hint"))))
    content = orjson.dumps({"error_code": code_of(error), "message": message, **body})
    return Response(content, status_code=web.status_of(error), media_type="application/json")


def code_of(error: TidemillError) -> str:
    if error.code in _EXISTS:
        return "RESOURCE_ALREADY_EXISTS"
    return next((code for kind, code in _CODES.items() if isinstance(error, kind)), "INTERNAL_ERROR")


def _route_class(answer: Callable[[Request, bytes], Response]) -> type[APIRoute]:
    class WireRoute(APIRoute):
        def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
            async def handle(request: Request) -> Response:
                announced = request.headers.get("Content-Length", "0")
                if announced.isdecimal() and int(announced) > BODY_MAX_BYTES:
                    return refusal(request, TooLarge("mlflow_body_large", field="body", max_bytes=BODY_MAX_BYTES))
                return await run_in_threadpool(answer, request, await request.body())

            return handle

    return WireRoute
