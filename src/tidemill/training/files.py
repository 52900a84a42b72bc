"""What a run left in its workspace: listed and downloaded."""

import base64
import binascii
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO

from fastapi import Response
from fastapi.responses import StreamingResponse

from tidemill.assets.media import media_type
from tidemill.kernel.errors import Invalid, NotFound
from tidemill.kernel.paging import PageQuery
from tidemill.store.paths import check_path, name_of
from tidemill.store.serving import SANDBOX, attachment
from tidemill.training.schemas import RunFilePage, RunFileView
from tidemill.training.workspaces import Entry, NotThere, list_folder, open_file

BLOCK_BYTES = 1 << 20
OUR_OWN = frozenset({".home", ".tidemill"})
"""Folders of a workspace that the platform made for itself; nobody produced them."""


def list_files(workspace: Path, path: str, page: PageQuery) -> RunFilePage:
    """A folder of the workspace, folders first."""
    folder = _checked(path)
    try:
        entries = [entry for entry in list_folder(workspace, folder) if entry.path not in OUR_OWN]
    except NotThere:
        raise NotFound("run_file_not_found", path=path[:200]) from None
    if page.q:
        entries = [entry for entry in entries if page.q.casefold() in name_of(entry.path).casefold()]
    start = _start(entries, page.cursor)
    shown = entries[start : start + page.limit]
    has_more = start + page.limit < len(entries)
    return RunFilePage(
        items=[_view(entry) for entry in shown], next=_cursor(shown[-1]) if has_more else None, total=len(entries)
    )


def send_file(workspace: Path, path: str) -> Response:
    """A file's bytes, as they are at this moment; shown to nobody as a page."""
    try:
        opened = open_file(workspace, _checked(path))
    except NotThere:
        raise NotFound("run_file_not_found", path=path[:200]) from None
    headers = {
        "Content-Disposition": attachment(name_of(path), download=True),
        "Content-Security-Policy": SANDBOX,
    }
    return StreamingResponse(_blocks(opened), media_type=media_type(name_of(path)), headers=headers)


def _blocks(opened: BinaryIO) -> Iterator[bytes]:
    with opened:
        while block := opened.read(BLOCK_BYTES):
            yield block


def _checked(path: str) -> str:
    cleaned = path.strip("/")
    return check_path(cleaned) if cleaned else ""


def _view(entry: Entry) -> RunFileView:
    return RunFileView(
        path=entry.path,
        name=name_of(entry.path),
        type="dir" if entry.is_folder else "file",
        size_bytes=entry.size_bytes,
        updated_at=datetime.fromtimestamp(max(0.0, entry.changed_at_s), UTC),
    )


def _cursor(entry: Entry) -> str:
    mark = f"{int(not entry.is_folder)}{entry.path}"
    return base64.urlsafe_b64encode(mark.encode("utf-8", "surrogateescape")).decode().rstrip("=")


def _start(entries: list[Entry], cursor: str | None) -> int:
    """Where the page begins: after the entry the cursor names, whether that is still there or not."""
    if cursor is None:
        return 0
    try:
        mark = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode("utf-8", "surrogateescape")
    except (ValueError, binascii.Error):
        raise Invalid("cursor_invalid", field="cursor") from None
    last = (mark[:1] == "1", mark[1:])
    return next((i for i, entry in enumerate(entries) if (not entry.is_folder, entry.path) > last), len(entries))
