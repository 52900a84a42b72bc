"""Working on an algorithm's files as a person does: make, upload, edit, rename, delete, commit."""

import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Rest

FILES = "/projects/{project}/algorithms/trainer/versions/1/files"


@pytest.fixture
def draft(visit: Any, rest: Rest, project: str) -> Page:
    """A member on the page of an empty draft."""
    visitor = visit()
    visitor.sign_in(rest.user(f"dev-{project}", project))
    page = visitor.go(f"/p/{project}/algorithms")
    page.get_by_role("button", name="New algorithm").first.click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Name").fill("trainer")
    dialog.get_by_role("combobox", name="Application scene").click()
    page.keyboard.type("Object")
    page.keyboard.press("Enter")
    dialog.get_by_role("button", name=re.compile("Create|New algorithm")).click()
    page.get_by_role("button", name="Start a draft").click()
    expect(page.get_by_text("Draft", exact=True).first).to_be_visible()
    expect(page.get_by_role("heading", name="No files yet")).to_be_visible()
    return page


def test_a_folder_is_uploaded_and_committed(draft: Page, rest: Rest, project: str, tmp_path: Path) -> None:
    folder = tmp_path / "code"
    (folder / "nets").mkdir(parents=True)
    for number in range(60):
        (folder / "nets" / f"layer{number:02}.py").write_text(f"SIZE = {number}\n" * 20)
    (folder / "README.md").write_text("# Trainer\n\nTrains.\n")
    draft.locator("input[type=file][webkitdirectory]").set_input_files(folder)
    expect(draft.get_by_role("row", name=re.compile("code"))).to_be_visible(timeout=30_000)
    draft.get_by_role("button", name="Commit").first.click()
    dialog = draft.get_by_role("dialog")
    dialog.get_by_label("Note").fill("first light")
    dialog.get_by_role("button", name="Commit").click()
    expect(draft.get_by_text("This version is committed and never changes.")).to_be_visible()
    version = rest.call("get", f"/projects/{project}/algorithms/trainer/versions/1")
    assert (version["state"], version["files"], version["note"]) == ("committed", 61, "first light")


def test_a_file_is_written_renamed_and_deleted(draft: Page, rest: Rest, project: str) -> None:
    base = FILES.format(project=project)
    draft.get_by_role("button", name="New", exact=True).click()
    draft.get_by_role("menuitem", name="New file").click()
    draft.get_by_role("dialog").get_by_label("Name").fill("src/train.py")
    draft.get_by_role("dialog").get_by_role("button", name="Open in editor").click()
    editor = draft.locator(".cm-content")
    editor.click()
    draft.keyboard.type("print('tide')")
    draft.keyboard.press("Control+s")
    expect(draft.get_by_text("All changes are saved")).to_be_visible()
    assert rest.http.get(f"{base}/src/train.py").text.strip() == "print('tide')"
    draft.get_by_role("button", name="Close editor").click()
    row = draft.get_by_role("row", name=re.compile("train.py"))
    row.click()
    draft.keyboard.press("F2")
    name = draft.get_by_role("dialog").get_by_label("New name")
    expect(name).to_be_focused()
    name.fill("fit.py")
    draft.get_by_role("dialog").get_by_role("button", name="Rename").click()
    row = draft.get_by_role("row", name=re.compile("fit.py"))
    expect(row).to_be_visible()
    expect(draft.get_by_role("dialog")).to_have_count(0)
    row.get_by_role("checkbox").check()
    draft.keyboard.press("Delete")
    draft.get_by_role("dialog", name="Delete fit.py?").get_by_role("button", name="Delete").click()
    expect(row).to_be_hidden()
    assert rest.http.get(f"{base}/src/fit.py").status_code == 404


def test_somebody_else_s_change_is_not_overwritten(draft: Page, rest: Rest, project: str) -> None:
    base = FILES.format(project=project)
    rest.call("put", f"{base}/notes.txt", content=b"mine\n")
    draft.reload()
    draft.get_by_role("link", name="notes.txt").or_(draft.get_by_role("button", name="notes.txt")).first.click()
    draft.get_by_role("button", name="Edit", exact=True).click()
    editor = draft.locator(".cm-content")
    editor.click()
    draft.keyboard.type("yours ")
    rest.call("put", f"{base}/notes.txt", content=b"theirs\n")
    draft.keyboard.press("Control+s")
    expect(draft.get_by_text("Somebody changed this file meanwhile")).to_be_visible()
    assert rest.http.get(f"{base}/notes.txt").text == "theirs\n"
