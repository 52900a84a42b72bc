"""Saving one small file from the browser's editor, without writing over what somebody else saved meanwhile."""

import re
from dataclasses import dataclass
from typing import Annotated

from fastapi import Header, Request

from tidemill.accounts.access import Caller
from tidemill.assets import editing
from tidemill.assets.callers import Writer
from tidemill.assets.lookup import Place, get_version
from tidemill.kernel.db import Database
from tidemill.kernel.errors import Invalid, TooLarge
from tidemill.store import intake, trees
from tidemill.store.depot import Store
from tidemill.store.paths import check_path
from tidemill.store.trees import Entry

_QUOTED_DIGEST = re.compile(r'(?:W/)?"([0-9a-f]{64})"')


@dataclass(frozen=True, slots=True)
class Expected:
    """What the caller believes is at the path: a file of that digest, nothing, or anything."""

    digest: str | None = None
    nothing: bool = False


def expected_state(
    if_match: Annotated[str | None, Header(description="The digest the file had when it was read, in quotes")] = None,
    if_none_match: Annotated[str | None, Header(description="`*` to make a new file only")] = None,
) -> Expected:
    """The conditions a request carries."""
    digest = None
    if if_match is not None and if_match.strip() != "*":
        found = _QUOTED_DIGEST.fullmatch(if_match.strip())
        if found is None:
            raise Invalid("precondition_malformed", field="If-Match")
        digest = found[1]
    return Expected(digest, nothing=(if_none_match or "").strip() == "*")


async def read_content(caller: Writer, request: Request) -> bytes:
    """The body, refused as soon as it is known to be too large; read only for those who may write."""
    del caller
    limit: int = request.app.state.settings.text_edit_bytes
    announced = request.headers.get("Content-Length", "")
    if announced.isdecimal() and int(announced) > limit:
        raise TooLarge("file_not_text_sized", field="body", max_bytes=limit)
    content = bytearray()
    async for block in request.stream():
        content += block
        if len(content) > limit:
            raise TooLarge("file_not_text_sized", field="body", max_bytes=limit)
    return bytes(content)


def save_file(
    db: Database, store: Store, place: Place, path: str, content: bytes, expected: Expected, *, by: Caller
) -> trees.Node:
    """Puts the content at a path of a draft. The bytes are taken in first: no transaction waits for a disk."""
    checked = check_path(path)
    with db.read() as session:
        editing.check_draft(*get_version(session, place, project_id=by.project.id))
    digest, size_bytes = intake.keep_bytes(db, store.backend, by.project.id, content, by.now)
    with db.write() as session:
        file = Entry(checked, digest, size_bytes)
        return editing.put_file(session, place, file, if_digest=expected.digest, only_new=expected.nothing, by=by)
