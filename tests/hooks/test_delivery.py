"""Deliveries: what is committed is delivered, at least once, with growing pauses, and given up in the end."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import sqlalchemy as sa
from fastapi import FastAPI

from tests.conftest import Api
from tidemill.accounts import audit
from tidemill.accounts.access import system_caller
from tidemill.accounts.tables import ProjectRow
from tidemill.hooks.delivery import ATTEMPTS_MAX, KEPT_FOR, LEASE, Deliverer, forget_old, plan
from tidemill.hooks.outbox import GIVE_UP_AFTER
from tidemill.hooks.sending import Letter, Outcome
from tidemill.hooks.tables import DeliveryRow, WebhookRow
from tidemill.jobs.texts import text

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
FAILED = Outcome(500, text("hook_status", status=500), 3)
TAKEN = Outcome(204, None, 3)


class Post:
    """A deliverer with a clock and a post office of the test's own."""

    def __init__(self, app: FastAPI) -> None:
        self.app = app
        self.db = app.state.db
        self.now = datetime.now(UTC)
        self.sent: list[Letter] = []
        self.outcome: Any = TAKEN
        self.deliverer = self.another()

    def another(self) -> Deliverer:
        return Deliverer(self.db, lambda: self.now, self._send)

    def drain(self) -> None:
        while self.deliverer.deliver_next():
            pass

    def happen(self, action: str, project: str = "tides", **changes: Any) -> None:
        with self.db.write() as session:
            self.record(session, action, project, **changes)

    def record(self, session: Any, action: str, project: str = "tides", **changes: Any) -> None:
        project_id = session.scalar(sa.select(ProjectRow.id).where(ProjectRow.name == project))
        audit.record(
            session, action, by=system_caller(self.now), target_kind="model", target_id="mdl_1", target_name="net",
            project_id=project_id, **changes,
        )  # fmt: skip

    def rows(self) -> list[DeliveryRow]:
        with self.db.read() as session:
            return list(session.scalars(sa.select(DeliveryRow).order_by(DeliveryRow.id)))

    def _send(self, letter: Letter, _now: datetime) -> Outcome:
        self.sent.append(letter)
        return self.outcome(letter) if callable(self.outcome) else self.outcome


@pytest.fixture
def post(api: Api) -> Post:
    api.project()
    return Post(api.app)


def add_hook(api: Api, *events: str, name: str = "ci", project: str = "tides", **fields: Any) -> str:
    body = {"name": name, "url": "https://hooks.invalid/", "events": list(events)}
    hook_id: str = api.admin.ok("post", f"/projects/{project}/webhooks", json=body | fields)["id"]
    return hook_id


def test_what_happened_is_delivered_with_who_what_and_when(api: Api, post: Post) -> None:
    hook_id = add_hook(api, "model.*", secret="a secret of ours")
    post.happen("model.commit", after={"number": 3})
    post.drain()
    (letter,) = post.sent
    assert (letter.event, letter.secret, letter.url) == ("model.commit", "a secret of ours", "https://hooks.invalid/")
    at = post.now.isoformat().replace("+00:00", "Z")
    assert letter.payload == {
        "id": letter.id,
        "event": "model.commit",
        "at": at,
        "project": "tides",
        "actor": "system",
        "target": {"kind": "model", "id": "mdl_1", "name": "net"},
        "after": {"number": 3},
    }
    (row,) = post.rows()
    assert (row.webhook_id, row.state, row.attempts, row.status_code, row.error) == (hook_id, "delivered", 1, 204, None)


def test_only_matching_events_of_the_own_project_are_delivered(api: Api, post: Post) -> None:
    add_hook(api, "model.commit", "*.delete")
    api.project("other")
    for action in ("model.commit", "model.update", "algorithm.delete"):
        post.happen(action)
    post.happen("model.commit", project="other")
    with post.db.write() as session:
        audit.record(session, "user.delete", by=system_caller(), target_kind="user", target_id="u", target_name="u")
    post.drain()
    assert [letter.event for letter in post.sent] == ["model.commit", "algorithm.delete"]


def test_what_is_rolled_back_is_never_delivered(api: Api, post: Post) -> None:
    add_hook(api, "*")
    before = len(post.rows())
    with pytest.raises(RuntimeError), post.db.write() as session:
        post.record(session, "model.commit")
        session.flush()
        raise RuntimeError
    assert len(post.rows()) == before


def test_a_webhook_that_is_off_hears_nothing(api: Api, post: Post) -> None:
    add_hook(api, "*", enabled=False)
    post.happen("model.commit")
    assert post.rows() == []


def test_turning_a_webhook_off_drops_what_is_on_its_way(api: Api, post: Post) -> None:
    hook_id = add_hook(api, "model.*")
    post.happen("model.commit")
    api.admin.ok("patch", f"/projects/tides/webhooks/{hook_id}", json={"enabled": False})
    post.drain()
    assert post.sent == []
    (row,) = post.rows()
    assert row.state == "failed"
    assert row.error
    assert row.error["code"] == "webhook_disabled"


