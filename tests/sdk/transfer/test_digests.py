import hashlib
import os
from pathlib import Path

import pytest

from tidemill.sdk import Conflict
from tidemill.sdk.transfer import digests
from tidemill.sdk.transfer.digests import DigestCache, cache_file, digest_file, digest_files
from tidemill.sdk.transfer.progress import Meter, Progress
from tidemill.sdk.transfer.scan import scan

LONG_AGO_NS = 1_600_000_000_000_000_000


def write(file: Path, text: str, *, mtime_ns: int = LONG_AGO_NS) -> None:
    file.write_text(text)
    os.utime(file, ns=(mtime_ns, mtime_ns))


def run(folder: Path, seen: list[Progress] | None = None) -> dict[str, str]:
    cache = DigestCache()
    meter = Meter(seen.append if seen is not None else None)
    try:
        return digest_files(scan(folder).files.values(), cache, folder.resolve(), meter)
    finally:
        cache.close()


def sha(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "tree"
    made.mkdir()
    for n in range(300):
        write(made / f"f{n:03}", f"text {n}")
    return made


def test_every_file_gets_its_digest(folder: Path) -> None:
    assert run(folder) == {f"f{n:03}": sha(f"text {n}") for n in range(300)}


def test_an_unchanged_file_is_not_read_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = run(folder)

    def refuse(*_: object) -> str:
        raise AssertionError("was read again")

    monkeypatch.setattr(digests, "digest_file", refuse)
    assert run(folder) == before


@pytest.mark.parametrize("how", ["size", "time", "inode"])
def test_a_file_that_looks_different_is_read_again(folder: Path, how: str) -> None:
    run(folder)
    if how == "size":
        write(folder / "f000", "longer than before")
    elif how == "time":
        write(folder / "f000", "TEXT 0", mtime_ns=LONG_AGO_NS + 1)
    else:
        write(folder / "other", "TEXT 0")
        os.replace(folder / "other", folder / "f000")
    assert run(folder)["f000"] == sha((folder / "f000").read_text())


def test_a_file_touched_just_now_is_not_trusted_next_time(tmp_path: Path) -> None:
    file = tmp_path / "tree" / "fresh"
    file.parent.mkdir()
    file.write_text("one")
    seen = file.stat()
    run(file.parent)
    with file.open("r+") as stream:
        stream.write("two")
    os.utime(file, ns=(seen.st_atime_ns, seen.st_mtime_ns))
    assert run(file.parent)["fresh"] == sha("two")


def test_a_damaged_memory_is_thrown_away(folder: Path) -> None:
    run(folder)
    cache_file().write_bytes(b"this is no database" * 100)
    assert run(folder)["f001"] == sha("text 1")


def test_without_a_place_for_the_memory_files_are_simply_read(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "/dev/null")
    assert run(folder)["f001"] == sha("text 1")


def test_a_file_that_changes_after_it_was_found_is_named(folder: Path) -> None:
    found = scan(folder).files["f000"]
    write(folder / "f000", "text X", mtime_ns=LONG_AGO_NS + 5)
    with pytest.raises(Conflict) as caught:
        digest_file(found, Meter(None))
    assert caught.value.code == "sdk_source_changed"
    assert "f000" in str(caught.value)


def test_progress_reaches_the_end(folder: Path) -> None:
    for _ in range(2):
        seen: list[Progress] = []
        run(folder, seen)
        assert seen[0].stage == "hash"
        assert (seen[-1].files, seen[-1].size_bytes) == (300, seen[-1].total_bytes)
