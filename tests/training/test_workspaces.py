"""Looking into a workspace whose owner is hostile."""

import os
from pathlib import Path

import pytest

from tidemill.training.metrics.finding import find_event_files
from tidemill.training.workspaces import NotThere, list_folder, open_file


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "key.txt").write_text("hunter2")
    made = tmp_path / "workspace"
    (made / "out").mkdir(parents=True)
    (made / "out" / "a.txt").write_text("tide")
    return made


def test_plain_files_are_opened_and_folders_listed(workspace: Path) -> None:
    with open_file(workspace, "out/a.txt") as opened:
        assert opened.read() == b"tide"
    assert [entry.path for entry in list_folder(workspace, "")] == ["out"]
    assert [(entry.path, entry.size_bytes) for entry in list_folder(workspace, "out")] == [("out/a.txt", 4)]


@pytest.mark.parametrize("path", ["link/key.txt", "file-link"])
def test_no_path_leads_outside(workspace: Path, path: str) -> None:
    (workspace / "link").symlink_to(workspace.parent / "secret")
    (workspace / "file-link").symlink_to(workspace.parent / "secret" / "key.txt")
    with pytest.raises(NotThere):
        open_file(workspace, path)
    with pytest.raises(NotThere):
        list_folder(workspace, "link")
    assert [entry.path for entry in list_folder(workspace, "")] == ["out"]


def test_a_pipe_neither_opens_nor_hangs(workspace: Path) -> None:
    os.mkfifo(workspace / "pipe")
    with pytest.raises(NotThere):
        open_file(workspace, "pipe")


def test_event_files_are_found_with_what_tells_them_apart(workspace: Path) -> None:
    for path in (
        "algorithm/net/runs/a/events.out.tfevents.1.host",
        "algorithm/net/runs/a/loss_train/events.out.tfevents.2.host",
        "algorithm/net/logs/train/events.out.tfevents.3.host",
        "algorithm/net/logs/validation/events.out.tfevents.4.host",
        "dataset/x/events.out.tfevents.5.host",
    ):
        (workspace / path).parent.mkdir(parents=True, exist_ok=True)
        (workspace / path).write_bytes(b"")
    (workspace / "linked").symlink_to(workspace.parent / "secret")
    found = [(file.path.rpartition("/")[0], file.prefix) for file in find_event_files(workspace)]
    assert found == [
        ("algorithm/net/runs/a", ""),
        ("algorithm/net/runs/a/loss_train", "loss_train/"),
        ("algorithm/net/logs/train", "train/"),
        ("algorithm/net/logs/validation", "validation/"),
    ]
