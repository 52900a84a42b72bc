"""Folders and archives of every kind look the same; hostile ones are refused; foreign file names are repaired."""

import gzip
import io
import os
import shutil
import tarfile
from pathlib import Path

import pytest

from tests.datasets.sources import archives
from tidemill.datasets.notes import Refused
from tidemill.datasets.sources import Limits, Source, open_source

FILES = {"a/one.txt": b"one" * 9, "a/b/two.txt": b"two", "three.txt": b""}


@pytest.fixture
def opened(tmp_path: Path):
    found: list[Source] = []

    def open_bytes(data: bytes, name: str, limits: Limits | None = None) -> Source:
        file = tmp_path / name
        file.write_bytes(data)
        found.append(open_source(file, scratch=tmp_path / "scratch", limits=limits))
        return found[-1]

    yield open_bytes
    for source in found:
        source.close()


def contents(source: Source) -> dict[str, bytes]:
    return {entry.path: source.read(entry.path) for entry in source.entries()}


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("x.zip", archives.zipped(FILES)),
        ("x.tar", archives.tarred(FILES)),
        ("x.tar.gz", archives.tarred(FILES, "w:gz")),
        ("x.tgz", archives.tarred(FILES, "w:gz")),
        ("x.tar.bz2", archives.tarred(FILES, "w:bz2")),
        ("x.tar.xz", archives.tarred(FILES, "w:xz")),
        ("named-wrongly.bin", archives.zipped(FILES)),
        pytest.param(
            "x.rar", archives.rarred(FILES), marks=pytest.mark.skipif(not shutil.which("unar"), reason="no unar")
        ),
    ],
)
def test_every_kind_of_archive_shows_the_same_files(opened, name: str, data: bytes) -> None:
    source = opened(data, name)
    assert contents(source) == FILES
    assert [(e.path, e.size_bytes) for e in source.entries()] == [
        ("a/b/two.txt", 3), ("a/one.txt", 27), ("three.txt", 0)]  # fmt: skip
    assert source.find("a/one.txt") is not None
    assert source.find("a") is None
    with pytest.raises(KeyError):
        source.open("nothing")


def test_a_folder_shows_its_files_and_follows_no_links(tmp_path: Path) -> None:
    root = tmp_path / "root"
    for path, data in FILES.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(data)
    (root / "passwd").symlink_to("/etc/passwd")
    (root / ".DS_Store").write_bytes(b"x")
    source = open_source(root, scratch=tmp_path / "scratch")
    assert contents(source) == FILES
    assert [(note.code, note.path) for note in source.notes] == [("link_skipped", "passwd")]


def test_a_single_file_is_a_source(opened) -> None:
    assert contents(opened(b"a,b\n1,2\n", "table.csv")) == {"table.csv": b"a,b\n1,2\n"}
    assert contents(opened(gzip.compress(b"a,b\n"), "packed.csv.gz")) == {"packed.csv": b"a,b\n"}


def test_archives_in_archives_are_opened_in_their_places(opened) -> None:
    inner = archives.zipped({"x/y.txt": b"deep"})
    middle = archives.tarred({"inner.zip": inner, "m.txt": b"m"}, "w:gz")
    source = opened(
        archives.zipped(
            {"data/middle.tar.gz": middle, "a.csv.gz": gzip.compress(b"1"), "b.csv.gz": gzip.compress(b"2")}
        ),
        "outer.zip",
    )
    assert contents(source) == {
        "a.csv": b"1", "b.csv": b"2", "data/middle/inner/x/y.txt": b"deep", "data/middle/m.txt": b"m"}  # fmt: skip


def test_a_broken_archive_inside_is_noted_and_the_rest_is_there(opened) -> None:
    source = opened(archives.zipped({"bad.zip": b"PK\x03\x04rubbish", "good.txt": b"g"}), "outer.zip")
    assert source.read("good.txt") == b"g"
    assert [(note.code, note.path) for note in source.notes] == [("archive_broken", "bad.zip")]


@pytest.mark.parametrize(
    ("encoding", "name"),
    [
        ("gbk", "数据集/训练图片_猫咪.jpg"),
        ("utf-8", "数据集/訓練.jpg"),
        ("cp932", "データ/ねこの写真.jpg"),
        ("cp932", "カメラ画像.jpg"),
    ],
)
def test_names_in_other_encodings_are_repaired(opened, encoding: str, name: str) -> None:
    raw = archives.zipped_raw_names({name.encode(encoding): b"x", b"plain.txt": b"y"})
    assert set(contents(opened(raw, "z.zip"))) == {name, "plain.txt"}
    tarred = archives.tarred({name: b"x"}, encoding=encoding)
    assert set(contents(opened(tarred, "t.tar"))) == {name}
    assert set(contents(opened(gzip.compress(tarred), "t.tar.gz"))) == {name}


