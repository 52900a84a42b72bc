"""A run is live: those who look are told when it moves and when its curves grow."""

import json
import threading
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest

from tests.live import ADMIN_PASSWORD, LiveServer
from tests.training.conftest import Trainer, eventually


@pytest.fixture
def news(trainer: Trainer, server: LiveServer) -> Iterator[list[dict[str, Any]]]:
    """All `run` events from now on."""
    found: list[dict[str, Any]] = []
    http = httpx2.Client(base_url=server.url, headers={"X-Tidemill": "1"}, timeout=60)
    http.post("/api/v1/session", json={"user": "admin", "password": ADMIN_PASSWORD}).raise_for_status()
    opened = threading.Event()

    def listen() -> None:
        try:
            with http.stream("GET", "/api/v1/me/events") as stream:
                event = ""
                for line in stream.iter_lines():
                    opened.set()
                    if line.startswith("event: "):
                        event = line.removeprefix("event: ")
                    elif line.startswith("data: ") and event == "run":
                        found.append(json.loads(line.removeprefix("data: ")))
        except httpx2.TransportError:
            return  # the test is over

    threading.Thread(target=listen, daemon=True).start()
    assert opened.wait(30)
    yield found
    http.close()


def test_a_run_is_followed_from_its_start_to_its_model(trainer: Trainer, news: list[dict[str, Any]]) -> None:
    script = "import tidemill\ntidemill.log(loss=0.5, step=1)\n(tidemill.run().output / 'w').write_text('w')\n"
    run = trainer.start(script, save_model="live-model")
    eventually(lambda: any(one["state"] == "completed" and one["model"] == "live-model@1" for one in news))
    own = [one for one in news if one["id"] == run.id]
    assert own[0]["name"] == run.name
    eventually(lambda: any(one["metrics"] == {"loss": 0.5} for one in news))
