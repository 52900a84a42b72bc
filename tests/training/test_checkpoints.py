"""The newest whole checkpoint, whatever a killed script left behind."""

import json
import os
import struct
import zipfile
from pathlib import Path

import pytest

from tidemill.training.checkpoints import FOLDER, find_newest


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / FOLDER
    made.mkdir(parents=True)
    return made


def write(path: Path, content: bytes | str = b"x", *, at: int = 100) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    os.utime(path, (at, at))
    return path


def write_zip(path: Path, *, at: int = 100, cut: int = 0) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("weights", os.urandom(2000))
    data = path.read_bytes()
    write(path, data[: len(data) - cut], at=at)


def newest(tmp_path: Path) -> str | None:
    found = find_newest(tmp_path)
    return found.removeprefix(f"{FOLDER}/") if found else None


def test_no_folder_and_an_empty_folder_have_none(tmp_path: Path) -> None:
    assert newest(tmp_path) is None
    (tmp_path / FOLDER).mkdir(parents=True)
    assert newest(tmp_path) is None


def test_the_one_written_last_is_taken(tmp_path: Path, folder: Path) -> None:
    write(folder / "step-900.bin", at=100)
    write(folder / "step-1000.bin", at=200)
    assert newest(tmp_path) == "step-1000.bin"


@pytest.mark.parametrize("name", ["a.pt.tmp", "a.part", ".a", "a.PARTIAL", "a.incomplete", "a~"])
def test_unfinished_names_do_not_count(tmp_path: Path, folder: Path, name: str) -> None:
    write(folder / "good.bin", at=100)
    write(folder / name, at=200)
    assert newest(tmp_path) == "good.bin"


def test_a_file_that_was_cut_off_is_not_whole(tmp_path: Path, folder: Path) -> None:
    write_zip(folder / "1.pt", at=100)
    write_zip(folder / "2.pt", at=200, cut=500)
    assert newest(tmp_path) == "1.pt"
    write_zip(folder / "3.pt", at=300)
    assert newest(tmp_path) == "3.pt"


def test_safetensors_are_as_long_as_their_header_says(tmp_path: Path, folder: Path) -> None:
    header = json.dumps({"w": {"dtype": "F32", "shape": [4], "data_offsets": [0, 16]}}).encode()
    whole = struct.pack("<Q", len(header)) + header + b"0" * 16
    write(folder / "1.safetensors", whole, at=100)
    write(folder / "2.safetensors", whole[:-1], at=200)
    write(folder / "3.safetensors", b"\xff" * 20, at=300)
    assert newest(tmp_path) == "1.safetensors"


def test_a_folder_is_whole_when_all_its_files_are(tmp_path: Path, folder: Path) -> None:
    write(folder / "1" / "state.json", "{}", at=100)
    write(folder / "2" / "state.json", "{}", at=200)
    write(folder / "2" / "more.json", "{", at=200)
    (folder / "3").mkdir()
    os.utime(folder / "1", (100, 100))
    assert newest(tmp_path) == "1"


def test_a_marker_is_believed_when_what_it_names_is_whole(tmp_path: Path, folder: Path) -> None:
    write(folder / "best.bin", at=100)
    write(folder / "last.bin", at=200)
    write(folder / "latest", "best.bin\n", at=300)
    assert newest(tmp_path) == "best.bin"
    write(folder / "latest", "gone.bin", at=300)
    assert newest(tmp_path) == "last.bin"
    (folder / "latest").unlink()
    (folder / "latest").symlink_to("best.bin")
    assert newest(tmp_path) == "best.bin"


@pytest.mark.parametrize("target", ["/etc/passwd", "../../../secret", "..", "."])
def test_a_marker_cannot_point_outside(tmp_path: Path, folder: Path, target: str) -> None:
    write(tmp_path.parent / "secret", at=100)
    write(folder / "latest", target, at=300)
    assert newest(tmp_path) is None
    (folder / "latest").unlink()
    (folder / "latest").symlink_to(target)
    assert newest(tmp_path) is None


def test_links_are_not_followed(tmp_path: Path, folder: Path) -> None:
    secret = tmp_path / "elsewhere"
    write(secret / "w.bin")
    (folder / "linked").symlink_to(secret)
    assert newest(tmp_path) is None
