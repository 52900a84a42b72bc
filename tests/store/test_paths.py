"""Paths inside trees."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidemill.kernel.errors import Invalid
from tidemill.store.paths import DEPTH_MAX, PATH_MAX_BYTES, ancestors, below, check_path, name_of, parent

GOOD = ["a", "a/b", "a b/c", "模型/权重.onnx", "a.b", "...", "a/..b", "-", "~", "a:b", "x" * 255, "é"]
BAD = [
    "", "/", "/a", "a/", "a//b", ".", "..", "a/..", "../a", "a/./b", "a\\b", "a\x00b", "a\nb", "a\x7fb", "a\x1bb",
    "\ud800", "a\u202eb", "a\u2028b", "x" * 256, "é" * 128, "/".join(["x" * 200] * 6), "/".join("a" * 65),
]  # fmt: skip


@pytest.mark.parametrize("path", GOOD)
def test_good_paths_are_kept(path: str) -> None:
    assert check_path(path) == unicodedata.normalize("NFC", path)


@pytest.mark.parametrize("path", BAD)
def test_bad_paths_are_refused(path: str) -> None:
    with pytest.raises(Invalid) as refused:
        check_path(path)
    assert (refused.value.code, refused.value.field) == ("path_invalid", "path")


def test_two_spellings_of_one_name_are_one_path() -> None:
    assert check_path("caf\u0065\u0301") == check_path("caf\u00e9")


@given(st.text(max_size=80))
def test_what_is_allowed_stays_inside(text: str) -> None:
    try:
        path = check_path(text)
    except Invalid:
        return
    parts = path.split("/")
    assert not path.startswith("/")
    assert not {"", ".", ".."} & set(parts)
    assert len(path.encode()) <= PATH_MAX_BYTES
    assert len(parts) <= DEPTH_MAX
    assert check_path(path) == path
    assert path.isprintable() or not any(unicodedata.category(c) == "Cc" for c in path)


@given(st.lists(st.text(st.characters(exclude_characters="/\x00", exclude_categories=["Cs"]), min_size=1), min_size=1))
def test_everything_in_a_folder_and_nothing_else_is_between_its_bounds(parts: list[str]) -> None:
    path = "/".join(parts)
    assert "/".join(filter(None, [parent(path), name_of(path)])) == path
    for folder in ancestors(path):
        low, high = below(folder)
        assert low < path < high
    low, high = below(path)
    for beside in (path, path + "!", path + "0", path + "\U0010ffff"):
        assert not low < beside < high
