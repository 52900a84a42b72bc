"""Following the routing table: read from the database, kept in a file, served from there when the database is away."""

import asyncio
import contextlib
import json
import logging
import os
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from tidemill.gateway.schemas import RoutingTable
from tidemill.gateway.tables import THE_ROW, GatewayTableRow
from tidemill.kernel.db import Database

log = logging.getLogger(__name__)

POLL_S = 0.5
FILE = "table.json"


class Following:
    """Applies each new table. A table that cannot be read leaves the last good one in force."""

    def __init__(self, db: Database, folder: Path, apply: Callable[[RoutingTable, int], None]) -> None:
        self._db = db
        self._file = folder / FILE
        self._apply = apply
        self._spread: Callable[[RoutingTable], Awaitable[None]] | None = None
        self._table = RoutingTable()
        self._revision = 0
        self._turn = asyncio.Lock()
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="table")
        self._is_away = False

    def apply_kept(self) -> None:
        """Serves the table that was good last; nothing where there is none."""
        try:
            kept = json.loads(self._file.read_text("utf-8"))
            self._table = RoutingTable.from_json(kept["content"])
            self._apply(self._table, kept["revision"])
        except FileNotFoundError:
            return
        except (OSError, ValueError, KeyError, TypeError):
            log.exception("the kept table could not be read")
        else:
            self._revision = kept["revision"]

    async def share(self, spread: Callable[[RoutingTable], Awaitable[None]]) -> None:
        """Tells another of the table, now and whenever there is a new one."""
        async with self._turn:
            self._spread = spread
            await spread(self._table)

    async def look(self) -> bool:
        """Applies the newest table before it returns; False where the database does not answer."""
        async with self._turn:
            loop = asyncio.get_running_loop()
            try:
                found = await loop.run_in_executor(self._thread, self._read, self._revision)
                if found is not None:
                    revision, content = found
                    self._table = RoutingTable.from_json(content)
                    self._apply(self._table, revision)
                    self._revision = revision
                    if self._spread is not None:
                        await self._spread(self._table)
                    await loop.run_in_executor(self._thread, self._keep, revision, content)
            except (sa.exc.SQLAlchemyError, OSError, ValueError, KeyError, TypeError) as error:
                if not self._is_away:
                    log.warning("the table could not be read; the last one is served: %s", error)
                self._is_away = True
                return False
            if self._is_away:
                log.info("the table can be read again")
            self._is_away = False
            return True

    async def run(self) -> None:
        """Looks again and again."""
        while True:
            await self.look()
            await asyncio.sleep(POLL_S)

    def close(self) -> None:
        self._thread.shutdown(wait=False, cancel_futures=True)

    def _read(self, known: int) -> tuple[int, dict[str, Any]] | None:
        if self._db.is_sqlite and not Path(self._db.url.database or "").is_file():
            # Connecting would make an empty one.
            raise FileNotFoundError("there is no database")
        with self._db.read() as session:
            row = session.execute(
                sa.select(GatewayTableRow.revision, GatewayTableRow.content).where(
                    GatewayTableRow.id == THE_ROW, GatewayTableRow.revision != known
                )
            ).first()
        return None if row is None else (row.revision, row.content)

    def _keep(self, revision: int, content: dict[str, Any]) -> None:
        write_whole(self._file, json.dumps({"revision": revision, "content": content}).encode())


def write_whole(path: Path, content: bytes) -> None:
    """Writes a file that is there whole or not at all, for us alone to read."""
    beside = path.with_name(f"{path.name}.{os.getpid()}")
    handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        with open(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            beside.unlink()
        raise
