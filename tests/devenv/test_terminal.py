"""The web terminal: a real shell over a WebSocket, for who may, as long as they may."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, closing, suppress
from typing import Any

import httpx2
import pytest
import websockets

from tests.devenv.house import PROJECT, House
from tests.doors.stage import within


@pytest.fixture(scope="module")
def workload(house: House) -> str:
    house.started("desk")
    found: str = house.ok("get", house.environments("/desk"))["workload"]["id"]
    return found


@pytest.fixture(scope="module")
def bob(house: House) -> Iterator[httpx2.Client]:
    with closing(house.user("bob")) as client:
        yield client


@asynccontextmanager
async def terminal(
    house: House,
    workload: str,
    client: httpx2.Client | None,
    *,
    node: int = 0,
    origin: str | None = None,
    **headers: str,
) -> AsyncIterator[Any]:
    address = f"ws://127.0.0.1:{house.server.port}/api/v1/projects/{PROJECT}/workloads/{workload}/terminal?node={node}"
    if client is not None:
        headers["Cookie"] = f"tidemill_session={client.cookies['tidemill_session']}"
    options: dict[str, Any] = {"additional_headers": headers, "origin": origin or house.server.url, "proxy": None}
    async with websockets.connect(address, **options) as socket:
        yield socket


async def read_until(socket: Any, wanted: bytes) -> bytes:
    seen = b""
    while wanted not in seen:
        seen += await socket.recv()
    return seen


async def closing_code(socket: Any) -> tuple[int, str]:
    await socket.wait_closed()
    return socket.close_code, socket.close_reason


def test_a_shell_talks_and_follows_the_windows_size(house: House, workload: str, bob: httpx2.Client) -> None:
    async def work() -> None:
        async with terminal(house, workload, bob) as socket:
            await socket.send(json.dumps({"resize": [101, 37]}))
            await socket.send(b"stty size; echo $((6 * 7)) $TERM; pwd\n")
            assert b"37 101" in await read_until(socket, b"42 xterm-256color")
            await socket.send(b"exit\n")
            assert (await closing_code(socket))[0] == 1000

    within(30, work)


def test_much_output_comes_through_whole(house: House, workload: str, bob: httpx2.Client) -> None:
    async def work() -> None:
        async with terminal(house, workload, bob) as socket:
            await socket.send(b"stty -echo; printf ready; seq 1 200000; printf 'the-''end'\n")
            seen = await read_until(socket, b"the-end")
            assert seen.count(b"\n") >= 200_000

    within(60, work)


def test_nonsense_for_a_size_is_not_heard(house: House, workload: str, bob: httpx2.Client) -> None:
    async def work() -> None:
        async with terminal(house, workload, bob) as socket:
            for text in ("{", "[]", '{"resize": [0, 5]}', '{"resize": ["a", 1]}', '{"resize": [1e9, 1]}', "9" * 10_000):
                await socket.send(text)
            await socket.send(b"echo a-''b\n")
            await read_until(socket, b"a-b")

    within(30, work)


def test_another_sites_page_is_not_heard(house: House, workload: str, bob: httpx2.Client) -> None:
    async def work(origin: str) -> None:
        with pytest.raises(websockets.InvalidStatus):
            async with terminal(house, workload, bob, origin=origin):
                pass

    for origin in ("http://evil.example", f"http://127.0.0.1:{house.server.port + 1}", "null"):
        within(20, lambda origin=origin: work(origin))


def test_nobody_a_stranger_and_a_viewer_get_no_shell(house: House, workload: str) -> None:
    async def refused(client: httpx2.Client | None) -> int:
        async with terminal(house, workload, client) as socket:
            return (await closing_code(socket))[0]

    house.ok("post", "/projects", json={"name": "elsewhere"})
    with closing(house.user("mallory", project="elsewhere", role="owner")) as stranger:
        assert within(20, lambda: refused(stranger)) == 4404
    with closing(house.user("victor", role="viewer")) as viewer:
        assert within(20, lambda: refused(viewer)) == 4403
    assert within(20, lambda: refused(None)) == 4401


def test_what_does_not_run_or_is_not_there_is_said(house: House, workload: str, bob: httpx2.Client) -> None:
    async def refused(workload: str, node: int) -> tuple[int, str]:
        async with terminal(house, workload, bob, node=node, **{"Accept-Language": "zh-CN"}) as socket:
            return await closing_code(socket)

    code, reason = within(20, lambda: refused(workload, 5))
    assert code == 4404
    assert "没有这个节点" in reason
    assert within(20, lambda: refused("none", 0))[0] == 4404


def test_a_token_opens_a_terminal_without_a_page(house: House, workload: str) -> None:
    token = house.ok("post", "/me/tokens", json={"name": "cli", "scopes": ["workload.write"]})["token"]

    async def work() -> None:
        async with terminal(house, workload, None, origin="x", Authorization=f"Bearer {token}") as socket:
            await socket.send(b"echo by-''token\n")
            await read_until(socket, b"by-token")

    within(20, work)


def test_signing_out_closes_it(house: House, workload: str) -> None:
    async def work() -> None:
        client = house.sign_in("bob", "stapled-to-the-wall")
        with closing(client):
            async with terminal(house, workload, client) as socket:
                await socket.send(b"echo a-''b\n")
                await read_until(socket, b"a-b")
                await asyncio.to_thread(house.ok, "delete", "/session", client=client)
                assert (await closing_code(socket))[0] == 4403

    within(30, work)


def test_one_user_has_only_so_many(house: House, workload: str, bob: httpx2.Client) -> None:
    async def work() -> None:
        async with asyncio.TaskGroup() as group:
            ready, done = asyncio.Semaphore(0), asyncio.Event()

            async def hold() -> None:
                while not done.is_set():
                    # One of an earlier test may not have left yet.
                    with suppress(websockets.exceptions.ConnectionClosedError):
                        async with terminal(house, workload, bob) as socket:
                            await socket.send(b"echo a-''b\n")
                            await read_until(socket, b"a-b")
                            ready.release()
                            await done.wait()

            for _ in range(20):
                group.create_task(hold())
            for _ in range(20):
                await ready.acquire()
            async with terminal(house, workload, bob) as socket:
                assert (await closing_code(socket))[0] == 4429
            done.set()

    within(60, work)
