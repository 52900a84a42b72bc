"""Every pair of states: the legal moves move, the others raise, and none moves what is no longer there."""

from itertools import product

import pytest
import sqlalchemy as sa

from tests.jobs.conftest import NOON, House
from tidemill.jobs.states import FINAL, MOVES, STATES, IllegalMove, State, move
from tidemill.jobs.tables import JobRow

LEGAL = {
    ("waiting", "running"),
    ("waiting", "cancelled"),
    ("running", "waiting"),
    ("running", "completed"),
    ("running", "failed"),
    ("running", "cancelled"),
}


def put(house: House, job_id: str, state: State, owner: str | None = None) -> None:
    with house.db.write() as session:
        session.execute(sa.update(JobRow).where(JobRow.id == job_id).values(state=state, owner=owner))


def test_the_table_of_moves_is_the_one_written_here() -> None:
    assert {(a, b) for a in MOVES for b in MOVES[a]} == LEGAL
    assert set(MOVES) == set(STATES)
    assert {state for state in STATES if not MOVES[state]} == FINAL


def test_each_pair_of_states_moves_or_is_refused(house: House) -> None:
    job_id = house.submit()
    for before, after in product(STATES, STATES):
        put(house, job_id, before)
        with house.db.write() as session:
            if (before, after) in LEGAL:
                assert move(session, job_id, before, after, now=NOON)
            else:
                with pytest.raises(IllegalMove):
                    move(session, job_id, before, after, now=NOON)
        assert house.job(job_id).state == (after if (before, after) in LEGAL else before)


def test_a_job_that_moved_meanwhile_stays_where_it_is(house: House) -> None:
    job_id = house.submit()
    put(house, job_id, "completed")
    with house.db.write() as session:
        assert not move(session, job_id, "waiting", "running", now=NOON)
    assert house.job(job_id).state == "completed"


def test_only_the_owner_moves_what_it_holds(house: House) -> None:
    job_id = house.submit()
    put(house, job_id, "running", owner="one")
    with house.db.write() as session:
        assert not move(session, job_id, "running", "completed", now=NOON, held_by="another")
        assert move(session, job_id, "running", "completed", now=NOON, held_by="one")
    ended = house.job(job_id)
    assert (ended.state, ended.owner, ended.finished_at) == ("completed", None, NOON)


def test_each_move_raises_the_revision(house: House) -> None:
    job_id = house.submit()
    with house.db.write() as session:
        move(session, job_id, "waiting", "running", now=NOON)
        move(session, job_id, "running", "waiting", now=NOON)
    assert house.job(job_id).revision == 2
