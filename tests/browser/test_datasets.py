"""Datasets in the browser: made, filled by an import, looked through, changed, cleaned, exported, published."""

import hashlib
import io
import json
import re
import secrets
import zipfile
from pathlib import Path
from typing import Any

from PIL import Image, ImageDraw
from playwright.sync_api import expect

from tests.browser.conftest import Rest, Visitor, serious_violations

WORK_LIMIT_MS = 90_000


def test_a_dataset_is_made_and_an_archive_tried_out_and_imported(
    visit: Any, rest: Rest, project: str, tmp_path: Path
) -> None:
    archive = tmp_path / "harbour.zip"
    archive.write_bytes(_coco())
    page = _member(visit, rest, project).go(f"/p/{project}/datasets")
    page.get_by_role("button", name="New dataset").first.click()
    page.get_by_role("dialog").get_by_label("Name").fill("harbour")
    page.get_by_role("dialog").get_by_role("button", name="Create").click()
    page.get_by_role("button", name="Create the first version").click()
    page.get_by_role("tabpanel").get_by_role("button", name="Import").click()

    page.get_by_role("button", name="Start import").click()
    expect(page.get_by_text("Choose files or a folder.")).to_be_visible()
    page.locator("input[type=file]").first.set_input_files(str(archive))
    page.get_by_role("switch", name="Trial run").click()
    page.get_by_role("button", name="Start import").click()
    page.get_by_role("link", name="harbour.zip").click()
    heading = page.get_by_role("heading", level=1)
    expect(heading).to_contain_text("Done", timeout=WORK_LIMIT_MS)
    expect(page.get_by_text("This was a trial run")).to_be_visible()
    expect(page.get_by_role("cell", name=re.compile("broken.png"))).to_be_visible()
    assert serious_violations(page) == []

    page.get_by_role("button", name="Import now").click()
    expect(heading).not_to_contain_text("Trial run")
    expect(heading).to_contain_text("Done", timeout=WORK_LIMIT_MS)
    page.get_by_role("link", name="harbour@1", exact=True).click()
    expect(page.get_by_role("list", name="Items").get_by_role("listitem")).to_have_count(4)
    page.get_by_role("tab", name="Labels").click()
    expect(page.get_by_role("cell", name="boat", exact=True)).to_be_visible()


def test_data_comes_from_a_folder_of_the_server_and_from_another_dataset(
    visit: Any, rest: Rest, project: str, allowed_folder: Path
) -> None:
    with zipfile.ZipFile(io.BytesIO(_coco())) as archive:
        archive.extractall(allowed_folder / project)
    base = _empty(rest, project, "harbour")
    page = _member(visit, rest, project).go(f"/p/{project}/datasets/harbour/versions/1/import")
    page.get_by_text("A folder of the server").click()
    folders = page.get_by_role("list", name="Folders of the server").get_by_role("button")
    folders.filter(has_text=allowed_folder.name).click()
    folders.filter(has_text=project).click()
    folders.filter(has_text="train").click()
    folders.filter(has_text="Up").click()
    expect(page.get_by_label("Path on the server")).to_have_value(str(allowed_folder / project))
    page.get_by_role("combobox", name="Format").fill("YOLO")
    page.keyboard.press("Enter")
    expect(page.get_by_label("Folder of the label files")).to_be_visible()
    page.get_by_role("combobox", name="Format").fill("COCO")
    page.keyboard.press("Enter")
    page.get_by_label("Annotation files").fill("annotations/instances_train.json,")
    expect(page.get_by_label("What will happen")).to_contain_text("""--options '{"files":["annotations/instances_""")
    page.get_by_role("button", name="Start import").click()
    heading = page.get_by_role("heading", level=1)
    expect(heading).to_contain_text("Done", timeout=WORK_LIMIT_MS)
    page.get_by_role("button", name="Show the items").click()
    expect(page.get_by_role("list", name="Items").get_by_role("listitem")).to_have_count(4)

    copy = _empty(rest, project, "copy")
    page.goto(f"{page.url.split('/p/')[0]}/p/{project}/datasets/copy/versions/1/import")
    page.get_by_text("Another dataset").click()
    expect(page.get_by_label("Format")).to_have_count(0)
    page.get_by_role("combobox", name="Dataset and version").click()
    page.get_by_title("harbour").click()
    page.get_by_role("button", name="Start import").click()
    expect(heading).to_contain_text("Import: harbour@1")
    expect(heading).to_contain_text("Done", timeout=WORK_LIMIT_MS)
    of = [rest.call("get", f"{version}/statistics")["labels"][0] for version in (base, copy)]
    assert [(label["name"], label["annotations"]) for label in of] == [("boat", 4), ("boat", 4)]


