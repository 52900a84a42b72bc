"""The Python client of Tidemill. Light: it needs an HTTP library and nothing of the server.

from tidemill.sdk import Client

with Client() as client:
    client.models.pull("public/resnet@2", "weights/")
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from tidemill.kernel.errors import (
    Conflict,
    Forbidden,
    Invalid,
    NotFound,
    Stale,
    TidemillError,
    TooLarge,
    TooMany,
    Unauthenticated,
    Unavailable,
)

if TYPE_CHECKING:
    from tidemill.sdk.client import Client
    from tidemill.sdk.paging import Listing, Page
    from tidemill.sdk.patience import Patience
    from tidemill.sdk.refs import Ref
    from tidemill.sdk.resources.work import JobFailed
    from tidemill.sdk.resources.workloads import WorkloadFailed

__all__ = [
    "Client",
    "Conflict",
    "Forbidden",
    "Invalid",
    "JobFailed",
    "Listing",
    "NotFound",
    "Page",
    "Patience",
    "Ref",
    "Stale",
    "TidemillError",
    "TooLarge",
    "TooMany",
    "Unauthenticated",
    "Unavailable",
    "WorkloadFailed",
]

# Loaded when first asked for: a training script that only logs numbers needs no HTTP library.
_PLACES = {
    "Client": "tidemill.sdk.client",
    "JobFailed": "tidemill.sdk.resources.work",
    "Listing": "tidemill.sdk.paging",
    "Page": "tidemill.sdk.paging",
    "Patience": "tidemill.sdk.patience",
    "Ref": "tidemill.sdk.refs",
    "WorkloadFailed": "tidemill.sdk.resources.workloads",
}


def __getattr__(name: str) -> Any:
    if name in _PLACES:
        return getattr(import_module(_PLACES[name]), name)
    raise AttributeError(f"module 'tidemill.sdk' has no attribute {name!r}")
