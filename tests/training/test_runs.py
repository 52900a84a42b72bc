"""Runs that really run: curves, models, stopping, going on, trying again."""

import json
from typing import Any

import pytest

from tests.live import LiveServer
from tests.training.conftest import Trainer, eventually
from tidemill.sdk import Conflict, WorkloadFailed

THREE_WAYS = """
import json, os, struct, sys, time
import tidemill

run = tidemill.run()
assert run.parameters == {"lr": 0.1, "name": "tide"}, run
assert os.environ["TIDEMILL_PARAM_LR"] == "0.1"
assert os.getcwd() == str(run.algorithm(os.path.basename(os.getcwd())))

table = []
for byte in range(256):
    for _ in range(8):
        byte = (byte >> 1) ^ (0x82F63B78 if byte & 1 else 0)
    table.append(byte)

def crc(data):
    found = 0xFFFFFFFF
    for byte in data:
        found = table[(found ^ byte) & 0xFF] ^ (found >> 8)
    found ^= 0xFFFFFFFF
    return struct.pack("<I", ((found >> 15 | found << 17) + 0xA282EAD8) & 0xFFFFFFFF)

def scalar(tag, value, step):
    value = bytes([10, len(tag)]) + tag.encode() + b"\\x15" + struct.pack("<f", value)
    summary = bytes([10, len(value)]) + value
    event = b"\\x09" + struct.pack("<d", time.time()) + bytes([16, step]) + bytes([42, len(summary)]) + summary
    length = struct.pack("<Q", len(event))
    return length + crc(length) + event + crc(event)

os.makedirs("runs/now", exist_ok=True)
with open("runs/now/events.out.tfevents.1.host", "wb", buffering=0) as events:
    for step in range(50):
        tidemill.log(loss=1 / (step + 1), step=step)
        tidemill.log({"lr": 0.1})
        print(json.dumps({"step": step, "accuracy": step / 50}))
        events.write(scalar("grad/norm", step * 2.0, step))
print("done", file=sys.stderr)
(run.output / "weights.bin").write_bytes(b"w" * 1000)
"""

COUNTING = """
import json, os, time, tidemill

run = tidemill.run()
start = 0
if run.resume_from:
    start = json.loads((run.resume_from / "state.json").read_text())["step"] + 1
print("from", start, flush=True)
for step in range(start, LAST):
    tidemill.log(counted=step, step=step)
    folder = run.checkpoints / f"step-{step:04}"
    folder.with_suffix(".tmp").mkdir()
    (folder.with_suffix(".tmp") / "state.json").write_text(json.dumps({"step": step}))
    folder.with_suffix(".tmp").rename(folder)
    AFTERWARDS
tidemill.flush()
"""


def counting(last: int, afterwards: str = "time.sleep(0.02)") -> str:
    return COUNTING.replace("LAST", str(last)).replace("AFTERWARDS", afterwards)


def test_a_run_gives_curves_in_three_ways_and_a_model(trainer: Trainer) -> None:
    run = trainer.start(THREE_WAYS, parameters={"lr": 0.1, "name": "tide"}, save_model="tide-model")
    ended = trainer.finish(run)
    assert (ended.exit_code, ended.attempt, ended.stop_reason) == (0, 1, "finished")
    curves = trainer.collected(run)
    assert set(curves) == {"loss", "lr", "accuracy", "grad/norm"}
    assert [point[:2] for point in curves["loss"]] == [[step, 1 / (step + 1)] for step in range(50)]
    assert [point[0] for point in curves["lr"]] == list(range(50))
    assert [point[1] for point in curves["accuracy"]] == [step / 50 for step in range(50)]
    assert [point[1] for point in curves["grad/norm"]] == [step * 2.0 for step in range(50)]
    sources = {series.key: series.source for series in trainer.client.runs.metrics(run.id)}
    assert sources == {"loss": "sdk", "lr": "sdk", "accuracy": "log", "grad/norm": "tensorboard"}
    model = eventually(lambda: trainer.client.runs.get(run.id).model)
    assert model == "tide-model@1"
    assert "done" in trainer.log(run)


