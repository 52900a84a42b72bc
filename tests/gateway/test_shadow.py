"""Shadow traffic: compared and counted, and callers never notice."""

import asyncio
import io

from aiohttp import web

from tests.gateway.stage import Stage, replica, run, service, shadow, until
from tidemill.gateway.limits import Limits
from tidemill.gateway.prometheus import text
from tidemill.gateway.schemas import Shadow, TrackRoute


def test_answers_of_a_shadow_are_compared() -> None:
    async def body() -> None:
        def answering(first: str, status: int = 200):
            async def handle(request: web.Request) -> web.Response:
                length = len(await request.read())
                if request.path == "/differs":
                    return web.Response(text=first)
                return web.Response(
                    status=status,
                    text=f'{{"a": 1, "length": {length}}}' if first == "x" else f'{{"length":{length},"a":1}}',
                )

            return handle

        async with Stage() as stage:
            live, copy = await stage.upstream(answering("x")), await stage.upstream(answering("y"))
            stage.serve(service(replica(live), shadow=shadow(replica(copy, "s1"))))
            for size in (0, 10, 200_000):
                assert (await stage.call("POST", data=b"x" * size)).status == 200
            assert (await stage.call(path="/tides/boats/differs?secret=1")).body == b"x"

            async def pieces():
                yield b"one"
                await asyncio.sleep(0.01)
                yield b"two"

            assert (await stage.call("POST", data=pieces())).json == {"a": 1, "length": 6}
            await until(lambda: stage.count("s1").shadow.same == 4 and stage.count("s1").shadow.different == 1)
            (example,) = stage.core.shadows.differences()
            assert (example.path, example.live_status, example.shadow_status) == ("/differs", 200, 200)
            counted = stage.count("s1")
            assert (counted.requests["2xx"], counted.in_flight, counted.role) == (5, 0, "shadow")
            assert counted.shadow.latency_sum_s > 0
            assert stage.count().requests["2xx"] == 5
            written = text(stage.core.counts.counters("e"))
            labels = 'service="svc-1",version="v-3",replica="s1",role="shadow"'
            assert f'tidemill_gateway_shadow_total{{{labels},result="same"}} 4' in written
            assert f'tidemill_gateway_shadow_requests_total{{{labels},status="2xx"}} 5' in written
            assert f"tidemill_gateway_requests_total{{{labels}" not in written, "a sum of it has no request twice"
            assert 'replica="r1",role="production",le="+Inf"} 5' in written

    run(body())


def test_copies_that_a_canary_is_shown_are_not_among_its_requests() -> None:
    async def body() -> None:
        async def broken(_: web.Request) -> web.Response:
            return web.Response(status=500)

        async with Stage() as stage:
            live, failing = await stage.upstream(), await stage.upstream(broken)
            canary = replica(failing, "c1")
            copies = Shadow(TrackRoute("shadow", "v-2", 2, 0, (canary,)), 100)
            stage.serve(service(replica(live), canary=(canary,), share=0, shadow=copies))
            assert {(await stage.call()).status for _ in range(4)} == {200}
            await until(lambda: stage.count("c1", "shadow").requests["5xx"] == 4)
            asked = stage.count("c1", "canary")
            assert (sum(asked.requests.values()), sum(asked.latency), asked.failed) == (0, 0, 0)
            assert asked.shadow.different == 0
            stage.serve(service(replica(live), canary=(canary,), share=100, shadow=copies))
            answer = await stage.call()
            assert (answer.status, answer.headers["X-Tidemill-Version"]) == (500, "2")
            await until(lambda: stage.count("c1", "shadow").shadow.same == 1)
            assert stage.count("c1", "canary").requests["5xx"] == 1
            stage.core.routes.forget()
            assert stage.count("c1", "shadow").requests["5xx"] == 5

    run(body())


def test_a_dead_or_slow_shadow_costs_callers_nothing() -> None:
    async def body() -> None:
        async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.read()
            writer.close()

        async with Stage(limits=Limits(shadows=2)) as stage:
            live, mute = await stage.upstream(), await stage.raw_upstream(silent)
            stage.serve(service(replica(live), shadow=shadow(replica(1, "s1"))))
            assert (await stage.call()).status == 200
            await until(lambda: stage.count("s1").shadow.failed == 1)
            stage.serve(service(replica(live), shadow=shadow(replica(mute, "s2")), timeout_s=0.5))
            assert {(await stage.call()).status for _ in range(5)} == {200}
            assert (await stage.call("POST", data=io.BytesIO(b"x" * (2 << 20)))).status == 200
            await until(lambda: stage.count("s2").shadow.failed == 2)
            assert stage.count("s2").shadow.skipped == 4
            assert stage.count("s2").in_flight == 0
            stage.serve(service(replica(live), shadow=shadow(replica(mute, "s3"), percent=0)))
            await stage.call()
            assert stage.count("s3").in_flight == 0

    run(body())
