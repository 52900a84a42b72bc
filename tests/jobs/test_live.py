"""Live events: the newest state of what is yours, until you leave, are signed out, or the house closes."""

import asyncio
import http.client
import json
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
import sqlalchemy as sa
import uvicorn
from fastapi import FastAPI

from tests.conftest import ADMIN_PASSWORD
from tests.jobs.conftest import House
from tidemill.accounts.access import Caller
from tidemill.accounts.tables import SessionRow, UserRow
from tidemill.jobs import live as live_module
from tidemill.jobs.live import STREAMS_MAX, Live
from tidemill.kernel.errors import TooMany
from tidemill.kernel.ids import new_id


def signed_in(house: House, user_id: str | None = None) -> Caller:
    """A caller with a session of their own."""
    session_id = new_id("ses")
    caller = replace(house.caller(), user_id=user_id or house.user, session_id=session_id)
    with house.db.write() as session:
        session.add(
            SessionRow(
                id=session_id,
                secret_hash=session_id,
                user_id=caller.user_id,
                address="",
                user_agent="",
                created_at=house.hands.now,
                last_seen_at=house.hands.now,
                expires_at=house.hands.now + timedelta(days=1),
            )
        )
    return caller


async def next_event(events: AsyncIterator[str]) -> tuple[str, Any]:
    """The next event that is not a ping."""
    while True:
        block = await asyncio.wait_for(anext(events), 10)
        fields = dict(line.split(": ", 1) for line in block.strip().splitlines())
        if fields["event"] not in ("hello", "ping"):
            return fields["event"], json.loads(fields["data"])


async def opened(live: Live, caller: Caller, language: Any = "en") -> AsyncIterator[str]:
    """A stream that is being followed: its greeting has arrived."""
    events = live.follow(live.open(caller, language))
    assert (await anext(events)).startswith("retry: ")
    return events


async def is_over(events: AsyncIterator[str]) -> bool:
    async def drain() -> None:
        async for _ in events:
            pass

    await asyncio.wait_for(drain(), 10)
    return True


def test_a_job_and_its_end_are_told_in_the_streams_language(house: House) -> None:
    house.handle("gc", lambda _job: {"n": 1})

    async def scene() -> None:
        events = await opened(house.app.state.live, signed_in(house), "zh-CN")
        job_id = await asyncio.to_thread(house.submit)
        event, job = await next_event(events)
        assert (event, job["id"], job["state"], job["name"]) == ("job", job_id, "waiting", "清理存储空间")
        await asyncio.to_thread(house.runner().run_next)
        told: dict[str, Any] = {}
        while "notification" not in told or told["job"]["state"] != "completed":
            event, data = await next_event(events)
            told[event] = data
        assert told["job"]["result"] == {"n": 1}
        assert (told["notification"]["title"], told["notification"]["state"]) == ("清理存储空间", "success")
        await events.aclose()  # type: ignore[attr-defined]

    asyncio.run(scene())


def test_a_change_another_process_made_is_seen_within_the_next_look(house: House) -> None:
    async def scene() -> None:
        events = await opened(house.app.state.live, signed_in(house))
        house.db._listeners.clear()
        job_id = await asyncio.to_thread(house.submit)
        assert (await next_event(events))[1]["id"] == job_id
        await events.aclose()  # type: ignore[attr-defined]

    asyncio.run(scene())


def test_other_peoples_jobs_are_not_told(house: House) -> None:
    with house.db.write() as session:
        admin = session.get_one(UserRow, house.user)
        copied = {column.key: getattr(admin, column.key) for column in UserRow.__table__.columns}
        other = new_id("usr")
        session.add(UserRow(**copied | {"id": other, "name": "olga", "name_key": "olga"}))

    async def scene() -> None:
        events = await opened(house.app.state.live, signed_in(house, other))
        await asyncio.to_thread(house.submit)
        mine = await asyncio.to_thread(house.submit, by=replace(house.caller(), user_id=other))
        assert (await next_event(events))[1]["id"] == mine
        await events.aclose()  # type: ignore[attr-defined]

    asyncio.run(scene())