def test_curves_grow_while_the_run_goes_on_and_it_can_be_stopped(trainer: Trainer) -> None:
    run = trainer.start(counting(100_000), save_model="stopped-model")
    trainer.until_logged(run, "counted", 5)
    assert trainer.client.runs.get(run.id).state == "running"
    trainer.client.runs.stop(run.id)
    ended = trainer.finish(run, "stopped")
    assert ended.stop_reason == "user"
    assert eventually(lambda: trainer.client.runs.get(run.id).model) == "stopped-model@1"
    with pytest.raises(WorkloadFailed):
        trainer.client.runs.wait(run.id)


def test_a_stopped_run_goes_on_from_its_newest_whole_checkpoint(trainer: Trainer) -> None:
    run = trainer.start(counting(40, "time.sleep(60 if start == 0 and step == 20 else 0)"))
    eventually(lambda: _has_file(trainer, run.id, "step-0020"))
    trainer.client.runs.stop(run.id)
    trainer.finish(run, "stopped")
    resumed = trainer.client.runs.resume(run.id)
    assert (resumed.id, resumed.state, resumed.number) == (run.id, "pending", 1)
    ended = trainer.finish(run)
    assert ended.resumed_from == "persistent-model/checkpoints/step-0020"
    assert ended.attempt == 2
    assert "from 21" in trainer.log(run)
    assert [point[0] for point in trainer.collected(run)["counted"]] == list(range(40))


def test_a_failed_run_is_tried_again_from_its_checkpoint(trainer: Trainer) -> None:
    script = counting(12, "os._exit(3) if start == 0 and step == 6 else None")
    run = trainer.start(script, retries=2)
    ended = trainer.finish(run)
    assert (ended.attempt, ended.retries) == (2, 1)
    assert ended.resumed_from == "persistent-model/checkpoints/step-0006"
    assert "from 7" in trainer.log(run)
    reasons = [(event.to_state, event.reason) for event in trainer.client.runs.events(run.id)]
    assert ("pending", "exit_code") in reasons


def test_a_run_that_fails_for_good_still_leaves_its_model(trainer: Trainer) -> None:
    script = "import tidemill, sys\n(tidemill.run().output / 'w.bin').write_text('w')\nsys.exit(7)\n"
    run = trainer.start(script, save_model="failed-model")
    ended = trainer.finish(run, "failed")
    assert (ended.exit_code, ended.stop_reason) == (7, "exit_code")
    assert eventually(lambda: trainer.client.runs.get(run.id).model) == "failed-model@1"
    lineage = trainer.client.models.lineage("failed-model@1")
    assert any(node.kind == "algorithm" for node in lineage.nodes)


def test_a_run_without_checkpoints_cannot_go_on(trainer: Trainer) -> None:
    run = trainer.start(command="true")
    trainer.finish(run)
    with pytest.raises(Conflict) as refused:
        trainer.client.runs.resume(run.id)
    assert refused.value.code == "run_no_checkpoint"


def test_a_run_keeps_the_settings_it_was_started_with(trainer: Trainer) -> None:
    task = trainer.client.tasks.create("frozen", "echo $TIDEMILL_PARAM_WORD", parameters={"word": "old"})
    run = trainer.client.tasks.start(task.name, parameters={"more": 1})
    trainer.client.tasks.update(task.name, command="echo other", parameters={"word": "new"})
    assert "old" in trainer.log(trainer.finish(run))
    kept = trainer.client.runs.get(run.id).settings
    assert kept.parameters == {"word": "old", "more": 1}


def test_the_files_of_a_run_can_be_listed_and_fetched(trainer: Trainer) -> None:
    script = "import os\nos.makedirs('out')\nopen('out/a.txt', 'w').write('tide')\nos.symlink('/etc', 'out/link')\n"
    run = trainer.start(script)
    trainer.finish(run)
    (folder,) = [entry.path for entry in trainer.client.runs.files(run.id, "algorithm")]
    names = [entry.name for entry in trainer.client.runs.files(run.id, f"{folder}/out")]
    assert names == ["a.txt"]
    fetched = trainer.client.runs.download(run.id, f"{folder}/out/a.txt", trainer.folder / "a.txt")
    assert fetched.read_text() == "tide"
    for path in (f"{folder}/out/link/passwd", f"{folder}/out/link"):
        answer = trainer.client.transport._http.get(
            f"/api/v1/projects/{trainer.client.project}/runs/{run.id}/files/{path}"
        )
        assert answer.status_code == 404


