"""Imports of files that were sent: what comes in, what does not, and that nothing comes twice."""

import json
from datetime import timedelta

import pytest

from tests.conftest import Api, Person
from tests.datasets.conftest import Desk, box, code_of
from tests.datasets.pictures import coco, picture, plain_picture
from tests.datasets.working import Works, zipped
from tidemill.datasets.works.service import release_trials
from tidemill.kernel.clock import utc_now

PICTURES = {f"{n}.jpg": picture(n) for n in range(5)}


def test_an_archive_becomes_items_with_their_annotations(works: Works, desk: Desk) -> None:
    done = works.import_files(desk, {"boats.zip": zipped(coco(PICTURES))})
    assert (done["state"], done["format"], done["error"]) == ("done", "coco", None)
    assert done["counts"] == {"read": 5, "annotations": 10, "labels": 2, "added": 5}
    item = desk.item(1)
    assert (item["path"], item["media"], item["width"], item["height"]) == ("images/0.jpg", "image/jpeg", 40, 30)
    assert item["state"] == "labelled"
    names = {label["number"]: label["name"] for label in desk.ok("get", "/labels")["items"]}
    assert [names[one["label"]] for one in item["annotations"]] == ["boat", "buoy"]
    assert desk.call("get", "/items/1/content").content == PICTURES["0.jpg"]


def test_the_same_archive_twice_adds_nothing_twice(works: Works, desk: Desk) -> None:
    archive = zipped(coco(PICTURES))
    works.import_files(desk, {"boats.zip": archive})
    before, revision = desk.ok("get")["item_revision"], desk.item(3)["revision"]
    again = works.import_files(desk, {"boats.zip": archive})
    assert again["counts"] == {"read": 5, "annotations": 10, "unchanged": 5}
    assert desk.ok("get")["items"] == 5
    assert desk.item(3)["revision"] == revision
    assert desk.ok("get")["item_revision"] - before <= 2


def test_a_dry_run_says_what_would_happen_and_changes_nothing(works: Works, desk: Desk) -> None:
    works.import_files(desk, {"one.zip": zipped(coco({"0.jpg": PICTURES["0.jpg"], "1.jpg": picture(77)}))})
    before = desk.ok("get")["item_revision"]
    tried = works.import_files(desk, {"boats.zip": zipped(coco(PICTURES))}, dry_run=True)
    assert (tried["state"], tried["dry_run"]) == ("done", True)
    assert tried["counts"] == {"read": 5, "annotations": 10, "added": 3, "present": 1, "different": 1}
    assert desk.ok("get")["items"] == 2
    assert desk.ok("get")["item_revision"] == before


def test_what_was_sent_for_a_dry_run_can_be_imported_for_a_day(works: Works, desk: Desk) -> None:
    sent = [{"name": "boats.zip", **desk.keep(zipped(coco(PICTURES)))}]
    source = {"type": "upload", "files": sent}
    works.do(desk, "import", source=source, dry_run=True)
    release_trials(works.app.state.db, utc_now())
    assert works.do(desk, "import", source=source, dry_run=True)["state"] == "done"
    release_trials(works.app.state.db, utc_now() + timedelta(days=2))
    assert code_of(desk.call("post", "/imports", json={"source": source})) == "blob_missing"


@pytest.mark.parametrize(
    ("existing", "labels_after", "is_new_picture"),
    [("keep", ["rock"], False), ("replace", ["boat", "buoy"], True), ("merge", ["rock"], False)],
)
def test_items_that_are_there_are_kept_replaced_or_joined(
    works: Works, desk: Desk, existing: str, labels_after: list[str], is_new_picture: bool
) -> None:
    rock = desk.labels("rock")[0]
    desk.ok(
        "post",
        "/items/bulk",
        json={"items": [{"path": "images/0.jpg", **desk.keep(picture(50)), "annotations": [box(rock)]}]},
    )
    done = works.import_files(desk, {"a.zip": zipped(coco({"0.jpg": PICTURES["0.jpg"]}))}, existing=existing)
    (seq,) = desk.seqs()
    item = desk.item(seq)
    names = {label["number"]: label["name"] for label in desk.ok("get", "/labels")["items"]}
    assert [names[one["label"]] for one in item["annotations"]] == labels_after
    assert (desk.call("get", f"/items/{seq}/content").content == PICTURES["0.jpg"]) is is_new_picture
    assert done["counts"].get("replaced", 0) == int(is_new_picture)
    assert done["notes"] == int(not is_new_picture)


