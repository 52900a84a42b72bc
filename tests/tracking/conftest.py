"""Somebody who logs to a project, over HTTP as MLflow's client does."""

from typing import Any

import pytest
from fastapi.testclient import TestClient

from tests.conftest import Api

ROOT = "/p/tides/api/2.0/mlflow"


class Logger:
    """Calls of one token."""

    def __init__(self, app: Any, token: str, root: str = ROOT) -> None:
        headers = {"Authorization": f"Bearer {token}"}
        self.http = TestClient(app, base_url="http://127.0.0.1", headers=headers, raise_server_exceptions=False)
        self.root = root

    def call(self, method: str, path: str, **options: Any) -> Any:
        return self.http.request(method, f"{self.root}/{path}", **options)

    def post(self, path: str, **body: Any) -> Any:
        """The answer's JSON; fails the test when the call is refused."""
        answer = self.call("POST", path, json=body)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def get(self, path: str, **query: Any) -> Any:
        answer = self.call("GET", path, params=query)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def refused(self, path: str, **body: Any) -> str:
        """The code a call is refused with."""
        answer = self.call("POST", path, json=body)
        assert answer.status_code >= 400, answer.text
        found: str = answer.json()["error_code"]
        assert answer.json()["message"]
        return found

    def experiment(self, name: str) -> str:
        found: str = self.post("experiments/create", name=name)["experiment_id"]
        return found

    def run(self, experiment: str, **fields: Any) -> str:
        found: str = self.post("runs/create", experiment_id=experiment, **fields)["run"]["info"]["run_id"]
        return found

    def log(self, run: str, metrics: dict[str, float] | None = None, **words: Any) -> None:
        points = [{"key": key, "value": value, "timestamp": 1, "step": 0} for key, value in (metrics or {}).items()]
        params = [{"key": key, "value": str(value)} for key, value in words.items()]
        self.post("runs/log-batch", run_id=run, metrics=points, params=params)

    def search(self, experiment: str, **wanted: Any) -> list[str]:
        """Names of the runs that are found."""
        found = self.post("runs/search", experiment_ids=[experiment], **wanted)
        return [run["info"]["run_name"] for run in found.get("runs", [])]


def token_for(api: Api, project: str, **limits: Any) -> str:
    made = api.admin.ok("post", "/me/tokens", json={"name": f"for {project}", "project": project, **limits})
    found: str = made["token"]
    return found


@pytest.fixture
def logger(api: Api) -> Logger:
    api.project("tides")
    return Logger(api.app, token_for(api, "tides"))
