"""One table of moves, one mover."""

import itertools
from datetime import timedelta

import pytest
import sqlalchemy as sa
from sqlalchemy.orm import Session

from tests.workloads.conftest import House
from tidemill.kernel.clock import utc_now
from tidemill.workloads import lifecycle
from tidemill.workloads.lifecycle import FINAL, MOVES, STATES, IllegalMove, Moved, State
from tidemill.workloads.tables import WorkloadEventRow, WorkloadRow

PAIRS = list(itertools.product(STATES, STATES))


def test_every_move_is_made_or_refused_as_the_table_says(house: House) -> None:
    """Every (from, to) pair, each in a transaction that is not kept."""
    workload = house.submit()
    legal: list[tuple[State, State]] = []
    for start, to in PAIRS:
        with pytest.raises(_Undo), house.db.write() as session:
            session.execute(sa.update(WorkloadRow).where(WorkloadRow.id == workload).values(state=start))
            row = session.get_one(WorkloadRow, workload, populate_existing=True)
            if _moves(session, row, to):
                legal.append((start, to))
            raise _Undo
    assert legal == [(start, to) for start, to in PAIRS if to in MOVES[start]]
    assert house.state(workload) == "pending"


class _Undo(Exception):
    pass


def _moves(session: Session, row: WorkloadRow, to: State) -> bool:
    """Whether it is moved: then it is there and an event says so; if not, nothing has changed."""
    start = row.state
    events = sa.select(WorkloadEventRow).where(WorkloadEventRow.workload_id == row.id)
    try:
        assert lifecycle.move(session, row, to, reason=None, by="x", now=utc_now())
    except IllegalMove:
        session.expire(row)
        assert (row.state, len(session.scalars(events).all())) == (start, 1)
        return False
    session.flush()
    session.expire(row)
    last = session.scalars(events.order_by(WorkloadEventRow.id.desc())).first()
    assert last is not None
    assert (row.state, last.from_state, last.to_state, row.ended_at is not None) == (to, start, to, to in FINAL)
    return True


def test_nothing_leaves_an_end_and_every_other_state_leads_to_one() -> None:
    assert all(not MOVES[state] for state in FINAL)
    reached, frontier = set(FINAL), set(FINAL)
    while frontier:
        frontier = {state for state in STATES if state not in reached and MOVES[state] & reached}
        reached |= frontier
    assert reached == set(STATES)


def test_a_move_writes_the_state_an_event_and_tells_the_watcher_at_once(house: House) -> None:
    told: list[Moved] = []

    class Watcher:
        def moved(self, session: Session, workload: WorkloadRow, event: Moved) -> None:
            assert session.get(WorkloadRow, workload.id) is workload
            told.append(event)

    lifecycle.register("watched", Watcher())
    workload = house.submit(kind="watched")
    house.stop(workload)
    assert [(event.from_state, event.to_state, event.reason) for event in told] == [
        (None, "pending", None),
        ("pending", "stopped", "user"),
    ]
    events = house.api.admin.ok("get", f"/projects/tides/workloads/{workload}/events")["items"]
    assert [(event["from_state"], event["to_state"], event["by"]) for event in events] == [
        (None, "pending", "admin"),
        ("pending", "stopped", "admin"),
    ]


def test_what_a_watcher_raises_undoes_the_move(house: House) -> None:
    class Angry:
        def moved(self, session: Session, workload: WorkloadRow, event: Moved) -> None:
            if event.to_state == "stopped" and session.get(WorkloadRow, workload.id):
                raise ValueError("no")

    lifecycle.register("angry", Angry())
    workload = house.submit(kind="angry")
    with pytest.raises(ValueError, match="no"):
        house.stop(workload)
    assert house.state(workload) == "pending"
    with house.db.read() as session:
        events = session.scalars(sa.select(WorkloadEventRow).where(WorkloadEventRow.workload_id == workload)).all()
    assert [event.to_state for event in events] == ["pending"]


def test_a_move_from_where_it_no_longer_is_does_nothing(house: House) -> None:
    workload = house.submit()
    stale = house.row(workload)
    house.stop(workload)
    with house.db.write() as session:
        row = session.get_one(WorkloadRow, workload)
        session.expunge(row)
        assert not lifecycle.move(
            session, stale, "starting", reason=None, by="x", now=utc_now() + timedelta(seconds=1), attempt=1
        )
    assert house.state(workload) == "stopped"
