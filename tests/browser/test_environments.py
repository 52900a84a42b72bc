"""Dev environments as people use them: made in a form, worked in by terminal and JupyterLab, stopped, deleted."""

import re
import secrets
import time
from typing import Any

from playwright.sync_api import Page, WebSocketRoute, expect

from tests.browser.conftest import Rest, Visitor, serious_violations
from tests.live import LiveServer

START_LIMIT_S = 60
BUILD_LIMIT_S = 420


def test_an_environment_is_made_used_in_the_web_terminal_and_stopped(visit: Any, rest: Rest, project: str) -> None:
    rest.version(project, "algorithms", "code", {"train.py": b"print('from the algorithm')\n"})
    visitor = _member(visit, rest, project)
    page = visitor.go(f"/p/{project}/environments")
    page.get_by_role("button", name="New dev environment").first.click()
    page.get_by_label("Name").fill("trial")
    _choose(page, "Image", "tidemill/python")
    page.get_by_role("button", name="Add an algorithm").click()
    _choose(page, "Algorithms", "code")
    page.get_by_role("button", name="Create and start").click()

    password = page.get_by_role("dialog", name="SSH password of trial")
    expect(password).to_contain_text("not shown again")
    password.get_by_role("button", name="I have kept it").click()
    expect(page).to_have_url(re.compile("/environments/trial$"))
    expect(_header(page)).to_contain_text("Running", timeout=START_LIMIT_S * 1000)
    assert serious_violations(page) == []

    page.get_by_role("tab", name="Terminal").click()
    screen = page.locator(".xterm")
    _type(page, "cat algorithm/code/train.py; echo $((6 * 7000))")
    expect(screen).to_contain_text("from the algorithm")
    expect(screen).to_contain_text("42000")
    _type(page, "exit")
    expect(page.get_by_text("The shell has ended")).to_be_visible()
    page.get_by_role("button", name="New shell").click()
    _type(page, "echo again-$((1 + 1))")
    expect(screen).to_contain_text("again-2")

    page.get_by_role("button", name="More").click()
    page.get_by_role("menuitem", name="Stop").click()
    page.get_by_role("dialog").get_by_role("button", name="Stop").click()
    expect(_header(page)).to_contain_text("Stopped", timeout=30_000)
    expect(page.get_by_role("button", name="Start", exact=True)).to_be_enabled()


def test_a_terminal_comes_back_with_a_new_shell_after_its_line_broke(visit: Any, rest: Rest, project: str) -> None:
    workload = _started(rest, project, "steady")["workload"]["id"]
    visitor = _member(visit, rest, project)
    lines: list[WebSocketRoute] = []

    def carry(line: WebSocketRoute) -> None:
        lines.append(line)
        line.connect_to_server()

    visitor.page.route_web_socket(re.compile("/terminal"), carry)
    page = visitor.go(f"/p/{project}/workloads/{workload}/terminal")
    _type(page, "echo before-$((1 + 1))")
    expect(page.locator(".xterm")).to_contain_text("before-2")
    lines[0].close(code=1011)
    expect(page.get_by_text("Connection lost")).to_be_visible()
    expect(page.locator(".xterm")).to_contain_text("this is a new shell")
    _type(page, "echo after-$((1 + 2))")
    expect(page.locator(".xterm")).to_contain_text("after-3")


def test_an_environment_is_only_deleted_by_typing_its_name(visit: Any, rest: Rest, project: str) -> None:
    rest.call("post", f"/projects/{project}/environments", {"name": "old one", "image": "tidemill/python"})
    visitor = _member(visit, rest, project)
    page = visitor.go(f"/p/{project}/environments")
    page.get_by_role("button", name="Actions of old one").click()
    page.get_by_role("menuitem", name="Delete").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("button", name="Delete")).to_be_disabled()
    dialog.get_by_role("textbox").fill("old one")
    dialog.get_by_role("button", name="Delete").click()
    expect(page.get_by_text("No dev environments yet")).to_be_visible()


