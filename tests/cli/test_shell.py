"""The command line itself: help, usage, languages, completion, what is imported when."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Shell
from tests.live import free_ports
from tidemill.cli.main import COMMANDS
from tidemill.kernel import i18n

ROOT = Path(__file__).parents[2]


def tidemill(*arguments: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    """The command in a process of its own, not on a terminal."""
    command = [sys.executable, "-m", "tidemill", *arguments]
    environment = {"LANG": "C.UTF-8", "LC_ALL": "", **environment}
    return subprocess.run(
        command, env={**os.environ, **environment}, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=60
    )


@pytest.fixture
def home(surroundings: Path) -> Path:
    return surroundings


@pytest.mark.parametrize("name", [name for name in COMMANDS if name != "up"])
def test_every_command_has_help_in_both_languages(name: str, home: Path) -> None:
    english = tidemill(name, "--help")
    chinese = tidemill(name, "--help", LANG="zh_CN.UTF-8")
    assert english.returncode == chinese.returncode == 0
    assert "Usage: tidemill" in english.stdout
    assert "用法：tidemill" in chinese.stdout
    assert not _has_chinese(english.stdout)
    assert "Show this" not in chinese.stdout


def test_help_needs_no_http_library_and_no_server(home: Path) -> None:
    script = (
        "import sys, runpy; sys.argv = ['tidemill', '--help']\n"
        "try: runpy.run_module('tidemill', run_name='__main__')\n"
        "except SystemExit: pass\n"
        "heavy = {'httpx2', 'fastapi', 'sqlalchemy', 'pydantic', 'uvicorn'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr


def test_wrong_usage_ends_with_2_on_stderr(home: Path) -> None:
    for arguments in (["nonsense"], ["model", "push"], ["project", "list", "--limit", "0"], ["login", "--nope"]):
        done = tidemill(*arguments)
        assert (done.returncode, done.stdout) == (2, ""), arguments
        assert "error: " in done.stderr


def test_wrong_usage_is_told_in_chinese_too(home: Path) -> None:
    for arguments, word in (
        (["nonsense"], "没有命令"),
        (["model", "push"], "缺少"),
        (["project", "list", "--limit", "0"], "200"),
        (["login", "--nope"], "没有选项"),
        (["user", "list", "--kind", "king"], "annotator"),
    ):
        done = tidemill(*arguments, LANG="zh_CN.UTF-8")
        assert done.returncode == 2
        assert "错误：" in done.stderr
        assert word in done.stderr


def test_a_server_that_is_away_is_one_line_and_a_hint(home: Path) -> None:
    url = f"http://127.0.0.1:{free_ports()}"
    done = tidemill("project", "list", TIDEMILL_URL=url, TIDEMILL_TOKEN="tm_x")
    assert done.returncode == 1
    assert done.stdout == ""
    lines = done.stderr.splitlines()
    assert len(lines) == 2
    assert url in lines[0]
    assert "tidemill up" in lines[1]
    chinese = tidemill("project", "list", TIDEMILL_URL=url, TIDEMILL_TOKEN="tm_x", LANG="zh_CN.UTF-8")
    assert "无法连接" in chinese.stderr


def test_the_servers_refusals_come_in_the_terminals_language(admin: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LC_ALL", "zh_CN.UTF-8")
    err = admin.refused("project", "show", "no-such-project")
    assert err.startswith("错误：")
    assert "项目" in err


def test_a_reader_that_has_enough_is_no_error(admin: Shell) -> None:
    command = f"{sys.executable} -m tidemill role permissions --json | head -c 1"
    done = subprocess.run(["bash", "-o", "pipefail", "-c", command], capture_output=True, text=True, timeout=60)
    assert done.stdout == "{"
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_completion_script_is_printed(home: Path, shell: str) -> None:
    done = tidemill("completion", shell)
    assert done.returncode == 0
    assert "_TIDEMILL_COMPLETE" in done.stdout


def test_the_bash_script_is_accepted_by_bash(home: Path) -> None:
    script = tidemill("completion", "bash").stdout
    done = subprocess.run(["bash", "-c", script + "\ncomplete -p tidemill"], capture_output=True, text=True, timeout=60)
    assert "tidemill" in done.stdout, done.stderr


def complete(words: str) -> list[str]:
    """What bash would offer for the last of these words."""
    done = tidemill(_TIDEMILL_COMPLETE="bash_complete", COMP_WORDS=words, COMP_CWORD=str(len(words.split(" ")) - 1))
    assert done.stderr == ""
    return [line.partition(",")[2] for line in done.stdout.splitlines() if line]


def test_commands_are_completed(home: Path) -> None:
    assert complete("tidemill al") == ["algorithm"]
    assert "import-git" in complete("tidemill model i")


def test_names_of_projects_and_assets_are_completed(admin: Shell, project: str) -> None:
    assert complete(f"tidemill project use {project[:-2]}") == [project]
    assert complete(f"tidemill --project {project[:-2]}") == [project]
    admin.ok("model", "create", "detector")
    assert complete("tidemill model show det") == ["detector"]


def test_completion_is_quiet_when_the_server_is_away(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TIDEMILL_URL", f"http://127.0.0.1:{free_ports()}")
    monkeypatch.setenv("TIDEMILL_PROJECT", "tides")
    assert complete("tidemill project use x") == []
    assert complete("tidemill model pull x") == []


def test_every_message_has_both_languages() -> None:
    for code, words in i18n.catalogue().items():
        if code.startswith(("cli_", "sdk_")):
            assert words["en"], code
            assert _has_chinese(words["zh-CN"]) or code in {"cli_hint"}, code
            assert not _has_chinese(words["en"]), code


def _has_chinese(text: str) -> bool:
    return any("\u4e00" <= character <= "\u9fff" for character in text)
