"""What nodes write and use, over HTTP."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.workloads.conftest import House
from tidemill.workloads.logs import whole_characters
from tidemill.workloads.tables import WorkloadRow

BASE = datetime(2026, 5, 1, tzinfo=UTC)


@pytest.fixture
def written(house: House) -> str:
    """A running workload that wrote a few lines, a minute apart."""
    workload = house.submit()
    row = house.until(workload, "running")
    assert row.attempt_id
    for minute, line in enumerate(["low tide", "HIGH tide", "no water", "涨潮 tide"]):
        house.engine.write(row.attempt_id, f"{line}\n".encode(), BASE + timedelta(minutes=minute))
    return workload


def get(house: House, workload: str, rest: str, **params: Any) -> Any:
    return house.api.admin.ok("get", f"/projects/tides/workloads/{workload}/{rest}", params=params)


def test_pages_of_a_log_follow_each_other(house: House, written: str) -> None:
    first = get(house, written, "logs", limit=12)
    second = get(house, written, "logs", offset=first["next_offset"])
    assert first["text"] + second["text"] == "low tide\nHIGH tide\nno water\n涨潮 tide\n"
    assert second["next_offset"] == second["end_offset"]
    assert second["is_over"] is False
    house.end(written)
    assert get(house, written, "logs", offset=second["next_offset"])["is_over"] is True


def test_no_page_shows_half_a_character(house: House, written: str) -> None:
    text, offset = "", 0
    while True:
        page = get(house, written, "logs", offset=offset, limit=4)
        if not page["text"]:
            break
        assert "\ufffd" not in page["text"]
        text, offset = text + page["text"], page["next_offset"]
    assert text.endswith("涨潮 tide\n")
    assert get(house, written, "logs", offset=-8)["text"].endswith("tide\n")


@pytest.mark.parametrize("text", ["a", "涨", "é", "🌊", "ab🌊"])
def test_a_character_is_kept_for_the_next_page_until_it_is_whole(text: str) -> None:
    data = f"x{text}".encode()
    for cut in range(2, len(data) + 1):
        kept, back = whole_characters(data[:cut], is_last=False)
        assert len(kept) + back == cut
        kept.decode()


def test_lines_are_found_by_text_and_time(house: House, written: str) -> None:
    found = get(house, written, "logs/search", q="TIDE")
    assert [line["text"] for line in found["items"]] == ["low tide", "HIGH tide", "涨潮 tide"]
    assert found["items"][1]["offset"] == len("low tide\n")
    since, until = (BASE + timedelta(minutes=1)).isoformat(), (BASE + timedelta(minutes=2)).isoformat()
    found = get(house, written, "logs/search", since=since, until=until)
    assert [line["text"] for line in found["items"]] == ["HIGH tide", "no water"]
    page = get(house, written, "logs/search", q="tide", limit=2)
    rest = get(house, written, "logs/search", q="tide", cursor=page["next"])
    assert [line["text"] for line in page["items"] + rest["items"]] == ["low tide", "HIGH tide", "涨潮 tide"]
    assert rest["next"] is None
    wrong = house.api.admin.get(f"/projects/tides/workloads/{written}/logs/search", params={"cursor": "?"})
    assert wrong.json()["error"]["field"] == "cursor"


def test_a_log_is_followed_to_its_end(house: House, written: str) -> None:
    house.end(written)
    house.until(written, "completed")
    answer = house.api.admin.get(f"/projects/tides/workloads/{written}/logs/stream", params={"offset": 9})
    assert answer.headers["content-type"].startswith("text/event-stream")
    events = [block.split("\n")[0] for block in answer.text.split("\n\n") if block.startswith("event")]
    assert events[-2:] == ["event: log", "event: end"]
    assert "low tide" not in answer.text
    assert "涨潮 tide" in answer.text


def test_a_log_is_downloaded_whole(house: House, written: str) -> None:
    answer = house.api.admin.get(f"/projects/tides/workloads/{written}/logs/download")
    assert answer.text.startswith("low tide\n")
    assert f'filename="{written}-0.log"' in answer.headers["content-disposition"]


def test_there_is_no_log_before_the_first_attempt_and_none_of_a_node_that_is_not(house: House) -> None:
    workload = house.submit()
    assert get(house, workload, "logs")["text"] == ""
    assert get(house, workload, "logs/search")["items"] == []
    assert get(house, workload, "usage")["points"] == []
    assert house.api.admin.get(f"/projects/tides/workloads/{workload}/logs/download").text == ""
    answer = house.api.admin.get(f"/projects/tides/workloads/{workload}/logs", params={"node": 1})
    assert answer.json()["error"]["field"] == "node"


def test_each_attempt_has_its_own_log(house: House) -> None:
    workload = house.submit(retries=1)
    for attempt in (1, 2):
        row = house.until(workload, "running")
        assert row.attempt_id
        house.engine.write(row.attempt_id, f"attempt {attempt}\n".encode())
        house.end(workload, "exit_code", 1)
    house.until(workload, "failed")
    assert get(house, workload, "logs")["text"] == "attempt 2\n"
    assert get(house, workload, "logs", attempt=1)["text"] == "attempt 1\n"
    answer = house.api.admin.get(f"/projects/tides/workloads/{workload}/logs", params={"attempt": 3})
    assert answer.status_code == 404


def test_usage_comes_with_its_limits(house: House, written: str) -> None:
    usage = get(house, written, "usage")
    assert usage["limits"] == {"cpus": 1, "memory_bytes": 2**30}
    assert usage["points"][0]["cpus"] == 0.5
    assert usage["points"][0]["net_read_bytes_s"] is None, "what is not measured is no zero"


def test_people_can_see_only_the_workloads_they_started(house: House) -> None:
    started = [house.submit("hers"), house.submit("another's")]
    ann = house.api.user("ann", project="tides")
    with house.db.write() as session:
        session.get_one(WorkloadRow, started[0]).created_by_id = house.api.admin.ok("get", "/users/ann")["id"]
    assert ann.ok("get", "/projects/tides/workloads")["total"] == 2
    mine = ann.ok("get", "/projects/tides/workloads", params={"mine": True})
    assert [item["id"] for item in mine["items"]] == started[:1]


def test_the_list_is_filtered_searched_and_paged(house: House) -> None:
    names = [f"run-{n}" for n in range(5)]
    ids = [house.submit(name, kind="train" if n % 2 else "dev") for n, name in enumerate(names)]
    house.stop(ids[0])
    listed = house.api.admin.ok("get", "/projects/tides/workloads")
    assert [item["name"] for item in listed["items"]] == names[::-1]
    listed = house.api.admin.ok("get", "/projects/tides/workloads", params={"kind": "train"})
    assert {item["name"] for item in listed["items"]} == {"run-1", "run-3"}
    listed = house.api.admin.ok("get", "/projects/tides/workloads", params={"state": ["stopped", "failed"]})
    assert [item["name"] for item in listed["items"]] == ["run-0"]
    other = house.submit("run-9", owner_id="another")
    listed = house.api.admin.ok("get", "/projects/tides/workloads", params={"owner": "another"})
    assert [item["id"] for item in listed["items"]] == [other]
    house.stop(other)
    listed = house.api.admin.ok("get", "/projects/tides/workloads", params={"q": "RUN-4"})
    assert [item["name"] for item in listed["items"]] == ["run-4"]
    page = house.api.admin.ok("get", "/projects/tides/workloads", params={"limit": 2, "sort": "name"})
    names.append("run-9")
    rest = house.api.admin.ok(
        "get", "/projects/tides/workloads", params={"limit": 9, "sort": "name", "cursor": page["next"]}
    )
    assert [item["name"] for item in page["items"] + rest["items"]] == names
