"""Every message exists in both languages, and every code that is raised has a message."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

import tidemill
from tidemill.kernel import errors, i18n

SOURCE = Path(tidemill.__file__).parent
PLACEHOLDER = re.compile(r"\{(\w+)\}")
CHINESE = re.compile(r"[\u3400-\u9fff]")
ERROR_NAMES = {
    name for name, kind in vars(errors).items() if isinstance(kind, type) and issubclass(kind, errors.TidemillError)
}
NOT_PARAMETERS = {"field", "details", "message", "hint"}


@dataclass(frozen=True)
class Raised:
    """A place in the source that makes an error with a code."""

    code: str
    parameters: frozenset[str] | None
    """None where they cannot be read off the source."""
    place: str


def texts(code: str) -> Iterator[tuple[str, str]]:
    """(English, Chinese) of the message, and of its hint where it has one."""
    words = i18n.catalogue()[code]
    yield words["en"], words["zh-CN"]
    if "hint" in words:
        yield words["hint"]["en"], words["hint"]["zh-CN"]


def raised_in_source() -> list[Raised]:
    found: list[Raised] = []
    for file in sorted(SOURCE.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.Call) and _name(node.func) in ERROR_NAMES | {"PydanticCustomError"} and node.args:
                found += _read(node, f"{file.relative_to(SOURCE)}:{node.lineno}")
    return found


def _name(function: ast.expr) -> str:
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


def _read(call: ast.Call, place: str) -> list[Raised]:
    keywords = {keyword.arg for keyword in call.keywords}
    known = None if None in keywords or _name(call.func) == "PydanticCustomError" else frozenset(filter(None, keywords))
    parameters = None if known is None else known - NOT_PARAMETERS
    branches = [call.args[0].body, call.args[0].orelse] if isinstance(call.args[0], ast.IfExp) else [call.args[0]]
    return [
        Raised(branch.value, parameters, place)
        for branch in branches
        if isinstance(branch, ast.Constant) and isinstance(branch.value, str)
    ]


RAISED = raised_in_source()


def test_the_reading_of_the_source_finds_codes() -> None:
    codes = {raised.code for raised in RAISED}
    assert {"name_taken", "name_blank", "last_owner", "cursor_invalid"} <= codes


def test_every_code_that_is_raised_has_a_message() -> None:
    missing = [f"{raised.code} at {raised.place}" for raised in RAISED if raised.code not in i18n.catalogue()]
    assert missing == []


def test_every_class_of_error_has_a_message_of_its_own() -> None:
    for name in ERROR_NAMES:
        assert getattr(errors, name).default_code in i18n.catalogue()


def test_every_placeholder_is_filled_where_the_error_is_raised() -> None:
    unfilled = [
        f"{raised.code} at {raised.place}: {sorted(wanted)}"
        for raised in RAISED
        if raised.parameters is not None and raised.code in i18n.catalogue()
        for text, _ in texts(raised.code)
        if (wanted := set(PLACEHOLDER.findall(text)) - raised.parameters)
    ]
    assert unfilled == []


@pytest.mark.parametrize("code", sorted(i18n.catalogue()))
def test_a_message_says_the_same_in_both_languages(code: str) -> None:
    words = i18n.catalogue()[code]
    assert set(words) <= {"en", "zh-CN", "hint"}
    for english, chinese in texts(code):
        assert english.strip()
        assert not CHINESE.search(english), english
        assert CHINESE.search(chinese), chinese
        assert sorted(PLACEHOLDER.findall(english)) == sorted(PLACEHOLDER.findall(chinese))


@pytest.mark.parametrize(
    ("header", "language"),
    [
        (None, "en"),
        ("", "en"),
        ("fr", "en"),
        ("zh", "zh-CN"),
        ("zh-TW,zh;q=0.9,en;q=0.8", "zh-CN"),
        ("en-GB,zh;q=0.9", "en"),
        ("fr;q=0.9,en;q=0.1,zh;q=0.5", "zh-CN"),
        ("zh;q=0,en", "en"),
        ("zh;q=nonsense,en;q=0.1", "en"),
        (",,;;,=" * 50, "en"),
    ],
)
def test_the_language_is_the_best_we_speak_of_those_asked_for(header: str | None, language: str) -> None:
    assert i18n.pick_language(header) == language


def test_parameters_are_filled_in_and_a_code_without_words_is_a_defect() -> None:
    assert "“x”" in i18n.message("name_taken", "en", name="x")
    with pytest.raises(KeyError):
        i18n.message("no_such_code", "en")
