"""Online services in the browser: deployed, tried, given a canary that is promoted, and a key."""

import re
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest
from playwright.sync_api import Page, expect

from tests.browser.annotating import picture
from tests.browser.conftest import Rest
from tests.browser.small_service import end_services, make_package

STARTED_MS = 40_000


@pytest.fixture
def served(rest: Rest, project: str) -> Iterator[str]:
    """A project with a package of two versions; its services end with the test."""
    make_package(rest, project, labels=("boat", "ship"))
    yield project
    end_services(rest, project)


def test_a_package_is_deployed_tried_and_followed_by_a_canary_that_is_promoted(
    visit: Any, rest: Rest, served: str
) -> None:
    visitor = visit()
    visitor.sign_in(rest.user(f"u-{served}", served))
    page = visitor.go(f"/p/{served}/services")
    expect(page.get_by_role("heading", name="No online services yet")).to_be_visible()

    visitor.go(f"/p/{served}/packages/finder/versions/1")
    page.get_by_role("button", name="Deploy").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_label("Name of the service")).to_have_value("finder")
    dialog.get_by_role("button", name="Deploy").click()
    expect(page).to_have_url(re.compile(r"/services/finder$"))
    expect(page.locator("h1").get_by_text("Serving")).to_be_visible(timeout=STARTED_MS)
    expect(page.get_by_text("1 of 1 ready").first).to_be_visible()

    _try_it(page, "boat")
    _begin_canary(page)
    _promote(page)
    _try_it(page, "ship")

    page.get_by_role("tab", name="Metrics").click()
    expect(page.get_by_role("figure").first).to_be_visible()
    page.get_by_role("tab", name="Replicas").click()
    expect(page.get_by_role("button", name=re.compile("^Log of finder-")).first).to_be_visible()
    page.get_by_role("button", name=re.compile("^Log of finder-")).first.click()
    expect(page.get_by_text("listening")).to_be_visible()


def test_a_key_is_shown_once_and_opens_the_service(visit: Any, rest: Rest, served: str) -> None:
    made = rest.call("post", f"/projects/{served}/services", {"name": "boats", "package": "finder@1"})
    visitor = visit()
    visitor.sign_in(rest.user(f"u-{served}", served))
    page = visitor.go(f"/p/{served}/services/boats?tab=keys")
    page.get_by_role("button", name="New key").first.click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Name").fill("harbour office")
    dialog.get_by_label("Rate limit").fill("50")
    dialog.get_by_role("button", name="New key").click()
    shown = page.get_by_role("dialog", name="The key harbour office")
    key = re.search(r"tms_[\w-]+", shown.inner_text())
    assert key is not None
    shown.get_by_role("button", name="I have copied it").click()
    expect(page.get_by_text("50/s")).to_be_visible()
    assert key[0] not in page.content()
    expect(page.locator("h1").get_by_text("Serving")).to_be_visible(timeout=STARTED_MS)

    def ask(**headers: str) -> int:
        return httpx2.get(f"{made['url']}/v2/health/ready", headers=headers, trust_env=False).status_code

    assert ask() == 401
    assert ask(Authorization=f"Bearer {key[0]}") == 200
    page.get_by_role("button", name="Actions of harbour office").click()
    page.get_by_role("menuitem", name="Delete").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(page.get_by_role("heading", name="No keys yet")).to_be_visible()


def test_rules_and_settings_are_kept(visit: Any, rest: Rest, served: str) -> None:
    rest.call("post", f"/projects/{served}/services", {"name": "boats", "package": "finder@1", "replicas": 0})
    visitor = visit()
    visitor.sign_in(rest.user(f"u-{served}", served))
    page = visitor.go(f"/p/{served}/services/boats?tab=rules")
    page.get_by_role("button", name="Add an alert").click()
    page.get_by_label("Above").first.fill("12.5")
    page.get_by_label("Roll back by itself").click()
    page.get_by_label("p99 above").fill("250")
    page.get_by_role("button", name="Save the rules").click()
    expect(page.get_by_text("Saved")).to_be_visible()
    kept = rest.call("get", f"/projects/{served}/services/boats")
    assert (kept["alerts"][0]["metric"], kept["alerts"][0]["above"]) == ("error_rate", 0.125)
    assert (kept["rollback"]["p99_ms"], kept["rollback"]["error_rate"]) == (250, 0.05)
    page.get_by_role("tab", name="Settings").click()
    page.get_by_label("Open").check()
    # The rules' "Saved" may still be there: the answer itself is waited for.
    with page.expect_response(lambda answer: answer.request.method == "PATCH" and answer.ok):
        page.get_by_role("button", name="Save").click()
    assert rest.call("get", f"/projects/{served}/services/boats")["access"] == "open"


