"""A real server for all command line tests, and a shell for each."""

import io
import json
import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.live import ADMIN_PASSWORD, LiveServer, live_server
from tidemill.cli.main import run
from tidemill.sdk import Client

USER_PASSWORD = "stapled-to-the-wall"


@dataclass(frozen=True)
class Result:
    """How a command ended."""

    code: int
    out: str
    err: str


class Shell:
    """Somebody at a terminal of their own: own settings, own language."""

    def __init__(self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, url: str) -> None:
        self.capsys = capsys
        self.monkeypatch = monkeypatch
        self.url = url

    def run(self, *arguments: str | Path, typed: str = "") -> Result:
        self.monkeypatch.setattr("sys.stdin", io.StringIO(typed))
        self.capsys.readouterr()
        code = run([str(argument) for argument in arguments])
        out, err = self.capsys.readouterr()
        return Result(code, out, err)

    def ok(self, *arguments: str | Path, typed: str = "") -> str:
        """What a command printed; it must succeed."""
        result = self.run(*arguments, typed=typed)
        assert result.code == 0, result.err
        return result.out

    def json(self, *arguments: str | Path) -> Any:
        """The one document a command printed."""
        return json.loads(self.ok(*arguments, "--json"))

    def refused(self, *arguments: str | Path, code: int = 1) -> str:
        """What a command complained of; it must fail, and say nothing on stdout."""
        result = self.run(*arguments)
        assert result.code == code, result.out + result.err
        assert result.out == ""
        return result.err

    def sign_in(self, user: str = "admin", password: str = ADMIN_PASSWORD) -> None:
        self.ok("login", self.url, "--user", user, "--password", password)


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveServer]:
    """One server for all tests of the session; each makes its own projects and users."""
    with live_server(tmp_path_factory.mktemp("cli") / "home") as running:
        yield running


@pytest.fixture
def surroundings(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Own settings file and digest cache, English."""
    folder = tmp_path_factory.mktemp("surroundings")
    for name in ("TIDEMILL_URL", "TIDEMILL_TOKEN", "TIDEMILL_PROJECT", "LC_ALL", "LC_MESSAGES"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LANG", "en_US.UTF-8")
    monkeypatch.setenv("TIDEMILL_CONFIG", str(folder / "config" / "config.json"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder / "cache"))
    return folder


@pytest.fixture
def stranger(
    server: LiveServer, surroundings: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Shell:
    """A shell where nobody has signed in."""
    return Shell(capsys, monkeypatch, server.url)


@pytest.fixture
def admin(stranger: Shell) -> Shell:
    """A shell where the administrator has signed in."""
    stranger.sign_in()
    return stranger


@pytest.fixture
def project(admin: Shell) -> str:
    """A project of the test's own, chosen."""
    name = unique("project")
    admin.ok("project", "create", name)
    admin.ok("project", "use", name)
    return name


@pytest.fixture
def client(project: str) -> Iterator[Client]:
    """The SDK as the administrator, in the project."""
    with Client() as found:
        yield found


def unique(word: str) -> str:
    return f"{word}-{secrets.token_hex(4)}"


def make_user(admin: Shell, **fields: str) -> str:
    name = unique("user")
    options = [part for field, value in fields.items() for part in (f"--{field}", value)]
    admin.ok("user", "create", name, "--password", USER_PASSWORD, "--keep-password", *options)
    return name
