"""Tasks, runs, specs and workloads from the command line; what is started really runs."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.cli.conftest import Shell, unique

SCRIPT = """
import json, time, tidemill
run = tidemill.run()
start = int(run.resume_from.read_text()) + 1 if run.resume_from else 0
for step in range(start, 3):
    tidemill.log(loss=1 / (step + 1), step=step)
    run.checkpoints.mkdir(parents=True, exist_ok=True)
    (run.checkpoints / f"{step}.bin").write_text(str(step))
print("from", start, "lr", run.parameters["lr"])
"""


@pytest.fixture
def task(admin: Shell, project: str, tmp_path: Path) -> str:
    """A task that can be started."""
    folder = tmp_path / "algorithm"
    folder.mkdir()
    (folder / "train.py").write_text(SCRIPT)
    admin.ok("algorithm", "push", folder, "net")
    name = unique("task")
    made = admin.json(
        "task", "create", name, "--algorithm", "net", "--command", "python train.py", "--set", "lr=0.1",
        "--save-model", "out", "--retries", "1", "--window", "00:00-23:59@UTC",
    )  # fmt: skip
    assert made["parameters"] == {"lr": 0.1}
    assert made["window"] == {"start": "00:00", "end": "23:59", "zone": "UTC"}
    admin.ok("task", "edit", name, "--window", "00:00-00:01", "--description", "hello")
    admin.json("task", "edit", name, "--env", "A=b")
    copied = admin.json("task", "copy", name, f"{name}-copy")
    assert copied["environment"] == {"A": "b"}
    admin.ok("task", "delete", f"{name}-copy", "--yes")
    plain = admin.json(
        "task", "create", f"{name}x", "--algorithm", "net", "--command", "python train.py", "--set", "lr=1"
    )
    assert plain["window"] is None
    return f"{name}x"


def test_a_task_is_started_watched_and_resumed(admin: Shell, task: str, tmp_path: Path) -> None:
    run = admin.json("task", "start", task, "--set", "lr=0.5", "--wait")
    assert (run["status"], run["exit_code"], run["stop_reason"], run["attempt"]) == ("completed", 0, "finished", 1)
    name = run["name"]
    assert name == f"{task}-1"
    assert "from 0 lr 0.5" in admin.ok("run", "logs", name)
    assert "from 0 lr 0.5" in admin.ok("run", "logs", "-f", name, "--tail", "100")
    metrics = admin.json("run", "metrics", name, "--key", "loss")
    assert [point[1] for point in metrics["items"][0]["points"]] == [1, 1 / 2, 1 / 3]
    assert "loss" in admin.ok("run", "metrics", name)
    assert json.loads(admin.ok("run", "show", name, "--json"))["metrics"] == {"loss": 1 / 3}
    assert "completed" in admin.ok("run", "show", name)
    events = [event["to_state"] for event in admin.json("run", "events", name)["items"]]
    assert (events[0], events[-1]) == ("pending", "completed")
    admin.ok("run", "files", name, "persistent-model/checkpoints/2.bin", "-o", tmp_path / "2.bin")
    assert (tmp_path / "2.bin").read_text() == "2"
    resumed = admin.json("run", "resume", name, "--wait")
    assert (resumed["attempt"], resumed["resumed_from"]) == (2, "persistent-model/checkpoints/2.bin")
    assert "from 3" in admin.ok("run", "logs", name)
    assert "from 0" in admin.ok("run", "logs", name, "--attempt", "1"), "before it was resumed"
    lines = admin.json("run", "logs", name, "--attempt", "1", "--search", "FROM 0", "--since", "2020-01-01")["items"]
    assert [line["text"] for line in lines] == ["from 0 lr 0.5"]
    assert admin.json("run", "logs", name, "--search", "from", "--until", "2020-01-01")["items"] == []
    assert admin.ok("workload", "logs", resumed["workload_id"], "-q", "from 3").split("  ")[1].startswith("from 3")
    admin.ok("run", "logs", name, "-o", tmp_path / "log.txt")
    assert "from 3" in (tmp_path / "log.txt").read_text()
    assert "--output" in admin.refused("run", "logs", name, "-f", "-o", tmp_path / "log.txt", code=2)
    assert "no attempt" in admin.refused("run", "logs", name, "--attempt", "9").lower()
    compared = admin.json("run", "compare", name, "--key", "loss")
    assert compared["runs"][0]["name"] == name
    assert name in admin.ok("run", "list", "--task", task)
    assert name in admin.ok("run", "wait", name)
    assert "still has 1 runs" in admin.refused("task", "delete", task, "--yes")
    admin.ok("run", "delete", name, "--yes")
    admin.ok("task", "delete", task, "--yes")


def test_a_failure_is_an_exit_code_and_a_stop_is_told(admin: Shell, project: str) -> None:
    admin.ok("task", "create", "broken", "--command", "exit 3")
    result = admin.run("task", "start", "broken", "--wait", "--json")
    assert result.code == 1
    assert json.loads(result.out)["exit_code"] == 3
    assert "failed" in result.err
    admin.ok("task", "create", "long", "--command", "sleep 100")
    started = admin.json("task", "start", "long")
    listed = admin.json("workload", "list", "--kind", "run", "--search", "long")["items"]
    assert [item["id"] for item in listed] == [started["workload_id"]]
    assert "being stopped" in admin.ok("run", "stop", "long-1")
    assert "was stopped" in admin.refused("run", "wait", "long-1")
    assert "stopped by a user" in admin.ok("workload", "show", started["workload_id"])


def test_words_are_chinese_in_a_chinese_terminal(admin: Shell, project: str, monkeypatch: pytest.MonkeyPatch) -> None:
    admin.ok("task", "create", "short", "--command", "true")
    admin.ok("task", "start", "short", "--wait")
    monkeypatch.setenv("LANG", "zh_CN.UTF-8")
    assert "已完成" in admin.ok("run", "show", "short-1")
    assert "没有名为“none”的运行" in admin.refused("run", "show", "none")


def test_specs_are_made_changed_and_deleted(admin: Shell, project: str) -> None:
    name = unique("spec")
    made = admin.json("spec", "create", name, "--cpus", "0.5", "--memory", "256MiB", "--description", "tiny")
    assert (made["cpus"], made["memory_bytes"], made["fits"]) == (0.5, 256 * 2**20, True)
    assert admin.json("spec", "edit", name, "--disable")["is_enabled"] is False
    assert name in admin.ok("spec", "list", "--all")
    assert name in admin.ok("spec", "show", name)
    assert "--memory" in admin.refused("spec", "create", "x", "--cpus", "1", code=2)
    admin.ok("spec", "delete", name, "--yes")
    assert admin.json("machine", "list")["items"][0]["cpus"] > 0


def test_images_and_environments_are_listed(admin: Shell, project: str) -> None:
    names = [item["name"] for item in admin.json("image", "list", "--public")["items"]]
    assert "tidemill/python" in names
    made = admin.json("env", "create", "desk", "--image", "tidemill/python")
    assert made["state"] == "stopped"
    assert "desk" in admin.ok("env", "list")
    assert "desk" in admin.ok("env", "show", "desk")
    assert "cannot be reached by SSH" in admin.refused("env", "ssh", "desk", "--print")
    admin.ok("env", "delete", "desk", "--yes")


def test_the_overview_counts_what_runs_and_what_is_held(admin: Shell, project: str) -> None:
    found = admin.json("status")
    assert {resource["name"] for resource in found["resources"]} >= {"cpu", "memory"}
    assert "CPU" in admin.ok("status")


@pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="ssh-keygen is not installed: openssh-client")
def test_keys_for_ssh_are_added_listed_and_removed(admin: Shell, project: str, tmp_path: Path) -> None:
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", tmp_path / "key"], check=True)
    made = admin.json("ssh-key", "add", tmp_path / "key.pub", "--name", unique("key"))
    assert made["fingerprint"] in admin.ok("ssh-key", "list", "--all")
    admin.ok("ssh-key", "delete", made["name"], "--yes")
    assert made["fingerprint"] not in admin.ok("ssh-key", "list", "--all")


def test_wrong_windows_and_names_are_usage_errors(admin: Shell, project: str) -> None:
    assert "22:00-06:00" in admin.refused("task", "create", "x", "--command", "true", "--window", "now", code=2)
    assert "NAME:VERSION" in admin.refused("image", "create", "nameonly", code=2)
