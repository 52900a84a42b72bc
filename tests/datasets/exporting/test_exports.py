"""Exports: what is in them, when they are used again, and what training files look like."""

import csv
import io
import json
import zipfile
from pathlib import Path

from tests.conftest import Person
from tests.datasets.conftest import Desk, box, code_of, run_jobs
from tests.datasets.pictures import coco, picture
from tests.datasets.working import Works, zipped
from tidemill.datasets.sweeping import sweep
from tidemill.kernel.clock import utc_now

PICTURES = {f"{n}.jpg": picture(n) for n in range(5)}


def _names(archive: zipfile.ZipFile) -> set[str]:
    return {name for name in archive.namelist() if not name.endswith("/")}


def test_annotations_alone_or_with_the_data(works: Works, desk: Desk) -> None:
    works.import_files(desk, {"a.zip": zipped(coco(PICTURES))})
    bare = works.do(desk, "export", format="coco")
    assert (bare["state"], bare["counts"]) == ("ready", {"items": 5, "annotations": 10})
    assert not any(name.endswith(".jpg") for name in _names(works.download(desk, bare)))
    whole = works.do(desk, "export", format="coco", with_data=True)
    archive = works.download(desk, whole)
    kept = {archive.read(name) for name in _names(archive) if name.endswith(".jpg")}
    assert kept == set(PICTURES.values())
    assert whole["file_name"] == "boats-v1-coco.zip"


def test_an_export_is_used_again_until_the_data_changes(works: Works, desk: Desk) -> None:
    works.import_files(desk, {"a.zip": zipped(coco(PICTURES))})
    first = works.do(desk, "export", format="voc")
    again = desk.ok("post", "/exports", json={"format": "voc"})
    assert (again["id"], again["state"], again["is_current"]) == (first["id"], "ready", True)
    assert desk.ok("post", "/exports", json={"format": "voc", "fresh": True})["id"] != first["id"]
    desk.saved(1, desk.item(1)["revision"], [])
    assert desk.ok("get", f"/exports/{first['id']}")["is_current"] is False
    assert desk.ok("post", "/exports", json={"format": "voc"})["id"] != first["id"]


def test_an_export_stays_true_when_its_version_is_published(works: Works, desk: Desk) -> None:
    works.import_files(desk, {"a.zip": zipped(coco(PICTURES))})
    stale = works.do(desk, "export", format="coco")
    desk.saved(1, desk.item(1)["revision"], [])
    made = works.do(desk, "export", format="voc")
    desk.ok("post", "/publish", json={})
    assert desk.ok("get", f"/exports/{made['id']}")["is_current"] is True, "while it is being published"
    run_jobs(works.app)
    assert desk.ok("get")["work"] == "published"
    assert desk.ok("get", f"/exports/{made['id']}")["is_current"] is True
    assert desk.ok("post", "/exports", json={"format": "voc"})["id"] == made["id"]
    assert desk.ok("get", f"/exports/{stale['id']}")["is_current"] is False


def test_an_export_stays_true_when_publishing_is_given_up(works: Works, desk: Desk) -> None:
    desk.labels("boat")
    desk.add("a.jpg", annotations=[box(1)])
    made = works.do(desk, "export", format="coco")
    job = desk.ok("post", "/publish", json={})
    desk.person.ok("post", f"/me/jobs/{job['id']}/cancel")
    sweep(works.app.state.db, utc_now())
    assert desk.ok("get")["work"] == "draft"
    assert desk.ok("get", f"/exports/{made['id']}")["is_current"] is True


def test_what_is_not_exported_makes_no_export_old(works: Works, desk: Desk) -> None:
    archive = {"a.zip": zipped(coco(PICTURES))}
    works.import_files(desk, archive)
    made = works.do(desk, "export", format="voc")
    place = f"/exports/{made['id']}"
    desk.ok("post", "/items/owner", json={"seqs": [1, 2], "owner": desk.person.name})
    works.import_files(desk, archive)
    desk.ok("post", "/items/state", json={"seqs": [1], "state": "labelled"})
    assert desk.ok("get", place)["is_current"] is True
    desk.ok("post", "/items/state", json={"seqs": [1], "state": "reviewed"})
    assert desk.ok("get", place)["is_current"] is False


