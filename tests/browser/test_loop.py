"""The whole loop in the browser: import, label a few by hand, train, the model labels the rest, retrain, compare."""

import io
import re
import time
import zipfile
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, expect

from tests.browser import quick_algorithm
from tests.browser.annotating import Hand, Version
from tests.browser.conftest import Rest
from tests.live import ADMIN_PASSWORD
from tests.models.colours import LABELS, picture

LIMIT_MS = 120_000
FEW, REST = 4, 3


def test_a_few_labels_become_a_model_that_labels_the_rest(visit: Any, rest: Rest, project: str, tmp_path: Path) -> None:
    version = empty_draft(rest, project)
    visitor = visit()
    visitor.sign_in("admin", ADMIN_PASSWORD)
    page: Page = visitor.go(f"/p/{project}/datasets/colours/versions/1/import")
    import_pictures(page, tmp_path / "colours.zip")
    expect(page.get_by_role("heading", level=1)).to_contain_text("Done", timeout=LIMIT_MS)
    label_a_few(visitor, version)

    visitor.go(f"/p/{project}/datasets/colours?tab=loop")
    expect(page.get_by_text("12 items are labelled")).to_be_visible()
    _round(page, "Train")
    assert rest.call("get", f"/projects/{project}/datasets/colours/loop")["model"] == "colours@1"

    visitor.go(f"/p/{project}/datasets/colours/versions/2?state=suggested")
    bar = page.get_by_role("group", name="Decide about suggestions")
    bar.get_by_role("button", name="Accept", exact=True).click()
    expect(bar.get_by_role("status")).to_contain_text("Accepted on 9 items")
    states = rest.call("get", f"/projects/{project}/datasets/colours/versions/2")["states"]
    assert states["labelled"] == len(LABELS) * (FEW + REST)

    visitor.go(f"/p/{project}/datasets/colours?tab=loop")
    _round(page, "Retrain")
    curve = page.get_by_role("group", name="Quality against labels")
    expect(curve.get_by_role("row")).to_have_count(3)
    ids = [_measured(rest, project, f"colours@{number}") for number in (1, 2)]
    visitor.go(f"/p/{project}/evaluations/compare?ids={','.join(ids)}")
    for number in (1, 2):
        expect(page.get_by_role("link", name=f"colours@{number}", exact=True).first).to_be_visible()


def empty_draft(rest: Rest, project: str) -> Version:
    rest.version(project, "algorithms", "means", quick_algorithm.files())
    body = {"name": "colours", "data_type": "image", "annotation_type": "classification"}
    rest.call("post", f"/projects/{project}/datasets", body)
    rest.call("post", f"/projects/{project}/datasets/colours/versions", {})
    version = Version(rest, project, "colours", 1)
    rest.call("post", f"{version.path}/labels", {"labels": [{"name": name} for name in LABELS]})
    return version


def import_pictures(page: Page, archive: Path) -> None:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as file:
        for colour in LABELS:
            for number in range(FEW + REST):
                name = f"{'few' if number < FEW else 'rest'}-{colour}-{number}.png"
                file.writestr(name, picture(colour, number))
    archive.write_bytes(content.getvalue())
    page.locator("input[type=file]").first.set_input_files(str(archive))
    page.get_by_role("button", name="Start import").click()
    page.get_by_role("link", name=archive.name).click()


def label_a_few(visitor: Any, version: Version) -> None:
    hand = Hand(visitor).open(visitor, version, 1)
    page = hand.page
    page.keyboard.press("g")
    for key, colour in enumerate(LABELS, 1):
        search = page.get_by_placeholder("Find by file name")
        search.fill(f"few-{colour}")
        search.press("Enter")
        expect(page.get_by_role("button", name=re.compile(f"few-{colour}"))).to_have_count(FEW)
        page.get_by_role("button", name="Choose all shown").click()
        page.keyboard.press(str(key))
        hand.saved()


def _round(page: Page, action: str) -> None:
    page.get_by_role("button", name=action, exact=True).click()
    form = page.get_by_role("dialog")
    form.get_by_label("Algorithm").fill("Mean")
    page.keyboard.press("Enter")
    form.get_by_role("button", name=action, exact=True).click()
    rounds = page.get_by_role("list", name="Rounds").get_by_role("listitem").first
    expect(rounds).to_contain_text("Under way")
    expect(rounds).to_contain_text("Done", timeout=LIMIT_MS)


def _measured(rest: Rest, project: str, model: str) -> str:
    """An evaluation of the model on the newest version."""
    found = rest.call(
        "post", f"/projects/{project}/evaluations", {"model": model, "dataset": "colours@2", "part": "all"}
    )
    deadline = time.monotonic() + LIMIT_MS / 1000
    while found["state"] in {"waiting", "running"}:
        assert time.monotonic() < deadline, found
        time.sleep(0.2)
        found = rest.call("get", f"/projects/{project}/evaluations/{found['id']}")
    assert found["state"] == "done", found
    assert found["primary_value"] == 1.0
    return str(found["id"])