def test_a_slow_reader_gets_the_newest_state_once(house: House) -> None:
    async def scene() -> None:
        live: Live = house.app.state.live
        stream = live.open(signed_in(house), "en")
        events = live.follow(stream)
        await anext(events)
        for done in range(50):
            stream._put("job", "job_1", json.dumps({"done": done}))
        assert await next_event(events) == ("job", {"done": 49})
        assert stream.pending == {}
        await events.aclose()  # type: ignore[attr-defined]

    asyncio.run(scene())


@pytest.mark.parametrize("how", ["revoked", "expired", "disabled"])
def test_a_stream_ends_with_its_session(house: House, how: str) -> None:
    async def scene() -> None:
        caller = signed_in(house)
        events = await opened(house.app.state.live, caller)
        with house.db.write() as session:
            if how == "revoked":
                session.execute(sa.delete(SessionRow).where(SessionRow.id == caller.session_id))
            elif how == "disabled":
                session.execute(sa.update(UserRow).where(UserRow.id == caller.user_id).values(is_disabled=True))
        if how == "expired":
            house.hands.turn(days=2)
        assert await is_over(events)

    asyncio.run(scene())


def test_all_streams_end_when_the_house_closes(house: House) -> None:
    async def scene() -> None:
        streams = [await opened(house.app.state.live, signed_in(house)) for _ in range(3)]
        house.app.state.stopping.set()
        assert all(await asyncio.gather(*(is_over(events) for events in streams)))

    asyncio.run(scene())


def test_one_user_may_open_only_so_many_streams(house: House) -> None:
    async def scene() -> None:
        live: Live = house.app.state.live
        caller = signed_in(house)
        streams = [await opened(live, caller) for _ in range(STREAMS_MAX)]
        with pytest.raises(TooMany):
            live.open(caller, "en")
        await streams.pop().aclose()  # type: ignore[attr-defined]
        live.open(caller, "en")
        for events in streams:
            await events.aclose()  # type: ignore[attr-defined]

    asyncio.run(scene())


def test_a_quiet_stream_is_kept_open_with_pings(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_module, "PING_EVERY_S", 0.01)

    async def scene() -> None:
        events = await opened(house.app.state.live, signed_in(house))
        assert await anext(events) == "event: ping\ndata: {}\n\n"
        await events.aclose()  # type: ignore[attr-defined]

    asyncio.run(scene())


@contextmanager
def served(app: FastAPI) -> Iterator[int]:
    """The application behind a real server; yields its port."""
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="error", timeout_graceful_shutdown=5))
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        while not server.started:
            thread.join(0.01)
        yield server.servers[0].sockets[0].getsockname()[1]
    finally:
        app.state.stopping.set()
        server.should_exit = True
        thread.join(30)
        assert not thread.is_alive()


def test_events_stream_over_http_until_sign_out(app: FastAPI) -> None:
    with served(app) as port:
        calls = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
        credentials = json.dumps({"user": "admin", "password": ADMIN_PASSWORD})
        calls.request("POST", "/api/v1/session", credentials, {"Content-Type": "application/json"})
        answer = calls.getresponse()
        answer.read()
        cookie = (answer.getheader("Set-Cookie") or "").partition(";")[0]
        stream = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
        stream.request("GET", "/api/v1/me/events?language=zh-CN", headers={"Cookie": cookie})
        events = stream.getresponse()
        assert events.status == 200
        assert (events.getheader("Content-Type") or "").startswith("text/event-stream")
        assert events.getheader("Cache-Control") == "no-store"
        assert [events.readline(), events.readline()] == [b"retry: 2000\n", b"event: hello\n"]
        calls.request("DELETE", "/api/v1/session", headers={"Cookie": cookie, "X-Tidemill": "1"})
        assert calls.getresponse().status == 204
        assert b"error" not in events.read()
        calls.close()
        stream.close()
