"""Requests and answers are carried whole, as they come, and nothing hop-by-hop or secret with them."""

import asyncio
import hashlib
import resource

import aiohttp
import pytest
from aiohttp import web

from tests.gateway.stage import KEY, Stage, replica, run, service, until


def test_a_call_reaches_a_replica_without_its_key_and_is_marked_with_version_and_replica() -> None:
    async def body() -> None:
        async with Stage() as stage:
            stage.serve(service(replica(await stage.upstream())))
            headers = {
                "X-Request-Id": "mine-1", "X-API-Key": "tms_other", "Cookie": "tidemill_session=s; own=1",
                "X-Forwarded-For": "6.6.6.6", "Te": "trailers", "Connection": "x-hop", "X-Hop": "1", "X-Own": "2",
            }  # fmt: skip
            heard = await stage.call("POST", "/Tides/BOATS/v2/a%20b?q=1", data=b"abc", headers=headers, key=None)
            assert heard.status == 404
            heard = await stage.call(
                "POST", "/Tides/BOATS/v2/a%20b?q=1", data=b"abc", headers={**headers, "X-API-Key": KEY}, key=None
            )
            assert heard.status == 200
            assert heard.headers["X-Request-Id"] == "mine-1"
            assert (heard.headers["X-Tidemill-Version"], heard.headers["X-Tidemill-Replica"]) == ("1", "r1")
            assert (heard.json["method"], heard.json["path"], heard.json["length"]) == ("POST", "/v2/a%20b?q=1", 3)
            seen = {name.lower(): value for name, value in heard.json["headers"].items()}
            assert not {"authorization", "x-api-key", "te", "x-hop", "connection"} & seen.keys()
            assert (seen["cookie"], seen["x-own"], seen["x-forwarded-for"]) == ("own=1", "2", "127.0.0.1")
            assert (seen["x-forwarded-prefix"], seen["x-request-id"]) == ("/Tides/boats", "mine-1")
            count = stage.count()
            assert (count.requests["2xx"], count.bytes_in, count.in_flight) == (1, 3, 0)
            assert sum(count.latency) == 1

    run(body())


def test_an_insane_request_id_is_replaced() -> None:
    async def body() -> None:
        async with Stage() as stage:
            stage.serve(service(replica(await stage.upstream())))
            heard = await stage.call(headers={"X-Request-Id": "a" * 200})
            assert len(heard.headers["X-Request-Id"]) < 30

    run(body())


def test_a_stream_arrives_piece_by_piece_in_both_directions() -> None:
    async def body() -> None:
        got, may_end = asyncio.Event(), asyncio.Event()

        async def slow(request: web.Request) -> web.StreamResponse:
            answer = web.StreamResponse()
            await answer.prepare(request)
            first = await request.content.readany()
            await answer.write(b"got:" + first)
            got.set()
            await may_end.wait()
            rest = await request.content.read()
            await answer.write(b";rest:" + rest)
            return answer

        async def pieces():
            yield b"one"
            await got.wait()
            yield b"two"

        async with Stage() as stage:
            stage.serve(service(replica(await stage.upstream(slow))))
            headers = {"Authorization": f"Bearer {KEY}"}
            async with stage.client.post(stage.url + "/tides/boats/", data=pieces(), headers=headers) as answer:
                assert await answer.content.readany() == b"got:one"
                may_end.set()
                assert await answer.content.read() == b";rest:two"

    run(body())


def test_large_bodies_pass_with_little_memory() -> None:
    size = 50 << 20

    async def body() -> None:
        async def mirror(request: web.Request) -> web.StreamResponse:
            digest = hashlib.sha256()
            async for piece in request.content.iter_chunked(1 << 16):
                digest.update(piece)
            answer = web.StreamResponse(headers={"X-Digest": digest.hexdigest()})
            answer.content_length = size
            await answer.prepare(request)
            for _ in range(size >> 16):
                await answer.write(b"y" * (1 << 16))
            return answer

        async def pieces():
            for _ in range(size >> 16):
                yield b"x" * (1 << 16)

        async with Stage() as stage:
            stage.serve(service(replica(await stage.upstream(mirror)), body_max_bytes=size))
            before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            headers = {"Authorization": f"Bearer {KEY}"}
            async with stage.client.post(stage.url + "/tides/boats/", data=pieces(), headers=headers) as answer:
                assert answer.headers["X-Digest"] == hashlib.sha256(b"x" * size).hexdigest()
                received = 0
                async for piece in answer.content.iter_chunked(1 << 16):
                    received += len(piece)
            assert received == size
            grown_kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
            assert stage.core.kept_bytes == 0
            # `size` itself is made once here, for its digest.
            assert grown_kib < (size >> 10) + (24 << 10)

    run(body())


