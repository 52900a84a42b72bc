"""Signing in, the first password, a session that ends while somebody types, and the language."""

import re
from typing import Any

from playwright.sync_api import TimeoutError as PlaywrightTimeout
from playwright.sync_api import expect

from tests.browser.conftest import USER_PASSWORD, Rest, serious_violations


def test_a_wrong_password_is_said_and_the_right_one_lets_in(visit: Any, rest: Rest, project: str) -> None:
    rest.user(f"anna-{project}", project)
    visitor = visit()
    page = visitor.go(f"/p/{project}/members")
    expect(page).to_have_url(re.compile("/sign-in"))
    page.get_by_label("User name").fill(f"anna-{project}")
    page.get_by_label("Password", exact=True).fill("not the password")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("alert")).to_be_visible()
    assert serious_violations(page) == []
    page.get_by_label("Password", exact=True).fill(USER_PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    expect(page).to_have_url(re.compile(f"/p/{project}/members"))
    expect(page.get_by_role("heading", name="Members")).to_be_visible()


def test_a_given_password_must_be_changed_first(visit: Any, rest: Rest, project: str) -> None:
    name = rest.user(f"new-{project}", project, must_change_password=True)
    visitor = visit()
    page = visitor.go("/")
    page.get_by_label("User name").fill(name)
    page.get_by_label("Password", exact=True).fill(USER_PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", name="Choose your own password")).to_be_visible()
    page.get_by_label("Current password").fill(USER_PASSWORD)
    page.get_by_label("New password", exact=True).fill("short")
    page.get_by_role("button", name="Save and go on").click()
    expect(page.get_by_text(re.compile("8"))).not_to_have_count(0)
    page.get_by_label("New password", exact=True).fill("a-much-longer-one")
    page.get_by_label(re.compile("repeat|again", re.I)).fill("a-much-longer-one")
    page.get_by_role("button", name="Save and go on").click()
    expect(page.get_by_role("navigation").first).to_be_visible()
    visitor.sign_in(name, "a-much-longer-one")


def test_what_was_typed_survives_the_end_of_the_session(visit: Any, rest: Rest, project: str) -> None:
    name = rest.user(f"typing-{project}", project, role="owner")
    visitor = visit()
    visitor.sign_in(name)
    page = visitor.go(f"/p/{project}?tab=settings")
    box = page.get_by_role("textbox", name="Description")
    box.fill("Words that took long to find")
    rest.call("delete", f"/users/{name}/sessions")
    save = page.get_by_role("button", name=re.compile("^Save"))
    # The page may have noticed by itself before; then saving is for afterwards.
    is_asked_before = False
    try:
        save.click(timeout=3000)
    except PlaywrightTimeout:
        is_asked_before = True
    dialog = page.get_by_role("dialog", name="Your session has ended")
    dialog.get_by_label("Password", exact=True).fill(USER_PASSWORD)
    dialog.get_by_role("button", name="Sign in", exact=True).click()
    expect(dialog).to_be_hidden()
    expect(box).to_have_value("Words that took long to find")
    if is_asked_before:
        save.click()
    for _ in range(100):
        if rest.call("get", f"/projects/{project}")["description"] == "Words that took long to find":
            break
        page.wait_for_timeout(100)
    assert rest.call("get", f"/projects/{project}")["description"] == "Words that took long to find"


def test_the_browser_s_language_comes_first_and_can_be_changed(visit: Any, rest: Rest, project: str) -> None:
    name = rest.user(f"zh-{project}", project)
    visitor = visit(language="zh-CN")
    page = visitor.go("/sign-in")
    expect(page.get_by_role("button", name="登录")).to_be_visible()
    visitor.sign_in(name)
    page = visitor.go(f"/p/{project}/members")
    expect(page.get_by_role("heading", name="成员")).to_be_visible()
    page.get_by_role("button", name="语言").click()
    page.get_by_role("menuitem", name="English").click()
    expect(page.get_by_role("heading", name="Members")).to_be_visible()
    page.reload()
    expect(page.get_by_role("heading", name="Members")).to_be_visible()
