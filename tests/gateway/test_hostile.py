"""Requests meant to confuse: each is refused, and nothing of it reaches a replica."""

import asyncio

import pytest

from tests.gateway.stage import KEY, Stage, replica, run, service, until
from tidemill.gateway.limits import Limits

HEAD = b"POST /tides/boats/ HTTP/1.1\r\nHost: a\r\nX-API-Key: " + KEY.encode() + b"\r\n"
CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"


@pytest.mark.parametrize(
    "words",
    [
        HEAD + b"Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        HEAD + b"Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n",
        HEAD + b"Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd",
        HEAD + b"Content-Length: +3\r\n\r\nabc",
        HEAD + b"Content-Length: 3, 3\r\n\r\nabc",
        HEAD + b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        HEAD + b"Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
        HEAD + b"Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
        HEAD + b"Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n",
        HEAD + b"X-A: b\r\n folded\r\n\r\n",
        HEAD + b"X-A: b\nX-B: c\r\n\r\n",
        HEAD + b"X-A: b\x00c\r\n\r\n",
        HEAD + b"Host: b\r\n\r\n",
        HEAD + b"Content-Length: 7\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nGET /x ",
        HEAD.replace(b"HTTP/1.1", b"HTTP/1.0") + b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        HEAD.replace(b"Host: a\r\n", b"") + b"\r\n",
        HEAD.replace(b"/tides/boats/", b"tides/boats") + b"\r\n",
        HEAD.replace(b"HTTP/1.1", b"HTTP/2.0") + b"\r\n",
        b"CONNECT a:80 HTTP/1.1\r\nHost: a\r\n\r\nx",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"\x16\x03\x01\x00\xa5\x01\x00\x00",
        HEAD + b"X-Large: " + b"a" * 70_000 + b"\r\n\r\n",
        HEAD + b"X-Endless: " + b"a" * 200_000,
        HEAD + b"".join(b"X-%d: a\r\n" % place for place in range(200)) + b"\r\n",
    ],
)
def test_a_request_that_can_be_read_in_two_ways_is_refused(words: bytes) -> None:
    async def body() -> None:
        async with Stage() as stage:
            stage.serve(service(replica(await stage.upstream())))
            said = await stage.say(words)
            assert said.startswith((b"HTTP/1.1 400", b"HTTP/1.1 431", b"HTTP/1.1 505"))
            assert b'{"error":{"code":"gateway_' in said
            assert said.count(b"Content-Length") == 1
            count = stage.count()
            assert (count.requests["2xx"], count.in_flight, count.cancelled) == (0, 0, 0)

    run(body())


@pytest.mark.parametrize(
    "chunks",
    [
        b"zz\r\nabc",
        b"-1\r\nabc",
        b"0x3\r\nabc\r\n0\r\n\r\n",
        b"f" * 17 + b"\r\nabc",
        b"3\nabc\r\n0\r\n\r\n",
        b"3\r\nabcd\r\n",
    ],
)
def test_bad_chunks_are_refused_before_and_after_the_replica_is_asked(chunks: bytes) -> None:
    async def body() -> None:
        async with Stage() as stage:
            stage.serve(service(replica(await stage.upstream())))
            assert (await stage.say(CHUNKED + chunks)).startswith(b"HTTP/1.1 400")
            reader, writer = await asyncio.open_connection("127.0.0.1", stage.port)
            writer.write(CHUNKED + b"3\r\nabc\r\n")
            await until(lambda: stage.core.open_by_replica())
            writer.write(chunks)
            assert (await reader.read()).startswith(b"HTTP/1.1 400")
            writer.close()
            assert stage.core.open_by_replica() == {}
            assert stage.count().requests["2xx"] == 0

    run(body())


def test_endless_chunk_extensions_are_refused() -> None:
    async def body() -> None:
        async with Stage() as stage:
            stage.serve(service(replica(await stage.upstream())))
            reader, writer = await asyncio.open_connection("127.0.0.1", stage.port)
            writer.write(CHUNKED)
            for _ in range(40):
                writer.write(b"1;" + b"e" * 4000 + b"\r\na\r\n")
                await writer.drain()
                await asyncio.sleep(0)
            assert (await reader.read()).startswith(b"HTTP/1.1 400")
            writer.close()

    run(body())


def test_slow_callers_are_not_waited_for() -> None:
    async def body() -> None:
        async with Stage(limits=Limits(head_s=0.3, idle_s=0.3, body_idle_s=0.3)) as stage:
            stage.serve(service(replica(await stage.upstream())))
            assert await stage.say(b"") == b""
            assert (await stage.say(b"GET / HT")).startswith(b"HTTP/1.1 408")
            assert (await stage.say(HEAD + b"Content-Length: 5\r\n\r\nab")).startswith(b"HTTP/1.1 408")
            said = await stage.say(HEAD + b"Content-Length: 2\r\n\r\nab")
            assert said.startswith(b"HTTP/1.1 200"), "and then it was closed, as it rested"
            assert not stage.core.fronts

    run(body())


def test_a_bad_answer_is_ours_to_say() -> None:
    async def body() -> None:
        async def nonsense(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(b"HELLO\r\n\r\n")
            await writer.drain()
            writer.close()

        async def cookies(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(
                b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nSet-Cookie: tidemill_session=x; Path=/\r\n"
                b"Set-Cookie: own=1; Domain=example.org\r\nStrict-Transport-Security: max-age=1\r\n"
                b"Access-Control-Allow-Origin: *\r\nConnection: close, x-own\r\nX-Own: 1\r\n\r\n"
            )
            await writer.drain()
            writer.close()

        async with Stage() as stage:
            stage.serve(service(replica(await stage.raw_upstream(nonsense))))
            heard = await stage.call()
            assert (heard.status, heard.code) == (502, "gateway_bad_answer")
            stage.serve(service(replica(await stage.raw_upstream(cookies), "r2")))
            heard = await stage.call()
            assert heard.headers.getall("Set-Cookie") == ["own=1"]
            hidden = {"strict-transport-security", "access-control-allow-origin", "x-own"}
            assert not hidden & {name.lower() for name in heard.headers}

    run(body())