def test_secrets_are_given_kept_and_taken_away_and_never_shown(visit: Any, rest: Rest, served: str) -> None:
    visitor = visit()
    visitor.sign_in(rest.user(f"u-{served}", served))
    page = visitor.go(f"/p/{served}/services/new?package=finder@1")
    page.get_by_text("Limits, origins, variables, secrets").click()
    page.get_by_role("button", name="Add a secret").click()
    page.get_by_role("button", name="Deploy").click()
    expect(page.get_by_text("Enter a value.")).to_be_visible()
    _fill_secret(page, 0, "LABEL", "gull")
    page.get_by_role("button", name="Add a secret").click()
    _fill_secret(page, 1, "PIN", "1234")
    page.get_by_label("Time limit of a request").fill("30")
    summary = page.get_by_role("complementary", name="What will happen")
    expect(summary).to_contain_text("--secret LABEL --secret PIN --timeout 30")
    expect(summary).not_to_contain_text("1234")
    page.get_by_role("button", name="Deploy").click()
    production = page.get_by_role("region", name="Production")
    expect(production).to_contain_text("LABEL=••• PIN=•••")
    expect(page.locator("h1").get_by_text("Serving")).to_be_visible(timeout=STARTED_MS)
    _try_it(page, "gull")

    production.get_by_role("button", name="Update").click()
    dialog = page.get_by_role("dialog")
    kept = dialog.get_by_role("textbox", name="Value")
    expect(kept).to_have_count(2)
    expect(kept.first).to_have_attribute("placeholder", "Unchanged")
    kept.first.fill("tern")
    dialog.get_by_role("button", name="Remove this row").last.click()
    dialog.get_by_role("button", name="Roll out").click()
    expect(dialog).to_be_hidden()
    expect(production).to_contain_text("LABEL=•••")
    expect(production).not_to_contain_text("PIN")
    expect(page.locator("h1").get_by_text("Serving")).to_be_visible(timeout=STARTED_MS)
    _try_it(page, "tern")

    visitor.go(f"/p/{served}/services")
    row = page.get_by_role("row").filter(has_text="finder")
    expect(row).to_contain_text(re.compile(r"0\.0\d+/s"), timeout=STARTED_MS)


def _fill_secret(page: Page, row: int, name: str, value: str) -> None:
    page.get_by_role("textbox", name="Name", exact=True).nth(row + 1).fill(name)
    page.get_by_role("textbox", name="Value", exact=True).nth(row).fill(value)


def _try_it(page: Page, label: str) -> None:
    page.get_by_role("tab", name="Test").click()
    page.locator("input[type=file]").set_input_files(
        {"name": "boat.png", "mimeType": "image/png", "buffer": picture(1)}
    )
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_role("list", name="What it found")).to_contain_text(f"{label}93%")
    expect(page.get_by_role("img", name="The picture that was sent")).to_be_visible()
    page.get_by_text("Raw response", exact=True).click()
    expect(page.get_by_role("group", name="Raw response")).to_contain_text('"annotations"')
    page.get_by_role("tab", name="Overview").click()


def _begin_canary(page: Page) -> None:
    page.get_by_role("button", name="Start a canary").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("radio", name="Package").check(force=True)
    dialog.get_by_role("combobox", name="Package").click()
    page.get_by_title("finder", exact=True).click()
    dialog.get_by_role("button", name="Start a canary").click()
    canary = page.get_by_role("region", name="Canary")
    expect(canary).to_contain_text("finder@2")
    expect(canary).to_contain_text("1 of 1 ready", timeout=STARTED_MS)
    expect(canary).to_contain_text("10%")
    share = canary.get_by_label("Share of traffic in percent")
    share.fill("0")
    share.press("Enter")
    expect(page.get_by_role("region", name="Production")).to_contain_text("100%")


def _promote(page: Page) -> None:
    page.get_by_role("region", name="Canary").get_by_role("button", name="Promote").click()
    page.get_by_role("dialog").get_by_role("button", name="Promote").click()
    expect(page.get_by_role("region", name="Production")).to_contain_text("finder@2")
    expect(page.get_by_role("region", name="Canary")).to_contain_text("finder@1")
