"""Routes that are called so often, or with so much, that what FastAPI does by declaration is done by hand.

They are declared as all others, so that the API's description and the tests that walk all routes know them. But their
request is dealt with in one thread, in one go: who calls, what they sent (read by pydantic straight from the bytes),
the work, the answer; with the same rules and the same refusals.
"""

from collections.abc import Callable, Coroutine, Mapping
from typing import Any, TypeVar

from fastapi import Request, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from pydantic import BaseModel, ValidationError

Model = TypeVar("Model", bound=BaseModel)


def lean_route(call: Callable[[Request, bytes], Response]) -> type[APIRoute]:
    """For `add_api_route(…, route_class_override=…)`: requests go to `call`, with the whole body."""

    class LeanRoute(APIRoute):
        def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
            async def handle(request: Request) -> Response:
                return await run_in_threadpool(call, request, await request.body())

            return handle

    return LeanRoute


def read_body(model: type[Model], content: bytes, *, shift: Mapping[str, int] | None = None) -> Model:
    """What was sent; refused as FastAPI refuses it. `shift`: of a piece, where its lists begin in the whole."""
    try:
        return model.model_validate_json(content)
    except ValidationError as broken:
        errors = broken.errors()
        for error in errors:
            error["loc"] = _shifted(error["loc"], shift or {})
        raise RequestValidationError(errors) from None


def _shifted(place: tuple[int | str, ...], shift: Mapping[str, int]) -> tuple[int | str, ...]:
    if len(place) > 1 and isinstance(place[0], str) and isinstance(place[1], int):
        return (place[0], place[1] + shift.get(place[0], 0), *place[2:])
    return place


def read_values(model: type[Model], values: dict[str, Any]) -> Model:
    """What the address and headers say."""
    try:
        return model.model_validate(values)
    except ValidationError as broken:
        raise RequestValidationError(broken.errors()) from None


def json_answer(view: BaseModel) -> Response:
    return Response(view.model_dump_json(), media_type="application/json")
