"""Engines on scratch folders."""

from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path

import pytest

from tidemill.engines.local import LocalEngine, LocalSettings
from tidemill.store.local import LocalBackend

MAX_PROCESSES = 200

Open = Callable[..., LocalEngine]


@pytest.fixture
def backend(tmp_path: Path) -> LocalBackend:
    return LocalBackend(tmp_path / "store", fsync=False)


@pytest.fixture
def put(backend: LocalBackend) -> Callable[[bytes], str]:
    def put(data: bytes) -> str:
        digest = sha256(data).hexdigest()
        backend.put_bytes(digest, data)
        return digest

    return put


@pytest.fixture
def open_engine(tmp_path: Path, backend: LocalBackend) -> Iterator[Open]:
    """Opens an engine on the test's folder, closing the one before: there is one control plane at a time."""
    opened: list[LocalEngine] = []

    def open(**settings: object) -> LocalEngine:
        while opened:
            opened.pop().close()
        chosen: dict[str, object] = {"devices": "", "max_processes": MAX_PROCESSES} | settings
        opened.append(LocalEngine(tmp_path / "engine", backend, LocalSettings(**chosen)))  # type: ignore[arg-type]
        return opened[-1]

    yield open
    for engine in opened:
        engine.close()
