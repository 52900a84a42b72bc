"""HAProxy before the gateway: what it carries, what it leaves to the gateway, and that no change drops a call."""

import asyncio
import os
import shutil
import signal
from collections import Counter
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any

import aiohttp
import pytest
from aiohttp import web
from hypothesis import given
from hypothesis import strategies as st

from tests.gateway.stage import KEY, Stage, replica, run, service, sha256, shadow, until
from tidemill.gateway import sockets
from tidemill.gateway.haproxy import config, running
from tidemill.gateway.haproxy.calls import spread
from tidemill.gateway.haproxy.plane import Plane
from tidemill.gateway.haproxy.wanted import Known, steps, want
from tidemill.gateway.schemas import KeyRoute, RoutingTable, ServiceRoute

pytestmark = pytest.mark.skipif(
    shutil.which("haproxy", path=f"{os.environ.get('PATH', '')}:/usr/sbin") is None, reason="HAProxy is not installed"
)


class FastStage(Stage):
    """The same stage with HAProxy before it; `self.url` is HAProxy's."""

    def __init__(self, folder: Path, **more: Any) -> None:
        super().__init__(**more)
        self.folder = folder
        self.changes: list[bool] = []

    async def __aenter__(self) -> "FastStage":
        await super().__aenter__()
        self.listeners = sockets.listen("127.0.0.1", 0)
        self.port = self.listeners[0].getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.plane = Plane(self.core, self.folder, running.find_program(), self.listeners, self.changes.append)
        await self.plane.begin()
        assert self.plane.is_up
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.plane.end()
        for one in self.listeners:
            one.close()
        await super().__aexit__(kind, error, trace)

    async def spread(self, *routes: ServiceRoute) -> None:
        self.serve(*routes)
        await self.plane.spread(RoutingTable(routes))

    @property
    def haproxy(self) -> running.Running:
        found = self.plane._running
        assert found is not None
        return found

    async def carried(self) -> int:
        """How many calls went past the gateway, straight to a replica."""
        lines = (await self.haproxy.admin.ask("show stat -1 4 -1")).splitlines()
        stot = lines[0].split(",").index("stot")
        rows = [line.split(",") for line in lines[1:] if line.startswith(("t", "p"))]
        return sum(int(row[stot]) for row in rows)


def test_a_plain_call_goes_straight_to_the_replica(tmp_path: Path) -> None:
    async def body() -> None:
        async with FastStage(tmp_path) as stage:
            await stage.spread(service(replica(await stage.upstream())))
            heard = await stage.call("POST", "/tides/boats/v2/x?a=%20b", data=b"words", headers={"X-Own": "1"})
            assert (heard.status, await stage.carried()) == (200, 1)
            said = heard.json
            assert (said["method"], said["path"], said["length"]) == ("POST", "/v2/x?a=%20b", 5)
            headers = {name.lower(): value for name, value in said["headers"].items()}
            assert "authorization" not in headers
            assert headers["x-own"] == "1"
            assert headers["x-forwarded-for"] == "127.0.0.1"
            assert headers["x-forwarded-proto"] == "http"
            assert headers["x-forwarded-prefix"] == "/tides/boats"
            assert headers["x-request-id"] == heard.headers["X-Request-Id"]
            assert (heard.headers["X-Tidemill-Version"], heard.headers["X-Tidemill-Replica"]) == ("1", "r1")
            assert (await stage.call("GET", "/Tides/boats/x")).status == 200
            assert (await stage.call("GET", "/prj-1/svc-1/x", headers={"X-Request-Id": "mine-1"})).headers[
                "X-Request-Id"
            ] == "mine-1"
            by_header = await stage.call(key=None, headers={"X-API-Key": KEY})
            assert "x-api-key" not in {name.lower() for name in by_header.json["headers"]}
            assert await stage.carried() == 4

    run(body())


