"""Nothing is lost: reload, no network, a dead server, a new sign-in, two people on one item."""

from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.annotating import Hand, Version, make_version, picture
from tests.browser.conftest import USER_PASSWORD, Rest
from tests.live import ADMIN_PASSWORD


@pytest.fixture
def version(rest: Rest, project: str) -> Version:
    files = {f"{n}.png": picture(n) for n in (1, 2, 3)}
    return make_version(rest, project, "detection", files)


@pytest.fixture
def ann(rest: Rest, project: str) -> str:
    return rest.user(f"ann-{project}", project, "annotator", kind="annotator")


def hand_of(visitor: Any, name: str, version: Version) -> Hand:
    visitor.sign_in(name)
    return Hand(visitor).open(visitor, version)


def kind(page: Page, wanted: str) -> None:
    expect(page.locator(f"[data-testid=save-state][data-kind={wanted}]")).to_be_visible()


def block_saving(page: Page) -> Any:
    """The server does not answer any more; what it returns lets it answer again."""

    def refuse(route: Route) -> None:
        route.abort("connectionrefused")

    page.context.route("**/items/*/annotations", refuse)
    return lambda: page.context.unroute("**/items/*/annotations", refuse)


def forgive(visitor: Any) -> None:
    """Chromium reports each request that did not get through; that is what these tests are about."""
    visitor.troubles[:] = [one for one in visitor.troubles if "ERR_" not in one]


def test_a_reload_right_after_drawing_loses_nothing(visit: Any, version: Version, ann: str) -> None:
    visitor = visit()
    hand = hand_of(visitor, ann, version)
    hand.drag((100, 100), (200, 200))
    hand.page.reload()
    hand.wait()
    expect(hand.page.get_by_role("button", name="Delete boat")).to_have_count(1)
    hand.saved()
    assert len(version.annotations()) == 1
    assert version.item()["annotator"] == ann
    forgive(visitor)


def test_offline_changes_wait_are_counted_and_go_when_the_network_is_back(
    visit: Any, version: Version, ann: str
) -> None:
    visitor = visit()
    hand = hand_of(visitor, ann, version)
    hand.page.wait_for_load_state("networkidle")
    visitor.context.set_offline(True)
    hand.drag((100, 100), (200, 200))
    hand.page.keyboard.press("ArrowRight")
    hand.drag((120, 120), (260, 220))
    kind(hand.page, "offline")
    expect(hand.page.get_by_test_id("save-state")).to_contain_text("2")
    visitor.context.set_offline(False)
    hand.saved()
    assert [len(version.annotations(n)) for n in (1, 2)] == [1, 1]
    forgive(visitor)


def test_changes_outlive_the_page_and_are_sent_at_the_next_visit(visit: Any, version: Version, ann: str) -> None:
    visitor = visit()
    hand = hand_of(visitor, ann, version)
    answer_again = block_saving(hand.page)
    hand.drag((100, 100), (200, 200))
    kind(hand.page, "offline")
    hand.page.goto("about:blank")
    assert version.annotations() == []
    answer_again()
    hand.open(visitor, version, 3)
    hand.saved()
    assert len(version.annotations(1)) == 1
    forgive(visitor)


def test_an_answer_that_was_lost_stores_nothing_twice(visit: Any, version: Version, ann: str) -> None:
    visitor = visit()
    hand = hand_of(visitor, ann, version)
    dropped: list[Any] = []

    def store_and_drop(route: Route) -> None:
        if dropped:
            route.continue_()
            return
        dropped.append(route.fetch())
        route.abort("connectionreset")

    hand.page.context.route("**/items/*/annotations", store_and_drop)
    hand.drag((100, 100), (200, 200))
    hand.saved()
    history = version.rest.call("get", f"{version.path}/items/1/history")["items"]
    assert len(dropped) == 1
    assert len(history) == 1
    forgive(visitor)


def test_a_session_that_ended_asks_again_and_then_saves(visit: Any, version: Version, ann: str) -> None:
    visitor = visit()
    hand = hand_of(visitor, ann, version)
    visitor.context.clear_cookies()
    hand.drag((100, 100), (200, 200))
    dialog = hand.page.get_by_role("dialog")
    dialog.get_by_label("Password").fill(USER_PASSWORD)
    dialog.get_by_role("button", name="Sign in", exact=True).click()
    hand.saved()
    assert len(version.annotations()) == 1


def test_two_people_on_one_item_are_merged(visit: Any, version: Version, ann: str) -> None:
    visitor = visit()
    hand = hand_of(visitor, ann, version)
    other = {"id": "theirs", "type": "box", "label": version.labels[1], "x": 400, "y": 50, "w": 60, "h": 60}
    version.save(1, [other])
    hand.drag((100, 100), (200, 200))
    hand.saved()
    assert len(version.annotations()) == 2
    expect(hand.page.get_by_role("button", name="Delete buoy")).to_have_count(1)


@pytest.mark.parametrize("choice", ["Keep yours", "Keep theirs", "Keep both"])
def test_both_changed_the_same_box_and_one_chooses(visit: Any, version: Version, ann: str, choice: str) -> None:
    box = {"id": "shared", "type": "box", "label": version.labels[0], "x": 100, "y": 100, "w": 100, "h": 100}
    version.save(1, [box])
    visitor = visit()
    hand = hand_of(visitor, ann, version)
    version.save(1, [{**box, "x": 300}])
    hand.tool("Choose and edit")
    hand.drag((150, 150), (150, 250))
    kind(hand.page, "choose")
    dialog = hand.page.get_by_role("dialog")
    expect(dialog).to_contain_text("admin")
    hand.page.reload()
    hand.wait()
    expect(hand.page.get_by_role("dialog")).to_be_visible()
    assert [one["x"] for one in version.annotations()] == [300], "nothing is overwritten before the choice"
    hand.page.get_by_role("dialog").get_by_text(choice, exact=True).click()
    hand.page.get_by_role("dialog").get_by_role("button", name="Save").click()
    hand.saved()
    wanted = {"Keep yours": [(100, 200)], "Keep theirs": [(300, 100)], "Keep both": [(300, 100), (100, 200)]}[choice]
    assert [(round(one["x"]), round(one["y"])) for one in version.annotations()] == wanted


def test_states_tabs_grid_and_shortcuts(visit: Any, version: Version) -> None:
    visitor = visit()
    visitor.sign_in("admin", ADMIN_PASSWORD)
    hand = Hand(visitor).open(visitor, version)
    page = hand.page
    page.keyboard.press("x")
    expect(page.get_by_role("spinbutton", name="Go to item number")).to_have_value("2")
    page.keyboard.press("w")
    hand.saved()
    assert [version.item(n)["state"] for n in (1, 2, 3)] == ["aside", "rework", "unlabelled"]
    page.get_by_label("Which items").get_by_text("Set aside").click()
    expect(page.get_by_role("list", name="Items").get_by_role("button")).to_have_count(1)
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_contain_text("Shortcuts")
    page.get_by_role("button", name="Change the key of “Box”").click()
    page.keyboard.press("n")
    page.get_by_role("dialog").get_by_role("button", name="Close").last.click()
    page.keyboard.press("v")
    page.keyboard.press("n")
    expect(page.get_by_role("toolbar").get_by_role("button", name="Box", exact=True)).to_have_attribute(
        "aria-pressed", "true"
    )
