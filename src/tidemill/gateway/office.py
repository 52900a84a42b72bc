"""Answering on the control socket: state, counters, metrics; reading the table now; leaving."""

import asyncio
import json
import os
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import asdict
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Protocol

from tidemill import __version__
from tidemill.gateway import prometheus
from tidemill.gateway.core import Core
from tidemill.gateway.following import write_whole
from tidemill.gateway.schemas import Counter
from tidemill.kernel.clock import Clock, utc_now

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
        clock: Clock = utc_now,
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
        self._clock = clock
        self._key_days: dict[str, str] = {}

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
        left = [Counter.from_json(one) for content in self._left_behind() for one in content["counters"]]
        return [*self._core.counts.counters(self._epoch), *left]

    def key_days(self) -> dict[str, str]:
        """The day, in UTC, on which each key was used last, as far as this gateway and the one before it know."""
        found: dict[str, str] = {}
        for content in self._left_behind():
            for key_id, day in content["key_days"].items():
                found[key_id] = max(day, found.get(key_id, ""))
        return found | self._own_key_days()

    def leave_counters(self) -> None:
        """Writes what we counted for the next gateway to tell."""
        counters = [one.to_json() for one in self._core.counts.counters(self._epoch)]
        content = {"counters": counters, "key_days": self._own_key_days()}
        write_whole(self._folder / LEFT.replace("*", self._epoch), json.dumps(content).encode())

    def _own_key_days(self) -> dict[str, str]:
        today, used = self._clock().date(), self._core.routes.used_keys
        self._key_days |= dict.fromkeys(used, today.isoformat())
        used.clear()
        # Whoever asks does so every few seconds: what is older was told.
        since = (today - timedelta(days=1)).isoformat()
        self._key_days = {key_id: day for key_id, day in self._key_days.items() if day >= since}
        return dict(self._key_days)

    async def _answer(self, method: str, path: str) -> str | None:
        if self._plane is not None and path in {"/state", "/counters", "/keys", "/metrics"}:
            await self._plane.look()
        if (method, path) == ("GET", "/state"):
            return json.dumps(self._state())
        if (method, path) == ("GET", "/counters"):
            return json.dumps({"counters": [one.to_json() for one in self.counters()]})
        if (method, path) == ("GET", "/keys"):
            return json.dumps({"days": self.key_days()})
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

    def _left_behind(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        for file in self._folder.glob(LEFT):
            try:
                if file.stat().st_mtime < time.time() - LEFT_KEPT_S:
                    file.unlink()
                    continue
                content = json.loads(file.read_text("utf-8"))
                # A gateway of an earlier program left counters alone.
                found.append({"counters": content, "key_days": {}} if isinstance(content, list) else content)
            except (OSError, ValueError):
                continue
        return found
