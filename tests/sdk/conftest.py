"""Every test has its own settings file, digest cache and language."""

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def own_surroundings(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    folder: Path = tmp_path_factory.mktemp("surroundings")
    for name in ("TIDEMILL_URL", "TIDEMILL_TOKEN", "TIDEMILL_PROJECT", "LC_ALL", "LC_MESSAGES"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LANG", "en_US.UTF-8")
    monkeypatch.setenv("TIDEMILL_CONFIG", str(folder / "client" / "config.json"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder / "cache"))