@pytest.mark.parametrize("name", ["../evil.txt", "a/../../evil.txt", "/etc/evil", "C:\\evil.txt", "..\\evil.txt"])
def test_names_that_point_out_of_the_archive_are_refused(opened, name: str) -> None:
    raw = archives.zipped_raw_names({name.encode(): b"x"})
    tarred = archives.tarred({name: b"x"})
    for data, file in ((raw, "z.zip"), (tarred, "t.tar"), (gzip.compress(tarred), "t.tgz")):
        with pytest.raises(Refused) as refused:
            opened(data, file)
        assert refused.value.note.code == "archive_traversal"


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE])
@pytest.mark.parametrize("target", ["/etc/passwd", "../../etc/passwd"])
def test_links_out_of_the_archive_are_refused(opened, kind: bytes, target: str) -> None:
    for data, file in (
        (archives.tarred_special("l", kind, target), "t.tar"),
        (archives.zipped_link("l", target), "z.zip"),
    ):
        with pytest.raises(Refused) as refused:
            opened(data, file)
        assert refused.value.note.code == "archive_link_escapes"


def test_links_inside_and_devices_are_left_out(opened) -> None:
    assert set(contents(opened(archives.zipped_link("l", "a.txt"), "z.zip"))) == {"a.txt"}
    for kind, code in (
        (tarfile.SYMTYPE, "link_skipped"),
        (tarfile.CHRTYPE, "special_file_skipped"),
        (tarfile.FIFOTYPE, "special_file_skipped"),
    ):
        source = opened(archives.tarred_special("l", kind, "a.txt"), "t.tar")
        assert [note.code for note in source.notes] == [code]
        assert set(contents(source)) == {"a.txt"}


def test_bombs_are_refused(opened) -> None:
    bomb = b"\0" * (3 << 20)
    limits = Limits(free_bytes=1 << 20, ratio=50)
    packed = {
        "z.zip": archives.zipped({"b": bomb}), "t.tar.xz": archives.tarred({"b": bomb}, "w:xz"),
        "b.csv.gz": gzip.compress(bomb),
        "n.zip": archives.zipped({"in.zip": archives.zipped({"b": bomb})})}  # fmt: skip
    for name, data in packed.items():
        if name == "n.zip":
            assert [note.code for note in opened(data, name, limits).notes] == ["archive_bomb"]
            continue
        with pytest.raises(Refused) as refused:
            opened(data, name, limits)
        assert refused.value.note.code == "archive_bomb"


def test_too_many_files_too_many_bytes_and_too_deep_are_refused(opened) -> None:
    many = archives.zipped({f"{i}": b"" for i in range(11)})
    deep = archives.zipped({"a.txt": b"a"})
    for _ in range(4):
        deep = archives.zipped({"in.zip": deep})
    cases = [
        (many, Limits(files=10), "archive_too_many_files"),
        (archives.tarred({"a": b"x" * 99}, "w:gz"), Limits(size_bytes=50), "archive_too_large"),
    ]
    for data, limits, code in cases:
        with pytest.raises(Refused) as refused:
            opened(data, "x.bin", limits)
        assert refused.value.note.code == code
    assert any(note.code == "archive_too_deep" for note in opened(deep, "deep.zip").notes)


def test_encrypted_archives_are_refused(opened) -> None:
    kinds = {"z.zip": archives.zipped_encrypted()}
    if shutil.which("unar"):
        kinds["r.rar"] = archives.rarred({"a.txt": b"a"}, encrypted=True)
    for name, data in kinds.items():
        with pytest.raises(Refused) as refused:
            opened(data, name)
        assert refused.value.note.code == "archive_encrypted"


def test_a_damaged_member_is_an_os_error_when_it_is_read(opened) -> None:
    data = bytearray(archives.zipped({"a.bin": os.urandom(500), "big.bin": os.urandom(5 << 20)}, packed=False))
    data[100] ^= 0xFF
    data[4 << 20] ^= 0xFF
    source = opened(bytes(data), "z.zip")
    for path in ("a.bin", "big.bin"):
        with pytest.raises(OSError, match=path):
            source.read(path)


@pytest.mark.parametrize("suffix", [".zip", ".tar", ".tar.gz", ".tar.xz", ".rar", ".csv.gz"])
def test_truncated_and_mutated_archives_are_refused_or_read(tmp_path: Path, suffix: str) -> None:
    make = {".zip": archives.zipped, ".tar": archives.tarred, ".rar": archives.rarred}
    whole = (
        make[suffix](FILES)
        if suffix in make
        else (gzip.compress(b"x" * 99) if suffix == ".csv.gz" else archives.tarred(FILES, f"w:{suffix[5:]}"))
    )
    if suffix == ".rar" and not shutil.which("unar"):
        pytest.skip("no unar")
    step = max(1, len(whole) // (12 if suffix == ".rar" else 60))
    damaged = [whole[:end] for end in range(0, len(whole), step)]
    damaged += [whole[:at] + bytes([whole[at] ^ 0x55]) + whole[at + 1 :] for at in range(0, len(whole), step)]
    for number, data in enumerate(damaged):
        file = tmp_path / f"{number}{suffix}"
        file.write_bytes(data)
        try:
            with open_source(file, scratch=tmp_path / f"s{number}") as source:
                for entry in source.entries():
                    try:
                        source.read(entry.path)
                    except OSError:
                        continue
        except Refused:
            continue


def test_pieces_of_a_plain_tar_can_be_sought(opened) -> None:
    with opened(archives.tarred({"a": b"0123456789", "b": b"x"}), "t.tar").open("a") as file:
        file.seek(-3, io.SEEK_END)
        assert file.read() == b"789"
        file.seek(2)
        assert file.read(2) == b"23"
