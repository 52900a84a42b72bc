"""Formats are told by their content, and a small set in each can be had."""

import pytest

from tests.datasets.formats import sets
from tidemill.datasets import formats
from tidemill.datasets.sources import MemorySource

READ_AS = {"csv": "table", "table": "table", "audio-manifest": "table", "paddleocr": "ocr", "icdar": "ocr"}
NAMES = sorted({*formats.READERS, *formats.WRITERS})


@pytest.mark.parametrize("name", NAMES)
def test_the_sample_of_each_format_is_recognised_and_read(name: str) -> None:
    files = formats.sample(name)
    source = MemorySource(files)
    assert formats.recognise(source)[0][0] == READ_AS.get(name, name)
    labels, samples, notes = sets.read(name, source)
    assert notes == []
    assert samples
    if name != "files":
        assert labels
        assert any(s.annotations for s in samples)


@pytest.mark.parametrize("name", NAMES)
def test_a_top_folder_around_a_set_changes_nothing(name: str) -> None:
    files = {f"my set/v1/{path}": data for path, data in formats.sample(name).items()}
    assert formats.recognise(MemorySource(files))[0][0] == READ_AS.get(name, name)
    _, samples, notes = sets.read(name, files)
    assert notes == []
    _, plain, _ = sets.read(name, formats.sample(name))
    assert [s.annotations for s in samples] == [s.annotations for s in plain]


def test_an_empty_source_is_of_no_format() -> None:
    assert [name for name, _ in formats.recognise(MemorySource({}))] == ["files"]
    for name in formats.READERS:
        assert sets.read(name, {})[1:] == ([], [])


def test_an_unknown_format_is_a_key_error() -> None:
    for call in (formats.reader, formats.writer, formats.sample):
        with pytest.raises(KeyError):
            call("pdf")
