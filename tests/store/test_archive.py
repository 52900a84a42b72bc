"""Trees as archives: what comes out is what went in, whoever reads it."""

import io
import shutil
import subprocess
import tarfile
import tempfile
import zipfile
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.store.conftest import NOW, Shelf
from tests.store.test_trees import change, new_tree
from tidemill.store import archive
from tidemill.store.trees.listing import TreeChanged
from tidemill.store.zipstream import ZipStream

FILES = {
    "README.md": b"# Tides\n" * 500,
    "权重/模型.onnx": bytes(range(256)) * 40,
    "pictures/a.png": b"\x89PNG" + b"x" * 300,
    "empty": b"",
    "/".join(["deep" * 20] * 6): b"down here",
}


def unzip(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as opened:
        assert opened.testzip() is None
        return {info.filename: opened.read(info) for info in opened.infolist()}


def untar(data: bytes) -> dict[str, bytes]:
    with tarfile.open(fileobj=io.BytesIO(data)) as opened:
        return {member.name: opened.extractfile(member).read() for member in opened}  # type: ignore[union-attr]


def whole(shelf: Shelf, tree_id: str, format: archive.ArchiveFormat, path: str = "") -> bytes:
    return b"".join(archive.archive(shelf.db, shelf.store.backend, tree_id, format, path))


def test_a_zip_holds_the_tree(shelf: Shelf, project_id: str) -> None:
    tree_id = new_tree(shelf, project_id, FILES)
    data = whole(shelf, tree_id, "zip")
    assert unzip(data) == FILES
    with zipfile.ZipFile(io.BytesIO(data)) as opened:
        assert opened.getinfo("README.md").compress_size < 500
        assert opened.getinfo("pictures/a.png").compress_type == zipfile.ZIP_STORED
        assert opened.getinfo("README.md").date_time == NOW.timetuple()[:6]


def test_a_tar_holds_the_tree(shelf: Shelf, project_id: str) -> None:
    tree_id = new_tree(shelf, project_id, FILES)
    data = whole(shelf, tree_id, "tar")
    assert untar(data) == FILES
    with tarfile.open(fileobj=io.BytesIO(data)) as opened:
        assert {member.mode for member in opened} == {0o644}


@pytest.mark.parametrize("program", ["unzip", "bsdtar", "tar"])
def test_common_programs_read_them(shelf: Shelf, project_id: str, tmp_path: Path, program: str) -> None:
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed")
    tree_id = new_tree(shelf, project_id, FILES)
    file, target = tmp_path / "archive", tmp_path / "out"
    file.write_bytes(whole(shelf, tree_id, "tar" if program == "tar" else "zip"))
    target.mkdir()
    command = {"unzip": ["unzip", "-q", str(file), "-d", str(target)]}.get(program)
    subprocess.run(command or [program, "-xf", str(file), "-C", str(target)], check=True, env={"LC_ALL": "C.UTF-8"})
    found = {str(path.relative_to(target)): path.read_bytes() for path in target.rglob("*") if path.is_file()}
    assert found == FILES


@pytest.mark.parametrize("format", ["zip", "tar"])
def test_a_folder_alone_begins_at_its_own_top(shelf: Shelf, project_id: str, format: archive.ArchiveFormat) -> None:
    tree_id = new_tree(shelf, project_id, {"a/b/c": b"1", "a/d": b"2", "ab": b"3"})
    read = unzip if format == "zip" else untar
    assert read(whole(shelf, tree_id, format, "a")) == {"b/c": b"1", "d": b"2"}
    assert read(whole(shelf, tree_id, format, "ab")) == {"ab": b"3"}


@pytest.mark.parametrize("format", ["zip", "tar"])
def test_an_empty_tree_is_an_empty_archive(shelf: Shelf, project_id: str, format: archive.ArchiveFormat) -> None:
    read = unzip if format == "zip" else untar
    assert read(whole(shelf, new_tree(shelf, project_id), format)) == {}


def test_an_archive_of_a_tree_that_changes_breaks_off(shelf: Shelf, project_id: str) -> None:
    tree_id = new_tree(shelf, project_id, {"a": b"1", "b": b"2"})
    blocks = archive.archive(shelf.db, shelf.store.backend, tree_id, "zip")
    next(blocks)
    change(shelf, tree_id, ("remove", "b"))
    with pytest.raises(TreeChanged):
        list(blocks)


NAMES = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=30)


@given(st.dictionaries(NAMES, st.binary(max_size=2000), max_size=8))
def test_any_files_survive_a_zip(files: dict[str, bytes]) -> None:
    with tempfile.TemporaryFile() as directory:
        stream = ZipStream(directory)
        data = b"".join(
            block for name, content in files.items() for block in stream.add(name, NOW, len(content), [content])
        )
        data += b"".join(stream.end())
    with zipfile.ZipFile(io.BytesIO(data)) as opened:
        assert [opened.read(info) for info in opened.infolist()] == list(files.values())


def test_more_files_than_sixteen_bits_count() -> None:
    with tempfile.TemporaryFile() as directory:
        stream = ZipStream(directory)
        data = b"".join(block for n in range(70_000) for block in stream.add(f"{n}.gz", NOW, 1, [b"x"]))
        data += b"".join(stream.end())
    with zipfile.ZipFile(io.BytesIO(data)) as opened:
        assert len(opened.namelist()) == 70_000
        assert opened.read("69999.gz") == b"x"


def test_files_past_four_gigabytes_have_long_sizes(monkeypatch: pytest.MonkeyPatch) -> None:
    """The fields are the same at any size; lowering the border shows them without the gigabytes."""
    for name in ("_LARGE", "_LIMIT_32"):
        monkeypatch.setattr(f"tidemill.store.zipstream.{name}", 100)
    with tempfile.TemporaryFile() as directory:
        stream = ZipStream(directory)
        pieces = [*stream.add("a.gz", NOW, 200, [b"x" * 200]), *stream.add("b.txt", NOW, 5, [b"short"])]
        entries_at = sum(map(len, pieces))
        directory.seek(0)
        listed = directory.read()
    assert b"PK\x07\x08" in b"".join(pieces)
    assert pieces[-1][:4] == b"PK\x07\x08"
    assert len(pieces[2]) == 24
    assert listed.count(b"PK\x01\x02") == 2
    assert (200).to_bytes(8, "little") * 2 in listed
    assert entries_at > 300


def test_times_the_format_cannot_say_are_brought_into_its_range() -> None:
    with tempfile.TemporaryFile() as directory:
        stream = ZipStream(directory)
        data = b"".join(stream.add("a", datetime(1970, 1, 1, tzinfo=UTC), 0, []))
        data += b"".join(stream.end())
    with zipfile.ZipFile(io.BytesIO(data)) as opened:
        assert opened.getinfo("a").date_time == (1980, 1, 1, 0, 0, 0)
