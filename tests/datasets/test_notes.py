"""Every note has words in both languages, and every code in the source is one."""

import ast
import json
import re
from pathlib import Path

import tidemill.datasets
from tidemill.datasets.notes import Note

ROOT = Path(tidemill.datasets.__file__).parent
WORDS = json.loads((ROOT / "notes.json").read_text("utf-8"))
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


def test_both_languages_speak_of_the_same_things() -> None:
    for code, words in WORDS.items():
        assert set(words) == {"en", "zh-CN"}, code
        assert set(re.findall(r"{(\w+)}", words["en"])) == set(re.findall(r"{(\w+)}", words["zh-CN"])), code
        assert re.search(r"[\u3400-\u9fff]", words["zh-CN"]), code


def test_a_note_is_filled_in() -> None:
    note = Note("coco_category_unknown", "a.json", params={"category": 7})
    assert note.words("en") == "An annotation has the category 7, which is not listed."
