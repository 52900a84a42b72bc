"""A training task from the empty page to a resumed run: made, started, watched live, stopped, gone on with."""

import re
from typing import Any

from playwright.sync_api import Page, expect

from tests.browser.conftest import Rest

# Counts, keeps a checkpoint at each step, and goes on from the newest when it is resumed. It writes only as fast as a
# page can be looked at, and ends by itself should nobody stop it.
TRAIN = b"""\
import json, os, pathlib, time

resumed = os.environ.get("TIDEMILL_RESUME_FROM")
first = int((pathlib.Path(resumed) / "step.txt").read_text()) + 1 if resumed else 0
print("\\x1b[32mbegins\\x1b[0m at step", first, flush=True)
for step in range(first, first + 600):
    print(json.dumps({"step": step, "loss": 1 / (step + 1)}), flush=True)
    folder = pathlib.Path(os.environ["TIDEMILL_CHECKPOINTS"]) / f"step-{step}"
    folder.mkdir(parents=True)
    (folder / "step.txt").write_text(str(step))
    time.sleep(0.2)
"""
RUNS_LONG_MS = 60_000


def test_a_task_is_made_started_watched_stopped_and_resumed(visit: Any, rest: Rest, project: str) -> None:
    rest.version(project, "algorithms", "tide-net", {"train.py": TRAIN})
    visitor = visit()
    visitor.sign_in(rest.user(f"train-{project}", project))
    page = visitor.go(f"/p/{project}/training")

    page.get_by_role("link", name="New training task").first.click()
    page.get_by_role("button", name="Create", exact=True).click()
    expect(page.get_by_text("Enter a command.")).to_be_visible()
    page.get_by_label("Name", exact=True).fill("forecast")
    _choose(page, "Algorithm", "tide-net")
    page.get_by_label("Command", exact=True).last.fill("python train.py")
    page.get_by_label("Save model as").fill("tide")
    page.get_by_role("button", name="Create", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("forecast")

    page.get_by_role("button", name="Start", exact=True).click()
    expect(page).to_have_url(re.compile("/runs/forecast-1$"))
    expect(_state(page)).to_have_text("Running", timeout=RUNS_LONG_MS)

    page.get_by_role("tab", name="Logs").click()
    log = page.get_by_role("log")
    expect(log).to_contain_text("begins at step 0")
    expect(log).to_contain_text('"step": 5', timeout=RUNS_LONG_MS)
    page.get_by_role("button", name="Pause").click()
    page.get_by_label("Search the log").fill('"step": 3')
    page.get_by_role("button", name=re.compile('"step": 3')).first.click()
    expect(log).to_contain_text('"step": 3')

    page.get_by_role("tab", name="Metrics").click()
    chart = page.get_by_role("img", name="loss")
    expect(chart.locator("canvas").first).to_be_visible()
    page.get_by_text("Logarithmic").click()
    expect(page).to_have_url(re.compile("log=true"))

    page.get_by_role("tab", name="Resources").click()
    expect(page.get_by_role("img", name="Memory", exact=True).locator("canvas").first).to_be_visible()

    page.get_by_role("button", name="Stop").click()
    page.get_by_role("dialog").get_by_role("button", name="Stop").click()
    expect(_state(page)).to_have_text("Stopped", timeout=RUNS_LONG_MS)
    page.get_by_role("tab", name="Events").click()
    expect(page.get_by_role("tabpanel")).to_contain_text("stopped by a user")

    page.get_by_role("button", name="Resume").click()
    page.get_by_role("dialog").get_by_role("button", name="Resume").click()
    expect(_state(page)).to_have_text("Running", timeout=RUNS_LONG_MS)
    page.get_by_role("tab", name="Logs").click()
    expect(log).to_contain_text(re.compile(r"begins at step [1-9]"))
    page.get_by_role("tab", name="Files").click()
    page.get_by_role("link", name="persistent-model").click()
    expect(page.get_by_role("link", name="checkpoints")).to_be_visible()

    page.get_by_role("button", name="Stop").click()
    page.get_by_role("dialog").get_by_role("button", name="Stop").click()
    page.get_by_role("tab", name="Overview").click()
    expect(page.get_by_role("link", name=re.compile(r"^tide@\d+$"))).to_be_visible(timeout=RUNS_LONG_MS)


def test_runs_are_compared_and_a_failure_says_why_where_it_is_listed(visit: Any, rest: Rest, project: str) -> None:
    points = " ".join(f'\'{{"step": {step}, "loss": {1 / step}}}\'' for step in (1, 2))
    tell = f"printf '%s\\n' {points}; echo no such column; exit $TIDEMILL_PARAM_CODE"
    rest.call("post", f"/projects/{project}/tasks", {"name": "probe", "command": tell, "parameters": {"code": 3}})
    rest.call("post", f"/projects/{project}/tasks/probe/start", {})
    rest.call("post", f"/projects/{project}/tasks/probe/start", {"parameters": {"code": 0}})
    visitor = visit()
    visitor.sign_in(rest.user(f"look-{project}", project, role="viewer"))
    page = visitor.go(f"/p/{project}/training/tasks/probe")
    expect(page.get_by_text("exit code 3")).to_be_visible(timeout=RUNS_LONG_MS)
    expect(page.locator("tr", has_text="probe-2").get_by_text("Completed")).to_be_visible(timeout=RUNS_LONG_MS)

    page.get_by_label("Select probe-1").check()
    expect(page.get_by_role("button", name="Compare")).to_be_disabled()
    page.get_by_label("Select probe-2").check()
    page.get_by_role("button", name="Compare").click()
    expect(page.locator("tr", has_text="code parameter")).to_contain_text("03")
    expect(page.get_by_role("img", name="loss").locator("canvas").first).to_be_visible()

    page.get_by_role("link", name="probe-1").first.click()
    expect(page.get_by_text("no such column", exact=True)).to_be_visible()
    expect(page.get_by_role("button", name="Resume")).to_be_disabled()


def test_a_start_with_changes_is_tried_again_and_each_attempt_keeps_its_log(
    visit: Any, rest: Rest, project: str
) -> None:
    tell = 'echo "at $(date +%s%N) with code $TIDEMILL_PARAM_CODE"; exit $TIDEMILL_PARAM_CODE'
    task = {"name": "shaky", "command": tell, "parameters": {"code": 0}, "retries": 1}
    rest.call("post", f"/projects/{project}/tasks", task)
    visitor = visit()
    visitor.sign_in(rest.user(f"shaky-{project}", project))
    page = visitor.go(f"/p/{project}/training/tasks/shaky")
    page.get_by_role("button", name="Start with changes").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("code").fill("4")
    dialog.get_by_role("button", name="Start", exact=True).click()
    expect(page).to_have_url(re.compile("/runs/shaky-1$"))
    expect(_state(page)).to_have_text("Failed", timeout=RUNS_LONG_MS)

    page.get_by_role("tab", name="Logs").click()
    log = page.get_by_role("log")
    newest = page.get_by_label("Attempt")
    expect(log).to_contain_text("with code 4")
    written = log.inner_text()
    newest.click()
    page.locator(".ant-select-item-option", has_text=re.compile("^Attempt 1$")).click()
    expect(log).to_contain_text("with code 4")
    expect(log).not_to_have_text(written)
    with page.expect_download() as download:
        page.get_by_role("link", name="Download").click()
    assert b"with code 4" in download.value.path().read_bytes()
    assert rest.call("get", f"/projects/{project}/tasks/shaky")["parameters"] == {"code": 0}, "the task stays as it was"


def _choose(page: Page, label: str, option: str) -> None:
    page.get_by_role("combobox", name=re.compile(f"^{label}")).click()
    page.locator(".ant-select-item-option", has_text=option).first.click()


def _state(page: Page) -> Any:
    return page.get_by_role("heading", level=1).locator("[data-tone]")
