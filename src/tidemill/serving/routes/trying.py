"""The online test over HTTP: one request passed on to the service, and code to do the same."""

from typing import Annotated

from fastapi import Path, Query, Request
from starlette.concurrency import run_in_threadpool

from tidemill.kernel.routing import ReadSession, Router
from tidemill.serving import lookup, snippets, trying
from tidemill.serving.routes.parameters import PREFIX, Reader, ServicePath, Whose
from tidemill.serving.schemas import SnippetsView, TestView

router = Router(tags=["services"], prefix=PREFIX + "/{service}")

TestPath = Annotated[str, Path(max_length=2000, description="What comes after the service's address")]


@router.post("/test/{path:path}")
async def test_service(service: ServicePath, path: TestPath, request: Request, caller: Whose) -> TestView:
    """Passes the body on (20 MB at most) with its content type, as a POST through the gateway."""
    body = await trying.read_body(request)
    return await run_in_threadpool(trying.send, request, service, path, "POST", body, caller)


@router.get("/test/{path:path}")
def test_service_get(service: ServicePath, path: TestPath, request: Request, caller: Whose) -> TestView:
    """The same as a GET: health, metadata."""
    return trying.send(request, service, path, "GET", b"", caller)


@router.get("/snippets")
def get_service_snippets(
    service: ServicePath,
    request: Request,
    caller: Reader,
    session: ReadSession,
    key: Annotated[str, Query(max_length=200, description="What stands for the key")] = snippets.PLACEHOLDER,
) -> SnippetsView:
    """How to call it: curl, Python, and the `tritonclient` package."""
    row = lookup.get_service(session, service, by=caller)
    return snippets.snippets_view(session, request, row, key=key, by=caller)
