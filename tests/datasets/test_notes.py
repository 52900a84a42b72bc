"""Every note has words in both languages, and every code in the source is one."""

import ast
import json
import re
from collections.abc import Callable
from pathlib import Path

import orjson
import pytest

import tidemill.datasets
from tidemill.datasets.notes import Note
from tidemill.datasets.reasons import why

ROOT = Path(tidemill.datasets.__file__).parent
WORDS = json.loads((ROOT / "notes.json").read_text("utf-8"))
REASONS = json.loads((ROOT / "reasons.json").read_text("utf-8"))
MAKERS = {"Note", "Refused", "Unreadable"}


def codes() -> dict[str, str]:
    """Codes made anywhere in the room, with the place."""
    found = {}
    for file in sorted(ROOT.rglob("*.py")):
        text = file.read_text("utf-8")
        for node in ast.walk(ast.parse(text)):
            if not isinstance(node, ast.Call) or not node.args or not isinstance(node.args[0], ast.Constant):
                continue
            name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
            code = node.args[0].value
            if name in MAKERS and isinstance(code, str) and re.fullmatch(r"[a-z_]{4,}", code):
                found[code] = f"{file.name}:{node.lineno}"
        for groups in re.findall(r'odd\["(\w+)"\]|_counts\["(\w+)"|tally\.count\("(\w+)"', text):
            found["".join(groups)] = file.name
    return found


def test_every_code_has_words() -> None:
    assert {code: place for code, place in codes().items() if code not in WORDS} == {}


def reasons() -> set[str]:
    """Reasons named anywhere in the room."""
    found = set()
    for file in sorted([*ROOT.rglob("*.py"), *(ROOT.parent / "geometry").glob("*.py")]):
        text = file.read_text("utf-8")
        named = re.findall(r'(?:Malformed|BadShape)\("(\w+)"|"reason": "(\w+)"|\breason="(\w+)"(?! if)', text)
        found |= {"".join(groups) for groups in named}
    return found - {"preprocess", "import", "edit", "restore"}


def test_every_reason_has_words() -> None:
    assert reasons() - REASONS.keys() == set()


def test_both_languages_speak_of_the_same_things() -> None:
    for code, words in {**WORDS, **REASONS}.items():
        assert set(words) == {"en", "zh-CN"}, code
        assert set(re.findall(r"{(\w+)}", words["en"])) == set(re.findall(r"{(\w+)}", words["zh-CN"])), code
        assert re.search(r"[\u3400-\u9fff]", words["zh-CN"]), code


def test_a_note_is_filled_in() -> None:
    note = Note("coco_category_unknown", "a.json", params={"category": 7})
    assert note.words("en") == "An annotation has the category 7, which is not listed."


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (float, "“abc” is not a number"),
        (orjson.loads, "it is not valid JSON (line 1, column 1)"),
        ({}.__getitem__, "“abc” is missing"),
        (lambda path: Path("/nowhere", path).read_bytes(), "it is not there"),
        (lambda text: text.nothing, "it is not as the format wants it"),
    ],
)
def test_what_python_says_becomes_our_words(error: Callable[[str], object], words: str) -> None:
    with pytest.raises(Exception) as raised:
        error("abc")
    assert Note("file_unreadable", params=why(raised.value)).words("en") == f"It cannot be read: {words}"
    assert re.search(r"[\u3400-\u9fff]", Note("file_unreadable", params=why(raised.value)).words("zh-CN"))


def test_a_reason_may_be_another_note_or_words_of_its_own() -> None:
    inner = {"code": "picture_broken", "params": {"reason": "ends_early"}}
    assert Note("item_broken", params={"reason": inner}).words("zh-CN").startswith("损坏：图片已损坏：文件不完整")
    own = {"en": "No.", "zh-CN": "不。"}
    assert Note("item_refused", params={"reason": own}).words("zh-CN") == "未被接受：不。"
    assert Note("query_failed", params={"reason": "no such table"}).words("en") == "The database refused: no such table"
