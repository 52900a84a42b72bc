"""Running commands inside environments, through the web terminal."""

import asyncio
from typing import Any

import websockets

from tests.devenv.house import PROJECT, House
from tests.doors.stage import within

MARK = b"-the-end-of-it-"


class Inside:
    """Somebody at the web terminal."""

    def __init__(self, house: House) -> None:
        self.house = house

    def run(self, environment: str, script: str) -> str:
        """What the script writes."""
        workload = self.house.ok("get", self.house.environments(f"/{environment}"))["workload"]["id"]
        seen: bytes = within(60, lambda: self._run(workload, script))
        return seen.decode("utf-8", "replace")

    async def _run(self, workload: str, script: str) -> bytes:
        server = self.house.server
        address = f"ws://127.0.0.1:{server.port}/api/v1/projects/{PROJECT}/workloads/{workload}/terminal"
        cookie = f"tidemill_session={self.house.admin.cookies['tidemill_session']}"
        options: dict[str, Any] = {"additional_headers": {"Cookie": cookie}, "origin": server.url, "proxy": None}
        async with websockets.connect(address, **options) as socket:
            # What is typed is not to be found in what is answered.
            await socket.send(b"stty -echo; PS1=; PS2=; echo be''gin\n")
            await _until(socket, b"begin")
            await socket.send(f"{script}\necho -the-end''-of-it-\n".encode())
            return await _until(socket, MARK)


async def _until(socket: Any, wanted: bytes) -> bytes:
    seen = b""
    while wanted not in seen:
        try:
            seen += await socket.recv()
        except websockets.ConnectionClosed as closed:
            raise AssertionError(f"the terminal closed ({closed}) after {seen.decode()}") from None
        await asyncio.sleep(0)
    return seen
