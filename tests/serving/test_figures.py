"""The arithmetic of figures and rules: sums, differences, percentiles, steps, thresholds."""

from datetime import UTC, datetime, timedelta

import pytest
import sqlalchemy as sa
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import Api
from tidemill.gateway.schemas import LATENCY_BOUNDS_S, Counter, ShadowCount
from tidemill.serving.metrics.collecting import Reading, note_key_days, parse_batches, read_gateway, take
from tidemill.serving.metrics.counts import BUCKETS, Counts, add, since, together
from tidemill.serving.metrics.keeping import HOUR, MINUTE, TEN, Key, put, roll_up, widen
from tidemill.serving.metrics.lately import traffic_of
from tidemill.serving.metrics.querying import load_samples, total
from tidemill.serving.rules import judge_alert, judge_rollback
from tidemill.serving.shadow import advance
from tidemill.serving.tables import KeyRow, MetricRow, ServiceRow

NOW = datetime(2026, 3, 1, 12, 0, 5, tzinfo=UTC)


def counts(requests: int, *, bucket: int = 5, errors: int = 0, in_flight: int = 0) -> Counts:
    latency = [0] * BUCKETS
    latency[bucket] = requests
    return Counts(requests=requests, errors=errors, latency=tuple(latency), in_flight=in_flight)


numbers = st.builds(
    Counts,
    requests=st.integers(0, 1000),
    errors=st.integers(0, 1000),
    latency=st.lists(st.integers(0, 100), min_size=BUCKETS, max_size=BUCKETS).map(tuple),
    in_flight=st.integers(0, 9),
)


@given(numbers, numbers)
def test_what_came_since_a_mark_and_the_mark_are_what_stands_now(before: Counts, more: Counts) -> None:
    stands = add([before, more])
    fresh = since(stands, before)
    assert (fresh.requests, fresh.errors, sum(fresh.latency)) == (more.requests, more.errors, sum(more.latency))


def test_counters_that_went_back_began_anew() -> None:
    assert since(counts(3), counts(10)).requests == 3
    assert since(counts(3), None).requests == 3


@given(numbers)
def test_counts_survive_the_way_through_the_database(one: Counts) -> None:
    again = Counts.from_json(one.to_json())
    assert (again.requests, again.errors, again.in_flight) == (one.requests, one.errors, one.in_flight)
    assert [again.quantile_ms(share) for share in (0.5, 0.99)] == [one.quantile_ms(share) for share in (0.5, 0.99)]


def test_percentiles_are_within_the_bucket_they_fall_into() -> None:
    slow = [0] * BUCKETS
    slow[3], slow[10] = 90, 10
    found = Counts(requests=100, latency=tuple(slow))
    assert 1000 * LATENCY_BOUNDS_S[2] <= (found.quantile_ms(0.5) or 0) <= 1000 * LATENCY_BOUNDS_S[3]
    assert 1000 * LATENCY_BOUNDS_S[9] <= (found.quantile_ms(0.99) or 0) <= 1000 * LATENCY_BOUNDS_S[10]
    assert Counts().quantile_ms(0.5) is None


def test_what_was_in_flight_at_once_adds_up_and_over_time_the_most_counts() -> None:
    some = [counts(1, in_flight=2), counts(1, in_flight=3)]
    assert together(some).in_flight == 5
    assert add(some).in_flight == 3


def test_narrow_steps_are_put_together_by_wider_ones() -> None:
    key = Key("svc", 1, "")
    found = widen([(key, 0, counts(1)), (key, 0, counts(2)), (key, 50, counts(4)), (key, 60, counts(8))], MINUTE)
    assert {place: one.requests for place, one in found.items()} == {(key, 0): 7, (key, 60): 8}


@pytest.fixture
def service(api: Api) -> str:
    project = api.admin.ok("post", "/projects", json={"name": "tides"})["id"]
    with api.app.state.db.write() as session:
        session.add(
            ServiceRow(
                id="svc_1", project_id=project, name="s", name_key="s", access="key", cors=[], body_max_bytes=1,
                timeout_s=1, alert_rules=[], state="serving", changed_at=NOW, created_at=NOW, created_by="a",
                updated_at=NOW,
            )
        )  # fmt: skip
    return "svc_1"


