"""Formats over HTTP: which there are, and a small sample of each."""

from typing import Annotated

from fastapi import Request, Response

from tidemill.accounts.access import Caller, signed_in
from tidemill.datasets.importing.format_views import format_views
from tidemill.datasets.importing.schemas import FormatList
from tidemill.datasets.works import registry
from tidemill.kernel.errors import NotFound
from tidemill.kernel.routing import Router
from tidemill.store.serving import attachment

router = Router(prefix="/dataset-formats", tags=["imports"])

SignedIn = Annotated[Caller, signed_in()]
_ZIP = {"application/zip": {"schema": {"type": "string", "format": "binary"}}}


@router.get("")
def list_formats(caller: SignedIn) -> FormatList:
    """Formats that can be imported or exported."""
    return FormatList(items=format_views(caller.language))


@router.get("/{name}/sample", response_class=Response, responses={200: {"content": _ZIP}})
def get_format_sample(caller: SignedIn, name: str, request: Request) -> Response:
    """A small archive in the format, to look at and to import."""
    del caller, request
    if not registry.is_readable(name):
        raise NotFound("format_not_found", name=name[:50])
    headers = {"Content-Disposition": attachment(f"tidemill-sample-{name}.zip", download=True)}
    return Response(registry.sample(name), media_type="application/zip", headers=headers)
