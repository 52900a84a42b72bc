"""Streams of logs have a number and an end."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from tests.workloads.conftest import House
from tests.workloads.test_live import signed_in
from tidemill.accounts.access import Caller
from tidemill.kernel.errors import TooMany
from tidemill.workloads import following
from tidemill.workloads.following import STREAMS_MAX, Follower


def follower(house: House, caller: Caller, workload: str) -> Follower:
    state = house.app.state
    return Follower(state.db, house.engine, state.clock, state.stopping, state.log_readers, caller, workload)


def reader(house: House, user: str) -> Caller:
    """Somebody who looks at the project with a session."""
    return replace(signed_in(house, user), project_ref=house.caller().project_ref)


async def opened(house: House, caller: Caller, workload: str) -> AsyncIterator[str]:
    events = follower(house, caller, workload).follow(0, 0)
    assert (await anext(events)).startswith("retry: ")
    return events


def test_one_user_follows_so_many_logs_and_no_more(house: House) -> None:
    house.api.user("ann", project="tides")
    workload = house.submit()
    ann, admin = reader(house, "ann"), reader(house, "admin")

    async def scene() -> None:
        streams = [await opened(house, ann, workload) for _ in range(STREAMS_MAX)]
        with pytest.raises(TooMany):
            follower(house, ann, workload)
        assert await opened(house, admin, workload), "others are not held up"
        await streams.pop().aclose()  # type: ignore[attr-defined]
        assert await opened(house, ann, workload)

    asyncio.run(scene())


@pytest.mark.parametrize("loses", ["the membership", "the session"])
def test_a_stream_ends_when_its_reader_may_not_read_any_more(
    house: House, monkeypatch: pytest.MonkeyPatch, loses: str
) -> None:
    monkeypatch.setattr(following, "PING_EVERY_S", 0.0)
    ann = house.api.user("ann", project="tides")
    workload = house.submit()
    caller = reader(house, "ann")

    async def scene() -> None:
        events = await opened(house, caller, workload)
        assert "ping" in await asyncio.wait_for(anext(events), 20), "it goes on while she may"
        if loses == "the membership":
            (member,) = house.api.admin.ok("get", "/projects/tides/members", params={"q": "ann"})["items"]
            await asyncio.to_thread(house.api.admin.ok, "delete", f"/projects/tides/members/{member['id']}")
        else:
            await asyncio.to_thread(ann.ok, "delete", f"/me/sessions/{caller.session_id}")

        async def to_the_end() -> None:
            async for _ in events:
                pass

        await asyncio.wait_for(to_the_end(), 20)

    asyncio.run(scene())