def test_answers_do_not_act_on_the_host(tmp_path: Path) -> None:
    async def handle(_: web.Request) -> web.Response:
        answer = web.Response(text="ok", headers={"Strict-Transport-Security": "max-age=1", "X-Tidemill-Replica": "me"})
        answer.headers.add("Set-Cookie", "own=1; Domain=example.org; Path=/")
        answer.headers["Access-Control-Allow-Origin"] = "*"
        return answer

    async def posing(_: web.Request) -> web.Response:
        return web.Response(headers={"Set-Cookie": "tidemill_session=stolen"})

    async def body() -> None:
        async with FastStage(tmp_path) as stage:
            await stage.spread(service(replica(await stage.upstream(handle))))
            heard = await stage.call()
            assert heard.headers.getall("Set-Cookie") == ["own=1; Path=/"]
            assert heard.headers["X-Tidemill-Replica"] == "r1"
            assert not {"Strict-Transport-Security", "Access-Control-Allow-Origin"} & set(heard.headers)
            await stage.spread(service(replica(await stage.upstream(posing), "r2")))
            assert "Set-Cookie" not in (await stage.call()).headers
            assert await stage.carried() == 2

    run(body())


def test_strangers_hear_from_the_gateway_in_their_language(tmp_path: Path) -> None:
    async def body() -> None:
        async with FastStage(tmp_path) as stage:
            await stage.spread(service(replica(await stage.upstream())))
            assert ((await stage.call(key=None)).status, (await stage.call(key="tms_wrong")).status) == (401, 404)
            heard = await stage.call(key=None, headers={"Accept-Language": "zh-CN"})
            assert "密钥" in heard.json["error"]["message"]
            assert (await stage.call(key=None, headers={"Authorization": "Basic eA=="})).status == 404
            assert (await stage.call("GET", "/tides/other/x")).status == 404
            assert (await stage.call("GET", "/-/health", key=None)).status == 200
            assert (await stage.call("GET", "/tides/boats")).json["path"] == "/"
            assert await stage.carried() == 0

    run(body())


def test_what_is_not_plain_goes_through_the_gateway_and_works(tmp_path: Path) -> None:
    async def pieces() -> Any:
        yield b"a" * 10
        yield b"b" * 10

    async def body() -> None:
        async with FastStage(tmp_path) as stage:
            await stage.spread(service(replica(await stage.upstream())))
            large = await stage.call("POST", data=b"x" * 100_000)
            assert large.json["length"] == 100_000
            assert (await stage.call("POST", data=pieces())).json["length"] == 20
            assert (await stage.call(headers={"X-Forwarded-For": "9.9.9.9"})).json["headers"][
                "X-Forwarded-For"
            ] == "127.0.0.1"
            cookies = await stage.call(headers={"Cookie": "tidemill_session=1; own=2"})
            assert cookies.json["headers"]["Cookie"] == "own=2"
            assert (await stage.call(headers={"X-Tidemill-Sticky": "me"})).status == 200
            assert await stage.carried() == 0

    run(body())


def test_services_that_need_the_gateway_are_left_to_it(tmp_path: Path) -> None:
    async def body() -> None:
        async with FastStage(tmp_path) as stage:
            plain = service(replica(await stage.upstream()))
            one = plain.tracks[0].replicas[0]
            slow_key = KeyRoute("key-2", sha256("tms_slow"), rate_per_s=0.5)
            for route in (
                replace(plain, shadow=shadow(one)),
                replace(plain, cors=("https://shop.example.org",)),
                replace(plain, rate_per_s=1000),
                replace(plain, body_max_bytes=100),
                service(one, canary=(replica(one.port, "c1"),)),
            ):
                await stage.spread(route)
                assert (await stage.call()).status == 200
            assert await stage.carried() == 0
            await stage.spread(replace(plain, keys=(*plain.keys, slow_key)))
            assert [(await stage.call(key="tms_slow")).status for _ in range(2)] == [200, 429]
            assert await stage.carried() == 0
            assert (await stage.call()).status == 200
            assert await stage.carried() == 1, "the other key has no limit"
            await stage.spread(replace(plain, access="open", retry_posts=False))
            assert (await stage.call(key=None)).status == 200
            assert await stage.carried() == 2
            assert (await stage.call("POST", key=None, data=b"x")).status == 200
            assert await stage.carried() == 2, "a call that cannot be sent twice"

    run(body())


def test_a_key_that_was_deleted_opens_nothing_even_on_an_open_connection(tmp_path: Path) -> None:
    async def body() -> None:
        async with FastStage(tmp_path) as stage:
            plain = service(replica(await stage.upstream()))
            await stage.spread(plain)
            assert (await stage.call()).status == 200
            await stage.spread(replace(plain, keys=()))
            assert (await stage.call()).status == 404

    run(body())