def test_a_list_of_services_has_the_last_minute_of_each_in_one_look(api: Api, service: str) -> None:
    with api.app.state.db.write() as session:
        for seconds_ago, replica in ((15, "rpl_1"), (15, "rpl_2"), (55, "rpl_1"), (75, "rpl_1"), (0, "rpl_1")):
            put(session, Key(service, 1, replica), counts(10, errors=3), NOW - timedelta(seconds=seconds_ago))
    with api.app.state.db.read() as session:
        looks: list[str] = []
        sa.event.listen(session.connection().engine, "before_cursor_execute", lambda *said: looks.append(said[2]))
        found = traffic_of(session, [service, "svc_idle"], NOW)
    assert len(looks) == 1
    asked, idle = found[service], found["svc_idle"]
    assert (asked.requests_per_s, asked.errors, asked.error_rate) == (30 / 60, 9, 0.3)
    assert (idle.requests_per_s, idle.errors, idle.error_rate) == (0, 0, None)


def test_every_count_is_kept_once_over_restarts_of_either_side(api: Api, service: str) -> None:
    db = api.app.state.db

    def read(stands: int, instance: str) -> None:
        with db.write() as session:
            take(session, Reading(service, 1, "rpl_1", "gateway", instance, counts(stands)), NOW)

    for stands in (5, 5, 9):
        read(stands, "first")
    read(4, "second")
    read(9, "first")
    read(6, "second")
    with db.read() as session:
        assert total(load_samples(session, service, NOW - timedelta(minutes=1), NOW, now=NOW)).requests == 15


def test_the_day_of_a_keys_last_use_never_goes_back(api: Api, service: str) -> None:
    with api.app.state.db.write() as session:
        for name, day in (("new", None), ("old", "2026-02-27"), ("idle", "2026-02-01")):
            session.add(
                KeyRow(
                    id=name, service_id=service, name=name, prefix="tms_", sha256=name, rate_per_s=None,
                    last_used_on=day, created_at=NOW, created_by="admin",
                )
            )  # fmt: skip
    for days in ({"new": "2026-03-01", "old": "2026-03-01", "gone": "2026-03-01"}, {"new": "2026-02-28"}):
        with api.app.state.db.write() as session:
            note_key_days(session, days)
    with api.app.state.db.read() as session:
        found = dict(session.execute(sa.select(KeyRow.id, KeyRow.last_used_on)).all())
    assert found == {"new": "2026-03-01", "old": "2026-03-01", "idle": "2026-02-01"}


def test_copies_that_a_canary_was_shown_are_kept_apart_from_what_callers_asked(api: Api, service: str) -> None:
    db = api.app.state.db
    shown = Counter("e", service, "v-2", "rpl_1", "shadow", requests={"2xx": 5, "5xx": 2}, failed=3)
    asked = Counter("e", service, "v-2", "rpl_1", "canary", requests={"2xx": 4, "5xx": 1})
    for _ in range(2):
        with db.write() as session:
            for reading in read_gateway([shown, asked], {"v-2": 2}):
                take(session, reading, NOW)
    later = NOW + timedelta(minutes=3)
    with db.write() as session:
        roll_up(session, later)
    with db.read() as session:
        span = (service, NOW - timedelta(minutes=1), NOW)
        for_rules = total(load_samples(session, *span, now=NOW), {2})
        assert (for_rules.requests, for_rules.errors) == (5, 1)
        by_kind = {
            one.is_shadow: (one.counts.requests, one.counts.errors)
            for one in load_samples(session, *span, now=NOW, with_shadow=True)
        }
        assert by_kind == {False: (5, 1), True: (10, 5)}, "a copy that got no answer is one, and an error"
        wide = session.execute(sa.select(MetricRow.is_shadow, MetricRow.counts).where(MetricRow.step_s == MINUTE)).all()
        assert {is_shadow: told["requests"] for is_shadow, told in wide} == {False: 5, True: 10}
        assert traffic_of(session, [service], NOW + timedelta(seconds=10))[service].errors == 1


