"""The catalogue: listed, installed from a folder or what was sent, checked by SHA-256."""

import hashlib
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from fastapi import FastAPI

from tests.conftest import Api
from tests.datasets.conftest import code_of, run_jobs
from tests.models.colours import network
from tidemill.kernel.errors import Unavailable
from tidemill.models.catalogue import entries, fetching, installing
from tidemill.models.catalogue import routes as catalogue_routes
from tidemill.models.catalogue.entries import Entry, File, all_entries

AT = "/projects/public/catalogue"


def entry(**more: object) -> Entry:
    content = network()
    file = File("colours.onnx", hashlib.sha256(content).hexdigest(), len(content), ("https://127.0.0.1/colours.onnx",))
    words = {"en": "Colours", "zh-CN": "颜色"}
    values = {
        "name": "colours", "version": 1, "title": words, "description": words, "task": "image-classification",
        "licence": "Apache-2.0", "licence_url": "", "origin": "tests", "adapter": "mobilenet",
        "labels": ["red", "green", "blue"], "trains": ("image-classification",), "files": (file,),
    }  # fmt: skip
    return Entry(**{**values, **more})  # type: ignore[arg-type]


@pytest.fixture
def shelf(app: FastAPI, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A catalogue of one model, and a folder for it."""
    one = entry()
    for module in (installing, catalogue_routes):
        monkeypatch.setattr(module, "find_entry", lambda name: one if name == one.name else None)
    monkeypatch.setattr(catalogue_routes, "all_entries", lambda: (one,))
    folder = tmp_path / "shelf"
    folder.mkdir()
    app.state.settings.catalogue_folder = folder
    return folder


def test_a_model_is_installed_from_the_folder_once(app: FastAPI, api: Api, shelf: Path) -> None:
    (shelf / "deep").mkdir()
    (shelf / "deep" / "colours.onnx").write_bytes(network())
    (listed,) = api.admin.ok("get", AT)["items"]
    assert (listed["state"], listed["available"]) == ("not_installed", "folder")
    job = api.admin.ok("post", f"{AT}/colours/install")["job"]
    assert api.admin.ok("post", f"{AT}/colours/install")["job"] == job, "one under way is found"
    assert api.admin.ok("get", AT)["items"][0]["state"] == "installing"
    run_jobs(app)
    (listed,) = api.admin.ok("get", AT)["items"]
    assert (listed["state"], listed["model"]) == ("installed", "colours@1")
    facts = api.admin.ok("get", "/projects/public/models/colours/versions/1/facts")
    assert (facts["adapter"], facts["can_annotate"]) == ("mobilenet", True)
    api.admin.ok("post", f"{AT}/colours/install")
    run_jobs(app)
    assert api.admin.ok("get", AT)["items"][0]["model"] == "colours@1", "the same again is no new version"


def test_a_file_of_another_content_is_not_taken(app: FastAPI, api: Api, shelf: Path) -> None:
    (shelf / "colours.onnx").write_bytes(b"x" * len(network()))
    job = api.admin.ok("post", f"{AT}/colours/install")["job"]
    run_jobs(app)
    found = api.admin.ok("get", f"/projects/public/jobs/{job}")
    assert found["state"] == "failed"
    assert found["error"]["code"] == "address_private", "and a private address is not asked instead"


def test_members_look_and_administrators_install(app: FastAPI, api: Api, shelf: Path) -> None:
    api.project("tides")
    ada = api.user("ada", project="tides")
    assert code_of(ada.post(f"{AT}/colours/install")) == "forbidden_permission"
    assert ada.ok("get", "/projects/tides/catalogue")["items"]
    assert code_of(api.admin.post(f"{AT}/nothing/install")) == "catalogue_unknown"


def test_what_is_downloaded_is_checked(tmp_path: Path) -> None:
    class Shop(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(302 if self.path == "/moved" else 200)
            if self.path == "/moved":
                self.send_header("Location", "/real")
            self.end_headers()
            self.wfile.write(b"abc" if self.path == "/real" else b"abd")

        def log_message(self, *_: object) -> None:
            """Nobody reads it."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Shop) as shop:
        Thread(target=shop.serve_forever, daemon=True).start()
        at = f"http://127.0.0.1:{shop.server_port}"
        wanted = File("a.bin", hashlib.sha256(b"abc").hexdigest(), 3, (f"{at}/wrong", f"{at}/moved"))
        found = fetching.download(wanted, tmp_path / "a", ["127.0.0.1"], lambda _: None)
        assert Path(found.path).read_bytes() == b"abc"
        only_wrong = File("a.bin", wanted.sha256, 3, (f"{at}/wrong",))
        with pytest.raises(Unavailable, match="catalogue_checksum"):
            fetching.download(only_wrong, tmp_path / "a", ["127.0.0.1"], lambda _: None)
        shop.shutdown()
    with pytest.raises(Unavailable, match="catalogue_no_address"):
        fetching.download(File("b", "0" * 64, 3), tmp_path / "b", [], lambda _: None)


def test_the_catalogue_is_complete() -> None:
    for one in all_entries():
        assert all((one.title["en"], one.title["zh-CN"], one.licence, one.origin)), one.name
        assert all(len(file.sha256) == 64 and file.size_bytes for file in one.files), one.name
        assert one.files or one.package, one.name
        described = entries.model_json(one, "a\nb\n\nremarks")
        assert described["labels"], one.name


def test_the_real_models_are_found_by_their_checksums(real_data: Path) -> None:
    folder = real_data / "models"
    for one in all_entries():
        for file in one.files:
            found = fetching.find_local(folder, file)
            assert found is not None, file.path
            assert hashlib.sha256(found.read_bytes()).hexdigest() == file.sha256
