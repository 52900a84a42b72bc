"""Packages in the browser: made, built, looked into, stopped."""

import re
from typing import Any

from playwright.sync_api import expect

from tests.browser.conftest import Rest, serious_violations
from tests.browser.small_service import APP, make_package


def test_a_package_is_made_built_and_looked_into(visit: Any, rest: Rest, project: str) -> None:
    rest.version(project, "algorithms", "finder", {"app.py": APP})
    visitor = visit()
    visitor.sign_in(rest.user(f"u-{project}", project))
    page = visitor.go(f"/p/{project}/packages")
    expect(page.get_by_role("heading", name="No packages yet")).to_be_visible()

    page.get_by_role("button", name="New package").first.click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Name").fill("boats")
    dialog.get_by_label("Application scene").click()
    page.get_by_title("Object detection").click()
    dialog.get_by_role("button", name="Create and choose its content").click()

    expect(page.get_by_role("heading", name="New version of boats")).to_be_visible()
    page.get_by_role("button", name="Build").click()
    expect(page.get_by_text("Choose at least one model, or inference code.")).to_be_visible()
    page.get_by_label("Inference code").click()
    page.get_by_title("finder", exact=True).click()
    page.get_by_label("Command", exact=False).first.fill("python app.py")
    summary = page.get_by_role("complementary", name="What will happen")
    expect(summary).to_contain_text("Your command will be started and asked over HTTP.")
    expect(summary).to_contain_text("tidemill package build boats --algorithm finder --command 'python app.py'")
    page.get_by_role("button", name="Build").click()

    expect(page).to_have_url(re.compile(r"/packages/boats/versions/1\?tab=log$"))
    expect(page.get_by_text("Completed", exact=True).first).to_be_visible(timeout=40_000)
    expect(page.get_by_role("log")).to_contain_text("boats@1 is built")
    page.get_by_role("tab", name="Files").click()
    expect(page.get_by_text("package.json", exact=True)).to_be_visible()
    page.get_by_role("tab", name="Overview").click()
    expect(page.get_by_text("Your HTTP application")).to_be_visible()
    with page.expect_download() as download:
        page.get_by_role("button", name="Export").click()
    assert download.value.suggested_filename.startswith("boats")


def test_a_version_is_begun_from_another_ones_recipe_and_says_that_it_is_the_same(
    visit: Any, rest: Rest, project: str
) -> None:
    make_package(rest, project)
    visitor = visit()
    visitor.sign_in(rest.user(f"u-{project}", project))
    page = visitor.go(f"/p/{project}/packages/finder/new?from=1")
    summary = page.get_by_role("complementary", name="What will happen")
    expect(summary).to_contain_text("finder@1 has the same content already")
    page.get_by_text("Port, variables, shell commands").click()
    page.get_by_role("textbox", name="Value", exact=True).fill("ship")
    expect(summary).to_contain_text("the same content always has the same")
    expect(summary).to_contain_text("--env LABEL=ship")


def test_a_viewer_can_look_and_is_told_why_not_more(visit: Any, rest: Rest, project: str) -> None:
    make_package(rest, project)
    visitor = visit(language="zh-CN")
    visitor.sign_in(rest.user(f"v-{project}", project, "viewer"))
    page = visitor.go(f"/p/{project}/packages")
    expect(page.get_by_role("link", name="finder")).to_be_visible()
    expect(page.get_by_role("button", name="新建模型包")).to_have_count(0)
    page.get_by_role("link", name="finder").click()
    deploy = page.get_by_role("button", name="部署", exact=True)
    expect(deploy).to_be_disabled()
    deploy.hover(force=True)
    expect(page.get_by_text("您在该项目中的角色不允许此操作。")).to_be_visible()


def test_the_owner_is_led_to_the_switch_for_pickle_files_and_back(visit: Any, rest: Rest, project: str) -> None:
    rest.version(project, "models", "pickled", {"model.pkl": b"\x80\x04."})
    rest.call("post", f"/projects/{project}/packages", {"name": "boats", "scene": "other"})
    visitor = visit()
    visitor.sign_in(rest.user(f"o-{project}", project, "owner"))
    page = visitor.go(f"/p/{project}/models/pickled")
    page.get_by_role("button", name="Deploy").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="Deploy").click()
    expect(dialog.get_by_text("has a pickle file (model.pkl)")).to_be_visible()
    dialog.get_by_role("link", name="Go to the settings").click()

    expect(page).to_have_url(re.compile(rf"/p/{project}\?tab=settings$"))
    switch = page.get_by_role("switch", name="Serve models in pickle files")
    expect(switch).not_to_be_checked()
    switch.click()
    warning = page.get_by_role("dialog")
    expect(warning).to_contain_text("runs whatever code is in the pickle files")
    warning.get_by_role("button", name="Cancel").click()
    expect(switch).not_to_be_checked()
    switch.click()
    warning.get_by_role("button", name="Serve pickle files").click()
    expect(switch).to_be_checked()
    assert rest.call("get", f"/projects/{project}/package-settings")["allow_pickles"] is True
    assert serious_violations(page) == []

    visitor.go(f"/p/{project}/packages/boats/new?model=pickled@1")
    summary = page.get_by_role("complementary", name="What will happen")
    expect(summary).to_contain_text("The built-in model server will answer for these models.")


def test_others_are_told_whom_to_ask_about_pickle_files(visit: Any, rest: Rest, project: str) -> None:
    rest.version(project, "models", "pickled", {"model.pkl": b"\x80\x04."})
    rest.call("post", f"/projects/{project}/packages", {"name": "boats", "scene": "other"})
    visitor = visit()
    visitor.sign_in(rest.user(f"m-{project}", project))
    page = visitor.go(f"/p/{project}/packages/boats/new?model=pickled@1")
    expect(page.get_by_text("Who looks after the project may allow pickle files")).to_be_visible()
    expect(page.get_by_role("link", name="Go to the settings")).to_have_count(0)