def test_a_failure_is_tried_again_and_then_taken(api: Api, post: Post) -> None:
    add_hook(api, "model.*")
    post.happen("model.commit")
    post.outcome = FAILED
    post.drain()
    (row,) = post.rows()
    assert (row.state, row.attempts, row.status_code) == ("waiting", 1, 500)
    assert row.next_at == post.now + timedelta(seconds=15)
    post.now += timedelta(seconds=14)
    post.drain()
    assert len(post.sent) == 1
    post.now += timedelta(seconds=1)
    post.outcome = TAKEN
    post.drain()
    (row,) = post.rows()
    assert (row.state, row.attempts, row.status_code, row.error) == ("delivered", 2, 204, None)
    assert [letter.id for letter in post.sent] == [row.id, row.id]


def test_a_receiver_that_never_takes_it_is_given_up_within_a_day(api: Api, post: Post) -> None:
    add_hook(api, "model.*")
    post.happen("model.commit")
    began = post.now
    post.outcome = FAILED
    for _ in range(20):
        post.drain()
        post.now = max(post.now, post.rows()[0].next_at) + timedelta(seconds=61)
    (row,) = post.rows()
    assert (row.state, row.attempts) == ("failed", ATTEMPTS_MAX)
    assert len(post.sent) == ATTEMPTS_MAX
    assert row.finished_at
    assert row.finished_at - began < timedelta(hours=24)


def test_a_dead_receiver_does_not_hold_up_the_others(api: Api, post: Post) -> None:
    dead = add_hook(api, "model.*", name="dead")
    alive = add_hook(api, "model.*", name="alive", url="https://alive.invalid/")
    post.outcome = lambda letter: TAKEN if "alive" in letter.url else FAILED
    for _ in range(5):
        post.happen("model.commit")
    post.drain()
    states = [(row.webhook_id, row.state) for row in post.rows()]
    assert states.count((alive, "delivered")) == 5
    assert states.count((dead, "waiting")) == 5
    assert sum("alive" not in letter.url for letter in post.sent) == 1


def test_a_delivery_whose_process_died_is_sent_again(api: Api, post: Post) -> None:
    add_hook(api, "model.*")
    post.happen("model.commit")

    def die(_letter: Letter) -> Outcome:
        raise KeyboardInterrupt

    post.outcome = die
    with pytest.raises(KeyboardInterrupt):
        post.deliverer.deliver_next()
    post.outcome = TAKEN
    restarted = post.another()
    assert not restarted.deliver_next()
    post.now += LEASE
    assert restarted.deliver_next()
    (row,) = post.rows()
    assert (row.state, row.attempts) == ("delivered", 2)
    assert post.sent[0].payload == post.sent[1].payload


def test_two_processes_do_not_send_the_same_delivery_at_once(api: Api, post: Post) -> None:
    add_hook(api, "model.*")
    post.happen("model.commit")
    other = post.another()

    def meanwhile(_letter: Letter) -> Outcome:
        assert not other.deliver_next()
        return TAKEN

    post.outcome = meanwhile
    post.drain()
    assert len(post.sent) == 1


def test_an_attempt_that_outlived_its_lease_does_not_overwrite_the_newer_one(api: Api, post: Post) -> None:
    add_hook(api, "model.*")
    post.happen("model.commit")
    other = post.another()

    def slowly(_letter: Letter) -> Outcome:
        post.now += LEASE
        post.outcome = TAKEN
        assert other.deliver_next()
        return FAILED

    post.outcome = slowly
    post.deliverer.deliver_next()
    (row,) = post.rows()
    assert (row.state, row.attempts, row.status_code) == ("delivered", 2, 204)


def test_the_end_of_background_work_is_an_event(api: Api, post: Post) -> None:
    add_hook(api, "job.finish")
    post.happen("job.finish")
    post.drain()
    assert [letter.event for letter in post.sent] == ["job.finish"]


def test_pauses_grow_and_end_within_the_day() -> None:
    give_up_at = NOON + GIVE_UP_AFTER
    pauses = [plan(FAILED, attempts=n, give_up_at=give_up_at, now=NOON).next_at - NOON for n in range(1, ATTEMPTS_MAX)]
    assert [pause.total_seconds() for pause in pauses] == [15, 60, 240, 960, 3840, 15360, 61440]
    assert sum(pauses, timedelta()) < GIVE_UP_AFTER
    assert plan(FAILED, attempts=ATTEMPTS_MAX, give_up_at=give_up_at, now=NOON).state == "failed"
    assert plan(FAILED, attempts=1, give_up_at=NOON, now=NOON).state == "failed"
    assert plan(TAKEN, attempts=ATTEMPTS_MAX, give_up_at=NOON, now=NOON).state == "delivered"


def test_old_deliveries_are_dropped_and_waiting_ones_kept(api: Api, post: Post) -> None:
    add_hook(api, "model.*")
    post.happen("model.commit")
    post.drain()
    post.happen("model.delete")
    forget_old(post.db, post.now + KEPT_FOR + timedelta(days=1))
    assert [row.event for row in post.rows()] == ["model.delete"]


def test_a_purged_project_takes_its_webhooks_and_deliveries_along(api: Api, post: Post) -> None:
    add_hook(api, "model.*")
    post.happen("model.commit")
    with post.db.write() as session:
        session.execute(sa.delete(WebhookRow))
    assert post.rows() == []
