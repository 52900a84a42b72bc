"""Shares, least open requests, what happens when replicas die, and tables that change under load."""

import asyncio
import collections
import os
import random
import signal
import sys
from pathlib import Path

import pytest
from aiohttp import web

from tests.gateway.stage import KEY, Stage, replica, run, service, until
from tidemill.gateway.counting import Counts
from tidemill.gateway.limits import Limits
from tidemill.gateway.routing import Routes
from tidemill.gateway.schemas import RoutingTable

DYING = Path(__file__).with_name("dying_upstream.py")


def test_shares_are_kept_and_sticky_callers_stay() -> None:
    random.seed(7)
    routes = Routes(Counts())

    def chosen(share: float, words: list[bytes | None]) -> list[int]:
        routes.apply(RoutingTable((service(replica(1), canary=(replica(2, "r2"),), share=share),)), 1)
        found, rest = routes.find(b"/tides/boats/x")
        assert found is not None
        assert rest == b"/x"
        return [2 if found.choose(word).role == "canary" else 1 for word in words]  # type: ignore[union-attr]

    by_chance = chosen(10, [None] * 20_000)
    assert 0.09 < by_chance.count(2) / len(by_chance) < 0.11
    words: list[bytes | None] = [b"caller-%d" % place for place in range(5000)]
    ten, again, thirty = chosen(10, words), chosen(10, words), chosen(30, words)
    assert ten == again
    assert 0.08 < ten.count(2) / 5000 < 0.12
    assert all(later == 2 for early, later in zip(ten, thirty, strict=True) if early == 2)
    assert set(chosen(0, words)) == {1}
    assert set(chosen(100, words)) == {2}


def test_a_track_without_replicas_leaves_its_share_and_addresses_are_found_however_they_are_spelt() -> None:
    routes = Routes(Counts())
    chinese = service(replica(1), id="svc-9", project="海洋", name="船 只")
    routes.apply(RoutingTable((service(replica(1), canary=()), chinese)), 1)
    for target in (b"/tides/boats", b"/TIDES/Boats/", b"/ti%64es/boats?x=/y", b"/prj-1/svc-1/"):
        assert routes.find(target)[0] is not None, target
    assert routes.find(b"/tides/boats?x=/y")[1] == b"/?x=/y"
    assert routes.find(b"/%E6%B5%B7%E6%B4%8B/%E8%88%B9%20%E5%8F%AA/a")[1] == b"/a"
    for target in (b"/", b"/tides", b"/tides/", b"//boats/x", b"/tides//boats", b"/%ff/boats/x"):
        assert routes.find(target)[0] is None, target


def test_the_replica_with_fewest_open_requests_is_asked() -> None:
    async def body() -> None:
        gate = asyncio.Event()
        seen: collections.Counter[str] = collections.Counter()

        def named(name: str):
            async def handle(request: web.Request) -> web.Response:
                seen[name] += 1
                if request.path == "/wait":
                    await gate.wait()
                return web.Response(text=name)

            return handle

        async with Stage() as stage:
            stage.serve(service(*[replica(await stage.upstream(named(name)), name) for name in ("a", "b")]))
            waiting = [asyncio.create_task(stage.call(path="/tides/boats/wait")) for _ in range(4)]
            await until(lambda: sum(seen.values()) == 4)
            assert (seen["a"], seen["b"]) == (2, 2)
            assert stage.core.open_by_replica() == {"a": 2, "b": 2}
            gate.set()
            assert {one.status for one in await asyncio.gather(*waiting)} == {200}

    run(body())


def test_a_refused_connection_is_tried_elsewhere_whatever_the_method() -> None:
    async def body() -> None:
        async with Stage() as stage:
            port = await stage.upstream()
            stage.serve(service(replica(1, "dead"), replica(port), retry_posts=False))
            heard = [await stage.call("POST", data=b"abc") for _ in range(6)]
            assert {one.status for one in heard} == {200}
            assert stage.count("dead").retried == 1, "set aside, it is not asked again at once"
            stage.serve(service(replica(1, "dead")))
            gone = await stage.call()
            assert (gone.status, gone.code, gone.headers["Retry-After"]) == (503, "gateway_no_replica", "1")
            stage.serve(service())
            assert (await stage.call()).status == 503

    run(body())