def test_what_the_server_refuses_is_said_at_its_field(visit: Any, rest: Rest, project: str) -> None:
    rest.call("post", f"/projects/{project}/environments", {"name": "taken", "image": "tidemill/python"})
    visitor = _member(visit, rest, project)
    page = visitor.go(f"/p/{project}/environments/new")
    page.get_by_label("Name").fill("Taken")
    page.get_by_role("button", name="Create and start").click()
    expect(page.locator(".ant-form-item-explain-error")).to_have_count(1)
    expect(page.get_by_label("Name")).to_be_focused()


def test_an_ssh_key_is_added_and_removed(visit: Any, rest: Rest, project: str) -> None:
    visitor = _member(visit, rest, project)
    page = visitor.go("/account?tab=ssh-keys")
    page.get_by_role("button", name="Add a key").first.click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Name").fill("laptop")
    dialog.get_by_label("Public key").fill("-----BEGIN OPENSSH PRIVATE KEY-----")
    dialog.get_by_role("button", name="Add a key").click()
    expect(dialog.get_by_text("This is a private key.")).to_be_visible()
    key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl lin@laptop"
    dialog.get_by_label("Public key").fill(key)
    dialog.get_by_role("button", name="Add a key").click()
    expect(page.get_by_text("SHA256:")).to_be_visible()
    page.get_by_role("button", name="Actions of laptop").click()
    page.get_by_role("menuitem", name="Remove").click()
    page.get_by_role("dialog").get_by_role("button", name="Remove").click()
    expect(page.get_by_text("No SSH keys yet")).to_be_visible()


def test_jupyterlab_opens_in_a_window_of_its_own_and_runs_a_cell(
    visit: Any, rest: Rest, project: str, server: LiveServer, jupyter_packages: None
) -> None:
    _started(rest, project, "book", image="tidemill/jupyter", limit_s=BUILD_LIMIT_S)
    visitor = _member(visit, rest, project)
    page = visitor.go(f"/p/{project}/environments/book")
    with visitor.context.expect_page() as opened:
        page.get_by_role("button", name="Open JupyterLab").click()
    lab = opened.value
    lab.locator(".jp-Launcher").wait_for(timeout=90_000)
    assert lab.url.startswith(f"http://127.0.0.1:{server.port + 1}/"), "apps have an origin of their own"
    assert lab.evaluate("window.opener") is None
    lab.get_by_text("Python 3").first.click()
    # A cell that is run before its kernel listens is not run at all.
    expect(lab.get_by_role("button", name=re.compile(r"\| Idle"))).to_be_visible(timeout=60_000)
    cell = lab.locator(".jp-Notebook .jp-CodeCell .cm-content").first
    cell.click()
    lab.keyboard.type("print(6 * 7000)")
    expect(cell).to_contain_text("6 * 7000")
    lab.keyboard.press("Shift+Enter")
    expect(lab.locator(".jp-OutputArea-output").filter(has_text="42000").first).to_be_visible(timeout=60_000)


def _member(visit: Any, rest: Rest, project: str) -> Visitor:
    visitor: Visitor = visit()
    visitor.sign_in(rest.user(f"dev-{secrets.token_hex(4)}", project))
    return visitor


def _header(page: Page) -> Any:
    return page.get_by_role("heading", level=1)


def _choose(page: Page, label: str, name: str) -> None:
    """Types into a select and takes what it offers."""
    field = page.get_by_label(re.compile(f"^{label}")).first
    field.click()
    field.fill(name)
    page.locator(".ant-select-item-option").filter(has_text=name).first.click()


def _type(page: Page, line: str) -> None:
    expect(page.get_by_text("Connected", exact=True)).to_be_visible(timeout=30_000)
    page.locator(".xterm").click()
    page.keyboard.type(line)
    page.keyboard.press("Enter")


def _started(
    rest: Rest, project: str, name: str, *, image: str = "tidemill/python", limit_s: int = START_LIMIT_S
) -> dict[str, Any]:
    """A running environment."""
    made = rest.call("post", f"/projects/{project}/environments", {"name": name, "image": image, "start": True})
    deadline = time.monotonic() + limit_s
    while made["state"] in {"pending", "starting"} and time.monotonic() < deadline:
        time.sleep(0.2)
        made = rest.call("get", f"/projects/{project}/environments/{name}")
    assert made["state"] == "running", made["workload"]
    return dict(made)
