"""What the documents say is so."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

import click
import pytest

from tests.live import ADMIN_PASSWORD, live_server
from tests.repo.files import ROOT, tracked
from tidemill import __version__
from tidemill.cli.main import root
from tidemill.kernel.settings import Settings

DOCUMENTS = [file for file in tracked("*.md") if "node_modules" not in file.parts]
READMES = [ROOT / "README.md", ROOT / "README.zh-CN.md"]
_LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
_BLOCK = re.compile(r"```(\w*)\n(.*?)```", re.DOTALL)


def _name(file: Path) -> str:
    return str(file.relative_to(ROOT))


@pytest.mark.parametrize("document", DOCUMENTS, ids=_name)
def test_links_lead_somewhere(document: Path) -> None:
    text = _BLOCK.sub("", document.read_text("utf-8"))
    for target in _LINK.findall(text):
        if target.startswith(("http://", "https://")):
            continue
        path, _, anchor = unquote(target).partition("#")
        file = (document.parent / path).resolve() if path else document
        assert file.exists(), f"{target} is not there"
        if anchor:
            assert anchor in _anchors(file), f"{target}: no such heading"


@pytest.mark.parametrize("document", DOCUMENTS, ids=_name)
def test_make_targets_that_are_named_exist(document: Path) -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    named = set(re.findall(r"(?:^|`|&& )make ([a-z]+)", document.read_text("utf-8"), re.MULTILINE))
    assert named <= targets


@pytest.mark.parametrize("document", DOCUMENTS, ids=_name)
def test_commands_that_are_named_exist(document: Path) -> None:
    for line in _commands(document):
        words = line.split()
        assert _find_command(words[1:]), f"no such command: {line}"


def test_both_readmes_show_the_same_commands() -> None:
    english, chinese = (
        [_without_words(code) for kind, code in _BLOCK.findall(readme.read_text("utf-8"))] for readme in READMES
    )
    assert english == chinese


def test_every_setting_is_documented_with_its_default() -> None:
    text = (ROOT / "docs" / "configuration.md").read_text("utf-8")
    documented = dict(re.findall(r"^\| `(\w+)` \| (\S+) \|", text, re.MULTILINE))
    assert documented == {name: _shown_default(name) for name in Settings.model_fields}


def test_every_room_is_on_the_architecture_page_and_in_its_picture() -> None:
    folders = {file.parent.name for file in tracked("src/tidemill/*/__init__.py") if file.parents[1].name == "tidemill"}
    page = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    picture = (ROOT / "docs" / "images" / "architecture.svg").read_text("utf-8")
    drawn = set(re.findall(r'class="t b" x="56"[^>]*>(\w+)<', picture))
    assert set(re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE)) == folders - {"migrations"}
    # What runs at the user's or in a workload is no part of the server.
    assert drawn == folders - {"migrations", "cli", "sdk", "learn", "runtime", "evaluation"}


def test_the_changelog_has_this_version() -> None:
    assert f"\n## {__version__} " in (ROOT / "CHANGELOG.md").read_text("utf-8")


def test_the_first_ten_minutes_of_the_readme_work(tmp_path: Path) -> None:
    """Every command of that part, in order, against a fresh server, and then its Python."""
    text = READMES[0].read_text("utf-8").partition("## The first ten minutes")[2].partition("\n## ")[0]
    blocks = _BLOCK.findall(text)
    script = "\n".join(code for kind, code in blocks if kind == "sh")
    drawing, program = [code for kind, code in blocks if kind == "python"]
    _run([sys.executable, "-c", drawing], tmp_path)
    assert len(list((tmp_path / "shore").glob("*/*.png"))) == 48
    with live_server(tmp_path / "home", TIDEMILL_SSH_ENABLED="false") as server:
        login = f"tidemill login {server.url} --user admin --password {ADMIN_PASSWORD}"
        making = "tidemill service keys create shore laptop"
        for written, meant in {
            ". .venv/bin/activate\n": "",
            "tidemill login http://127.0.0.1:8700 --user admin": login,
            making: f"KEY=$({making} --json | python -c \"import json, sys; print(json.load(sys.stdin)['key'])\")",
            "Bearer tms_…": "Bearer $KEY",
            "http://127.0.0.1:8780/": f"http://127.0.0.1:{server.port + 80}/",
        }.items():
            assert written in script
            script = script.replace(written, meant)
        said = _run(["bash", "-euo", "pipefail", "-c", script], tmp_path)
        token = json.loads(_run(["tidemill", "token", "create", "readme", "--json"], tmp_path))["token"]
        program = program.replace("http://127.0.0.1:8700", server.url).replace("tm_…", token)
        listed = _run([sys.executable, "-c", program], tmp_path)
        _run(["tidemill", "service", "delete", "shore", "--yes"], tmp_path)
    assert '"label":"sand"' in said.replace(" ", "")
    assert len((tmp_path / "survey.csv").read_text("utf-8").splitlines()) == 73
    assert listed == "shore 1\n"


def _run(command: list[str], folder: Path) -> str:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("TIDEMILL_")}
    ours = {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "TIDEMILL_CONFIG": str(folder / "config"),
        "XDG_CACHE_HOME": str(folder / "cache"),
        "LC_ALL": "C.UTF-8",
    }
    done = subprocess.run(command, cwd=folder, env=kept | ours, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def _anchors(file: Path) -> set[str]:
    headings = re.findall(r"^#+ (.+)$", file.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading).strip().lower().replace(" ", "-") for heading in headings}


def _commands(document: Path) -> Iterator[str]:
    for kind, code in _BLOCK.findall(document.read_text("utf-8")):
        if kind == "sh":
            yield from re.findall(r"^tidemill [a-z].*", code, re.MULTILINE)


def _find_command(words: list[str]) -> bool:
    """Whether the words lead through the groups to a command, and its options are options of it."""
    command: click.Command = root
    context = click.Context(root)
    rest = list(words)
    while isinstance(command, click.Group) and rest:
        found = command.get_command(context, rest.pop(0))
        if found is None:
            return False
        command = found
    known = {option for parameter in command.params for option in parameter.opts}
    return all(word.partition("=")[0] in known for word in rest if re.match(r"--[a-z]", word))


def _without_words(code: str) -> str:
    """Comments, and texts in quotes, differ between the languages."""
    return re.sub(r"\s+#.*|\"[^\"]*\"", "", code)


def _shown_default(name: str) -> str:
    field = Settings.model_fields[name]
    if name == "home":
        return "`~/.tidemill`"
    if field.default in (None, "", []):
        return "none"
    return f"`{str(field.default).lower()}`"
