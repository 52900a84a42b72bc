"""Pictures of colours, a model that names them, and runs that are done here and now."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI

from tests.conftest import Person
from tests.datasets.conftest import Desk
from tests.datasets.conftest import ada as ada
from tests.datasets.conftest import ann as ann
from tests.datasets.conftest import project as project
from tests.datasets.working import Works
from tests.models.colours import model_files
from tests.models.conftest import colours, put
from tests.models.conftest import desk as desk
from tests.models.conftest import works as works
from tidemill.datasets.notes import Refused
from tidemill.datasets.works.office import Office
from tidemill.inference.launching import PLACE, TOKEN_SCOPES
from tidemill.inference.worker.program import infer_all
from tidemill.kernel.clock import utc_now
from tidemill.workloads import lifecycle
from tidemill.workloads.tables import WorkloadRow

AT = "/projects/tides/inferences"


@dataclass
class House:
    """A draft with 60 pictures, one of them broken, and somebody who has them looked at."""

    app: FastAPI
    works: Works
    desk: Desk

    @property
    def ada(self) -> Person:
        return self.desk.person

    def settings(self, **more: Any) -> dict[str, Any]:
        source = {"type": "model", "model": "colours"}
        return {"form": "model", "source": source, "dataset": "colours", "threshold": 0.6, "workers": 1, **more}

    def entry(self, name: str = "looking", **more: Any) -> dict[str, Any]:
        found: dict[str, Any] = self.ada.ok("post", AT, json={"name": name, "settings": self.settings(**more)})
        return found

    def start(self, name: str = "looking", **body: Any) -> dict[str, Any]:
        found: dict[str, Any] = self.ada.ok("post", f"{AT}/{name}/start", json=body)
        return found

    def workspace(self, run: dict[str, Any]) -> Path:
        return self.works.folder / run["id"]

    def office(self, run: dict[str, Any]) -> Office:
        return self.works.office(self.desk, run, PLACE, TOKEN_SCOPES)

    def do(self, run: dict[str, Any], office: Office | None = None) -> dict[str, Any]:
        """Does a run here and now, as its workload would; how it then is."""
        scratch = self.workspace(run) / ".work"
        if not scratch.is_dir():
            scratch.mkdir(parents=True)
            self.works.mount(run, scratch.parent)
        office = office or self.office(run)
        self.move(run, "starting", "running")
        state = "completed"
        try:
            infer_all(office, office.begin(), scratch)
        except Refused as refused:
            office.fail(refused.note)
            state = "failed"
        self.move(run, state)
        return self.run(run)

    def run(self, run: dict[str, Any]) -> dict[str, Any]:
        found: dict[str, Any] = self.ada.ok("get", f"{AT}/{run['inference']}/runs/{run['id']}")
        return found

    def move(self, run: dict[str, Any], *states: Any) -> None:
        """Moves the run's workload, as the conductor does."""
        for state in states:
            with self.app.state.db.write() as session:
                row = session.get_one(WorkloadRow, run["workload_id"])
                if row.state == state or (row.state == "running" and state == "starting"):
                    continue
                row.attempt += state == "starting"
                lifecycle.move(session, row, state, reason=None, by="system", now=utc_now())

    def results(self, run: dict[str, Any], **params: Any) -> list[dict[str, Any]]:
        """All results, page by page."""
        found: list[dict[str, Any]] = []
        cursor: str | None = None
        while True:
            page = self.page(run, **params, **({"cursor": cursor} if cursor else {}))
            found += page["items"]
            cursor = page["next"]
            if cursor is None:
                return found

    def page(self, run: dict[str, Any], **params: Any) -> dict[str, Any]:
        found: dict[str, Any] = self.ada.ok(
            "get", f"{AT}/{run['inference']}/runs/{run['number']}/results", params=params
        )
        return found


@pytest.fixture
def house(app: FastAPI, works: Works, desk: Desk) -> House:
    colours(desk, {"red": 25, "green": 20, "blue": 10, "grey": 4}, labelled=False)
    desk.ok("post", "/items/bulk", json={"items": [{"path": "broken.png", **desk.keep(b"no picture")}]})
    put(app, "tides", "model", "colours", model_files())
    return House(app, works, desk)
