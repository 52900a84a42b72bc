"""Projects, users and the recycle bin in the browser, and finding one's way."""

import re
from typing import Any

from playwright.sync_api import expect

from tests.browser.conftest import ADMIN_PASSWORD, Rest


def test_an_administrator_makes_a_project(visit: Any, rest: Rest, project: str) -> None:
    visitor = visit(still=False)
    visitor.sign_in("admin", ADMIN_PASSWORD)
    page = visitor.go("/admin/projects")
    page.get_by_role("link", name="New project").or_(page.get_by_role("button", name="New project")).first.click()
    expect(page).to_have_url(re.compile("/admin/projects/new"))
    page.get_by_role("textbox", name="Name", exact=True).fill(f"new {project}")
    page.get_by_label("Description").fill("Made in the browser")
    page.get_by_role("main").get_by_role("button", name="New project").click()
    expect(page.get_by_role("heading", name=f"new {project}")).to_be_visible()
    assert rest.call("get", f"/projects/new {project}")["description"] == "Made in the browser"


def test_an_administrator_makes_a_user_and_sees_a_broken_rule_at_the_field(visit: Any, project: str) -> None:
    visitor = visit()
    visitor.sign_in("admin", ADMIN_PASSWORD)
    page = visitor.go("/admin/users")
    page.get_by_role("button", name="New user").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("User name").fill("bad/name")
    dialog.get_by_label("First password").fill("long-enough-password")
    dialog.get_by_role("button", name="Create user").click()
    expect(dialog.get_by_text(re.compile("These characters are not allowed"))).to_be_visible()
    dialog.get_by_label("User name").fill("admin")
    dialog.get_by_role("button", name="Create user").click()
    expect(dialog.get_by_text(re.compile("already in use"))).to_be_visible()
    dialog.get_by_label("User name").fill(f"user-{project}")
    dialog.get_by_role("button", name="Create user").click()
    expect(dialog).to_be_hidden()
    page.get_by_placeholder(re.compile("Search")).first.fill(f"user-{project}")
    expect(page.get_by_role("link", name=f"user-{project}")).to_be_visible()
    expect(page).to_have_url(re.compile(f"q=user-{project}"))


def test_what_was_deleted_comes_back_from_the_bin(visit: Any, rest: Rest, project: str) -> None:
    rest.version(project, "models", "keeper", {"weights.bin": b"12345"})
    visitor = visit()
    visitor.sign_in(rest.user(f"bin-{project}", project))
    page = visitor.go(f"/p/{project}/models/keeper")
    page.get_by_role("button", name="More").click()
    page.get_by_role("menuitem", name="Delete version").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(page.get_by_text(re.compile("recycle bin")).first).to_be_visible()
    page = visitor.go(f"/p/{project}/bin")
    expect(page.get_by_text("keeper@1")).to_be_visible()
    page.get_by_role("button", name="Actions of keeper@1").click()
    page.get_by_role("menuitem", name="Restore").click()
    expect(page.get_by_role("row", name=re.compile("keeper@1"))).to_be_hidden()
    assert rest.call("get", f"/projects/{project}/models/keeper/versions/1")["files"] == 1


def test_ctrl_k_finds_things_by_name(visit: Any, rest: Rest, project: str) -> None:
    rest.version(project, "models", f"needle-{project}", {"a.txt": b"a"})
    visitor = visit()
    visitor.sign_in(rest.user(f"seek-{project}", project))
    page = visitor.go(f"/p/{project}/algorithms")
    expect(page.get_by_role("heading", name="Algorithms", exact=True)).to_be_visible()
    page.keyboard.press("Control+k")
    page.get_by_role("dialog").get_by_role("combobox").or_(
        page.get_by_role("dialog").get_by_role("textbox")
    ).first.fill(f"needle-{project}")
    expect(page.get_by_role("dialog").get_by_text(f"needle-{project}").first).to_be_visible()
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(f"/p/{project}/models/needle-{project}"))


def test_an_unknown_address_says_so(visit: Any, rest: Rest, project: str) -> None:
    visitor = visit()
    visitor.sign_in(rest.user(f"lost-{project}", project))
    page = visitor.go(f"/p/{project}/nowhere")
    expect(page.get_by_role("heading", name=re.compile("not found|nothing here", re.I))).to_be_visible()
