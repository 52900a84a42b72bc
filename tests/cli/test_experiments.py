"""Experiments and the runs that were logged to them, from the command line."""

from pathlib import Path

import pytest

import tidemill
from tests.cli.conftest import Shell


def log_run(name: str, lr: float, loss: float, file: Path) -> None:
    with tidemill.start_run("rates", name=name, parameters={"lr": lr}) as run:
        tidemill.log(loss=loss, step=1)
        run.log_file(file, "out/weights.bin")


def test_experiments_are_listed_searched_renamed_and_brought_back(
    admin: Shell, project: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert admin.json("experiment", "list")["items"] == []
    assert "rates" in admin.ok("experiment", "create", "rates", "--description", "how fast to learn")
    assert "rates" in admin.refused("experiment", "create", "rates"), "the name is taken"
    (tmp_path / "weights.bin").write_bytes(b"12345")
    for name, lr, loss in (("slow", 0.01, 0.5), ("fast", 0.1, 0.25), ("wild", 1.0, 4.0)):
        log_run(name, lr, loss, tmp_path / "weights.bin")

    table = admin.ok("experiment", "runs", "rates", "--filter", "metrics.loss < 1", "--order-by", "params.lr DESC")
    head, *rows = table.splitlines()
    assert head.split() == ["NAME", "STATE", "LASTED", "loss", "lr"]
    assert [row.split()[0] for row in rows] == ["fast", "slow"]
    assert rows[0].split()[-2:] == ["0.25", "0.1"]
    found = admin.json("experiment", "runs", "rates", "--order-by", "metrics.loss ASC", "--limit", "2")["items"]
    assert [(run["name"], run["metrics"], run["parameters"]) for run in found] == [
        ("fast", {"loss": 0.25}, {"lr": "0.1"}),
        ("slow", {"loss": 0.5}, {"lr": "0.01"}),
    ]
    assert "middle of a comparison" in admin.refused("experiment", "runs", "rates", "--filter", "metrics.loss <")

    fast = found[0]["id"]
    assert "weights.bin" in admin.ok("run", "files", fast, "out", "--logged")
    admin.ok("run", "files", fast, "out/weights.bin", "--logged", "-o", tmp_path / "got.bin")
    assert (tmp_path / "got.bin").read_bytes() == b"12345"
    compared = admin.ok("run", "compare", fast, found[1]["id"], "--key", "loss")
    assert "fast" in compared
    assert "0.25" in compared

    admin.ok("experiment", "rename", "rates", "learning rates")
    shown = admin.ok("experiment", "show", "learning rates")
    assert "how fast to learn" in shown
    assert "loss" in shown
    assert "rates" in admin.refused("experiment", "show", "rates")
    admin.ok("experiment", "delete", "learning rates", "--yes")
    assert admin.json("experiment", "list")["items"] == []
    assert [one["name"] for one in admin.json("experiment", "list", "--deleted")["items"]] == ["learning rates"]
    monkeypatch.setenv("LANG", "zh_CN.UTF-8")
    assert "已恢复" in admin.ok("experiment", "restore", "learning rates")
    assert admin.json("experiment", "list")["items"][0]["runs_count"] == 3
