"""One server with its gateway for this room's tests of the whole thing; each test has services of its own."""

from collections.abc import Iterator

import pytest

from tests.models.colours import model_files
from tests.packages.conftest import write
from tests.serving.stage import Stage, open_stage


@pytest.fixture(scope="package")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    folder = tmp_path_factory.mktemp("serving")
    with open_stage(folder) as made:
        made.make_app()
        with made.client() as client:
            client.models.push(write(folder / "colours", model_files()), "colours", scene="image-classification")
        yield made
