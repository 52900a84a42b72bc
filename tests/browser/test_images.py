"""Images in the browser: a Python environment is built before one's eyes, archives are uploaded, mistakes are told."""

import hashlib
import io
import json
import secrets
import tarfile
from pathlib import Path
from typing import Any

from playwright.sync_api import expect

from tests.browser.conftest import Rest, Visitor, serious_violations

BUILD_LIMIT_MS = 120_000


def test_a_python_image_is_built_with_its_log_in_view_and_deleted(visit: Any, rest: Rest, project: str) -> None:
    visitor = _member(visit, rest, project)
    page = visitor.go(f"/p/{project}/images")
    page.get_by_role("button", name="New Python image").first.click()
    page.get_by_label("Name").fill("team/tiny")
    page.get_by_label("Requirements").fill("six\n--index-url http://elsewhere")
    expect(page.get_by_text("is an option of pip")).to_be_visible()
    page.get_by_role("button", name="Create and build").click()
    expect(page.get_by_text("Correct the lines named below first.")).to_be_visible()
    page.get_by_label("Requirements").fill("# small on purpose\nno-such-package-of-tidemill==1.0")
    page.get_by_role("button", name="Create and build").click()

    # Whether or not there is a package index here, this one cannot be built, and the page says so by itself.
    heading = page.get_by_role("heading", level=1)
    expect(heading).to_contain_text("team/tiny:1.0")
    expect(heading).to_contain_text("Failed", timeout=BUILD_LIMIT_MS)
    expect(page.get_by_role("log")).to_contain_text("no-such-package-of-tidemill", timeout=30_000)
    page.get_by_role("tab", name="Overview").click()
    expect(page.get_by_role("alert")).to_be_visible()
    assert serious_violations(page) == []
    page.get_by_role("button", name="Edit description").click()
    page.get_by_label("Description").fill("For nothing")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("For nothing")).to_be_visible()

    page.get_by_role("button", name="Delete").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(page.get_by_text("No images yet")).to_be_visible()


def test_a_saved_archive_is_uploaded_and_becomes_an_image(visit: Any, rest: Rest, project: str, tmp_path: Path) -> None:
    saved = tmp_path / "tide.tar"
    saved.write_bytes(_archive("from/elsewhere:9"))
    visitor = _member(visit, rest, project)
    page = visitor.go(f"/p/{project}/images")
    page.get_by_role("button", name="Other ways to add an image").first.click()
    page.get_by_role("menuitem", name="Upload a file").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("File", exact=True).first.set_input_files(str(saved))
    dialog.get_by_label("Name").fill("team/tide")
    dialog.get_by_label("Version").fill("9")
    dialog.get_by_role("button", name="Upload", exact=True).click()

    image = page.get_by_role("link", name="team/tide:9", exact=True)
    expect(image).to_be_visible(timeout=60_000)
    image.click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Ready")
    expect(
        page.get_by_text(f"docker pull 127.0.0.1:{visitor.url.rpartition(':')[2]}/{project}/team/tide:9")
    ).to_be_visible()


def test_the_public_images_are_there_for_every_project_and_cannot_be_deleted(
    visit: Any, rest: Rest, project: str
) -> None:
    visitor = _member(visit, rest, project)
    page = visitor.go(f"/p/{project}/images")
    page.get_by_role("tab", name="Public").click()
    expect(page.get_by_role("link", name="tidemill/jupyter:4")).to_be_visible()
    expect(page.get_by_text("Made on first use").first).to_be_visible()
    page.get_by_label("Search images").fill("python")
    expect(page.get_by_role("link", name="tidemill/jupyter:4")).to_have_count(0)
    expect(page.get_by_role("link", name="tidemill/python")).to_be_visible()
    expect(page.get_by_role("button", name="Actions of tidemill/python")).to_have_count(0)


def _member(visit: Any, rest: Rest, project: str) -> Visitor:
    visitor: Visitor = visit()
    visitor.sign_in(rest.user(f"dev-{secrets.token_hex(4)}", project))
    return visitor


def _archive(tag: str) -> bytes:
    """What `docker save` writes, with one small layer."""
    layer = _tar({"hello.txt": b"high tide\n"})
    digest = hashlib.sha256(layer).hexdigest()
    config = {"architecture": "amd64", "os": "linux", "rootfs": {"type": "layers", "diff_ids": [f"sha256:{digest}"]}}
    manifest = [{"Config": "config.json", "RepoTags": [tag], "Layers": ["layer.tar"]}]
    files = {"config.json": config, "manifest.json": manifest}
    return _tar({"layer.tar": layer, **{name: json.dumps(value).encode() for name, value in files.items()}})


def _tar(files: dict[str, bytes]) -> bytes:
    whole = io.BytesIO()
    with tarfile.open(fileobj=whole, mode="w") as archive:
        for name, content in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return whole.getvalue()
