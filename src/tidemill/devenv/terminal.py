"""The web terminal: a shell in a node of a running workload, over a WebSocket of the web application's own origin."""

import asyncio
import json
import logging
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

from fastapi import APIRouter, Request, WebSocket
from starlette.websockets import WebSocketDisconnect

from tidemill.accounts.access import Caller, Needs
from tidemill.devenv import shells
from tidemill.devenv.shells import RunningShell
from tidemill.doors.activity import Activity
from tidemill.doors.office import Grant
from tidemill.doors.rights import LOOK_EVERY_S, Rights, Running
from tidemill.engines.base import EngineError
from tidemill.kernel import i18n
from tidemill.kernel.errors import Forbidden, TidemillError, Unauthenticated
from tidemill.kernel.i18n import Language
from tidemill.kernel.settings import Settings
from tidemill.workloads.service import get_workload

log = logging.getLogger("tidemill.terminal")

router = APIRouter()

OPEN_MAX = 20
"""Terminals of one user."""
SIZE_MAX = 1000
ENDED, GONE, SIGNED_OUT, FORBIDDEN, NOT_THERE, TOO_MANY = 1000, 1001, 4401, 4403, 4404, 4429
TERMINAL = {"TERM": "xterm-256color", "COLORTERM": "truecolor"}

somebody = Needs(None)
WRITE = "workload.write"
PERMISSIONS = {"replica": "service.write"}
"""What it takes to come into a workload, by its kind: mostly that one may write workloads."""


class Terminals:
    """How many terminals each user has open, in this process."""

    def __init__(self) -> None:
        self._open: Counter[str] = Counter()
        self._lock = threading.Lock()

    @contextmanager
    def one_more(self, user_id: str) -> Iterator[bool]:
        """Whether there was room for one more."""
        with self._lock:
            has_room = self._open[user_id] < OPEN_MAX
            self._open[user_id] += has_room
        try:
            yield has_room
        finally:
            with self._lock:
                self._open[user_id] -= has_room


@router.websocket("/projects/{project}/workloads/{workload}/terminal")
async def open_terminal(socket: WebSocket, workload: str, node: int = 0) -> None:
    """Binary frames are what is typed and shown; `{"resize": [columns, rows]}` is the window's size."""
    if not _is_from_us(socket):
        await socket.close(1008)
        return
    await socket.accept()
    language = i18n.pick_language(socket.headers.get("Accept-Language"))
    try:
        caller, grant, running = await shells.in_thread(_admit, socket, workload, node)
    except TidemillError as error:
        await socket.close(_code(error), _words(error, language))
        return
    terminals: Terminals = socket.app.state.terminals
    activity: Activity = socket.app.state.doors_activity
    with terminals.one_more(caller.user_id or "") as has_room, activity.inside(workload):
        if not has_room:
            await socket.close(TOO_MANY, i18n.message("terminal_limit", language, max=OPEN_MAX))
            return
        await _talk(socket, grant, running, language)


def _is_from_us(socket: WebSocket) -> bool:
    """A browser sends its cookies with any page's WebSocket: only the web application's own pages are heard."""
    if socket.headers.get("Authorization"):
        return True
    origin = socket.headers.get("Origin")
    settings: Settings = socket.app.state.settings
    if origin is None:
        return False
    if settings.public_url and origin == settings.public_url.rstrip("/"):
        return True
    return urlsplit(origin).netloc == socket.headers.get("Host")


def _admit(socket: WebSocket, workload_id: str, node: int) -> tuple[Caller, Grant, Running]:
    # The one place that decides reads an HTTP request: the handshake was one.
    request = Request({**socket.scope, "type": "http", "method": "GET"})
    caller = somebody(request)
    if not any(caller.may(one) for one in (WRITE, *PERMISSIONS.values())):
        raise Forbidden("forbidden_permission", permission=WRITE)
    with socket.app.state.db.read() as session:
        row = get_workload(session, workload_id, project_id=caller.project.id)
    permission = PERMISSIONS.get(row.kind, WRITE)
    if not caller.may(permission):
        raise Forbidden("forbidden_permission", permission=permission)
    grant = Grant(
        user_id=caller.user_id or "",
        session_id=caller.session_id,
        token_id=caller.token_id,
        workload_id=row.id,
        node=node,
        port=0,
        permission=permission,
    )
    rights: Rights = socket.app.state.doors_rights
    running = rights.look(grant) if node >= 0 else None
    if running is None:
        raise TidemillError("terminal_not_running")
    return caller, grant, running


async def _talk(socket: WebSocket, grant: Grant, running: Running, language: Language) -> None:
    try:
        shell = await shells.open_shell(
            socket.app.state.engine,
            running.launch_id,
            grant.node,
            shells.USERS_SHELL,
            environment=TERMINAL,
            terminal=(80, 24),
        )
    except EngineError as error:
        await socket.close(NOT_THERE, _short(str(error)))
        return
    ways = [
        asyncio.create_task(_from_browser(socket, shell)),
        asyncio.create_task(_to_browser(socket, shell)),
        asyncio.create_task(_watch(socket, grant)),
    ]
    try:
        done, _ = await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        code = next(iter(done)).result()
        if ways[0] not in done:
            reason = i18n.message("terminal_closed", language) if code not in {ENDED, GONE} else ""
            await socket.close(code, _short(reason))
    finally:
        for task in ways:
            task.cancel()
        await asyncio.gather(*ways, return_exceptions=True)
        await asyncio.shield(shell.close())


async def _from_browser(socket: WebSocket, shell: RunningShell) -> int:
    while True:
        try:
            message = await socket.receive()
        except WebSocketDisconnect:
            return ENDED
        if message["type"] == "websocket.disconnect":
            return ENDED
        if (data := message.get("bytes")) is not None:
            await shell.write(data)
        elif size := _find_size(message.get("text") or ""):
            shell.resize(*size)


async def _to_browser(socket: WebSocket, shell: RunningShell) -> int:
    while data := await shell.read(shell.stdout):
        await socket.send_bytes(data)
    return ENDED


async def _watch(socket: WebSocket, grant: Grant) -> int:
    rights: Rights = socket.app.state.doors_rights
    while not socket.app.state.stopping.is_set():
        await asyncio.sleep(min(1.0, LOOK_EVERY_S))
        if await shells.in_thread(rights.look, grant) is None:
            return FORBIDDEN
    return GONE


def _find_size(text: str) -> tuple[int, int] | None:
    try:
        found: Any = json.loads(text)
        columns, rows = found["resize"]
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
    if type(columns) is not int or type(rows) is not int:
        return None
    return (columns, rows) if 0 < columns <= SIZE_MAX and 0 < rows <= SIZE_MAX else None


def _code(error: TidemillError) -> int:
    if isinstance(error, Unauthenticated):
        return SIGNED_OUT
    return NOT_THERE if error.code in {"workload_not_found", "project_not_found", "terminal_not_running"} else FORBIDDEN


def _words(error: TidemillError, language: Language) -> str:
    return _short(error.message or i18n.message(error.code, language, **error.params))


def _short(words: str) -> str:
    """As long as the reason of a close may be: 123 bytes."""
    return words.encode()[:120].decode("utf-8", "ignore")