def test_a_caller_who_does_not_read_slows_the_replica_down_instead_of_filling_our_memory() -> None:
    async def body() -> None:
        sent = 0

        async def pour(request: web.Request) -> web.StreamResponse:
            nonlocal sent
            answer = web.StreamResponse()
            await answer.prepare(request)
            while sent < 200 << 20:
                await answer.write(b"y" * (1 << 16))
                sent += 1 << 16
            return answer

        async with Stage() as stage:
            stage.serve(service(replica(await stage.upstream(pour))))
            _, writer = await asyncio.open_connection("127.0.0.1", stage.port, limit=1 << 10)
            writer.write(b"GET /tides/boats/ HTTP/1.1\r\nHost: a\r\nX-API-Key: %b\r\n\r\n" % KEY.encode())
            before = -1
            while before != sent or sent == 0:
                before = sent
                await asyncio.sleep(0.1)
            assert sent < 30 << 20
            writer.close()
            await until(lambda: stage.core.open_requests == 0)
            assert stage.count().cancelled == 1

    run(body())


def test_head_has_a_length_and_no_body_and_its_connection_is_used_again() -> None:
    async def body() -> None:
        async with Stage() as stage:
            stage.serve(service(replica(await stage.upstream())))
            for _ in range(3):
                heard = await stage.call("HEAD")
                assert (heard.status, heard.body) == (200, b"")
                assert int(heard.headers["Content-Length"]) > 100
            assert (await stage.call()).json["method"] == "GET"
            assert len(next(iter(stage.core.routes.replicas.values())).idle) == 1

    run(body())


def test_expect_100_continue_is_answered_before_the_body_is_sent() -> None:
    async def body() -> None:
        async with Stage() as stage:
            stage.serve(service(replica(await stage.upstream()), body_max_bytes=10))
            heard = await stage.call("POST", data=b"12345", expect100=True)
            assert heard.json["length"] == 5
            head = b"POST /tides/boats/ HTTP/1.1\r\nHost: a\r\nX-API-Key: %b\r\nExpect: 100-continue\r\n" % KEY.encode()
            assert (await stage.say(head + b"Content-Length: 11\r\n\r\n")).startswith(b"HTTP/1.1 413")

    run(body())


def test_trailers_are_dropped_and_pipelined_requests_are_answered_in_order() -> None:
    async def body() -> None:
        async with Stage() as stage:
            stage.serve(service(replica(await stage.upstream())))
            one = (
                b"POST /tides/boats/%d HTTP/1.1\r\nHost: a\r\nX-API-Key: %b\r\nTransfer-Encoding: chunked\r\n%b\r\n"
                b"3\r\nabc\r\n0\r\nX-Late: 1\r\n\r\n"
            )
            words = b"".join(
                one % (place, KEY.encode(), b"Connection: close\r\n" if place == 4 else b"") for place in range(5)
            )
            said = await stage.say(words)
            places = [said.index(b'"path": "/%d"' % place) for place in range(5)]
            assert places == sorted(places)
            assert said.count(b"HTTP/1.1 200") == 5
            assert b"X-Late" not in said

    run(body())


def test_an_answer_that_ends_with_its_connection_becomes_chunks() -> None:
    async def body() -> None:
        async def old(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(b"HTTP/1.0 200 OK\r\nX-A: 1\r\n\r\nall of it")
            writer.close()

        async with Stage() as stage:
            stage.serve(service(replica(await stage.raw_upstream(old))))
            heard = await stage.call()
            assert (heard.body, heard.headers["Transfer-Encoding"]) == (b"all of it", "chunked")
            said = await stage.say(b"GET /tides/boats/ HTTP/1.0\r\nX-API-Key: %b\r\n\r\n" % KEY.encode())
            assert said.endswith(b"Connection: close\r\n\r\nall of it")

    run(body())


def test_a_websocket_passes_through() -> None:
    async def body() -> None:
        async def sockets(request: web.Request) -> web.StreamResponse:
            socket = web.WebSocketResponse()
            await socket.prepare(request)
            async for message in socket:
                if message.data == "bye":
                    break
                await socket.send_str(f"echo {message.data}")
            await socket.close()
            return socket

        async with Stage() as stage:
            stage.serve(service(replica(await stage.upstream(sockets))))
            url = stage.url.replace("http", "ws") + "/tides/boats/ws"
            async with stage.client.ws_connect(url, headers={"X-API-Key": KEY}) as socket:
                for word in ("one", "t" * 200_000):
                    await socket.send_str(word)
                    assert await socket.receive_str() == f"echo {word}"
                assert stage.core.open_by_replica() == {"r1": 1}
                await socket.send_str("bye")
                assert (await socket.receive()).type == aiohttp.WSMsgType.CLOSE
            await until(lambda: stage.core.open_requests == 0)
            assert (stage.count().requests["2xx"], stage.count().failed) == (1, 0)
            with pytest.raises(aiohttp.WSServerHandshakeError, match="401"):
                await stage.client.ws_connect(url)

    run(body())


def test_an_answer_cut_off_by_its_replica_is_cut_off_for_the_caller() -> None:
    async def body() -> None:
        async def half(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")
            await writer.drain()
            writer.close()

        async with Stage() as stage:
            stage.serve(service(replica(await stage.raw_upstream(half))))
            with pytest.raises(aiohttp.ClientError):
                await stage.call()
            assert stage.count().failed == 1

    run(body())
