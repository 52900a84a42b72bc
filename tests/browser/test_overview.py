"""The overview: what there is, what runs, what of the machines is taken; read again as often as one likes."""

import re
from typing import Any

from playwright.sync_api import expect

from tests.browser.conftest import ADMIN_PASSWORD, Rest


def test_the_overview_of_a_project_follows_what_runs(visit: Any, rest: Rest, project: str) -> None:
    rest.version(project, "algorithms", "net", {"a.py": b"1\n"})
    task = rest.call("post", f"/projects/{project}/tasks", {"name": "hold", "command": "sleep 600"})
    visitor = visit()
    visitor.sign_in(rest.user(f"see-{project}", project))
    page = visitor.go(f"/p/{project}")
    expect(page.get_by_role("link", name="Algorithms 1")).to_be_visible()
    expect(page.get_by_role("progressbar", name=re.compile("^CPUs: 0 of "))).to_be_visible()
    expect(page.get_by_role("img", name="CPUs", exact=True).locator("canvas").first).to_be_visible()

    _choose_refresh(page, "Every 5 sec")
    run = rest.call("post", f"/projects/{project}/tasks/{task['id']}/start", {})
    expect(page.get_by_role("link", name="Running 1")).to_be_visible(timeout=60_000)
    expect(page.get_by_role("progressbar", name=re.compile("^CPUs: [1-9].* of "))).to_be_visible()
    page.get_by_role("link", name="Running 1").click()
    expect(page).to_have_url(re.compile("/workloads.state=running"))
    page.get_by_role("link", name="hold-1").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("hold-1")

    rest.call("post", f"/projects/{project}/runs/{run['id']}/stop")
    expect(page.get_by_role("heading", level=1)).to_contain_text("Stopped", timeout=60_000)
    page.go_back()
    page.go_back()
    expect(page.get_by_role("combobox", name="Refresh")).to_be_visible()
    expect(page.get_by_text("Every 5 sec")).to_be_visible()


def test_administrators_see_the_platform_and_make_specs(visit: Any, rest: Rest, project: str) -> None:
    visitor = visit()
    visitor.sign_in("admin", ADMIN_PASSWORD)
    page = visitor.go("/admin/overview")
    expect(page.get_by_text(re.compile(r"Tidemill \d+\.\d+"))).to_be_visible()
    expect(page.get_by_role("progressbar", name=re.compile("^Memory: "))).to_be_visible()

    page.goto(visitor.url + "/admin/specs")
    page.get_by_role("button", name="New spec").click()
    form = page.get_by_role("dialog")
    form.get_by_label("Name").fill(project)
    form.get_by_label("Accelerator").fill("no-such-card")
    form.get_by_role("button", name="Create").click()
    expect(form.get_by_text(re.compile("belong together"))).to_be_visible()
    form.get_by_label("Count").fill("1")
    form.get_by_role("button", name="Create").click()
    row = page.locator("tr", has_text=project)
    expect(row.get_by_text("Fits no machine")).to_be_visible()

    row.get_by_role("button", name=f"Actions of {project}").click()
    page.get_by_role("menuitem", name="Disable").click()
    expect(row.get_by_text("Disabled")).to_be_visible()
    row.get_by_role("button", name=f"Actions of {project}").click()
    page.get_by_role("menuitem", name="Delete").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(row).to_have_count(0)


def _choose_refresh(page: Any, option: str) -> None:
    page.get_by_label("Refresh", exact=True).click()
    page.locator(".ant-select-item-option", has_text=option).first.click()
