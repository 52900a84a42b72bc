"""The life of a service in the browser: stopped, started, restarted, updated, compared with another, watched."""

import re
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import NARROW, Rest, serious_violations
from tests.browser.small_service import end_services, make_package

CHANGED_MS = 40_000


@pytest.fixture
def served(rest: Rest, project: str) -> Iterator[str]:
    """A project with a package of two versions; its services end with the test."""
    make_package(rest, project, labels=("boat", "ship"))
    yield project
    end_services(rest, project)


def test_a_service_is_stopped_started_restarted_and_updated(visit: Any, rest: Rest, served: str) -> None:
    rest.call("post", f"/projects/{served}/services", {"name": "boats", "package": "finder@1"})
    visitor = visit()
    visitor.sign_in(rest.user(f"u-{served}", served))
    page: Page = visitor.go(f"/p/{served}/services/boats")
    _is(page, "Serving")
    _confirm(page, page.get_by_role("button", name="Stop"), "Stop")
    _is(page, "Stopped")
    expect(page.get_by_role("button", name="Update")).to_be_disabled()
    page.get_by_role("button", name="Start", exact=True).click()
    _is(page, "Serving")

    production = page.get_by_role("region", name="Production")
    first = rest.call("get", f"/projects/{served}/services/boats")["production"]["replicas"]
    _confirm(page, production.get_by_role("button", name="Restart"), "Restart")
    _replaced(rest, page, served, first)

    production.get_by_role("button", name="Update").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="Add a variable").click()
    dialog.get_by_role("textbox", name="Name", exact=True).fill("LABEL")
    dialog.get_by_role("textbox", name="Value", exact=True).fill("raft")
    dialog.get_by_role("button", name="Roll out").click()
    expect(production).to_contain_text("deployment 2")
    expect(production).to_contain_text("LABEL=raft")
    _is(page, "Serving")
    answer = rest.call("post", f"/projects/{served}/services/boats/test/predict", content=b"")
    assert '"raft"' in answer["text"]


def test_a_comparison_with_the_canary_is_told_and_stays_when_it_has_ended(visit: Any, rest: Rest, served: str) -> None:
    made = rest.call("post", f"/projects/{served}/services", {"name": "boats", "package": "finder@1", "access": "open"})
    rest.call("put", f"/projects/{served}/services/boats/canary", {"package": "finder@2", "share": 0})
    visitor = visit(size=NARROW, dark=True)
    visitor.sign_in(rest.user(f"u-{served}", served))
    page: Page = visitor.go(f"/p/{served}/services/boats?tab=shadow")
    _is(page, "Serving")
    page.get_by_role("button", name="Start", exact=True).click()
    expect(page.get_by_text("100% of the requests are shown to the canary.")).to_be_visible()
    examples = page.get_by_role("group", name="The newest differences")
    for _ in range(3):
        _ask(made["url"], 4)
        page.wait_for_timeout(1500)
    expect(examples.get_by_text("POST /predict").first).to_be_visible(timeout=CHANGED_MS)
    assert serious_violations(page) == []
    page.get_by_role("button", name="Stop", exact=True).last.click()
    expect(page.get_by_role("button", name="Start", exact=True)).to_be_visible()
    expect(examples.get_by_text("POST /predict").first).to_be_visible()


def test_an_alert_fires_and_closes(visit: Any, rest: Rest, served: str) -> None:
    body = {"name": "boats", "package": "finder@1", "access": "open", "environment": {"FAIL": "1"}}
    made = rest.call("post", f"/projects/{served}/services", body)
    visitor = visit()
    visitor.sign_in(rest.user(f"u-{served}", served))
    page: Page = visitor.go(f"/p/{served}/services/boats?tab=rules")
    page.get_by_role("button", name="Add an alert").click()
    page.get_by_label("Above").first.fill("1")
    page.get_by_role("button", name="Save the rules").click()
    expect(page.get_by_text("Saved")).to_be_visible()
    _is(page, "Serving")
    _ask(made["url"], 20)
    expect(page.get_by_text("1 alert", exact=True)).to_be_visible(timeout=CHANGED_MS)
    told = page.get_by_role("alert").filter(has_text=re.compile("of the requests failed"))
    expect(told).to_be_visible()
    expect(page.get_by_role("row").filter(has_text="Open")).to_contain_text("of the requests failed")

    page.get_by_role("button", name=re.compile("Remove|Delete")).first.click()
    page.get_by_role("button", name="Save the rules").click()
    expect(told).to_be_hidden(timeout=CHANGED_MS)


def _is(page: Page, state: str) -> None:
    expect(page.locator("h1").get_by_text(state, exact=True)).to_be_visible(timeout=CHANGED_MS)


def _confirm(page: Page, button: Locator, word: str) -> None:
    button.click()
    page.get_by_role("dialog").get_by_role("button", name=word).click()
    expect(page.get_by_role("dialog")).to_be_hidden()


def _replaced(rest: Rest, page: Page, project: str, before: list[dict[str, Any]]) -> None:
    """Every replica is another one than before, and all is well again."""
    ids = {one["id"] for one in before}

    def is_new() -> bool:
        track = rest.call("get", f"/projects/{project}/services/boats")["production"]
        return track["state"] == "serving" and not ids & {one["id"] for one in track["replicas"]}

    for _ in range(CHANGED_MS // 200):
        if is_new():
            break
        page.wait_for_timeout(200)
    assert is_new()
    _is(page, "Serving")


def _ask(url: str, times: int) -> None:
    for _ in range(times):
        httpx2.post(f"{url}/predict", content=b"x", trust_env=False, timeout=10)
