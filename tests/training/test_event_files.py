"""TensorBoard's event files, as TensorBoard's own library writes them and as nobody should."""

import math
import struct
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidemill.training.metrics.event_files import RECORD_MAX_BYTES, Broken, masked_crc, read_records


def record(data: bytes) -> bytes:
    length = struct.pack("<Q", len(data))
    return length + struct.pack("<I", masked_crc(length)) + data + struct.pack("<I", masked_crc(data))


def field(number: int, content: bytes) -> bytes:
    return bytes([number << 3 | 2, len(content)]) + content


def scalar_event(tag: str, value: float, step: int = 1) -> bytes:
    summary = field(1, field(1, tag.encode()) + b"\x15" + struct.pack("<f", value))
    return b"\x09" + struct.pack("<d", 1.7e9) + bytes([2 << 3, step]) + field(5, summary)


@pytest.fixture
def tensorboard_protos() -> Any:
    return pytest.importorskip("tensorboard.compat.proto.event_pb2", reason="TensorBoard is not installed")


def write_with_tensorboard(folder: Path, write: Any) -> bytes:
    from tensorboard.summary.writer.event_file_writer import EventFileWriter

    writer = EventFileWriter(str(folder))
    write(writer)
    writer.close()
    (file,) = folder.glob("*tfevents*")
    return file.read_bytes()


def test_scalars_written_by_tensorboard_are_read(tmp_path: Path, tensorboard_protos: Any) -> None:
    from tensorboard.compat.proto.summary_pb2 import Summary

    def write(writer: Any) -> None:
        for step in range(300):
            value = Summary.Value(tag="train/loss", simple_value=1.0 / (step + 1))
            writer.add_event(
                tensorboard_protos.Event(wall_time=1.7e9 + step, step=step, summary=Summary(value=[value]))
            )

    data = write_with_tensorboard(tmp_path, write)
    read = read_records(data, 0)
    assert read.next_offset == len(data)
    assert [scalar.step for scalar in read.scalars] == list(range(300))
    assert read.scalars[3].tag == "train/loss"
    assert read.scalars[3].value == pytest.approx(0.25)
    assert read.scalars[3].at_s == 1.7e9 + 3


def test_scalars_as_tensors_are_read_and_other_tensors_are_not(tmp_path: Path, tensorboard_protos: Any) -> None:
    from tensorboard.compat.proto.summary_pb2 import Summary, SummaryMetadata
    from tensorboard.util.tensor_util import make_tensor_proto

    def value(tag: str, plugin: str, number: Any) -> Any:
        metadata = SummaryMetadata(plugin_data=SummaryMetadata.PluginData(plugin_name=plugin))
        return Summary.Value(tag=tag, metadata=metadata, tensor=make_tensor_proto(number))

    def write(writer: Any) -> None:
        values = [
            value("keras/loss", "scalars", 0.5),
            value("many", "scalars", [1.0, 2.0]),
            value("words", "text", "hello"),
            value("as_picture", "images", 3.0),
        ]
        writer.add_event(tensorboard_protos.Event(step=7, summary=Summary(value=values)))

    read = read_records(write_with_tensorboard(tmp_path, write), 0)
    assert [(scalar.tag, scalar.step, scalar.value) for scalar in read.scalars] == [("keras/loss", 7, 0.5)]


def test_a_record_that_is_still_being_written_is_left_for_later() -> None:
    first, second = record(scalar_event("a", 1.0)), record(scalar_event("b", 2.0))
    for cut in range(len(second)):
        read = read_records(first + second[:cut], 100)
        assert [scalar.tag for scalar in read.scalars] == ["a"]
        assert read.next_offset == 100 + len(first)
    rest = read_records((first + second)[len(first) :], 100 + len(first))
    assert [scalar.tag for scalar in rest.scalars] == ["b"]


def test_a_long_record_is_passed_over_without_being_there() -> None:
    length = struct.pack("<Q", RECORD_MAX_BYTES * 50)
    header = length + struct.pack("<I", masked_crc(length))
    read = read_records(record(scalar_event("a", 1.0)) + header, 0)
    assert len(read.scalars) == 1
    assert read.next_offset == len(record(scalar_event("a", 1.0))) + 12 + RECORD_MAX_BYTES * 50 + 4


def test_a_length_with_a_wrong_checksum_is_not_believed() -> None:
    with pytest.raises(Broken):
        read_records(struct.pack("<QI", 10, 1) + b"x" * 30, 0)


def test_values_that_are_no_numbers_are_kept_as_such() -> None:
    (scalar,) = read_records(record(scalar_event("a", math.nan)), 0).scalars
    assert math.isnan(scalar.value)


@given(st.binary(max_size=200))
def test_hostile_records_are_refused_or_read_but_never_crash(data: bytes) -> None:
    try:
        read = read_records(record(data), 0)
    except Broken:
        return
    assert read.next_offset == len(data) + 16