def test_what_is_being_made_is_not_made_twice(desk: Desk) -> None:
    desk.add("a.jpg")
    begun = desk.ok("post", "/exports", json={"format": "coco"})
    assert begun["state"] == "generating"
    assert desk.ok("post", "/exports", json={"format": "coco"})["id"] == begun["id"]
    assert code_of(desk.call("get", f"/exports/{begun['id']}/file")) == "export_not_ready"
    assert desk.ok("post", "/exports", json={"format": "coco", "states": ["reviewed"]})["id"] != begun["id"]


def test_items_set_aside_are_left_out_unless_asked_for(works: Works, desk: Desk) -> None:
    works.import_files(desk, {"a.zip": zipped(coco(PICTURES))})
    desk.ok("post", "/items/state", json={"seqs": [2, 3], "state": "aside"})
    assert works.do(desk, "export", format="coco")["counts"]["items"] == 3
    assert works.do(desk, "export", format="coco", states=["aside"])["counts"]["items"] == 2


def test_what_comes_out_goes_in_again_as_it_was(works: Works, desk: Desk) -> None:
    works.import_files(desk, {"a.zip": zipped(coco(PICTURES))})
    made = works.do(desk, "export", format="tidemill", with_data=True)
    answer = desk.call("get", f"/exports/{made['id']}/file")
    other = desk.begin("again")
    done = works.import_files(other, {"b.zip": answer.content})
    assert (done["format"], done["counts"]["added"]) == ("tidemill", 5)
    for seq in range(1, 6):
        was, now = desk.item(seq), other.item(seq)
        assert (was["path"], was["digest"], was["state"]) == (now["path"], now["digest"], now["state"])
        assert was["annotations"] == now["annotations"]


def test_a_format_says_what_it_cannot_carry(works: Works, desk: Desk) -> None:
    boat = desk.labels("boat")[0]
    line = {"type": "polyline", "label": boat, "points": [1, 1, 5, 5, 9, 1]}
    item = {"path": "a.jpg", **desk.keep(picture(1)), "width": 40, "height": 30, "annotations": [line, box(boat)]}
    desk.ok("post", "/items/bulk", json={"items": [item]})
    made = works.do(desk, "export", format="yolo")
    notes = desk.ok("get", f"/exports/{made['id']}/notes")["items"]
    assert made["notes"] == len(notes) == 1
    assert "polyline" in notes[0]["message"]


def test_the_file_is_served_in_parts(works: Works, desk: Desk) -> None:
    works.import_files(desk, {"a.zip": zipped(coco(PICTURES))})
    made = works.do(desk, "export", format="coco")
    place = f"/exports/{made['id']}/file"
    whole = desk.call("get", place)
    assert whole.headers["content-disposition"].startswith("attachment")
    part = desk.call("get", place, headers={"Range": "bytes=10-19"})
    assert (part.status_code, part.content) == (206, whole.content[10:20])
    assert desk.call("head", place).headers["content-length"] == str(made["size_bytes"])


def test_training_files_of_pictures_with_boxes(works: Works, desk: Desk) -> None:
    pictures = {f"{n:02d}.jpg": picture(n) for n in range(20)}
    works.import_files(desk, {"a.zip": zipped(coco(pictures))})
    made = works.do(desk, "export", format="training", options={"test_ratio": 0.25, "seed": 7})
    archive = works.download(desk, made)
    assert _names(archive) == {"train.json", "test.json"}
    train, test = (json.loads(archive.read(name)) for name in ("train.json", "test.json"))
    assert (len(train["images"]), len(test["images"])) == (15, 5)
    assert {one["file_name"] for one in train["images"]}.isdisjoint(one["file_name"] for one in test["images"])
    same = works.do(desk, "export", format="training", options={"test_ratio": 0.25, "seed": 7}, fresh=True)
    assert works.download(desk, same).read("test.json") == archive.read("test.json")


