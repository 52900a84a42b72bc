"""Experiments in the browser: listed, the table sorted and filtered, curves laid over each other, lines across axes."""

import re
from typing import Any

import httpx2
from playwright.sync_api import Page, expect

from tests.browser.conftest import NARROW, Rest, serious_violations
from tests.live import LiveServer

STEPS = 12


def log_runs(server: LiveServer, rest: Rest, project: str) -> str:
    """Six runs of one experiment, as the MLflow client logs them; the experiment's id."""
    token = rest.call("post", "/me/tokens", {"name": f"log {project}", "project": project})["token"]
    http = httpx2.Client(
        base_url=f"{server.url}/api/2.0/mlflow/", headers={"Authorization": f"Bearer {token}"}, timeout=30
    )

    def post(path: str, **body: Any) -> Any:
        answer = http.post(path, json=body)
        assert answer.status_code == 200, answer.text
        return answer.json()

    with http:
        experiment: str = post("experiments/create", name="learning rates")["experiment_id"]
        for number, lr in enumerate(("0.1", "0.03", "0.01", "0.1", "0.03", "0.01")):
            made = post(
                "runs/create", experiment_id=experiment, run_name=f"sweep-{number}", start_time=1_760_000_000_000
            )
            run = made["run"]["info"]["run_id"]
            curve = [
                {"key": "val/loss", "value": (number + 1) / (step + 1), "timestamp": step, "step": step}
                for step in range(STEPS)
            ]
            words = {"lr": lr, "optimizer": "adam" if number % 2 else "sgd"}
            params = [{"key": key, "value": value} for key, value in words.items()]
            post("runs/log-batch", run_id=run, metrics=curve, params=params)
            post("runs/update", run_id=run, status="FAILED" if number == 5 else "FINISHED", end_time=1_760_000_060_000)
    return experiment


def names(page: Page) -> Any:
    return page.locator("tbody").get_by_role("link", name=re.compile(r"^sweep-\d$"))


def test_runs_are_sorted_filtered_laid_over_each_other_and_drawn_across_axes(
    visit: Any, rest: Rest, server: LiveServer, project: str
) -> None:
    log_runs(server, rest, project)
    visitor = visit()
    visitor.sign_in(rest.user(f"exp-{project}", project, role="viewer"))
    page = visitor.go(f"/p/{project}/experiments")
    expect(page.locator("tr", has_text="learning rates")).to_contain_text("6")
    page.get_by_role("link", name="learning rates").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("learning rates")

    page.get_by_role("columnheader", name="val/loss").click()
    expect(names(page)).to_have_text([f"sweep-{number}" for number in range(6)])
    page.get_by_role("columnheader", name="val/loss").click()
    expect(names(page)).to_have_text([f"sweep-{number}" for number in (5, 4, 3, 2, 1, 0)])
    expect(page).to_have_url(re.compile("sort=-metrics.val"))
    box = page.get_by_placeholder("metrics.acc > 0.9")
    box.fill("params.lr = '0.1' AND metrics.`val/loss` < 1")
    box.press("Enter")
    expect(names(page)).to_have_text(["sweep-3", "sweep-0"])
    box.fill("metrics.oops <")
    box.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("middle of a comparison")
    box.fill("")
    box.press("Enter")
    expect(names(page)).to_have_count(6)

    for name in ("sweep-0", "sweep-5"):
        page.get_by_label(f"Select {name}").check()
    page.get_by_role("button", name="Compare").click()
    expect(page.get_by_role("img", name="val/loss").locator("canvas").first).to_be_visible()
    expect(page.locator("tr", has_text="optimizer")).to_contain_text("sgd")
    assert serious_violations(page) == []

    page.go_back()
    page.get_by_role("tab", name="Parallel coordinates").click()
    lines = page.get_by_role("img", name="Parallel coordinates: lr, optimizer, val/loss")
    expect(lines.locator("canvas").first).to_be_visible()
    assert serious_violations(page) == []

    page.set_viewport_size(NARROW)
    expect(lines).to_be_visible()
    # A narrow window scrolls the drawing, not the page.
    page.wait_for_function("document.documentElement.scrollWidth <= innerWidth")
