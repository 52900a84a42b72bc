from pathlib import Path

import pytest

from tidemill.sdk.transfer.ignore import Ignore


@pytest.mark.parametrize(
    ("pattern", "path", "is_folder", "left_out"),
    [
        ("*.log", "a.log", False, True),
        ("*.log", "deep/er/a.log", False, True),
        ("*.log", "a.log.txt", False, False),
        ("/top", "top", False, True),
        ("/top", "x/top", False, False),
        ("a/b", "a/b", False, True),
        ("a/b", "x/a/b", False, False),
        ("cache/", "cache", True, True),
        ("cache/", "cache", False, False),
        ("**/gen", "x/y/gen", False, True),
        ("docs/**", "docs/a/b.md", False, True),
        ("a?c", "abc", False, True),
        ("a?c", "a/c", False, False),
        ("[ab].txt", "b.txt", False, True),
        ("[!ab].txt", "b.txt", False, False),
        ("[0-9].txt", "7.txt", False, True),
        ("# note", "# note", False, False),
        ("\\#note", "#note", False, True),
    ],
)
def test_patterns_mean_what_git_users_expect(pattern: str, path: str, is_folder: bool, left_out: bool) -> None:
    assert Ignore((pattern,)).leaves_out(path, is_folder=is_folder) is left_out


def test_the_last_line_decides() -> None:
    ignore = Ignore(("*.bin", "!keep.bin"))
    assert ignore.leaves_out("a.bin", is_folder=False)
    assert not ignore.leaves_out("x/keep.bin", is_folder=False)


def test_a_folders_own_file_goes_after_the_defaults(tmp_path: Path) -> None:
    (tmp_path / ".tidemillignore").write_text("*.tmp\n!.git/\n")
    ignore = Ignore.of_folder(tmp_path)
    assert ignore.leaves_out("__pycache__", is_folder=True)
    assert ignore.leaves_out("x.tmp", is_folder=False)
    assert not ignore.leaves_out(".git", is_folder=True)
