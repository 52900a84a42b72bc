"""The set-up: what it decides, without doing it."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.repo.files import ROOT

sys.path.insert(0, str(ROOT / "scripts"))

import debian
import steps
import web
from steps import Stamp


@pytest.mark.parametrize(
    ("version", "enough"),
    [
        ("v18.20.0", False),
        ("v20.18.3", False),
        ("v20.19.0", True),
        ("v21.7.0", False),
        ("v22.11.0", False),
        ("v22.12.0", True),
        ("v24.1.0", True),
        ("", False),
        ("node: not found", False),
    ],
)
def test_a_node_that_vite_cannot_use_is_not_used(version: str, enough: bool) -> None:
    assert web._is_new_enough(version) is enough


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(steps, "ROOT", tmp_path)
    monkeypatch.setattr(steps, "STAMPS", tmp_path / ".setup")
    (tmp_path / ".setup").mkdir()
    return tmp_path


def test_a_step_is_done_again_only_when_what_it_is_made_from_changed(here: Path) -> None:
    source = here / "lock.json"
    source.write_text("1")
    assert not Stamp("packages", [source]).is_fresh()
    Stamp("packages", [source]).set()
    assert Stamp("packages", [source]).is_fresh()
    assert not Stamp("packages", [source], "another Python").is_fresh()
    source.write_text("2")
    assert not Stamp("packages", [source]).is_fresh()


def test_a_file_that_is_renamed_is_a_change(here: Path) -> None:
    (here / "a.ts").write_text("same")
    Stamp("build", here.glob("*.ts")).set()
    (here / "a.ts").rename(here / "b.ts")
    assert not Stamp("build", here.glob("*.ts")).is_fresh()


def test_missing_packages_are_named_in_one_line_with_what_is_missed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    packages = [
        debian.Package("chromium", lambda: False, "browser tests are skipped"),
        debian.Package("git", lambda: True, "imports are refused"),
    ]
    debian.install_missing(packages)
    (line,) = capsys.readouterr().err.splitlines()
    assert "chromium (browser tests are skipped)" in line
    assert line.endswith("apt-get install chromium")


def test_nothing_is_said_when_nothing_is_missing(capsys: pytest.CaptureFixture[str]) -> None:
    debian.install_missing([debian.Package("git", lambda: True, "imports are refused")])
    assert capsys.readouterr().err == ""


def test_too_old_a_python_is_said_in_words(tmp_path: Path) -> None:
    old = tmp_path / "python3"
    old.write_text("#!/bin/sh\nexit 1\n")
    old.chmod(0o755)
    done = subprocess.run(
        ["sh", str(ROOT / "scripts" / "setup.sh"), "up"],
        env={"PATH": os.environ["PATH"], "PYTHON": str(old)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1
    assert "needs Python 3.11" in done.stderr


def test_the_wheel_carries_words_revisions_and_pages(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    names = set(zipfile.ZipFile(wheel).namelist())
    rooms = {file.parent.name for file in (ROOT / "src" / "tidemill").glob("*/messages.json")}
    assert {f"tidemill/{room}/messages.json" for room in rooms} <= names
    assert "tidemill/migrations/env.py" in names
    assert any(name.startswith("tidemill/migrations/versions/0001") for name in names)
    assert "tidemill/py.typed" in names
    assert any(name.endswith("licenses/LICENSE") for name in names)
    if (ROOT / "src" / "tidemill" / "web_dist" / "index.html").is_file():
        assert "tidemill/web_dist/index.html" in names
    assert not [name for name in names if name.startswith(("tests/", "web/", "scripts/"))]
