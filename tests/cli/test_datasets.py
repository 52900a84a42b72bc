"""Datasets from the command line: in, worked on, out."""

import json
import zipfile
from pathlib import Path

import pytest

from tests.cli.conftest import Shell
from tests.datasets.pictures import coco, picture, plain_picture


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A COCO set of three pictures, one of them fog."""
    pictures = {"0.jpg": picture(0), "1.jpg": picture(1), "fog.png": plain_picture()}
    for path, data in coco(pictures).items():
        (tmp_path / "boats" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "boats" / path).write_bytes(data)
    return tmp_path / "boats"


def test_a_folder_goes_in_is_cleaned_worked_on_and_comes_out(
    admin: Shell, project: str, folder: Path, tmp_path: Path
) -> None:
    admin.ok("dataset", "create", "boats")
    tried = admin.json("dataset", "import", "boats", folder, "--dry-run", "--wait")
    assert (tried["counts"]["added"], tried["dry_run"]) == (3, True)
    assert "3 items added" in admin.ok("dataset", "import", "boats", folder, "--wait")
    assert "3 unchanged" in admin.ok("dataset", "import", "boats", folder, "--wait")
    listed = admin.json("dataset", "works", "boats")["items"]
    assert [work["state"] for work in listed] == ["done", "done", "done"]
    admin.ok("dataset", "report", "boats", listed[0]["id"], tmp_path / "report.csv")
    assert (tmp_path / "report.csv").read_text("utf-8-sig").startswith(("level", "级别"))
    found = admin.json("dataset", "clean", "boats", "--set-aside", "blurred")
    assert [one["path"] for one in found["found"]] == ["images/fog.png"]
    assert admin.json("dataset", "show", "boats@1")["states"]["aside"] == 1
    assert "1 items" in admin.ok("dataset", "bring-back", "boats")
    done = admin.json("dataset", "preprocess", "boats", "--crop", "0%,0%,50%,100%", "--resize", "40x", "--wait")
    assert done["target_version"] == 2
    file = tmp_path / "out.zip"
    admin.ok("dataset", "export", "boats@2", file, "--format", "coco", "--with-data")
    with zipfile.ZipFile(file) as archive:
        (told,) = (name for name in archive.namelist() if name.endswith(".json"))
        sizes = {(image["width"], image["height"]) for image in json.loads(archive.read(told))["images"]}
    assert sizes == {(40, 60)}
    admin.ok("dataset", "labels", "boats", tmp_path / "labels.txt")
    assert (tmp_path / "labels.txt").read_text("utf-8") == "boat\nbuoy\n"


def test_formats_are_listed_and_shown_by_a_sample(admin: Shell, project: str, tmp_path: Path) -> None:
    names = [one["name"] for one in admin.json("dataset", "formats")["items"]]
    assert {"coco", "voc", "yolo", "training"} <= set(names)
    admin.ok("dataset", "formats", "yolo", tmp_path / "yolo.zip")
    assert zipfile.is_zipfile(tmp_path / "yolo.zip")


def test_what_makes_no_sense_is_refused_in_words(admin: Shell, project: str, folder: Path) -> None:
    admin.ok("dataset", "create", "odd")
    assert "--server-path" in admin.refused("dataset", "import", "odd", code=2)
    assert "X,Y,W,H" in admin.refused("dataset", "preprocess", "odd", "--crop", "1,2", code=2)
    assert "--options" in admin.refused("dataset", "import", "odd", folder, "--options", "[1]", code=2)
    assert "no such format" in admin.refused("dataset", "import", "odd", folder, "--format", "nonsense")


def test_what_is_in_a_version_is_shown_changed_and_compared(admin: Shell, project: str, folder: Path) -> None:
    admin.ok("label-set", "create", "harbour", "boat", "gull")
    admin.ok("dataset", "create", "ships", "--task", "object-detection")
    admin.ok("dataset", "apply-labels", "ships", "harbour")
    assert [one["name"] for one in admin.json("dataset", "classes", "ships")["items"]] == ["boat", "gull"]
    admin.ok("dataset", "import", "ships", folder, "--wait")
    stats = admin.json("dataset", "stats", "ships")
    assert (stats["items"], sum(stats["by_state"].values()), set(stats["classes"])) == (3, 3, {"boat", "gull", "buoy"})
    admin.ok("dataset", "set-state", "ships", "aside", "1")
    assert [one["seq"] for one in admin.json("dataset", "items", "ships", "--state", "aside")["items"]] == [1]
    admin.ok("dataset", "publish", "ships", "--wait")
    admin.ok("dataset", "draft", "ships@1", "--wait")
    admin.ok("dataset", "delete-items", "ships@2", "2")
    changed = admin.json("dataset", "diff", "ships@2", "ships@1")["items"]
    assert [one["change"] for one in changed] == ["removed"]
    assert "import" in admin.ok("dataset", "history", "ships", "3")
    admin.ok("label-set", "create", "taken", "--from", "ships@1")
    assert admin.json("label-set", "show", "taken")["labels_count"] == 3
    admin.ok("label-set", "delete", "taken", "--yes")
    admin.ok("dataset", "delete", "ships@2", "--yes")
