"""Odd but honest files: what real sets hold beside what the formats' documents say."""

import base64
import io
import json

import numpy as np
import pytest
from PIL import Image

from tests.datasets.formats import sets
from tidemill.datasets import formats
from tidemill.datasets.formats.base import Sample
from tidemill.datasets.formats.fitting import fit
from tidemill.datasets.formats.json_stream import Damaged, elements
from tidemill.datasets.formats.mask_values import classes, read
from tidemill.datasets.media.pictures import Picture
from tidemill.datasets.sources import MemorySource
from tidemill.geometry import rle
from tidemill.geometry.measure import area

XML = (
    "<annotation><filename>{name}</filename><object><name>小猫</name><bndbox><xmin>1</xmin><ymin>2</ymin><xmax>11</xmax>"
    "<ymax>12</ymax></bndbox></object></annotation>"
)


def coco(rows: list[dict], **more: object) -> bytes:
    images = [{"id": 1, "file_name": "a.png", "width": 64, "height": 48}]
    return json.dumps(
        {"images": images, "annotations": rows, "categories": [{"id": 1, "name": "cat"}], **more}
    ).encode()


def test_voc_files_lie_anywhere_and_name_their_picture_badly() -> None:
    files = {
        "labels-xml/a.xml": XML.format(name="/home/me/wrong/A.PNG").encode(),
        "deep/down/b.xml": XML.format(name="c.jpg").encode(),
        "gbk/d.xml": ('<?xml version="1.0" encoding="utf-8"?>' + XML.format(name="图片.png")).encode("gb18030"),
        "photos/a.png": sets.picture(), "other/b.jpg": sets.picture(format="JPEG"), "gbk/图片.png": sets.picture(),
    }  # fmt: skip
    _, samples, notes = sets.read("voc", files)
    assert notes == []
    assert sorted(s.path for s in samples) == ["gbk/图片.png", "other/b.jpg", "photos/a.png"]
    assert all(a["label"] == "小猫" for s in samples for a in s.annotations)


def test_coco_before_its_pictures_with_gaps_and_nan() -> None:
    text = (
        '{"annotations": [{"id": 9, "image_id": "x1", "category_id": 90, "bbox": [1, 2, 3, 4], "area": NaN}],'
        ' "categories": [{"id": 90, "name": "toothbrush"}], "images": [{"id": "x1", "file_name": "train\\\\a.png"}]}'
    )
    _, samples, notes = sets.read("coco", {"anno/all.json": text.encode(), "train/a.png": sets.picture()})
    assert notes == []
    assert samples[0].file == "train/a.png"
    assert samples[0].annotations == [{"type": "box", "label": "toothbrush", "id": "9", "x": 1, "y": 2, "w": 3, "h": 4}]


def test_coco_rows_that_make_no_sense_are_noted_one_by_one() -> None:
    rows = [
        {"id": 1, "image_id": 1, "category_id": 1, "bbox": [1, 2, 3, 4]},
        {"id": 2, "image_id": 1, "category_id": 1, "bbox": [1, 2, 0, 4]},
        {"id": 3, "image_id": 1, "category_id": 77, "bbox": [1, 2, 3, 4]},
        {"id": 4, "image_id": 88, "category_id": 1, "bbox": [1, 2, 3, 4]},
        {"id": 5, "category_id": 1, "bbox": [1, 2, 3, 4]},
        {"id": 6, "image_id": 1, "category_id": 1, "segmentation": {"size": [48, 64], "counts": [1, 2]}},
    ]
    _, samples, notes = sets.read("coco", {"a.json": coco(rows), "a.png": sets.picture()})
    assert [a["id"] for a in samples[0].annotations] == ["1"]
    assert sorted(note.code for note in notes) == [
        "annotation_broken", "annotation_broken", "coco_category_unknown", "coco_rows_broken",
        "coco_rows_without_picture",
    ]  # fmt: skip