@pytest.mark.parametrize(
    ("method", "headers", "retry_posts", "status"),
    [
        ("GET", {}, False, 200),
        ("PUT", {}, False, 200),
        ("POST", {}, True, 200),
        ("POST", {"Idempotency-Key": "1"}, False, 200),
        ("POST", {}, False, 502),
    ],
)
def test_what_reached_a_replica_that_died_is_sent_again_only_where_that_is_safe(
    method: str, headers: dict[str, str], retry_posts: bool, status: int
) -> None:
    async def body() -> None:
        async def die(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.readuntil(b"\r\n\r\n")
            writer.transport.abort()  # type: ignore[attr-defined]

        async with Stage() as stage:
            dying, port = await stage.raw_upstream(die), await stage.upstream()
            stage.serve(service(replica(dying, "dying"), retry_posts=retry_posts))
            await stage.call(method, headers=headers)
            stage.core.routes.replicas.clear()
            stage.serve(service(replica(dying, "dying"), replica(port), retry_posts=retry_posts))
            heard = [await stage.call(method, data=b"abc", headers=headers) for _ in range(2)]
            assert max(one.status for one in heard) == status
            if status == 502:
                assert {one.code for one in heard if one.status == 502} == {"gateway_replica_lost"}
                assert stage.count("dying").failed >= 1

    run(body())


def test_a_body_too_large_to_keep_is_not_sent_twice() -> None:
    async def body() -> None:
        async def die(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.readexactly(300_000)
            writer.transport.abort()  # type: ignore[attr-defined]

        async with Stage(limits=Limits(kept_bytes=100_000)) as stage:
            stage.serve(
                service(
                    replica(await stage.raw_upstream(die), "dying"),
                    canary=(replica(await stage.upstream(), "r2"),),
                    share=0,
                )
            )
            heard = await stage.call("POST", data=b"x" * 400_000)
            assert (heard.status, heard.code) == (502, "gateway_replica_lost")
            assert stage.core.kept_bytes == 0

    run(body())


def test_a_silent_replica_is_given_up_after_the_services_time() -> None:
    async def body() -> None:
        async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.read()
            writer.close()

        async with Stage() as stage:
            stage.serve(service(replica(await stage.raw_upstream(silent)), timeout_s=0.3))
            heard = await stage.call()
            assert (heard.status, heard.code) == (504, "gateway_timeout")
            assert stage.count().in_flight == 0

    run(body())


def test_a_replica_killed_under_load_costs_no_request() -> None:
    async def body() -> None:
        async with Stage() as stage:
            processes, ports = [], []
            for _ in range(2):
                process = await asyncio.create_subprocess_exec(
                    sys.executable, str(DYING), stdout=asyncio.subprocess.PIPE
                )
                assert process.stdout is not None
                ports.append(int(await process.stdout.readline()))
                processes.append(process)
            try:
                stage.serve(service(*[replica(port, f"r{place}") for place, port in enumerate(ports)]))
                statuses: collections.Counter[int] = collections.Counter()
                is_over = False

                async def load() -> None:
                    while not is_over:
                        statuses[(await stage.call("POST", data=b"x" * 1000)).status] += 1

                loads = [asyncio.create_task(load()) for _ in range(8)]
                await until(lambda: statuses[200] > 300)
                os.kill(processes[0].pid, signal.SIGKILL)
                sent = statuses[200]
                await until(lambda: statuses[200] > sent + 500)
                is_over = True
                await asyncio.gather(*loads)
                assert set(statuses) == {200}
                assert stage.count("r0").retried > 0
            finally:
                for process in processes:
                    if process.returncode is None:
                        process.kill()
                    await process.wait()
                    process._transport.close()  # type: ignore[attr-defined]

    run(body())


def test_tables_change_under_load_without_a_failed_request_and_what_left_finishes() -> None:
    async def body() -> None:
        async def slow(request: web.Request) -> web.Response:
            await request.read()
            await asyncio.sleep(0.003)
            return web.Response(text="ok")

        async with Stage() as stage:
            ports = [await stage.upstream(slow) for _ in range(4)]
            everyone = [replica(port, f"r{place}") for place, port in enumerate(ports)]
            stage.serve(service(everyone[0]))
            statuses: collections.Counter[int] = collections.Counter()
            is_over = False

            async def load() -> None:
                while not is_over:
                    statuses[(await stage.call("POST", data=b"abc")).status] += 1

            loads = [asyncio.create_task(load()) for _ in range(8)]
            chance = random.Random(3)
            for _ in range(60):
                some = chance.sample(everyone, 3)
                stage.serve(service(some[0], canary=tuple(some[1:]), share=chance.randrange(101)))
                await asyncio.sleep(0.02)
            stage.serve(service(everyone[0]))
            await until(lambda: not set(stage.core.open_by_replica()) - {"r0"})
            is_over = True
            await asyncio.gather(*loads)
            assert set(statuses) == {200}
            assert statuses[200] > 200
            assert all(stage.count(f"r{place}").requests["2xx"] for place in range(4))
            assert all(one.in_flight == 0 for one in stage.core.counts.counters("e"))

    run(body())


def test_draining_answers_what_comes_and_says_that_we_leave() -> None:
    async def body() -> None:
        async with Stage(limits=Limits(drain_idle_s=0.5)) as stage:
            stage.serve(service(replica(await stage.upstream())))
            assert (await stage.call()).status == 200
            draining = asyncio.create_task(stage.core.drain())
            await asyncio.sleep(0.05)
            heard = await stage.call()
            assert (heard.status, heard.headers["Connection"]) == (200, "close")
            await asyncio.wait_for(draining, 5)

    run(body())


def test_health_needs_no_key() -> None:
    async def body() -> None:
        async with Stage() as stage:
            assert (await stage.call(path="/-/health", key=None)).json == {"status": "ok"}
            assert (await stage.call(path="/-/other", key=KEY)).status == 404

    run(body())