def test_annotations_of_the_same_picture_are_joined(works: Works, desk: Desk) -> None:
    rock = desk.labels("rock")[0]
    body = {"path": "images/0.jpg", **desk.keep(PICTURES["0.jpg"]), "annotations": [box(rock, id="1")]}
    desk.ok("post", "/items/bulk", json={"items": [body]})
    for _ in range(2):
        works.import_files(desk, {"a.zip": zipped(coco({"0.jpg": PICTURES["0.jpg"]}))}, existing="merge")
    names = {label["number"]: label["name"] for label in desk.ok("get", "/labels")["items"]}
    annotations = desk.item(1)["annotations"]
    assert [names[one["label"]] for one in annotations] == ["rock", "boat", "buoy"]
    assert len({one["id"] for one in annotations}) == 3


def test_what_is_broken_is_in_the_report_and_the_rest_is_imported(works: Works, desk: Desk) -> None:
    files = coco({**PICTURES, "cut.jpg": picture(9)[:-200], "no.jpg": b"not a picture"})
    done = works.import_files(desk, {"boats.zip": zipped(files)})
    assert (done["state"], done["counts"]["added"], done["counts"]["skipped"]) == ("done", 5, 2)
    notes = desk.ok("get", f"/imports/{done['id']}/notes")
    assert [(note["path"], note["level"]) for note in notes["items"]] == [
        ("images/cut.jpg", "skipped"),
        ("images/no.jpg", "skipped"),
    ]
    assert notes["total"] == done["notes"] == 2
    told = [note["message"] for note in notes["items"]]
    assert told == [
        "The picture is damaged: the file ends too early, as after an upload that was cut off",
        "It is not a picture that can be read: its content is in none of the known picture formats",
    ]
    chinese = desk.ok("get", f"/imports/{done['id']}/notes", headers={"Accept-Language": "zh-CN"})
    assert chinese["items"][1]["message"] == "不是可读取的图片：内容不是任何已知的图片格式"


def test_a_broken_archive_is_called_by_its_own_name(works: Works, desk: Desk) -> None:
    done = works.import_files(desk, {"boats.zip": zipped(coco(PICTURES))[:300]})
    assert (done["state"], done["error"]["code"], done["error"]["path"]) == ("failed", "archive_broken", "boats.zip")
    assert "(its data is damaged)" in done["error"]["message"]


def test_the_report_is_downloaded_in_both_languages(works: Works, desk: Desk) -> None:
    done = works.import_files(desk, {"a.zip": zipped(coco({"=cmd.jpg": b"no picture"}))})
    place = f"/imports/{done['id']}/report"
    lines = desk.call("get", place).text.splitlines()
    assert json.loads(lines[0])["import"]["id"] == done["id"]
    assert json.loads(lines[1])["code"] == "picture_unreadable"
    table = desk.call("get", place, params={"format": "csv"}, headers={"Accept-Language": "zh-CN"})
    heading, row = table.content.decode("utf-8-sig").splitlines()
    assert heading == "级别,文件,行,代码,说明"
    assert row.startswith("skipped,images/=cmd.jpg")
    assert any("\u4e00" <= character <= "\u9fff" for character in row)


def test_a_hostile_archive_is_refused_with_the_reason(works: Works, desk: Desk) -> None:
    done = works.import_files(desk, {"evil.zip": zipped({"../../etc/passwd": b"root"})})
    assert (done["state"], done["error"]["code"]) == ("failed", "archive_traversal")
    assert "etc/passwd" in done["error"]["message"]
    assert desk.ok("get")["items"] == 0


