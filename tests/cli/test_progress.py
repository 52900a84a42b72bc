import os
import pty
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Shell, unique
from tidemill.cli.output import width_of
from tidemill.cli.progress import Display
from tidemill.sdk.transfer.progress import Progress
from tidemill.sdk.views import Job


def test_without_a_terminal_each_stage_is_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    display = Display()
    for size in (0, 50, 100):
        display.transfer(Progress("send", files=0, total_files=1, size_bytes=size, total_bytes=100))
    display.transfer(Progress("attach", files=0, total_files=1))
    display.close()
    lines = capsys.readouterr().err.splitlines()
    assert [line.split("  ")[0] for line in lines] == ["Sending", "Putting together"]


def test_on_a_terminal_one_line_is_drawn_over_and_fits(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tidemill.cli.progress.is_interactive", lambda: True)
    monkeypatch.setenv("COLUMNS", "40")
    display = Display()
    display.job(
        Job(name="导入一个名字很长很长很长的仓库", state="running", progress=0.5, done=1, total=2, unit="个文件")
    )
    display.close()
    err = capsys.readouterr().err
    assert "\n" not in err
    assert "50%" in err
    assert all(width_of(line) < 40 for line in err.split("\r"))


def test_ctrl_c_stops_a_push_with_one_word_and_130(admin: Shell, project: str, tmp_path: Path) -> None:
    with (tmp_path / "large").open("wb") as stream:
        stream.truncate(1536 * 1024 * 1024)
        stream.write(unique("content").encode())
    command = [sys.executable, "-m", "tidemill", "model", "push", str(tmp_path / "large"), "net"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        for line in process.stderr:
            if line.startswith("Reading"):
                process.send_signal(signal.SIGINT)
                break
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, "")
    assert err.splitlines()[-1] == "Stopped."
    assert "Traceback" not in err


def test_a_dangerous_command_asks_on_a_terminal(admin: Shell, project: str) -> None:
    admin.ok("model", "create", "net")
    command = [sys.executable, "-m", "tidemill", "model", "delete", "net"]
    for answer, is_left in ((b"n\n", True), (b"y\n", False)):
        master, slave = pty.openpty()
        with subprocess.Popen(command, stdin=slave, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            os.write(master, answer)
            process.communicate(timeout=60)
        os.close(master)
        os.close(slave)
        assert (process.returncode == 0) is not is_left
        assert (admin.run("model", "show", "net").code == 0) is is_left
