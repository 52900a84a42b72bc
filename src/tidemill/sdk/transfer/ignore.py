"""What a push leaves out: the usual litter, and what `.tidemillignore` names.

The file is read like Git's: one pattern a line, `#` comments, `!` takes back, a `/` at the end means folders only, one
elsewhere ties the pattern to the top, `**` crosses folders. The last line that matches decides; below a folder that is
left out nothing can be taken back.
"""

import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from tidemill.sdk.transfer.paths import PARTS_FOLDER

IGNORE_FILE = ".tidemillignore"
DEFAULTS = (
    ".git/", ".hg/", ".svn/", "__pycache__/", "*.pyc", ".DS_Store", "Thumbs.db", ".ipynb_checkpoints/",
    ".venv/", "node_modules/", ".mypy_cache/", ".ruff_cache/", ".pytest_cache/", f"/{PARTS_FOLDER}/", f"/{IGNORE_FILE}",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Rule:
    """One line."""

    pattern: re.Pattern[str]
    folders_only: bool
    takes_back: bool


class Ignore:
    """Decides what is left out."""

    def __init__(self, lines: tuple[str, ...] = DEFAULTS) -> None:
        self._rules = [rule for line in lines if (rule := _read_rule(line))]

    @classmethod
    def of_folder(cls, folder: Path) -> "Ignore":
        """The defaults, then the folder's own file."""
        file = folder / IGNORE_FILE
        own = file.read_text("utf-8", errors="replace").splitlines() if file.is_file() else []
        return cls((*DEFAULTS, *own))

    def leaves_out(self, path: str, *, is_folder: bool) -> bool:
        """Whether a path below the folder is left out; its parents are the walk's business."""
        decided = False
        for rule in self._rules:
            if (is_folder or not rule.folders_only) and rule.pattern.fullmatch(path):
                decided = not rule.takes_back
        return decided


def _read_rule(line: str) -> Rule | None:
    text = line.rstrip("\r\n").strip()
    if not text or text.startswith("#"):
        return None
    takes_back = text.startswith("!")
    text = text.removeprefix("!").removeprefix("\\")
    folders_only = text.endswith("/")
    text = text.rstrip("/")
    if not text:
        return None
    is_tied = "/" in text
    return Rule(_compile(text.lstrip("/"), is_tied), folders_only, takes_back)


@lru_cache(maxsize=256)
def _compile(text: str, is_tied: bool) -> re.Pattern[str]:
    body = "" if is_tied else "(?:.*/)?"
    place = 0
    while place < len(text):
        if text.startswith("**/", place):
            body, place = body + "(?:.*/)?", place + 3
        elif text.startswith("**", place):
            body, place = body + ".*", place + 2
        elif text[place] == "*":
            body, place = body + "[^/]*", place + 1
        elif text[place] == "?":
            body, place = body + "[^/]", place + 1
        elif text[place] == "[" and (end := text.find("]", place + 2)) > 0:
            inside = text[place + 1 : end]
            negated = inside[0] in "!^"
            body += (
                f"[{'^' if negated else ''}{re.escape(inside[1:] if negated else inside).replace(chr(92) + '-', '-')}]"
            )
            place = end + 1
        else:
            body, place = body + re.escape(text[place]), place + 1
    return re.compile(body, re.DOTALL)