def test_an_annotation_the_server_refuses_costs_one_item_only(works: Works, desk: Desk) -> None:
    lines = [
        {"path": f"{n}.jpg", "annotations": [{"type": "box", "label": "boat", "x": 1, "y": 1, "w": 5, "h": 5}]}
        for n in range(5)
    ]
    lines[3]["annotations"][0]["attributes"] = {"name": {"too": "deep"}}  # type: ignore[index]
    files = {f"images/{n}.jpg": picture(n) for n in range(5)}
    told = "".join(json.dumps({**line, "path": f"images/{line['path']}"}) + "\n" for line in lines).encode()
    info = json.dumps({"labels": [{"name": "boat"}]}).encode()
    done = works.import_files(
        desk, {"a.zip": zipped({**files, "annotations.jsonl": told, "dataset.json": info})}, format="tidemill"
    )
    assert done["state"] == "done", done["error"]
    assert desk.ok("get")["items"] == 4
    assert done["counts"]["refused"] == 1
    place = f"/imports/{done['id']}/notes"
    (english,), (chinese,) = (
        [note["message"] for note in desk.ok("get", place, headers={"Accept-Language": one})["items"]]
        for one in ("en", "zh-CN")
    )
    assert english.startswith("It was not taken: ")
    assert chinese.startswith("未被接受：")
    assert chinese.removeprefix("未被接受：") not in english


def test_what_a_rule_forbids_is_told_in_both_languages(works: Works, desk: Desk) -> None:
    sent = [{"name": "a.zip", **desk.keep(zipped(coco(PICTURES)))}]
    begun = desk.ok("post", "/imports", json={"source": {"type": "upload", "files": sent}})
    office = works.office(desk, begun)
    content = desk.keep(picture(1))
    items = [
        {"path": "a.jpg", **content, "info": {"note": "x" * 100_000}},
        {"path": "annotations.jsonl", **content},
        {"path": "b.jpg", **content},
    ]
    office.step({"at": 0, "done": 3, "items": items})
    told = {
        language: [
            (note["path"], note["message"])
            for note in desk.ok("get", f"/imports/{begun['id']}/notes", headers={"Accept-Language": language})["items"]
        ]
        for language in ("en", "zh-CN")
    }
    assert [path for path, _ in told["en"]] == ["a.jpg", "annotations.jsonl"]
    assert told["en"][0][1].startswith("What is said of an item may have at most")
    assert told["zh-CN"][0][1].startswith("样本的附加信息最大为")
    assert all("{" not in message for lines in told.values() for _, message in lines)


def test_loose_files_keep_their_folders(works: Works, desk: Desk) -> None:
    done = works.import_files(desk, {"left/a.jpg": picture(1), "right/b.jpg": picture(2)}, folder="sea", format="files")
    assert done["counts"]["added"] == 2
    assert [desk.item(seq)["path"] for seq in desk.seqs()] == ["sea/left/a.jpg", "sea/right/b.jpg"]


def test_a_format_can_be_chosen_and_an_unknown_one_is_refused(works: Works, desk: Desk) -> None:
    files = {"cats/a.jpg": picture(1), "dogs/b.jpg": picture(2)}
    assert works.import_files(desk, {"a.zip": zipped(files)}, format="files")["counts"].get("labels") is None
    assert works.import_files(desk.begin("pets"), {"a.zip": zipped(files)})["format"] == "folders"
    sent = [{"name": "a.zip", **desk.keep(zipped(files))}]
    answer = desk.call("post", "/imports", json={"source": {"type": "upload", "files": sent}, "format": "nonsense"})
    assert code_of(answer) == "import_format_unknown"


def test_what_was_sent_is_held_until_the_import_is_done(works: Works, desk: Desk) -> None:
    from tidemill.store.tables import PinRow

    sent = [{"name": "a.zip", **desk.keep(zipped(coco(PICTURES)))}]
    begun = desk.ok("post", "/imports", json={"source": {"type": "upload", "files": sent}})

    def pins() -> list[str]:
        with works.app.state.db.read() as session:
            return [pin.owner for pin in session.query(PinRow)]

    assert pins() == [f"{begun['id']}/inputs"]
    desk.ok("post", f"/imports/{begun['id']}/stop")
    assert desk.ok("get", f"/imports/{begun['id']}")["state"] == "stopped"
    assert pins() == []


