"""One server with a model of each kind, for all tests that only ask it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.runtime.server import models
from tests.runtime.server.servers import Running, serving


@pytest.fixture(scope="session")
def models_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models")
    models.linear(folder / "linear")
    models.linear(folder / "one", batch=1)
    models.same(folder / "same")
    models.colours(folder / "colours")
    models.prices(folder / "prices")
    return folder


@pytest.fixture(scope="session")
def server(models_folder: Path) -> Iterator[Running]:
    with serving("--models-folder", models_folder, "--max-body-bytes", 1 << 20) as running:
        yield running