def test_a_runs_token_is_good_for_its_own_curves_and_nothing_else(trainer: Trainer) -> None:
    other = trainer.start(command="true")
    trainer.finish(other)
    script = """
import json, os, urllib.error, urllib.request

def call(method, path, body=None):
    url = f"{os.environ['TIDEMILL_URL']}/api/v1/projects/{path}"
    data = None if body is None else json.dumps(body).encode()
    headers = {"Authorization": "Bearer " + os.environ["TIDEMILL_TOKEN"], "Content-Type": "application/json"}
    try:
        return urllib.request.urlopen(urllib.request.Request(url, data, headers, method=method)).status
    except urllib.error.HTTPError as error:
        return error.code

own, project = os.environ["TIDEMILL_RUN_ID"], os.environ["TIDEMILL_PROJECT"]
points = {"points": [{"key": "x", "value": 1}]}
print(json.dumps([
    call("POST", f"{project}/runs/{own}/metrics", points),
    call("POST", f"{project}/runs/OTHER/metrics", points),
    call("POST", f"{project}/runs/{own}/stop"),
    call("POST", f"{project}/tasks", {"name": "evil", "command": "true"}),
    call("GET", "public/runs"),
    call("GET", f"{project}/runs/{own}"),
    call("GET", f"{project}/members"),
]))
""".replace("OTHER", other.id)
    run = trainer.start(script)
    trainer.finish(run)
    assert json.loads(trainer.log(run)) == [200, 403, 403, 403, 404, 200, 403]


def test_runs_are_compared_key_by_key(trainer: Trainer) -> None:
    script = "import tidemill, sys\nfor s in range(3): tidemill.log(loss=float(sys.argv[1]) + s, step=s)\n"
    algorithm = trainer.algorithm(script)
    runs = [trainer.start(command=f"python train.py {n}", algorithm=algorithm) for n in (1, 2)]
    for run in runs:
        trainer.finish(run)
    answer = trainer.client.runs.compare([run.id for run in runs], "loss")
    assert answer["keys"] == ["loss"]
    assert [[point[1] for point in item["series"]["points"]] for item in answer["runs"]] == [[1, 2, 3], [2, 3, 4]]


def test_deleting_a_run_and_then_its_task(trainer: Trainer) -> None:
    task = trainer.client.tasks.create("short", "sleep 60")
    run = trainer.client.tasks.start(task.name)
    with pytest.raises(Conflict) as refused:
        trainer.client.runs.delete(run.id)
    assert refused.value.code == "run_not_ended"
    with pytest.raises(Conflict) as refused:
        trainer.client.tasks.delete(task.name)
    assert refused.value.code == "task_has_runs"
    trainer.client.runs.stop(run.id)
    trainer.finish(run, "stopped")
    trainer.client.runs.delete(run.id)
    assert trainer.client.tasks.get(task.name).runs_count == 0
    trainer.client.tasks.delete(task.name)
    assert [row.name for row in trainer.client.workloads.list(q="short")] == []


def test_curves_survive_a_kill_of_the_control_plane(trainer: Trainer, server: LiveServer) -> None:
    run = trainer.start(counting(150, "time.sleep(0.02); print(json.dumps({'step': step, 'printed': step}))"))
    trainer.until_logged(run, "counted", 10)
    server.kill()
    server.start()
    trainer.finish(run)
    curves = trainer.collected(run)
    assert [point[0] for point in curves["counted"]] == list(range(150))
    assert [point[1] for point in curves["printed"]] == list(range(150))


def _has_file(trainer: Trainer, run: str, name: str) -> Any:
    from tidemill.sdk import NotFound

    try:
        files = list(trainer.client.runs.files(run, "persistent-model/checkpoints"))
    except NotFound:
        return None
    return next((file for file in files if file.name == name), None)
