"""JupyterLab and TensorBoard themselves, behind the apps origin."""

import asyncio
import json
import uuid
from collections.abc import Iterator
from contextlib import closing
from typing import Any
from urllib.parse import urlsplit

import httpx2
import pytest
import websockets

from tests.devenv.house import House, until
from tests.doors.stage import within

MAKE_LIMIT_S = 600

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def notebook(house: House, jupyter_packages: None) -> str:
    """An environment with JupyterLab."""
    body = {"name": "lab", "image": "tidemill/jupyter", "start": True}
    house.ok("post", house.environments(), json=body)
    house.wait_for("lab", "running", within_s=MAKE_LIMIT_S)
    until(lambda: house.ok("post", house.environments("/lab/open"))["state"] == "open", 60)
    return "lab"


class Browser:
    """A browser with nothing but what it was given an address for."""

    def __init__(self, house: House, app: str = "jupyter", client: httpx2.Client | None = None) -> None:
        self.http = httpx2.Client(timeout=60, trust_env=False, follow_redirects=True)
        opened = house.ok("post", house.environments(f"/lab/open?app={app}"), client=client)
        self.page = self.http.get(opened["url"])
        path = urlsplit(opened["url"]).path
        self.base = f"http://127.0.0.1:{house.server.port + 1}{path}"
        self.cookie = "; ".join(f"{cookie.name}={cookie.value}" for cookie in self.http.cookies.jar)

    def close(self) -> None:
        self.http.close()

    def run_cell(self, code: str) -> str:
        """What a new kernel prints."""
        made = self.http.post(f"{self.base}api/kernels", json={}, headers={"X-XSRFToken": self._xsrf()})
        assert made.status_code == 201, made.text
        kernel = made.json()["id"]
        try:
            printed: str = within(60, lambda: self._run_cell(kernel, code))
            return printed
        finally:
            self.http.delete(f"{self.base}api/kernels/{kernel}", headers={"X-XSRFToken": self._xsrf()})

    async def _run_cell(self, kernel: str, code: str) -> str:
        address = f"{self.base.replace('http', 'ws', 1)}api/kernels/{kernel}/channels"
        origin: Any = self.base.partition("/w/")[0]
        async with websockets.connect(
            address, additional_headers={"Cookie": self.cookie}, origin=origin, proxy=None
        ) as socket:
            await socket.send(json.dumps(execute_request(code)))
            while True:
                message = json.loads(await asyncio.wait_for(socket.recv(), 40))
                if message["msg_type"] == "error":
                    return str(message["content"])
                if message["msg_type"] == "stream":
                    return str(message["content"]["text"])

    def _xsrf(self) -> str:
        return self.http.cookies.get("_xsrf", "")


def execute_request(code: str) -> dict[str, Any]:
    header = {
        "msg_id": uuid.uuid4().hex,
        "msg_type": "execute_request",
        "username": "",
        "session": "s",
        "version": "5.3",
    }
    content = {"code": code, "silent": False, "store_history": False, "user_expressions": {}, "allow_stdin": False}
    return {"header": header, "parent_header": {}, "metadata": {}, "content": content, "channel": "shell"}


@pytest.fixture
def browser(house: House, notebook: str) -> Iterator[Browser]:
    with closing(Browser(house)) as found:
        yield found


def test_jupyterlab_opens_without_anybody_typing_a_token(browser: Browser) -> None:
    assert browser.page.status_code == 200
    assert "<title>JupyterLab</title>" in browser.page.text
    assert "ticket" not in str(browser.page.url)
    assert "token=" not in browser.page.text
    assert browser.http.get(f"{browser.base}api/contents").json()["type"] == "directory"


def test_nobody_is_asked_about_news(house: House, browser: Browser) -> None:
    assert house.ok("get", house.environments("/lab"))["has_jupyter"] is True
    about = browser.http.get(f"{browser.base}lab/api/settings/@jupyterlab/apputils-extension:notification").json()
    chosen = {name: about["schema"]["properties"][name]["default"] for name in ("fetchNews", "checkForUpdates")}
    assert chosen == {"fetchNews": "false", "checkForUpdates": False}


def test_its_page_may_be_framed_by_the_web_application_only(house: House, browser: Browser) -> None:
    policies = browser.page.headers.get_list("content-security-policy")
    assert f"frame-ancestors 'self' {house.server.url}" in policies
    assert sum("frame-ancestors" in policy for policy in policies) == 1


def test_a_kernel_runs_a_cell_over_a_websocket(browser: Browser) -> None:
    assert browser.run_cell("import os; print(6 * 7, os.getcwd())").startswith("42 ")


def test_without_the_cookie_there_is_no_jupyterlab(house: House, browser: Browser) -> None:
    for path in ("", "lab", "api/kernels", "static/favicons/favicon.ico"):
        assert httpx2.get(f"{browser.base}{path}", trust_env=False).status_code == 401


def test_a_stranger_is_told_that_there_is_nothing(house: House, notebook: str) -> None:
    house.ok("post", "/projects", json={"name": "labless"})
    with closing(house.user("stan", project="labless", role="owner")) as stan:
        assert stan.post(house.environments("/lab/open")).status_code == 404


def test_tensorboard_opens_over_the_workspace(house: House, notebook: str) -> None:
    house.ok("post", house.environments("/lab/open?app=tensorboard"))
    until(lambda: house.ok("post", house.environments("/lab/open?app=tensorboard"))["state"] == "open", 90)
    with closing(Browser(house, "tensorboard")) as board:
        assert board.page.status_code == 200
        assert "TensorBoard" in board.page.text
        assert board.http.get(f"{board.base}data/environment").json()["version"]
