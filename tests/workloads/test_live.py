"""Workloads on the stream of live events."""

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from typing import Any

import sqlalchemy as sa

from tests.workloads.conftest import House
from tidemill.accounts.access import Caller
from tidemill.accounts.tables import SessionRow, UserRow
from tidemill.kernel.clock import utc_now
from tidemill.kernel.ids import new_id


def signed_in(house: House, user: str) -> Caller:
    with house.db.write() as session:
        who = session.scalars(sa.select(UserRow).where(UserRow.name == user)).one()
        key, now = new_id("ses"), utc_now()
        session.add(
            SessionRow(
                id=key,
                secret_hash=key,
                user_id=who.id,
                address="",
                user_agent="",
                created_at=now,
                last_seen_at=now,
                expires_at=now + timedelta(days=1),
            )
        )
    is_administrator = who.kind == "administrator"
    caller = house.caller()
    return replace(caller, user_id=who.id, session_id=key, is_administrator=is_administrator, project_ref=None)


async def opened(house: House, user: str) -> AsyncIterator[str]:
    live = house.app.state.live
    events: AsyncIterator[str] = live.follow(live.open(signed_in(house, user), "en"))
    assert (await anext(events)).startswith("retry: ")
    return events


async def next_workload(events: AsyncIterator[str]) -> Any:
    while True:
        block = await asyncio.wait_for(anext(events), 20)
        fields = dict(line.split(": ", 1) for line in block.strip().splitlines())
        if fields["event"] == "workload":
            return json.loads(fields["data"])


def test_every_member_sees_it_move_and_nobody_else(house: House) -> None:
    house.api.user("ann", project="tides", role="viewer")
    house.api.project("other")
    house.api.user("eve", project="other")

    async def scene() -> None:
        ann, eve = await opened(house, "ann"), await opened(house, "eve")
        workload = await asyncio.to_thread(house.submit, "mine")
        seen = await next_workload(ann)
        assert (seen["id"], seen["state"], seen["project"]) == (workload, "pending", "tides")
        await asyncio.to_thread(house.stop, workload)
        while seen["state"] != "stopped":
            seen = await next_workload(ann)
        theirs = await asyncio.to_thread(lambda: house.submit("theirs", project="other"))
        assert (await next_workload(eve))["id"] == theirs, "the first that eve hears of is of her own project"
        house.app.state.stopping.set()
        house.app.state.live.wait_closed()

    asyncio.run(scene())
