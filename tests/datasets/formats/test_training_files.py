"""Files to train with: parts by ratio and seed, every class in both, TFRecords that others can read."""

import io
import json
import struct
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from tests.datasets.formats import sets
from tidemill.datasets.formats.base import Sample
from tidemill.datasets.formats.checksums import crc32c
from tidemill.datasets.formats.targets import FolderTarget, MemoryTarget
from tidemill.datasets.formats.training_files import write_training_files
from tidemill.kernel.splitting import choose_test


def _row(value: int) -> int:
    for _ in range(8):
        value = value >> 1 ^ (0x82F63B78 if value & 1 else 0)
    return value


TABLE = [_row(value) for value in range(256)]
"""CRC-32C a byte at a time, not as the product does it."""


def labelled(count: int) -> list[Sample]:
    return [sets.sample(i, sets.CLASS if i % 4 else sets.OTHER_CLASS) for i in range(count)]


def made(kind: str, samples: list[Sample], **options: object) -> tuple[dict[str, bytes], list[str]]:
    target = MemoryTarget()
    notes = write_training_files(kind, sets.LABELS, lambda: samples, target, files=sets.opener, **options)  # type: ignore[arg-type]
    return target.files, [note.code for note in notes]


@pytest.mark.parametrize(
    ("kind", "train"),
    [("detection", "train"), ("ocr", "train"), ("keypoints", "train"), ("segmentation", "trainval")],
)
def test_coco_in_two_parts(kind: str, train: str) -> None:
    samples = [sets.sample(i, sets.BOX, sets.POINTS, sets.POLYGON) for i in range(20)]
    files, notes = made(kind, samples, test_ratio=0.25, seed=3)
    parts = [json.loads(files[f"{name}.json"]) for name in (train, "test")]
    assert [len(part["images"]) for part in parts] == [15, 5]
    assert [len(part["annotations"]) for part in parts] == [45, 15]
    assert all(len(part["categories"]) == 3 for part in parts)
    assert {image["file_name"] for part in parts for image in part["images"]} <= set(files)
    assert notes == []
    assert made(kind, samples[::-1], test_ratio=0.25, seed=3)[0].keys() == files.keys()


@pytest.mark.parametrize("kind", ["detection", "segmentation", "classification"])
def test_fewer_than_ten_items_make_no_test_part(kind: str) -> None:
    files, notes = made(kind, [sets.sample(i, sets.BOX, sets.CLASS) for i in range(9)])
    assert not [path for path in files if path.startswith(("test", "evaluate"))]
    assert "split_without_test" in notes
    assert [
        path
        for path in made(kind, [sets.sample(i, sets.BOX, sets.CLASS) for i in range(10)])[0]
        if path.startswith("test")
    ]


def test_classification_lists_classes_and_records() -> None:
    files, _ = made("classification", labelled(20), test_ratio=0.2, seed=1)
    assert files["classes.txt"].decode().split() == ["cat", "dog", "person"]
    train = files["train_label_file.txt"].decode().splitlines()
    test = files["test_label_file.txt"].decode().splitlines()
    assert (len(train), len(test)) == (16, 4)
    assert set(train) & set(test) == set()
    assert {line.partition(",")[2] for line in test} == {"cat", "dog"}
    assert train[0].partition(",")[0] in files
    assert {path.partition("/")[0] for path in files if path.endswith(".tfrecord")} == {"train", "evaluate"}


def test_records_are_read_by_another_reader(tmp_path: Path) -> None:
    from tensorboard.compat.tensorflow_stub.pywrap_tensorflow import PyRecordReader_New

    samples = labelled(12)
    big = io.BytesIO()
    Image.effect_noise((300, 300), 90).save(big, "PNG")
    samples[0].file = big.getvalue()
    write_training_files("classification", sets.LABELS, lambda: samples, FolderTarget(tmp_path), files=sets.opener)
    found = []
    for file in sorted(tmp_path.rglob("*.tfrecord")):
        reader = PyRecordReader_New(str(file).encode())
        while True:
            try:
                reader.GetNext()
            except Exception as end:  # noqa: BLE001 — its way of saying that there are no more
                assert type(end).__name__ == "OutOfRangeError"  # noqa: PT017
                break
            found.append(parsed(reader.record()))
    assert len(found) == 12
    by_name = {features["image/filename"][0].decode(): features for features in found}
    first = by_name[f"images/{samples[0].path}"]
    assert first["image/encoded"] == [samples[0].file]
    assert first["image/class/text"] == [b"dog"]
    assert first["image/class/label"] == [1]
    assert (first["image/width"], first["image/height"], first["image/format"]) == ([64], [48], [b"png"])


def by_hand(file: Path) -> list[dict[str, list]]:
    """The records of a file by the rules of TFRecords and of protocol buffers alone, every checksum checked."""
    data, place, found = file.read_bytes(), 0, []
    while place < len(data):
        length, check = struct.unpack_from("<QI", data, place)
        record = data[place + 12 : place + 12 + length]
        assert len(record) == length
        assert check == masked(data[place : place + 8])
        assert struct.unpack_from("<I", data, place + 12 + length)[0] == masked(record)
        found.append(parsed(record))
        place += 16 + length
    return found


def masked(data: bytes) -> int:
    state = 0xFFFFFFFF
    for byte in data:
        state = TABLE[(state ^ byte) & 0xFF] ^ (state >> 8)
    value = state ^ 0xFFFFFFFF
    return ((value >> 15 | value << 17) + 0xA282EAD8) & 0xFFFFFFFF


