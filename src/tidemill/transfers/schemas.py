"""What goes over the wire."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import AfterValidator, Field
from pydantic_core import PydanticCustomError

from tidemill.kernel.fields import Text, View, Wire
from tidemill.store.backends import DIGEST

MISSING_AT_ONCE = 5000
SIZE_MAX = (1 << 63) - 1


def _check_digest(text: str) -> str:
    if DIGEST.fullmatch(text) is None:
        raise PydanticCustomError("digest_invalid", "not a SHA-256")
    return text


Sha256 = Annotated[
    str,
    AfterValidator(_check_digest),
    Field(
        min_length=64,
        max_length=64,
        examples=["e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"],
        json_schema_extra={"pattern": "^[0-9a-f]{64}$"},
    ),
]
Size = Annotated[int, Field(ge=0, le=SIZE_MAX)]


class BlobRef(Wire):
    """Content by its digest."""

    sha256: Sha256
    size_bytes: Size


class MissingQuery(Wire):
    blobs: list[BlobRef] = Field(max_length=MISSING_AT_ONCE)


class MissingView(View):
    """Digests whose bytes must be sent."""

    missing: list[str]


class BatchView(View):
    """How many files and bytes were stored."""

    stored: int
    bytes: int


class UploadCreate(Wire):
    sha256: Sha256
    size_bytes: Size
    name: Text = Field(default="", max_length=1024)


class UploadView(View):
    """An upload. `offset` is where the next chunk begins."""

    id: str
    name: str
    state: Literal["open", "complete"]
    offset: int
    size_bytes: int
    sha256: str
    chunk_bytes: int
    expires_at: datetime
    created_at: datetime
    created_by: str
