"""A house with models to package, and a live server that builds packages without network."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI

from tests.datasets.conftest import ada as ada
from tests.datasets.conftest import ann as ann
from tests.datasets.conftest import project as project
from tests.images.wheels import write_wheel
from tests.live import ADMIN_PASSWORD, LiveServer, live_server
from tests.models.colours import model_files
from tidemill.accounts.access import ProjectRef, find_project, system_caller
from tidemill.kernel.clock import utc_now
from tidemill.packages import assembling
from tidemill.packages.assembling import open_build
from tidemill.packages.tables import PackageVersionRow
from tidemill.sdk import Client

AT = "/projects/tides/packages"


def write(folder: Path, files: Mapping[str, bytes]) -> Path:
    for path, data in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(data)
    return folder


def finish(app: FastAPI, version_id: str) -> list[str]:
    """Does what the build's program has the server do; the log's lines."""
    with app.state.db.read() as session:
        row = session.get_one(PackageVersionRow, version_id)
        found = find_project(session, row.project_id)
    assert found is not None
    by = replace(
        system_caller(utc_now()),
        workload_id=row.workload_id,
        project_ref=ProjectRef(found.id, found.name, found.is_public),
    )
    lines: list[str] = []
    assembling.assemble(open_build(app, version_id, by=by), lines.append)
    return lines


@dataclass
class Site:
    """A live server, and what its administrator does with it."""

    server: LiveServer
    client: Client
    folder: Path
    wheels: Path

    def package(self, name: str, **recipe: Any) -> Any:
        """A package of that name, and a version of it being built."""
        self.client.packages.create(name, scene="image-classification")
        return self.client.packages.build(name, **recipe)

    def log(self, version: Any) -> str:
        return "".join(self.client.packages.logs(f"{version.package}@{version.number}"))


@pytest.fixture(scope="package")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("packages")
    wheels = folder / "index"
    wheels.mkdir()
    write_wheel(wheels, "tide", "1.0", code="HEIGHT = 3\n", needs=("moon>=2",))
    write_wheel(wheels, "moon", "2.0")
    environment = {
        "PIP_NO_INDEX": "1",
        "PIP_FIND_LINKS": str(wheels),
        "PIP_CONFIG_FILE": "/dev/null",
        "TIDEMILL_ENGINE_RUNTIME": "process",
        "TIDEMILL_STORE_FSYNC": "false",
        "TIDEMILL_CONTAINER_SOCKET": "",
    }
    with live_server(folder / "home", **environment) as server, Client(server.url, project="tides") as client:
        client.sign_in("admin", ADMIN_PASSWORD)
        client.projects.create("tides")
        client.models.push(write(folder / "colours", model_files()), "colours", scene="image-classification")
        yield Site(server, client, folder, wheels)