def test_each_call_of_a_connection_needs_a_key_of_its_own(tmp_path: Path) -> None:
    """Others may call on it as well: a proxy's connections are everybody's."""
    keys = (KeyRoute("key-1", sha256(KEY)), KeyRoute("key-2", sha256("tms_other")))

    async def body() -> None:
        async with FastStage(tmp_path) as stage:
            await stage.spread(service(replica(await stage.upstream()), keys=keys))
            connector = aiohttp.TCPConnector(limit=1)
            async with aiohttp.ClientSession(connector=connector) as session:

                async def call(**headers: str) -> int:
                    named = {name.replace("_", "-"): value for name, value in headers.items()}
                    async with session.get(f"{stage.url}/tides/boats/x", headers=named) as answer:
                        await answer.read()
                        return answer.status

                assert await call(x_api_key=KEY) == 200
                assert await call() == 401
                assert await call(x_api_key="") == 404
                assert await call(x_api_key="tms_wrong") == 404
                assert await call(x_api_key=KEY) == 200
                assert await call(authorization="Bearer tms_wrong") == 404
                assert await call(authorization="Bearer tms_other") == 200
                assert await call() == 401
                assert await call(x_api_key="tms_other") == 200
                assert await call(x_api_key=KEY + "x") == 404
            assert await stage.carried() == 4

    run(body())


def test_shares_hold_and_change_while_calls_go_on(tmp_path: Path) -> None:
    async def body() -> None:
        async with FastStage(tmp_path) as stage:
            live = [replica(await stage.upstream(name=f"live{place}"), f"l{place}") for place in range(2)]
            new = tuple([replica(await stage.upstream(name=f"new{place}"), f"n{place}") for place in range(2)])
            for share, (least, most) in {25: (40, 110), 90: (240, 292), 0: (0, 0)}.items():
                await stage.spread(service(*live, canary=new, share=share))
                heard = [await stage.call() for _ in range(300)]
                assert {one.status for one in heard} == {200}
                seen = Counter(one.headers["X-Tidemill-Version"] for one in heard)
                assert least <= seen["2"] <= most, (share, seen)
                from_new = [one for one in heard if one.json["from"].startswith("new")]
                assert {one.headers["X-Tidemill-Version"] for one in from_new} <= {"2"}
            assert await stage.carried() == 900

    run(body())


def test_replicas_come_and_go_under_load_without_a_failed_call(tmp_path: Path) -> None:
    async def body() -> None:
        async with FastStage(tmp_path) as stage:
            ports = [await stage.upstream(name=f"up{place}") for place in range(4)]
            replicas = [replica(port, f"r{place}") for place, port in enumerate(ports)]
            await stage.spread(service(*replicas[:2]))
            answers: Counter[int] = Counter()
            is_over = asyncio.Event()

            async def call() -> None:
                while not is_over.is_set():
                    heard = await stage.call("POST", data=b"x")
                    answers[heard.status] += 1

            callers = [asyncio.create_task(call()) for _ in range(8)]
            for turn in range(30):
                given = [replicas[(turn + place) % 4] for place in range(1 + turn % 3)]
                await stage.spread(service(*given))
                await asyncio.sleep(0.05)
            is_over.set()
            await asyncio.gather(*callers)
            assert set(answers) == {200}
            assert answers[200] > 200
            assert await stage.carried() >= answers[200] - 5
            await until(lambda: not stage.plane._known.aside)
            assert len(stage.plane._known.servers) == len(given)

    run(body())


