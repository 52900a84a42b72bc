"""TensorBoard itself, for one run, in one click."""

import json
from http.cookiejar import CookieJar
from urllib.request import HTTPCookieProcessor, ProxyHandler, build_opener

import pytest

from tests.training.conftest import Trainer, eventually
from tidemill.sdk import Conflict

WRITES = """
from tensorboard.compat.proto.event_pb2 import Event
from tensorboard.compat.proto.summary_pb2 import Summary
from tensorboard.summary.writer.event_file_writer import EventFileWriter

writer = EventFileWriter("logs")
for step in range(5):
    value = Summary.Value(tag="loss", simple_value=1.0 / (step + 1))
    writer.add_event(Event(step=step, summary=Summary(value=[value])))
writer.close()
"""


def test_tensorboard_opens_over_a_runs_files_and_ends_with_the_run(trainer: Trainer) -> None:
    pytest.importorskip("tensorboard", reason="TensorBoard is not installed")
    run = trainer.start(WRITES)
    trainer.finish(run)
    assert [point[1] for point in trainer.collected(run)["loss"]] == pytest.approx([1, 1 / 2, 1 / 3, 1 / 4, 1 / 5])

    first = trainer.client.runs.tensorboard(run.id)
    assert first["state"] == "starting"
    found = eventually(lambda: (t := trainer.client.runs.tensorboard(run.id))["state"] == "open" and t)
    assert found["workload"]["id"] == first["workload"]["id"]
    browser = build_opener(ProxyHandler({}), HTTPCookieProcessor(CookieJar()))
    with browser.open(found["url"], timeout=30) as page:
        assert b"TensorBoard" in page.read()
        base = page.geturl().partition("?")[0]

    def tags() -> object:
        with browser.open(f"{base}data/plugin/scalars/tags", timeout=30) as answer:
            return json.load(answer)

    assert "loss" in str(eventually(tags))

    with pytest.raises(Conflict) as refused:
        trainer.client.runs.delete(run.id)
    assert refused.value.code == "run_viewed"
    eventually(lambda: trainer.client.workloads.get(first["workload"]["id"]).is_over)
    trainer.client.runs.delete(run.id)
