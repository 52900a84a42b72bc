"""Old jobs and notifications go; what still runs stays."""

from tests.jobs.conftest import House
from tidemill.jobs.tables import JobRow, NotificationRow
from tidemill.jobs.tidy import KEPT_FOR, forget_old


def test_ended_jobs_and_notifications_are_dropped_after_their_time(house: House) -> None:
    house.handle("gc", lambda _job: {})
    house.submit()
    house.runner().run_next()
    house.hands.turn(days=KEPT_FOR.days + 1)
    house.submit()
    house.runner().run_next()
    waiting = house.submit()
    forget_old(house.db, house.hands.now)
    assert len(house.rows(NotificationRow)) == 1
    assert [row.state for row in house.rows(JobRow)] == ["completed", "waiting"]
    house.hands.turn(days=KEPT_FOR.days + 1)
    forget_old(house.db, house.hands.now)
    assert [row.id for row in house.rows(JobRow)] == [waiting]