def by_tensorflow(file: Path) -> list[dict[str, list]]:
    """The same by TensorFlow itself, as users read them."""
    tf = pytest.importorskip("tensorflow")
    found = []
    for record in tf.data.TFRecordDataset(str(file)):
        kind = "image" if b"image/encoded" in record.numpy() else "item"
        described = {
            f"{kind}/encoded": tf.io.FixedLenFeature([], tf.string),
            f"{kind}/filename": tf.io.FixedLenFeature([], tf.string),
            f"{kind}/format": tf.io.FixedLenFeature([], tf.string),
            f"{kind}/class/label": tf.io.VarLenFeature(tf.int64),
            f"{kind}/class/text": tf.io.VarLenFeature(tf.string),
        }
        if kind == "image":
            described |= {f"image/{side}": tf.io.FixedLenFeature([], tf.int64) for side in ("width", "height")}
        read = tf.io.parse_single_example(record, described)
        dense = {name: tf.sparse.to_dense(v) if isinstance(v, tf.SparseTensor) else v for name, v in read.items()}
        found.append({name: value.numpy().reshape(-1).tolist() for name, value in dense.items()})
        if kind == "image":
            assert tf.io.decode_image(read["image/encoded"]).shape[-1] in (1, 3)
    return found


@pytest.mark.parametrize("read", [by_hand, by_tensorflow])
def test_every_field_of_every_record_is_what_it_was(
    tmp_path: Path, read: Callable[[Path], list[dict[str, list]]]
) -> None:
    samples = labelled(12)
    samples[1].annotations = [sets.CLASS, sets.OTHER_CLASS]
    samples[2] = Sample("评论/2.txt", "很好吃。".encode(), [sets.CLASS])
    big = io.BytesIO()
    Image.effect_noise((300, 300), 90).save(big, "PNG")
    samples[0].file = big.getvalue()
    write_training_files("classification", sets.LABELS, lambda: samples, FolderTarget(tmp_path), files=sets.opener)
    found = [one for file in sorted(tmp_path.rglob("*.tfrecord")) for one in read(file)]
    assert len(found) == 12
    by_name = {(one.get("image/filename") or one["item/filename"])[0].decode(): one for one in found}
    numbers_of = {"cat": 0, "dog": 1}
    for sample in samples:
        place = f"images/{sample.path}"
        kind = "item" if sample.path.endswith(".txt") else "image"
        names = [one["label"] for one in sample.annotations]
        expected: dict[str, list] = {
            f"{kind}/encoded": [sample.file],
            f"{kind}/filename": [place.encode()],
            f"{kind}/format": [b"txt" if kind == "item" else b"png"],
            f"{kind}/class/label": [numbers_of[name] for name in names],
            f"{kind}/class/text": [name.encode() for name in names],
        }
        if kind == "image":
            expected |= {"image/width": [sample.width], "image/height": [sample.height]}
        assert by_name[place] == expected


def parsed(record: bytes) -> dict[str, list]:
    """A `tf.train.Example`, read by the rules of protocol buffers alone."""
    found: dict[str, list] = {}
    for _, entry in fields(fields(record)[0][1]):
        (_, name), (_, feature) = fields(entry)
        kind, values = fields(feature)[0]
        if kind == 1:
            found[name.decode()] = [value for _, value in fields(values)]
        elif kind == 2:
            packed = fields(values)[0][1]
            found[name.decode()] = list(struct.unpack(f"<{len(packed) // 4}f", packed))
        else:
            found[name.decode()] = numbers(fields(values)[0][1])
    return found


def fields(data: bytes) -> list[tuple[int, bytes]]:
    found, place = [], 0
    while place < len(data):
        key, place = number(data, place)
        assert key & 7 == 2
        length, place = number(data, place)
        found.append((key >> 3, data[place : place + length]))
        place += length
    return found


def numbers(data: bytes) -> list[int]:
    found, place = [], 0
    while place < len(data):
        value, place = number(data, place)
        found.append(value)
    return found


def number(data: bytes, place: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[place]
        value |= (byte & 0x7F) << shift
        shift, place = shift + 7, place + 1
        if byte < 0x80:
            return value, place


@settings(max_examples=15)
@given(st.integers(0, 60), st.integers(0, 5))
def test_checksums_of_any_length(kilobytes: int, seed: int) -> None:
    data = bytes((i * 31 + seed) % 251 for i in range(1000)) * kilobytes + b"tail"
    state = 0xFFFFFFFF
    for byte in data:
        state = TABLE[(state ^ byte) & 0xFF] ^ (state >> 8)
    assert crc32c(data) == state ^ 0xFFFFFFFF


def test_the_checksum_everybody_knows() -> None:
    assert crc32c(b"123456789") == 0xE3069283


@settings(max_examples=40)
@given(
    st.dictionaries(st.text(max_size=5), st.sets(st.sampled_from("abcd"), max_size=3), min_size=10, max_size=80),
    st.floats(0.05, 0.6),
    st.integers(),
)
def test_the_parts_are_as_large_as_asked_and_even(items: dict[str, set[str]], ratio: float, seed: int) -> None:
    chosen = choose_test(items.items(), ratio, seed)
    assert chosen <= set(items)
    assert len(chosen) == pytest.approx(len(items) * ratio, abs=1)
    assert choose_test(reversed(items.items()), ratio, seed) == chosen


def test_every_class_is_in_both_parts() -> None:
    items = [(f"{i}.jpg", [f"class{i % 5}"]) for i in range(100)]
    chosen = choose_test(items, 0.2, seed=9)
    assert Counter(int(path.partition(".")[0]) % 5 for path in chosen) == dict.fromkeys(range(5), 4)
    assert choose_test(items, 0.2, seed=10) != chosen


def test_a_type_nothing_is_trained_on_is_a_key_error() -> None:
    with pytest.raises(KeyError):
        made("audio-transcription", [])