def test_items_are_found_ticked_changed_and_their_annotations_restored(visit: Any, rest: Rest, project: str) -> None:
    base = _filled(rest, project)
    page = _member(visit, rest, project).go(f"/p/{project}/datasets/harbour/versions/1")
    cells = page.get_by_role("list", name="Items").get_by_role("listitem")
    expect(cells).to_have_count(6)
    page.get_by_role("group", name="State").get_by_role("button", name=re.compile("Unlabelled")).click()
    expect(cells).to_have_count(2)
    page.get_by_role("checkbox", name="Select unlabelled 0.png").click()
    page.get_by_role("button", name="Select all 2 that match").click()
    page.get_by_role("button", name="Set state").click()
    page.get_by_role("menuitem", name="Set aside").click()
    expect(page.get_by_text("2 items changed")).to_be_visible()
    assert rest.call("get", base)["states"]["aside"] == 2

    page.get_by_role("button", name="Clear search and filters").first.click()
    page.get_by_title("Table").click()
    expect(page).to_have_url(re.compile("view=table"))
    page.get_by_label("Search by path").fill("boat 2")
    page.get_by_role("button", name="boat 2.png").click()
    drawer = page.get_by_role("dialog")
    expect(drawer.get_by_role("tab", name="Annotations (1)")).to_be_visible()
    seq = rest.call("get", f"{base}/items?q=boat 2")["items"][0]
    rest.call("put", f"{base}/items/{seq['seq']}/annotations", {"base": seq["revision"], "annotations": []})
    page.reload()
    drawer.get_by_role("tab", name="History").click()
    drawer.get_by_role("button", name="Restore").click()
    page.get_by_role("dialog", name="Restore these annotations?").get_by_role("button", name="Restore").click()
    expect(drawer.get_by_role("tab", name="Annotations (1)")).to_be_visible()
    assert serious_violations(page) == []


def test_a_version_is_exported_published_copied_and_compared(visit: Any, rest: Rest, project: str) -> None:
    base = _filled(rest, project)
    page = _member(visit, rest, project).go(f"/p/{project}/datasets/harbour/versions/1")
    page.get_by_role("button", name="More").click()
    page.get_by_role("menuitem", name="Export").click()
    page.get_by_role("dialog").get_by_role("button", name="Export").click()
    expect(page.get_by_role("link", name="Download")).to_be_visible(timeout=WORK_LIMIT_MS)
    with page.expect_download() as download:
        page.get_by_role("link", name="Download").click()
    with zipfile.ZipFile(download.value.path()) as made:
        assert any(name.endswith(".json") for name in made.namelist())

    page.get_by_role("button", name="More").click()
    page.get_by_role("menuitem", name="Publish").click()
    page.get_by_role("dialog").get_by_role("button", name="Publish").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Published", timeout=WORK_LIMIT_MS)
    page.get_by_role("button", name="More").click()
    page.get_by_role("menuitem", name="New version from this one").click()
    page.get_by_role("dialog").get_by_role("button", name="Create draft").click()
    page.get_by_role("link", name="Version 2").click(timeout=WORK_LIMIT_MS)

    page.get_by_role("checkbox", name="Select boat 0.png").click()
    page.get_by_role("button", name="Delete", exact=True).click()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(page.get_by_text("1 item changed")).to_be_visible()
    page.get_by_role("tab", name="Compare").click()
    expect(page.get_by_role("link", name="boat 0.png")).to_be_visible()
    expect(page.get_by_role("radiogroup", name="Which changes")).to_contain_text("Removed 1")
    assert rest.call("get", base)["items"] == 6


def test_pictures_are_scanned_and_shown_before_and_after(visit: Any, rest: Rest, project: str) -> None:
    _filled(rest, project)
    page = _member(visit, rest, project).go(f"/p/{project}/datasets/harbour/versions/1?tab=cleaning")
    expect(page.get_by_text("Choose at least one step.")).to_be_visible()
    page.get_by_text("Mirror left and right").click()
    page.get_by_role("button", name="Before and after").click()
    expect(page.get_by_role("list", name="Before and after").get_by_role("listitem").first).to_be_visible(
        timeout=WORK_LIMIT_MS
    )
    page.get_by_role("button", name="Start looking").click()
    page.get_by_role("button", name=re.compile(r"Set \d+ duplicates? aside")).click(timeout=WORK_LIMIT_MS)
    page.get_by_role("dialog").get_by_role("button", name="Set aside").click()
    expect(page.get_by_text(re.compile(r"[1-9] items? takes? no part"))).to_be_visible()