def test_an_import_goes_on_after_what_was_acknowledged(
    works: Works, desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tidemill.datasets.importing import importer

    monkeypatch.setattr(importer, "RECORDS", 2)
    sent = [{"name": "a.zip", **desk.keep(zipped(coco(PICTURES)))}]
    begun = desk.ok("post", "/imports", json={"source": {"type": "upload", "files": sent}})
    office = works.office(desk, begun)
    steps: list[int] = []
    step = office.step

    def dies_at_the_third(body: dict[str, object]) -> int:
        found = step(body)
        steps.append(found)
        if len(steps) == 2:
            raise ConnectionError("killed")
        return found

    monkeypatch.setattr(office, "step", dies_at_the_third)
    with pytest.raises(ConnectionError):
        works.run(desk, begun, office)
    there = desk.ok("get", f"/imports/{begun['id']}")
    assert there["done"] == 4
    done = works.run(desk, begun)
    assert (done["state"], done["counts"]["added"], done["counts"]["read"]) == ("done", 5, 5)
    assert "unchanged" not in done["counts"]
    assert desk.ok("get")["items"] == 5


def test_only_the_works_own_program_may_report(works: Works, desk: Desk, api: Api) -> None:
    sent = [{"name": "a.zip", **desk.keep(zipped(coco(PICTURES)))}]
    begun = desk.ok("post", "/imports", json={"source": {"type": "upload", "files": sent}})
    place = f"/projects/tides/dataset-works/{begun['id']}"
    assert desk.person.post(f"{place}/begin").status_code == 403
    assert desk.person.post(f"{place}/finish", json={}).status_code == 403
    other = desk.ok("post", "/imports", json={"source": {"type": "upload", "files": sent}})
    stranger = works.office(desk, other)
    stranger._work = f"/dataset-works/{begun['id']}"
    with pytest.raises(Exception, match="work_not_found"):
        stranger.begin()


def test_annotators_cannot_import(desk: Desk, ann: Person) -> None:
    body = {"source": {"type": "server", "path": "/data"}}
    assert desk.as_(ann).call("post", "/imports", json=body).status_code == 403


def test_another_version_is_imported_without_its_bytes_being_sent(works: Works, desk: Desk) -> None:
    works.import_files(desk, {"a.zip": zipped(coco(PICTURES))})
    other = desk.begin("harbour")
    done = works.do(other, "import", source={"type": "dataset", "dataset": "boats", "version": "1"})
    assert (done["state"], done["counts"]["added"]) == ("done", 5)
    names = {label["number"]: label["name"] for label in other.ok("get", "/labels")["items"]}
    assert [names[one["label"]] for one in other.item(2)["annotations"]] == ["boat", "buoy"]
    assert done["source"] == {
        "type": "dataset", "project": None, "dataset": "boats", "version": 1, "with_annotations": True,
    }  # fmt: skip


def test_films_become_frames(works: Works, desk: Desk, real_data: object) -> None:
    from pathlib import Path

    film = next(Path(str(real_data)).joinpath("video-short").glob("*.mp4"))
    frames = desk.begin("frames")
    done = works.import_files(frames, {film.name: film.read_bytes()}, video={"fps": 1})
    assert done["state"] == "done", done["error"]
    item = frames.item(1)
    assert item["path"].startswith(f"{film.stem}/")
    assert item["info"]["film"] == film.name
    assert item["media"] == "image/jpeg"
    times = [frames.item(seq)["info"]["time"] for seq in frames.seqs()]
    assert times == sorted(times)
    assert len(times) == done["counts"]["added"] >= 2


def test_every_format_has_a_sample_that_can_be_imported(works: Works, desk: Desk) -> None:
    listed = desk.person.ok("get", "/dataset-formats")["items"]
    read = [one["name"] for one in listed if one["has_sample"]]
    assert {"coco", "voc", "yolo", "labelme", "tidemill", "table"} <= set(read)
    kinds = {"table": ("text", "text-classification"), "audio-manifest": ("audio", "audio-transcription")}
    for name in ("coco", "voc", "yolo", "table"):
        data, kind = kinds.get(name, ("image", "detection"))
        answer = desk.person.get(f"/dataset-formats/{name}/sample")
        made = desk.begin(f"sample {name}", data=data, kind=kind)
        done = works.import_files(made, {"sample.zip": answer.content})
        assert (done["state"], done["format"]) == ("done", name), done["error"]
        assert done["counts"]["added"] > 0


def test_an_ended_import_can_be_forgotten(works: Works, desk: Desk) -> None:

    sent = [{"name": "a.zip", **desk.keep(zipped({"a.png": plain_picture()}))}]
    begun = desk.ok("post", "/imports", json={"source": {"type": "upload", "files": sent}})
    assert code_of(desk.call("delete", f"/imports/{begun['id']}")) == "work_not_ended"
    desk.ok("post", f"/imports/{begun['id']}/stop")
    desk.ok("delete", f"/imports/{begun['id']}")
    assert desk.call("get", f"/imports/{begun['id']}").status_code == 404