def test_a_replica_that_dies_is_made_up_for_by_another(tmp_path: Path) -> None:
    async def hang_up(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.transport.abort()

    async def body() -> None:
        async with FastStage(tmp_path) as stage:
            good, bad = await stage.upstream(), await stage.raw_upstream(hang_up)
            gone = sockets.listen("127.0.0.1", 0)[0]
            nobody = gone.getsockname()[1]
            gone.close()
            await stage.spread(service(replica(good), replica(bad, "r2"), replica(nobody, "r3")))
            heard = [await stage.call("POST", data=b"x" * 1000) for _ in range(20)]
            assert {one.status for one in heard} == {200}
            assert {one.headers["X-Tidemill-Replica"] for one in heard} == {"r1"}
            assert await stage.carried() >= 20

    run(body())


def test_nobody_there_and_no_answer_are_said_in_words(tmp_path: Path) -> None:
    async def sleep(_: web.Request) -> web.Response:
        await asyncio.sleep(5)
        return web.Response()

    async def body() -> None:
        async with FastStage(tmp_path) as stage:
            await stage.spread(replace(service(replica(await stage.upstream(sleep))), timeout_s=1))
            heard = await stage.call(headers={"Accept-Language": "zh-CN,zh;q=0.9"})
            assert (heard.status, heard.code) == (504, "gateway_timeout")
            assert "在 1 秒内" in heard.json["error"]["message"]
            assert heard.json["error"]["request_id"] == heard.headers["X-Request-Id"]
            gone = sockets.listen("127.0.0.1", 0)[0]
            port = gone.getsockname()[1]
            gone.close()
            await stage.spread(service(replica(port, "r2")))
            heard = await stage.call(timeout=aiohttp.ClientTimeout(20))
            assert (heard.status, heard.code) == (503, "gateway_no_replica")
            assert "hint" in heard.json["error"]

    run(body())


def test_calls_are_counted_once_by_replica(tmp_path: Path) -> None:
    async def handle(request: web.Request) -> web.Response:
        if request.path.endswith("slow"):
            await asyncio.sleep(0.3)
        return web.Response(status=500 if request.path.endswith("bad") else 200, text="x" * 1000)

    async def body() -> None:
        async with FastStage(tmp_path) as stage:
            await stage.spread(service(replica(await stage.upstream(handle))))
            for path in ("good", "bad", "good", "slow"):
                await stage.call("GET", f"/tides/boats/{path}")
            await until(lambda: sum(stage.count().requests.values()) == 4)
            count = stage.count()
            assert (count.requests["2xx"], count.requests["5xx"]) == (3, 1)
            assert sum(count.latency) == 4
            assert 0.3 <= count.latency_sum_s < 2
            assert count.bytes_out > 4000
            slow = asyncio.create_task(stage.call("GET", "/tides/boats/slow"))
            await asyncio.sleep(0.1)
            await stage.plane.look()
            assert (stage.count().in_flight, stage.plane.open_by_replica()) == (1, {"r1": 1})
            await slow
            await stage.plane.look()
            assert (stage.count().in_flight, stage.plane.open_by_replica()) == (0, {})

    run(body())


def test_many_calls_are_all_counted_though_few_are_told_of(tmp_path: Path) -> None:
    many = 20 * config.SELDOM_PER_S

    async def body() -> None:
        async with FastStage(tmp_path) as stage:
            await stage.spread(service(replica(await stage.upstream()), keys=(KeyRoute("k7", sha256(KEY)),)))
            told = 0
            take = stage.plane._tally.take

            def listen(lines: list[bytes]) -> None:
                nonlocal told
                told += len(lines)
                take(lines)

            stage.plane._tally.take = listen  # type: ignore[assignment]
            async with aiohttp.ClientSession(headers={"X-API-Key": KEY}) as session:

                async def call(_: int) -> int:
                    async with session.get(f"{stage.url}/tides/boats/x") as answer:
                        await answer.read()
                        return answer.status

                assert Counter(await asyncio.gather(*map(call, range(many)))) == {200: many}
            await stage.plane.look()
            await until(lambda: stage.count().requests["2xx"] == many)
            count = stage.count()
            assert (sum(count.requests.values()), sum(count.latency)) == (many, many)
            assert count.latency_sum_s > 0
            assert config.SELDOM_PER_S <= told < many
            assert stage.core.routes.used_keys == {"k7"}

    run(body())


def test_a_slot_that_is_given_away_is_counted_for_whom_it_was(tmp_path: Path) -> None:
    async def body() -> None:
        async with FastStage(tmp_path) as stage:
            first, second = await stage.upstream(name="first"), await stage.upstream(name="second")
            await stage.spread(service(replica(first, "r1")))
            for _ in range(3):
                await stage.call("GET", "/tides/boats/x")
            await stage.spread(service(replica(second, "r2")))
            await until(lambda: not stage.plane._known.aside)
            await stage.spread()
            await stage.spread(service(replica(second, "r2")))
            for _ in range(2):
                await stage.call("GET", "/tides/boats/x")
            await stage.plane.look()
            assert sum(stage.count("r1").requests.values()) == 3
            await until(lambda: sum(stage.count("r2").requests.values()) == 2)

    run(body())


@given(st.integers(0, 10**6), st.lists(st.integers(0, 50), min_size=1).filter(any))
def test_a_total_is_spread_whole_and_by_the_parts(total: int, parts: list[int]) -> None:
    found = spread(total, parts)
    assert sum(found) == total
    assert all(abs(one - total * part / sum(parts)) <= 1 for one, part in zip(found, parts, strict=True))
    assert spread(sum(parts), parts) == parts


def test_when_it_dies_the_gateway_is_told_and_another_is_started(tmp_path: Path) -> None:
    async def body() -> None:
        async with FastStage(tmp_path) as stage:
            await stage.spread(service(replica(await stage.upstream())))
            assert (await stage.call()).status == 200
            first = stage.haproxy.pid
            os.kill(first, signal.SIGKILL)
            await until(lambda: stage.changes[1:] == [False, True], 20)
            assert stage.haproxy.pid != first
            assert (await stage.call()).status == 200
            assert await stage.carried() == 1, "the new one knows the table"

    run(body())


def test_when_it_leaves_those_it_has_are_brought_to_the_gateway(tmp_path: Path) -> None:
    async def body() -> None:
        async with FastStage(tmp_path) as stage:
            await stage.spread(service(replica(await stage.upstream())))
            assert (await stage.call()).status == 200
            await stage.plane.leave()
            heard = await stage.call()
            assert heard.status == 200, "on the connection that is open"
            assert heard.headers["Connection"] == "close"
            left = stage.plane._retired
            assert left is not None
            await until(lambda: not left.is_there)

    run(body())


def test_one_that_cannot_be_told_of_a_table_is_ended_and_replaced(tmp_path: Path) -> None:
    async def body() -> None:
        async with FastStage(tmp_path) as stage:
            plain = service(replica(await stage.upstream()))
            await stage.spread(plain)
            assert (await stage.call()).status == 200
            first = stage.haproxy
            (tmp_path / running.ADMIN).unlink()
            await stage.spread(replace(plain, keys=()))
            assert not first.is_there, "it would open to a key that was taken back"
            await until(lambda: stage.plane.is_up, 20)
            assert (await stage.call()).status == 404

    run(body())


def test_replicas_keep_their_servers_and_busy_ones_are_not_given_away() -> None:
    first, second = replica(1, "a"), replica(2, "b")
    known = want(RoutingTable((service(first, second),)), Known())
    assert sorted(known.servers) == ["t0s1", "t0s2"]
    wanted = want(RoutingTable((service(second, replica(3, "c")),)), known)
    assert wanted.servers == {"t0s2": ("b", "127.0.0.1", 2), "t0s3": ("c", "127.0.0.1", 3)}
    told = [command for commands in steps(known, wanted) for command in commands]
    assert told[-1] == "set server t0/t0s1 state maint"
    assert "set server t0/t0s3 state ready" in told
    assert not [command for command in told if "t0s2" in command], "nothing changes for it"


def test_more_than_there_is_room_for_is_left_to_the_gateway() -> None:
    many = service(*(replica(port + 1, f"r{port}") for port in range(config.SLOTS + 1)))
    assert want(RoutingTable((many,)), Known()).servers == {}


def test_services_with_a_time_of_their_own_have_backends_of_their_own() -> None:
    patient = replace(service(replica(1)), timeout_s=300)
    known = want(RoutingTable((patient,)), Known())
    assert list(known.servers) == ["p0s1"]
    assert known.maps[config.TIMEOUTS] == {"p0": "300000"}
    usual = want(RoutingTable((replace(patient, timeout_s=60),)), known)
    assert list(usual.servers) == ["t0s1"]
    assert usual.maps[config.TIMEOUTS] == {}


def test_what_cannot_be_said_safely_is_left_to_the_gateway() -> None:
    for wrong in (replace(replica(1), id="r1;shutdown"), replace(replica(1), host="replica.example.org")):
        assert want(RoutingTable((service(wrong),)), Known()).servers == {}
    hostile = replace(service(replica(1)), project="a b;\n", name="x y")
    for opener in want(RoutingTable((hostile,)), Known()).maps[config.ALLOWED]:
        assert config.is_sayable(opener), opener
