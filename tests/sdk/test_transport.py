import httpx2
import pytest

from tests.sdk.fake import Recorder, ok, refusal
from tidemill.sdk import (
    Conflict,
    Forbidden,
    Invalid,
    NotFound,
    Patience,
    Stale,
    TidemillError,
    TooLarge,
    TooMany,
    Unauthenticated,
    Unavailable,
)

REFUSED = httpx2.ConnectError("Connection refused")
CUT = httpx2.RemoteProtocolError("Server disconnected")
PROJECT = {"id": "prj_1", "name": "tides"}


def test_a_server_that_never_answered_is_reported_at_once_with_what_to_do() -> None:
    recorder = Recorder(REFUSED)
    with pytest.raises(Unavailable) as caught:
        recorder.client().projects.get("tides")
    assert "http://fake.test" in str(caught.value)
    assert "tidemill up" in (caught.value.hint or "")
    assert recorder.slept == []


def test_a_server_that_went_away_is_waited_for() -> None:
    recorder = Recorder(ok(PROJECT), REFUSED, REFUSED, ok(PROJECT))
    client = recorder.client()
    client.projects.get("tides")
    assert client.projects.get("tides").name == "tides"
    assert len(recorder.slept) == 2


def test_waiting_ends_when_patience_does() -> None:
    recorder = Recorder(ok(PROJECT), REFUSED)
    client = recorder.client(patience=Patience(total_s=2))
    client.projects.get("tides")
    with pytest.raises(Unavailable):
        client.projects.get("tides")
    assert sum(recorder.slept) <= 2


def test_a_write_whose_answer_was_lost_is_repeated_with_the_same_key() -> None:
    recorder = Recorder(ok(PROJECT), CUT, ok(PROJECT, 201))
    client = recorder.client()
    client.projects.get("tides")
    client.projects.create("tides")
    first, second = recorder.requests[1:]
    assert first.headers["Idempotency-Key"] == second.headers["Idempotency-Key"]
    assert first.content == second.content


def test_two_writes_have_different_keys() -> None:
    recorder = Recorder(ok(PROJECT, 201))
    client = recorder.client()
    client.projects.create("tides")
    client.projects.create("tides")
    assert len({request.headers["Idempotency-Key"] for request in recorder.requests}) == 2


def test_what_shows_a_secret_once_is_not_repeated() -> None:
    recorder = Recorder(ok({"items": []}), CUT)
    client = recorder.client()
    client.tokens.list().page()
    with pytest.raises(Unavailable):
        client.tokens.create("laptop")
    assert len(recorder.requests) == 2


def test_a_proxy_that_finds_no_server_behind_it_is_waited_for() -> None:
    recorder = Recorder(ok(PROJECT), httpx2.Response(502, text="<html>bad gateway"), ok(PROJECT))
    client = recorder.client()
    client.projects.get("tides")
    assert client.projects.get("tides").name == "tides"


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (401, Unauthenticated),
        (403, Forbidden),
        (404, NotFound),
        (409, Conflict),
        (412, Stale),
        (413, TooLarge),
        (422, Invalid),
    ],
)
def test_refusals_become_the_same_errors_the_server_raised(status: int, kind: type[TidemillError]) -> None:
    recorder = Recorder(refusal(status, "some_code", field="name", hint="do this", details=[{"a": 1}]))
    with pytest.raises(kind) as caught:
        recorder.client().projects.get("tides")
    error = caught.value
    assert (error.code, error.field, error.hint, error.request_id) == ("some_code", "name", "do this", "req-1")
    assert str(error) == "said some_code"
    assert error.details == [{"a": 1}]


def test_too_many_attempts_say_when_to_come_back_and_are_not_repeated() -> None:
    recorder = Recorder(refusal(429, "too_many_attempts", headers={"Retry-After": "17"}))
    with pytest.raises(TooMany) as caught:
        recorder.client().sign_in("ann", "wrong")
    assert caught.value.params["retry_after_s"] == 17
    assert len(recorder.requests) == 1


def test_an_answer_that_is_not_ours_is_said_to_be_so() -> None:
    recorder = Recorder(httpx2.Response(404, text="<html>nginx"))
    with pytest.raises(NotFound) as caught:
        recorder.client().projects.get("tides")
    assert caught.value.code == "sdk_unknown_answer"
    assert "404" in str(caught.value)


def test_the_terminals_language_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LC_ALL", "zh_CN.UTF-8")
    recorder = Recorder(REFUSED)
    with pytest.raises(Unavailable) as caught:
        recorder.client().projects.get("tides")
    assert recorder.requests[0].headers["Accept-Language"] == "zh-CN"
    assert "无法连接" in str(caught.value)


@pytest.mark.parametrize("url", ["ftp://x", "nowhere", "http://", "http://[::1"])
def test_an_address_that_is_none_is_refused(url: str) -> None:
    from tidemill.sdk import Client

    with pytest.raises(Unavailable) as caught:
        Client(url)
    assert caught.value.code == "sdk_url_invalid"


def test_lists_are_read_a_page_at_a_time_and_no_further_than_needed() -> None:
    first = ok({"items": [{"name": "a"}, {"name": "b"}], "next": "c1", "total": 3})
    second = ok({"items": [{"name": "c"}], "next": None, "total": 3})
    recorder = Recorder(first, second)
    listing = iter(recorder.client().projects.list(q="x"))
    assert [next(listing).name, next(listing).name] == ["a", "b"]
    assert len(recorder.requests) == 1
    assert [project.name for project in listing] == ["c"]
    assert recorder.requests[1].url.params["cursor"] == "c1"
    assert recorder.requests[1].url.params["q"] == "x"


def test_patience_doubles_its_waits_and_keeps_to_its_total() -> None:
    waits = list(Patience(total_s=10, first_s=0.1, longest_s=2).waits())
    assert sum(waits) <= 10
    assert waits[0] <= 0.1
    assert max(waits) <= 2
