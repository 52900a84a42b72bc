"""Answering on the control socket: state, counters, metrics; reading the table now; leaving."""

import asyncio
import json
import os
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol

from tidemill import __version__
from tidemill.gateway import prometheus
from tidemill.gateway.core import Core
from tidemill.gateway.following import write_whole
from tidemill.gateway.schemas import Counter

LEFT = "left-*.json"
LEFT_KEPT_S = 600.0


class PlaneBefore(Protocol):
    """What stands before the gateway and carries calls past it."""

    @property
    def is_up(self) -> bool: ...

    @property
    def open_requests(self) -> int: ...

    def open_by_replica(self) -> Mapping[str, int]: ...

    async def look(self) -> None: ...


class Office:
    """What the control plane may ask of this gateway."""

    def __init__(
        self,
        core: Core,
        folder: Path,
        *,
        epoch: str,
        started_at: datetime,
        ports: tuple[int, int | None],
        look: Callable[[], Awaitable[bool]],
        leave: Callable[[], None],
        plane: PlaneBefore | None = None,
        plane_setting: str = "embedded",
    ) -> None:
        self._core = core
        self._folder = folder
        self._epoch = epoch
        self._started_at = started_at
        self._ports = ports
        self._look = look
        self._leave = leave
        self._plane = plane
        self._plane_setting = plane_setting

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One question, one answer."""
        try:
            async with asyncio.timeout(10):
                line = await reader.readline()
                while (await reader.readline()).strip():
                    continue
                method, _, rest = line.decode("latin-1").partition(" ")
                content = await self._answer(method, rest.partition(" ")[0])
            status = "404 Not Found" if content is None else "200 OK"
            body = (content or "{}").encode()
            writer.write(
                f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n".encode() + body
            )
            await writer.drain()
        except (OSError, ValueError, TimeoutError):
            return
        finally:
            writer.close()

    def counters(self) -> list[Counter]:
        """Ours, and those that a gateway before us left behind a moment ago."""
        return [*self._core.counts.counters(self._epoch), *self._left_behind()]

    def leave_counters(self) -> None:
        """Writes what we counted for the next gateway to tell."""
        counters = [one.to_json() for one in self._core.counts.counters(self._epoch)]
        write_whole(self._folder / LEFT.replace("*", self._epoch), json.dumps(counters).encode())

    async def _answer(self, method: str, path: str) -> str | None:
        if self._plane is not None and path in {"/state", "/counters", "/metrics"}:
            await self._plane.look()
        if (method, path) == ("GET", "/state"):
            return json.dumps(self._state())
        if (method, path) == ("GET", "/counters"):
            return json.dumps({"counters": [one.to_json() for one in self.counters()]})
        if (method, path) == ("GET", "/differences"):
            found = [{**asdict(one), "at": one.at.isoformat()} for one in self._core.shadows.differences()]
            return json.dumps({"differences": found})
        if (method, path) == ("GET", "/metrics"):
            return prometheus.text(self._core.counts.counters(self._epoch))
        if (method, path) == ("POST", "/nudge"):
            return json.dumps({"is_read": await self._look()})
        if (method, path) == ("POST", "/drain"):
            self._leave()
            return "{}"
        return None

    def _state(self) -> dict[str, Any]:
        open_requests, open_by_replica = self._core.open_requests, self._core.open_by_replica()
        if self._plane is not None:
            open_requests += self._plane.open_requests
            for replica_id, count in self._plane.open_by_replica().items():
                open_by_replica[replica_id] = open_by_replica.get(replica_id, 0) + count
        return {
            "pid": os.getpid(),
            "epoch": self._epoch,
            "program": __version__,
            "revision": self._core.routes.revision,
            "started_at": self._started_at.isoformat(),
            "http_port": self._ports[0],
            "grpc_port": self._ports[1],
            "open_requests": open_requests,
            "open_by_replica": open_by_replica,
            "is_draining": self._core.is_draining,
            "data_plane": "haproxy" if self._plane is not None and self._plane.is_up else "embedded",
            "plane_setting": self._plane_setting,
        }

    def _left_behind(self) -> list[Counter]:
        found: list[Counter] = []
        for file in self._folder.glob(LEFT):
            try:
                if file.stat().st_mtime < time.time() - LEFT_KEPT_S:
                    file.unlink()
                    continue
                found += [Counter.from_json(one) for one in json.loads(file.read_text("utf-8"))]
            except (OSError, ValueError):
                continue
        return found
