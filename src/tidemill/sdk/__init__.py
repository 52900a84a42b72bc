"""The Python client of Tidemill. Light: it needs an HTTP library and nothing of the server.

from tidemill.sdk import Client

with Client() as client:
    client.models.pull("public/resnet@2", "weights/")
"""

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
from tidemill.sdk.client import Client
from tidemill.sdk.paging import Listing, Page
from tidemill.sdk.patience import Patience
from tidemill.sdk.refs import Ref
from tidemill.sdk.resources.work import JobFailed

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
]
