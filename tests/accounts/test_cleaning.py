"""The broom."""

from datetime import timedelta

import sqlalchemy as sa

from tests.accounts.people import sign_in
from tests.conftest import Api
from tidemill.accounts.cleaning import sweep
from tidemill.accounts.room import room
from tidemill.accounts.tables import AttemptRow, SessionRow
from tidemill.kernel.clock import utc_now
from tidemill.kernel.routing import ReplayRow


def test_only_what_no_longer_counts_is_swept_out(api: Api) -> None:
    db, settings = api.app.state.db, api.app.state.settings
    sign_in(api, "ann", "wrong")
    api.admin.ok("post", "/groups", json={"name": "crew"}, headers={"Idempotency-Key": "once"})

    def left() -> list[int]:
        with db.read() as session:
            tables = (SessionRow, AttemptRow, ReplayRow)
            return [session.scalar(sa.select(sa.func.count()).select_from(table)) or 0 for table in tables]

    now = utc_now()
    sweep(db, settings, now)
    assert left() == [1, 1, 1]
    sweep(db, settings, now + timedelta(seconds=settings.attempts_window_s + 5))
    assert left() == [1, 0, 1]
    sweep(db, settings, now + timedelta(days=2))
    assert left() == [1, 0, 0]
    sweep(db, settings, now + timedelta(days=settings.session_days + 1))
    assert left() == [0, 0, 0]


def test_the_room_sweeps_in_the_background(api: Api) -> None:
    sign_in(api, "ann", "wrong")
    later = utc_now() + timedelta(days=1)
    api.app.state.clock = lambda: later
    (loop,) = room.loops(api.app)
    loop.run()
    with api.app.state.db.read() as session:
        assert session.scalars(sa.select(AttemptRow)).all() == []