def test_a_cut_off_coco_file_gives_what_comes_before() -> None:
    data = coco([{"id": i, "image_id": 1, "category_id": 1, "bbox": [1, 2, 3, 4]} for i in range(50)])
    _, samples, notes = sets.read("coco", {"a.json": data[: len(data) // 2], "a.png": sets.picture()})
    assert "json_damaged" in [note.code for note in notes]
    assert samples[0].path == "a.png"


def test_labelme_pictures_inside_and_files_of_old_versions() -> None:
    old = {"shapes": [{"label": "cat", "line_color": None, "points": [[1, 2], [9, 2], [9, 9]]}],
           "lineColor": [0, 255, 0, 128], "imagePath": "gone.jpg",
           "imageData": base64.b64encode(sets.picture()).decode()}  # fmt: skip
    _, samples, notes = sets.read("labelme", {"x/old.json": json.dumps(old).encode()})
    assert notes == []
    assert samples[0].path == "x/old.png"
    assert samples[0].file == sets.picture()
    assert samples[0].annotations[0]["rings"] == [[1.0, 2.0, 9.0, 2.0, 9.0, 9.0]]


def test_labelme_shapes_of_its_relatives() -> None:
    shapes = [
        {"label": "a", "shape_type": "rotation", "points": [[10, 10], [10, 20], [5, 20], [5, 10]]},
        {"label": "a", "shape_type": "rectangle", "points": [[9, 9], [1, 2]]},
        {"label": "a", "shape_type": "polygon", "points": [[9, 9], [1, 2]]},
        {"label": "a", "shape_type": "cuboid", "points": [[9, 9], [1, 2]]},
    ]
    data = json.dumps({"shapes": shapes, "imagePath": "a.png", "version": "9"}).encode()
    _, samples, notes = sets.read("labelme", {"a.json": data, "a.png": sets.picture()})
    turned, box, line = samples[0].annotations
    assert (turned["w"], turned["h"], turned["angle"]) == pytest.approx((10, 5, 90))
    assert (box["x"], box["y"], box["w"], box["h"]) == (1, 2, 8, 7)
    assert line["type"] == "polyline"
    assert [note.code for note in notes] == ["annotation_broken"]


def test_yolo_without_names_beside_the_pictures_and_with_an_empty_file() -> None:
    files = {"d/a.png": sets.picture(), "d/a.txt": b"3 0.5 0.5 0.25 0.5\n\n",
             "d/b.png": sets.picture(), "d/b.txt": b"0 0.1 0.1 0.1 0.1", "d/c.png": sets.picture(),
             "labels/e.txt": b"", "images/e.png": sets.picture()}  # fmt: skip
    labels, samples, _ = sets.read("yolo", {k: v for k, v in files.items() if k.startswith("d/")})
    assert sorted(label.name for label in labels) == ["0", "3"]
    assert samples[0].annotations[0] == {
        "type": "box",
        "x": 24.0,
        "y": 12.0,
        "w": 16.0,
        "h": 24.0,
        "label": "3",
        "id": "1",
    }
    assert [s.state for s in samples] == ["labelled", "labelled", None]
    _, samples, _ = sets.read("yolo", {k: v for k, v in files.items() if not k.startswith("d/")})
    assert [(s.path, s.state) for s in samples] == [("images/e.png", "labelled")]


def test_tables_in_other_encodings_with_other_delimiters() -> None:
    for encoding in ("utf-8", "utf-8-sig", "gb18030", "utf-16"):
        for delimiter in ("\t", ",", ";"):
            rows = [("label", "text"), ("好", "味道很好，下次还会再来的"), ("差", "送餐太慢了，菜都凉了")]
            data = "\r\n".join(delimiter.join(row) for row in rows).encode(encoding)
            _, samples, notes = sets.read("table", {"t.csv": data})
            assert notes == [], (encoding, delimiter)
            assert [s.file for s in samples] == [rows[1][1].encode(), rows[2][1].encode()], (encoding, delimiter)


def test_a_list_of_pictures_with_several_classes() -> None:
    files = {"img/a.png": sets.picture(), "img/b.png": sets.picture(1), "train_list.txt": b"a.png cat\nb.png dog\n",
             "multi.json": b'[{"image": "a.png", "labels": ["cat", "dog"]}]'}  # fmt: skip
    _, samples, _ = sets.read("table", {k: v for k, v in files.items() if k != "train_list.txt"})
    assert [a["label"] for a in samples[0].annotations] == ["cat", "dog"]
    data = b"file,label\na.png,cat|dog\n"
    _, samples, _ = sets.read("table", {"img/a.png": sets.picture(), "l.csv": data}, label_separator="|")
    assert [a["label"] for a in samples[0].annotations] == ["cat", "dog"]


def test_masks_by_colour_with_a_table() -> None:
    import io

    from PIL import Image

    mask = Image.new("RGB", (sets.W, sets.H), (0, 0, 0))
    mask.paste((128, 64, 0), (0, 0, 10, 10))
    mask.paste((1, 2, 3), (20, 20, 30, 30))
    out = io.BytesIO()
    mask.save(out, "PNG")
    files = {
        "img/a.png": sets.picture(),
        "masks/a.png": out.getvalue(),
        "label_colors.txt": b"0 0 0 Void\n128 64 0 Road\n",
    }
    labels, samples, _ = sets.read("masks", files)
    assert [(label.name, label.colour) for label in labels] == [("Road", "#804000"), ("#010203", "#010203")]
    assert [a["label"] for a in samples[0].annotations] == ["#010203", "Road"]


def test_very_many_of_one_name_find_their_own() -> None:
    """Where each item has a folder of its own, all are called alike."""
    count = 60
    masks, texts, listed = dict[str, bytes](), dict[str, bytes](), dict[str, bytes]()
    for number in range(count):
        folder = f"set/{number:03d}"
        values = np.zeros((sets.H, sets.W), dtype=np.uint8)
        values[: number // 2 + 1, : number + 1] = 1
        out = io.BytesIO()
        Image.fromarray(values).save(out, "PNG")
        masks |= {f"{folder}/img.jpg": sets.picture(format="JPEG"), f"{folder}/img_mask.png": out.getvalue()}
        texts |= {
            f"{folder}/image.png": sets.picture(),
            f"{folder}/image.txt": f"1,1,9,1,9,9,1,9,word {number}".encode(),
        }
        listed[f"{folder}/a.png"] = sets.picture()
    rows = "".join(f"/data/copy/{number:03d}/a.png,class {number}\n" for number in range(count))
    listed["labels.csv"] = f"file,label\n{rows}".encode()
    for number, sample in enumerate(sets.read("masks", masks)[1]):
        assert sample.path == f"set/{number:03d}/img.jpg"
        assert area(sample.annotations[-1]) == (number // 2 + 1) * (number + 1)
    words = {s.path: s.annotations[0]["text"] for s in sets.read("ocr", texts)[1]}
    assert words == {f"set/{number:03d}/image.png": f"word {number}" for number in range(count)}
    classes = {s.path: s.annotations[0]["label"] for s in sets.read("table", listed)[1]}
    assert classes == {f"set/{number:03d}/a.png": f"class {number}" for number in range(count)}


@pytest.mark.parametrize("mode", ["L", "P", "1", "I;16", "RGB", "RGBA"])
def test_a_mask_of_any_kind_is_cut_into_its_classes(mode: str) -> None:
    values = np.random.default_rng(7).integers(0, 2 if mode == "1" else 5, (sets.H, sets.W), dtype=np.uint8)
    image = Image.fromarray(values * 40 if mode in {"RGB", "RGBA"} else values)
    if mode == "P":
        image.putpalette([value for number in range(256) for value in (number, 0, 255 - number)])
    elif mode == "1":
        image = Image.fromarray(values.astype(bool))
    elif mode == "I;16":
        image = Image.fromarray(values.astype(np.uint16))
    else:
        image = image.convert(mode)
    out = io.BytesIO()
    image.save(out, "PNG")
    kind, found = classes(read(io.BytesIO(out.getvalue())))
    # Light greys are colours, dark ones numbers of classes.
    expected = "colour" if mode in {"RGB", "RGBA"} else "palette" if mode == "P" else "index"
    assert kind == expected
    factor = 40 * 0x010101 if expected == "colour" else 1
    assert dict(found) == {int(value) * factor: rle.text_of(rle.encode(values == value)) for value in np.unique(values)}


def test_classes_called_by_numbers_stay_what_they_are() -> None:
    """A list of the classes beside a table names numbers, unless the numbers are the names."""
    table = b"text,label\n" + b"".join(b"a sentence to be judged,%d\n" % (n % 2) for n in range(20))
    labels, samples, _ = sets.read("table", {"reviews.csv": table, "classes.txt": b"1\n0\n"})
    assert [s.annotations[0]["label"] for s in samples[:2]] == ["0", "1"]
    named = sets.read("table", {"reviews.csv": table, "classes.txt": b"bad\ngood\n"})[1]
    assert [s.annotations[0]["label"] for s in named[:2]] == ["bad", "good"]
    assert len(labels) == 2


def test_a_sound_with_a_class_and_an_empty_text_is_no_stretch_of_sound() -> None:
    rows = b"file,label,split,start,end,text\na.wav,boat,,,,\nb.wav,buoy,,0.5,1.5,\n"
    _, samples, _ = sets.read("table", {"items.csv": rows, "a.wav": b"RIFF", "b.wav": b"RIFF"})
    assert [s.annotations[0]["type"] for s in samples] == ["class", "segment"]


def test_yolo_with_mostly_empty_files_and_objects_without_points() -> None:
    files = {f"images/train/{kind}/{n}.png": sets.picture() for kind in ("sea", "land") for n in range(5)}
    files |= {path.replace("images", "labels").replace(".png", ".txt"): b"" for path in files}
    files["labels/train/sea/0.txt"] = b"0 .5 .5 .2 .2 .5 .5 2 .4 .4 1\n1 .5 .5 .2 .2 0 0 0 0 0 0\n"
    files["data.yaml"] = b"names: [boat, buoy]\nkpt_shape: [2, 3]\n"
    assert formats.recognise(MemorySource(files))[0][0] == "yolo"
    _, samples, notes = sets.read("yolo", files)
    assert notes == []
    by_path = {s.path: s for s in samples}
    assert [a["type"] for a in by_path["images/train/sea/0.png"].annotations] == ["keypoints", "box"]
    assert all(s.state == "labelled" for s in samples)


def test_json_of_any_size_comes_element_by_element() -> None:
    import io

    rows = [{"id": i, "text": "},{" * (i % 5) + '"\\', "deep": [{"a": [i]}, {"b": None}]} for i in range(9_000)]
    data = json.dumps({"info": {"x": [1, {"y": "]"}]}, "rows": rows, "last": 5}).encode()
    found = list(elements(io.BytesIO(data)))
    assert found[0] == ("info", {"x": [1, {"y": "]"}]})
    assert [row for key, row in found if key == "rows"] == rows
    assert found[-1] == ("last", 5)
    given = []
    with pytest.raises(Damaged):
        given.extend(elements(io.BytesIO(data[: len(data) // 2])))


def photo(width: int, height: int, orientation: int = 1) -> Picture:
    return Picture(width, height, "image/jpeg", orientation, "RGB", 1)


def test_annotations_follow_a_picture_that_lies_on_its_side() -> None:
    sample = Sample("a.jpg", None, [{"type": "box", "label": "cat", "x": 10, "y": 0, "w": 20, "h": 5}], 64, 48)
    notes = fit(sample, photo(48, 64, 6))
    assert [note.code for note in notes] == ["turned_upright"]
    assert (sample.width, sample.height) == (48, 64)
    assert sample.annotations[0] == {"type": "box", "label": "cat", "x": 43, "y": 10, "w": 5, "h": 20}


def test_annotations_of_another_size_are_scaled_and_outer_ones_cut() -> None:
    sample = Sample("a.jpg", None, [{"type": "box", "label": "cat", "x": 10, "y": 0, "w": 20, "h": 5}], 64, 48)
    assert [note.code for note in fit(sample, photo(128, 96))] == ["scaled_to_picture"]
    assert sample.annotations[0]["w"] == 40
    outside = [{"id": "1", "type": "box", "label": "cat", "x": 60, "y": 0, "w": 20, "h": 5},
               {"id": "2", "type": "box", "label": "cat", "x": 90, "y": 0, "w": 20, "h": 5}]  # fmt: skip
    sample = Sample("a.jpg", None, outside, 64, 48)
    assert [note.code for note in fit(sample, photo(64, 48))] == ["annotation_outside", "annotations_cut"]
    assert [a["w"] for a in sample.annotations] == [4]
    sample = Sample("a.jpg", None, outside[:1], 50, 90)
    assert fit(sample, photo(64, 48))[0].code == "size_differs"
