"""Netron itself, in a real browser, draws the models of every format we promise, and speaks to nobody but us."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from tests.assets import model_files
from tests.browser.conftest import CHROMIUM, FLAGS
from tests.live import ADMIN_PASSWORD, LiveServer, live_server

pytestmark = [pytest.mark.browser, pytest.mark.skipif(not CHROMIUM.exists(), reason="no Chromium on this machine")]

MADE = {"tiny.onnx": model_files.onnx, "tiny.safetensors": model_files.safetensors, "tiny.keras": model_files.keras}
REAL = {
    "selfie.tflite": "models/segment-selfie/selfie_segmentation.tflite",
    "silero_vad.jit": "models/speech-silero-vad/silero_vad.jit",
    "yunet.onnx": "models/face-yunet/face_detection_yunet_120x160.onnx",
}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveServer]:
    with live_server(tmp_path_factory.mktemp("netron") / "home") as running:
        yield running


@pytest.fixture(scope="module")
def http(server: LiveServer) -> Iterator[httpx2.Client]:
    with httpx2.Client(base_url=f"{server.url}/api/v1", headers={"X-Tidemill": "1"}, timeout=30) as client:
        client.post("/session", json={"user": "admin", "password": ADMIN_PASSWORD}).raise_for_status()
        client.post("/projects/public/models", json={"name": "m", "scene": "other"}).raise_for_status()
        client.post("/projects/public/models/m/versions", json={}).raise_for_status()
        yield client


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=FLAGS)
        yield browser
        browser.close()


def viewer_url(http: httpx2.Client, name: str, content: bytes) -> str:
    at = "/projects/public/models/m/versions/1"
    http.put(f"{at}/files/{name}", content=content).raise_for_status()
    answer = http.post(f"{at}/viewer", json={"path": name})
    answer.raise_for_status()
    url: str = answer.json()["url"]
    return url


def watched(browser: Browser, strangers: list[str], troubles: list[str]) -> Page:
    page = browser.new_page()

    def note(request: Any) -> None:
        if not request.url.startswith(("http://127.0.0.1:", "data:", "blob:")):
            strangers.append(request.url)

    page.on("request", note)
    page.on("pageerror", lambda error: troubles.append(str(error)))
    page.on("console", lambda said: troubles.append(said.text) if said.type == "error" and _is_viewers(said) else None)
    return page


def _is_viewers(said: Any) -> bool:
    """The page around the frame has no icon; that is not what is tried here."""
    return not said.location["url"].endswith("/favicon.ico")


def check_drawn(browser: Browser, server: LiveServer, url: str) -> int:
    """Shows the address in a frame of the web application's origin; how many nodes are drawn."""
    strangers: list[str] = []
    troubles: list[str] = []
    page = watched(browser, strangers, troubles)
    page.goto(f"{server.url}/healthz")
    page.evaluate(
        """url => {
            const frame = document.createElement('iframe');
            frame.src = url; frame.width = 1200; frame.height = 700;
            document.body.append(frame);
        }""",
        url,
    )
    frame = page.frame_locator("iframe")
    frame.locator("#canvas .node").first.wait_for(timeout=30_000)
    nodes = frame.locator("#canvas .node").count()
    page.close()
    assert strangers == []
    assert troubles == []
    return nodes


@pytest.mark.parametrize("name", MADE)
def test_a_small_model_is_drawn(chromium: Browser, server: LiveServer, http: httpx2.Client, name: str) -> None:
    assert check_drawn(chromium, server, viewer_url(http, name, MADE[name]())) >= 2 - (name == "tiny.safetensors")


@pytest.mark.parametrize("name", REAL)
def test_a_real_model_is_drawn(
    chromium: Browser, server: LiveServer, http: httpx2.Client, real_data: Path, name: str
) -> None:
    content = (real_data / REAL[name]).read_bytes()
    assert check_drawn(chromium, server, viewer_url(http, name, content)) >= 5


def test_another_site_cannot_frame_the_viewer(chromium: Browser, server: LiveServer, http: httpx2.Client) -> None:
    url = viewer_url(http, "tiny.onnx", model_files.onnx())
    page = chromium.new_page()
    page.goto("about:blank")
    page.set_content(f'<iframe src="{url}"></iframe>')
    with pytest.raises(Exception, match="Timeout"):
        page.frame_locator("iframe").locator("#canvas .node").first.wait_for(timeout=3000)
    page.close()


def test_a_ticket_whose_time_is_over_shows_an_error_and_no_model(chromium: Browser, server: LiveServer) -> None:
    page = chromium.new_page()
    page.goto(f"http://127.0.0.1:{server.port + 1}/netron/?url=/t/a.b/x.onnx&identifier=x.onnx")
    page.get_by_text("404").first.wait_for(timeout=15_000)
    page.close()
