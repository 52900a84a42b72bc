"""The web application's files as a browser asks for them."""

from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from tidemill.kernel.settings import Settings
from tidemill.server import site
from tidemill.server.app import create_app

BROWSER = {"Accept": "text/html,*/*"}


@pytest.fixture
def built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small build, with a secret beside it."""
    folder = tmp_path / "web_dist"
    (folder / "assets").mkdir(parents=True)
    (folder / "index.html").write_text("<html>front page</html>")
    (folder / "mark.svg").write_text("<svg/>")
    (folder / "assets" / "app-1a2b.js").write_text("tide();" * 100)
    (tmp_path / "secret.txt").write_text("secret")
    monkeypatch.setattr(site, "WEB_FILES", folder)
    return folder


@pytest.fixture(scope="module")
def http(tmp_path_factory: pytest.TempPathFactory) -> TestClient:
    settings = Settings(home=tmp_path_factory.mktemp("home"), background=False)
    return TestClient(create_app(settings), base_url="http://tide.example:8700", raise_server_exceptions=False)


@pytest.mark.usefixtures("built")
@pytest.mark.parametrize("path", ["/", "/p/tides/models", "/p/tides/models/yolo.v2", "/admin/users?q=a"])
def test_every_page_of_the_application_is_its_front_page(http: TestClient, path: str) -> None:
    answer = http.get(path, headers=BROWSER)
    assert answer.status_code == 200
    assert "front page" in answer.text
    assert answer.headers["Cache-Control"] == "no-cache"


@pytest.mark.usefixtures("built")
def test_files_named_by_their_content_are_kept_for_ever_and_sent_compressed(http: TestClient) -> None:
    answer = http.get("/assets/app-1a2b.js", headers={"Accept-Encoding": "gzip"})
    assert "immutable" in answer.headers["Cache-Control"]
    assert answer.headers["Content-Encoding"] == "gzip"
    assert int(answer.headers["Content-Length"]) < 100
    assert answer.text == "tide();" * 100
    plain = http.get("/assets/app-1a2b.js", headers={"Accept-Encoding": "identity"})
    assert "Content-Encoding" not in plain.headers
    assert plain.text == answer.text


@pytest.mark.usefixtures("built")
def test_what_the_browser_has_is_not_sent_again(http: TestClient) -> None:
    tag = http.get("/").headers["ETag"]
    answer = http.get("/", headers={"If-None-Match": tag})
    assert answer.status_code == 304
    assert answer.content == b""


def test_a_new_build_is_served_at_once(http: TestClient, built: Path) -> None:
    before = http.get("/")
    (built / "index.html").write_text("<html>new front page</html>")
    assert "new front page" in http.get("/", headers={"If-None-Match": before.headers["ETag"]}).text


@pytest.mark.usefixtures("built")
@pytest.mark.parametrize(
    "path",
    [
        "/../secret.txt",
        "/%2e%2e/secret.txt",
        "/assets/..%2f..%2fsecret.txt",
        "/%00.js",
        f"/{'a' * 5000}.js",
        "/gone.js",
    ],
)
def test_nothing_outside_the_build_is_served(http: TestClient, path: str) -> None:
    answer = http.get(path, headers={"Accept": "*/*"})
    assert answer.status_code == 404
    assert "secret" not in answer.text


@pytest.mark.usefixtures("built")
@pytest.mark.parametrize("path", ["/api/v1/nothing", "/api/nothing"])
def test_addresses_of_the_api_are_never_answered_with_a_page(http: TestClient, path: str) -> None:
    answer = http.get(path, headers=BROWSER)
    assert answer.status_code == 404
    assert answer.json()["error"]["code"] == "not_found"


@pytest.mark.usefixtures("built")
def test_pages_run_their_own_scripts_only_and_frame_the_apps_origin_only(http: TestClient) -> None:
    policy = http.get("/").headers["Content-Security-Policy"]
    assert "script-src 'self';" in policy
    assert "frame-ancestors 'none'" in policy
    assert policy.endswith("frame-src blob: http://tide.example:8701")


@pytest.mark.usefixtures("built")
def test_a_hostile_host_name_does_not_get_into_the_policy(http: TestClient) -> None:
    policy = http.get("/", headers={"Host": "x;script-src *"}).headers["Content-Security-Policy"]
    assert "*" not in policy


def test_without_a_build_the_page_says_how_to_make_one_and_the_api_works(
    http: TestClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(site, "WEB_FILES", tmp_path / "nowhere")
    answer = http.get("/", headers={"Accept-Language": "zh-CN"})
    assert answer.status_code == 503
    assert "make web" in answer.text
    assert "网页尚未构建" in answer.text
    assert http.get("/api/v1/meta").status_code == 200
