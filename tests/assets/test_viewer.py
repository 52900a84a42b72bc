"""The structure viewer: a ticket for one file, on an origin that knows nobody."""

import os
import stat
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from fastapi.testclient import TestClient
from hypothesis import given
from hypothesis import strategies as st

from tests.assets import model_files
from tests.assets.conftest import Shelf, code_of
from tests.conftest import Api, Person
from tidemill.assets.tickets import LIFETIME, TicketOffice, load_key
from tidemill.kernel.clock import utc_now
from tidemill.server.apps import create_apps_app, netron_folder

DIGEST = "a" * 64


@pytest.fixture
def apps(api: Api) -> TestClient:
    return TestClient(create_apps_app(api.app.state.settings, api.app), base_url="http://127.0.0.1:8701")


@pytest.fixture
def drawn(models: Shelf) -> Shelf:
    models.committed("harbour", {"model.onnx": model_files.onnx(), "notes.txt": "x"})
    return models


def open_viewer(shelf: Shelf, path: str = "model.onnx") -> dict[str, Any]:
    opened: dict[str, Any] = shelf.person.ok("post", f"{shelf.at('harbour', 1)}/viewer", json={"path": path})
    return opened


def file_address(url: str) -> str:
    return parse_qs(urlsplit(url).query)["url"][0]


def test_the_address_is_on_the_apps_origin_and_leads_to_the_file(drawn: Shelf, apps: TestClient) -> None:
    opened = open_viewer(drawn)
    parts = urlsplit(opened["url"])
    assert (parts.hostname, parts.port, parts.path) == ("127.0.0.1", 8701, "/netron/")
    assert parse_qs(parts.query)["identifier"] == ["model.onnx"]
    answer = apps.get(file_address(opened["url"]))
    assert (answer.status_code, answer.content) == (200, model_files.onnx())
    assert answer.headers["Content-Type"] == "application/octet-stream"
    part = apps.get(file_address(opened["url"]), headers={"Range": "bytes=0-1"})
    assert (part.status_code, part.content) == (206, model_files.onnx()[:2])


def test_a_set_address_of_the_apps_origin_is_used(drawn: Shelf, api: Api) -> None:
    api.app.state.settings.apps_url = "https://apps.example.org/"
    assert open_viewer(drawn)["url"].startswith("https://apps.example.org/netron/?")


def test_a_ticket_is_for_one_file_and_a_short_while(drawn: Shelf, api: Api, apps: TestClient) -> None:
    address = file_address(open_viewer(drawn)["url"])
    _, _, ticket, name = address.split("/")
    for wrong in (f"/t/{ticket}/other.onnx", f"/t/{ticket[:-2]}AA/{name}", f"/t/x{ticket}/{name}", f"/t/a.b/{name}"):
        assert apps.get(wrong).status_code == 404
    assert apps.get(f"/t/{ticket}/{name}").status_code == 200
    api.app.state.clock = lambda: utc_now() + LIFETIME + timedelta(seconds=1)
    assert apps.get(f"/t/{ticket}/{name}").status_code == 404


def test_only_readers_get_a_ticket_and_only_for_model_files(drawn: Shelf, vic: Person, eve: Person) -> None:
    url = f"{drawn.at('harbour', 1)}/viewer"
    assert vic.post(url, json={"path": "model.onnx"}).status_code == 200
    assert eve.post(url, json={"path": "model.onnx"}).status_code == 404
    assert code_of(vic.post(url, json={"path": "notes.txt"})) == "viewer_unsuitable"
    assert vic.post(url, json={"path": "nothing.onnx"}).status_code == 404
    assert vic.post(url, json={"path": "model.onnx", "viewer": "spoon"}).status_code == 422


def test_the_page_neither_asks_nor_calls_home_nor_grows_old(apps: TestClient) -> None:
    page = apps.get("/netron/")
    assert page.status_code == 200
    assert '<meta name="version" content="0.0.0">' in page.text
    assert f'<meta name="date" content="{utc_now().date().isoformat()}">' in page.text
    assert page.text.index("quiet.js") < page.text.index("index.js")
    assert "consent" in apps.get("/netron/quiet.js").text
    policy = page.headers["Content-Security-Policy"]
    assert "connect-src 'self'" in policy
    assert "script-src 'self'" in policy
    assert "frame-ancestors http://127.0.0.1:8700" in policy
    assert "X-Frame-Options" not in page.headers


@pytest.mark.parametrize(("host", "expected"), [("evil.example; script-src *", "'none'"), ("box:9", "http://box:8700")])
def test_the_frame_policy_follows_the_host_and_cannot_be_broken_out_of(
    apps: TestClient, host: str, expected: str
) -> None:
    policy = apps.get("/netron/", headers={"Host": host}).headers["Content-Security-Policy"]
    assert policy.endswith(f"frame-ancestors {expected}")


def test_the_public_address_may_frame_the_viewer(api: Api, apps: TestClient) -> None:
    api.app.state.settings.public_url = "https://tidemill.example.org/"
    policy = apps.get("/netron/").headers["Content-Security-Policy"]
    assert policy.endswith("frame-ancestors https://tidemill.example.org")


def test_netrons_own_files_are_served_and_nothing_else(apps: TestClient) -> None:
    for name in ("index.js", "view.js", "onnx-metadata.json", "grapher.css", "icon.png"):
        answer = apps.get(f"/netron/{name}")
        assert answer.content == (netron_folder() / name).read_bytes()
    for name in ("server.py", "__init__.py", "..%2f..%2fpyvenv.cfg", "%2e%2e/x", "nothing.js"):
        assert apps.get(f"/netron/{name}").status_code == 404


def test_a_session_means_nothing_on_the_apps_origin(api: Api, ada: Person, apps: TestClient) -> None:
    apps.cookies.update({cookie.name: cookie.value or "" for cookie in ada.http.cookies.jar})
    for path in ("/api/v1/session", "/api/v1/projects", "/"):
        assert apps.get(path).status_code == 404
    assert "set-cookie" not in apps.get("/netron/").headers


def test_the_key_is_made_once_and_is_its_owners_alone(tmp_path: Path) -> None:
    key = load_key(tmp_path)
    assert load_key(tmp_path) == key
    assert len(key) == 32
    assert stat.S_IMODE(os.stat(tmp_path / "keys" / "tickets").st_mode) == 0o600
    assert [file.name for file in (tmp_path / "keys").iterdir()] == ["tickets"]


@given(st.text(max_size=200))
def test_no_text_is_a_ticket_unless_we_wrote_it(text: str) -> None:
    assert TicketOffice(b"k" * 32).find(text, now=utc_now()) is None


@given(st.text(min_size=1, max_size=50), st.integers(0, 10**12))
def test_a_ticket_comes_back_as_it_was_written_and_not_with_another_key(path: str, size: int) -> None:
    now = utc_now()
    text, expires_at = TicketOffice(b"k" * 32).issue(
        version_id="ver_1", path=path, digest=DIGEST, size_bytes=size, now=now
    )
    found = TicketOffice(b"k" * 32).find(text, now=now)
    assert found is not None
    assert (found.path, found.size_bytes, found.digest, found.version_id) == (path, size, DIGEST, "ver_1")
    assert expires_at - now <= LIFETIME
    assert TicketOffice(b"x" * 32).find(text, now=now) is None