def test_training_files_of_classes_hold_the_pictures(works: Works, desk: Desk) -> None:
    pets = desk.begin("pets", kind="classification")
    files = {f"{name}/{n}.jpg": picture(n + 50 * place) for place, name in enumerate(["cat", "dog"]) for n in range(3)}
    works.import_files(pets, {"a.zip": zipped(files)})
    made = works.do(pets, "export", format="training")
    archive = works.download(pets, made)
    rows = list(csv.reader(io.StringIO(archive.read("train_label_file.txt").decode())))
    assert len(rows) == 6
    assert {label for _, label in rows} == {"cat", "dog"}
    assert archive.read("classes.txt").decode().split() == ["cat", "dog"]
    assert "test_label_file.txt" not in _names(archive), "fewer than ten items have no test part"
    assert any(name.startswith("train/") and name.endswith(".tfrecord") for name in _names(archive))


def test_what_cannot_be_asked_for_is_refused(desk: Desk) -> None:
    assert code_of(desk.call("post", "/exports", json={"format": "paper"})) == "export_format_unknown"
    wrong = {"format": "training", "options": {"test_ratio": 2}}
    assert code_of(desk.call("post", "/exports", json=wrong)) == "export_training_options"
    bare = desk.begin("bare", kind="none")
    assert code_of(bare.call("post", "/exports", json={"format": "training"})) == "export_training_type"


def test_the_list_of_labels_is_a_file(desk: Desk) -> None:
    body = {"labels": [{"name": "ship", "shortcut": "s"}, {"name": "tug", "parent_name": "ship"}, {"name": "=1+1"}]}
    desk.ok("post", "/labels", json=body)
    assert desk.call("get", "/label-list", params={"format": "txt"}).text == "ship\nship/tug\n=1+1\n"
    rows = list(csv.DictReader(io.StringIO(desk.call("get", "/label-list", params={"format": "csv"}).text[1:])))
    assert [(row["name"], row["parent"]) for row in rows] == [("ship", ""), ("tug", "ship"), ("'=1+1", "")]
    whole = desk.call("get", "/label-list").json()["labels"]
    assert [(one["name"], one["parent_name"], one["shortcut"]) for one in whole][:2] == [
        ("ship", None, "s"),
        ("tug", "ship", None),
    ]


def test_old_exports_are_forgotten_with_their_files(works: Works, desk: Desk) -> None:
    from datetime import timedelta

    from tidemill.datasets.exporting.service import forget_old
    from tidemill.kernel.clock import utc_now
    from tidemill.store.tables import PinRow

    desk.add("a.jpg")
    made = works.do(desk, "export", format="coco")
    db = works.app.state.db
    forget_old(db, utc_now(), days=1)
    assert desk.ok("get", f"/exports/{made['id']}")["state"] == "ready"
    forget_old(db, utc_now() + timedelta(days=2), days=1)
    assert desk.call("get", f"/exports/{made['id']}").status_code == 404
    with db.read() as session:
        assert session.query(PinRow).count() == 0


def test_annotators_read_exports_but_make_none(works: Works, desk: Desk, ann: Person) -> None:
    desk.add("a.jpg")
    made = works.do(desk, "export", format="coco")
    theirs = desk.as_(ann)
    assert theirs.call("get", f"/exports/{made['id']}/file").status_code == 200
    assert theirs.call("post", "/exports", json={"format": "coco"}).status_code == 403


def test_real_sets_come_out_with_their_counts(works: Works, desk: Desk, real_data: Path) -> None:
    folder = real_data / "voc-bccd"
    files = {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.suffix in {".xml", ".jpg", ".jpeg"}
    }
    done = works.import_files(desk, {"bccd.zip": zipped(files)})
    assert (done["state"], done["format"]) == ("done", "voc")
    made = works.do(desk, "export", format="coco")
    archive = works.download(desk, made)
    told = [json.loads(archive.read(name)) for name in _names(archive)]
    assert sum(len(part["images"]) for part in told) == done["counts"]["added"]
    assert sum(len(part["annotations"]) for part in told) == done["counts"]["annotations"]