def test_label_sets_are_made_edited_and_applied(visit: Any, rest: Rest, project: str) -> None:
    base = _filled(rest, project)
    page = _member(visit, rest, project).go(f"/p/{project}/label-sets")
    page.get_by_role("button", name="New label set").first.click()
    page.get_by_role("dialog").get_by_label("Name", exact=True).fill("traffic")
    page.get_by_role("dialog").get_by_label("Names").fill("vehicle/car\nvehicle/bus")
    page.get_by_role("dialog").get_by_role("button", name="Create").click()
    page.get_by_role("button", name="Edit car").click()
    page.get_by_role("dialog").get_by_label("Key").fill("c")
    page.get_by_role("dialog").get_by_role("button", name="Save").click()
    expect(page.get_by_role("cell", name="c", exact=True)).to_be_visible()
    assert serious_violations(page) == []

    page.goto(f"{page.url.split('/p/')[0]}/p/{project}/datasets/harbour/versions/1?tab=labels")
    page.get_by_role("button", name="Label sets").click()
    page.get_by_role("menuitem", name="Apply a label set").click()
    page.get_by_role("dialog").get_by_label("Label set").click()
    page.get_by_title("traffic (3 labels)").click()
    page.get_by_role("dialog").get_by_role("button", name="Apply").click()
    expect(page.get_by_role("cell", name="car", exact=True)).to_be_visible()
    names = {label["name"]: label["shortcut"] for label in rest.call("get", f"{base}/labels")["items"]}
    assert names == {"boat": None, "vehicle": None, "car": "c", "bus": None}


def _member(visit: Any, rest: Rest, project: str) -> Visitor:
    visitor: Visitor = visit()
    visitor.sign_in(rest.user(f"dev-{secrets.token_hex(4)}", project))
    return visitor


def _empty(rest: Rest, project: str, name: str) -> str:
    """A detection dataset with an empty draft."""
    body = {"name": name, "data_type": "image", "annotation_type": "detection"}
    rest.call("post", f"/projects/{project}/datasets", body)
    rest.call("post", f"/projects/{project}/datasets/{name}/versions", {})
    return f"/projects/{project}/datasets/{name}/versions/1"


def _filled(rest: Rest, project: str) -> str:
    """One with four pictures with a boat, and two that look alike without one."""
    base = _empty(rest, project, "harbour")
    boat = rest.call("post", f"{base}/labels", {"labels": [{"name": "boat"}]})["items"][0]["number"]
    box = {"id": "1", "type": "box", "label": boat, "x": 10, "y": 12, "w": 30, "h": 20}
    files = {f"boat {n}.png": (_picture(n), [box]) for n in range(4)}
    files |= {f"unlabelled {n}.png": (_picture(9, dot=n), None) for n in range(2)}
    batch = b"".join(f"{_digest(data)} {len(data)}\n".encode() + data for data, _ in files.values())
    headers = {"Content-Type": "application/x-tidemill-batch"}
    rest.call("post", f"/projects/{project}/blobs/batch", content=batch, headers=headers)
    items = [
        {
            "path": path,
            "sha256": _digest(data),
            "size_bytes": len(data),
            "media": "image/png",
            "width": 160,
            "height": 120,
            "annotations": annotations,
        }
        for path, (data, annotations) in files.items()
    ]
    assert rest.call("post", f"{base}/items/bulk", {"items": items})["added"] == len(items)
    return base


def _coco() -> bytes:
    """An archive in COCO's form with four pictures, and one file that is no picture."""
    names = [f"pier {n}.png" for n in range(4)]
    document = {
        "images": [{"id": n, "file_name": name, "width": 160, "height": 120} for n, name in enumerate(names)],
        "annotations": [
            {"id": n + 1, "image_id": n, "category_id": 1, "bbox": [10, 10, 40, 30], "area": 1200, "iscrowd": 0}
            for n in range(4)
        ],
        "categories": [{"id": 1, "name": "boat"}],
    }
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w") as archive:
        archive.writestr("annotations/instances_train.json", json.dumps(document))
        for n, name in enumerate(names):
            archive.writestr(f"train/{name}", _picture(n))
        archive.writestr("train/broken.png", b"no picture at all")
    return whole.getvalue()


def _picture(number: int, dot: int = 0) -> bytes:
    """A picture of its own for each number; a dot changes the bytes but not the look."""
    image = Image.new("RGB", (160, 120), (20 + 20 * number, 90, 120))
    draw = ImageDraw.Draw(image)
    for line in range(0, 160, 7 + number):
        draw.line((line, 0, (line * (number + 2)) % 160, 120), fill=(240, 200 - 15 * number, 40), width=2)
    draw.rectangle((10, 12, 40, 32), outline=(255, 255, 255))
    image.putpixel((0, 0), (dot, 0, 0))
    out = io.BytesIO()
    image.save(out, "PNG")
    return out.getvalue()


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