def test_rolled_up_nothing_is_lost_and_done_again_nothing_is_added(api: Api, service: str) -> None:
    db = api.app.state.db
    start = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)
    for minute in range(150):
        with db.write() as session:
            put(
                session, Key(service, 1, f"rpl_{minute % 2}"), counts(2, in_flight=1), start + timedelta(minutes=minute)
            )
    later = start + timedelta(minutes=151)
    for _ in range(2):
        with db.write() as session:
            roll_up(session, later)
    with db.read() as session:
        kept = session.execute(
            sa.select(MetricRow.step_s, sa.func.count()).group_by(MetricRow.step_s).order_by(MetricRow.step_s)
        ).all()
        by_step = dict(kept)
        assert by_step[MINUTE] == 150
        assert by_step[HOUR] == 2
        assert by_step[TEN] < 150, "what is narrow and old is gone"
        for since_minutes in (30, 100, 149):
            begin = later - timedelta(minutes=since_minutes)
            found = total(load_samples(session, service, begin, later, now=later)).requests
            assert abs(found - 2 * (since_minutes - 1)) <= 2
        whole = load_samples(session, service, later - timedelta(days=5), later, now=later)
        assert total(whole).requests == 300


def test_batches_are_read_from_a_model_servers_text() -> None:
    text = (
        '# TYPE tidemill_model_batch_size histogram\ntidemill_model_batch_size_bucket{model="a",le="1"} 2\n'
        'tidemill_model_batch_size_sum{model="a"} 12\ntidemill_model_batch_size_count{model="a"} 4\n'
        'tidemill_model_batch_size_sum{model="b"} 3\ntidemill_model_batch_size_count{model="b"} 1\n'
    )
    assert parse_batches(text) == (5, 15.0)
    assert parse_batches("hello") == (0, 0.0)


RULE = {"metric": "error_rate", "above": 0.1, "window_s": 60, "for_s": 30, "requests": 10, "role": None}


def test_an_alert_opens_only_after_its_time_and_closes_when_it_is_over() -> None:
    bad, good = counts(100, errors=20), counts(100, errors=1)
    assert judge_alert(RULE, bad, state=None, pending_at=None, now=NOW).step == "begin"
    early, late = NOW - timedelta(seconds=10), NOW - timedelta(seconds=30)
    assert judge_alert(RULE, bad, state="pending", pending_at=early, now=NOW).step == "go_on"
    assert judge_alert(RULE, bad, state="pending", pending_at=late, now=NOW).step == "open"
    assert judge_alert(RULE, good, state="pending", pending_at=early, now=NOW).step == "forget"
    assert judge_alert(RULE, bad, state="open", pending_at=late, now=NOW).step == "go_on"
    assert judge_alert(RULE, good, state="open", pending_at=late, now=NOW).step == "close"
    assert judge_alert(RULE, good, state=None, pending_at=None, now=NOW).step == "nothing"
    assert judge_alert(RULE, counts(5, errors=5), state=None, pending_at=None, now=NOW).step == "nothing"


def test_a_canary_is_judged_only_over_enough_requests() -> None:
    rule = {"error_rate": 0.05, "p99_ms": 100.0, "requests": 20, "window_s": 60}
    assert judge_rollback(rule, counts(19, errors=19)) is None
    assert judge_rollback(rule, counts(20, errors=1)) is None
    broken = judge_rollback(rule, counts(20, errors=2))
    assert broken is not None
    assert (broken.metric, broken.value, broken.requests) == ("error_rate", 0.1, 20)
    slow = judge_rollback(rule, counts(20, bucket=15))
    assert slow is not None
    assert slow.metric == "p99_ms"


def test_comparisons_are_counted_from_where_they_stood() -> None:
    def counter(same: int, epoch: str = "a") -> Counter:
        return Counter(epoch, "s", "v", "r", "shadow", shadow=ShadowCount(same=same))

    figures = advance({"marks": {"a/r": {"same": 5, "different": 0, "failed": 0, "skipped": 0,
                                         "latency_sum_s": 0, "live_latency_sum_s": 0}}}, [counter(8)])  # fmt: skip
    assert figures["same"] == 3
    assert advance(figures, [counter(9), counter(2, "b")])["same"] == 6
