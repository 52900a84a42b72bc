"""What is kept of long runs stays small: output, marks, samples."""

import json
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace

import pytest

from tidemill.engines.local.logs import read_log, read_marks
from tidemill.engines.local.usage import read_usage
from tidemill.engines.runner import logs, usage
from tidemill.engines.runner.logs import LogWriter
from tidemill.engines.runner.usage import Sampler


def test_output_keeps_its_offsets_when_the_oldest_is_dropped(tmp_path: Path) -> None:
    log = LogWriter(str(tmp_path), 64 * 1024)
    for number in range(3000):
        log.write(b"%063d\n" % number)
    log.close()
    piece = read_log(tmp_path, offset=0, limit=1 << 20, is_over=True)
    assert piece.offset % 64 == 0
    assert piece.data.startswith(b"%063d\n" % (piece.offset // 64))
    assert piece.end_offset == 3000 * 64
    assert sum(entry.stat().st_size for entry in tmp_path.iterdir() if entry.name != "marks") <= 64 * 1024


def test_marks_of_a_long_run_are_thinned_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logs, "MARKS", 16)
    monkeypatch.setattr(logs, "MARK_EVERY_S", 0.0)
    log = LogWriter(str(tmp_path), 1 << 20)
    for _ in range(100):
        log.write(b"x")
    log.close()
    marks = read_marks(tmp_path)
    assert len(marks) <= 16
    assert (marks[0].offset, marks[-1].offset) == (0, 100)
    assert [mark.offset for mark in marks] == sorted({mark.offset for mark in marks})


def test_a_full_disk_costs_output_and_not_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logs, "MARK_EVERY_S", 0.0)
    log = LogWriter(str(tmp_path), 1 << 20)
    log.write(b"before\n")

    def full(*_: object) -> int:
        raise OSError(28, "no space left")

    with monkeypatch.context() as patched:
        patched.setattr(os, "write", full)
        log.write(b"lost\n")
    log.write(b"after\n")
    log.close()
    assert read_log(tmp_path, offset=0, limit=100, is_over=True).data == b"before\nafter\n"


def test_samples_of_a_long_run_are_thinned_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(usage, "SAMPLES", 32)
    job = SimpleNamespace(members=lambda: [os.getpid()], usage_group=dict, node={"devices": []})
    sampler = Sampler(job, str(tmp_path / "usage"))  # type: ignore[arg-type]
    for _ in range(200):
        sampler.sample()
    found = read_usage(tmp_path / "usage", since=None, points=1000)
    assert 16 <= len(found) < 32
    assert [one.at for one in found] == sorted(one.at for one in found)
    assert found[-1].memory_bytes > 0


def test_use_is_thinned_to_means_and_the_greatest_memory(tmp_path: Path) -> None:
    begin = datetime(2026, 1, 1, tzinfo=UTC)
    rows = [[(begin + timedelta(seconds=n)).timestamp(), n % 2, n, 0, 0, 0, 0, {}] for n in range(100)]
    (tmp_path / "usage").write_text("".join(json.dumps(row) + "\n" for row in rows) + "[1,2")
    found = read_usage(tmp_path / "usage", since=None, points=10)
    assert len(found) == 10
    assert {one.cpus for one in found} == {0.5}
    assert found[-1].memory_bytes == 99
    assert len(read_usage(tmp_path / "usage", since=begin + timedelta(seconds=89), points=1000)) == 10
