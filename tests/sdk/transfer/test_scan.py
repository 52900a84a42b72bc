import os
from pathlib import Path

import pytest

from tidemill.sdk import Invalid, NotFound
from tidemill.sdk.transfer.scan import scan


def make(folder: Path, *paths: str) -> Path:
    for path in paths:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(path)
    return folder


def test_files_are_found_by_their_path_and_litter_is_left_out(tmp_path: Path) -> None:
    make(tmp_path, "a.py", "pkg/b.py", "pkg/__pycache__/b.pyc", ".git/HEAD", ".hidden")
    assert set(scan(tmp_path).files) == {"a.py", "pkg/b.py", ".hidden"}


def test_one_file_is_a_tree_of_one(tmp_path: Path) -> None:
    make(tmp_path, "model.onnx")
    assert set(scan(tmp_path / "model.onnx").files) == {"model.onnx"}


def test_what_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(NotFound) as caught:
        scan(tmp_path / "nothing")
    assert "nothing" in str(caught.value)


def test_links_inside_are_followed_and_links_outside_refused(tmp_path: Path) -> None:
    folder = make(tmp_path / "in", "real/a.txt")
    make(tmp_path / "out", "secret")
    (folder / "again").symlink_to(folder / "real")
    assert set(scan(folder).files) == {"real/a.txt", "again/a.txt"}
    (folder / "leak").symlink_to(tmp_path / "out")
    with pytest.raises(Invalid) as caught:
        scan(folder)
    assert caught.value.code == "sdk_link_outside"
    assert set(scan(folder, links="follow").files) == {"real/a.txt", "again/a.txt", "leak/secret"}
    found = scan(folder, links="skip")
    assert (set(found.files), sorted(found.skipped)) == ({"real/a.txt"}, ["again", "leak"])


def test_a_link_in_a_circle_ends(tmp_path: Path) -> None:
    make(tmp_path, "sub/a.txt")
    (tmp_path / "sub" / "up").symlink_to(tmp_path)
    with pytest.raises(Invalid) as caught:
        scan(tmp_path, links="follow")
    assert caught.value.code == "sdk_link_loop"


def test_a_link_to_nothing_is_named(tmp_path: Path) -> None:
    (tmp_path / "dangling").symlink_to(tmp_path / "gone")
    with pytest.raises(Invalid) as caught:
        scan(tmp_path)
    assert caught.value.code == "sdk_link_broken"


def test_a_pipe_is_passed_over_and_reported(tmp_path: Path) -> None:
    make(tmp_path, "a.txt")
    os.mkfifo(tmp_path / "pipe")
    found = scan(tmp_path)
    assert (set(found.files), found.skipped) == ({"a.txt"}, ["pipe"])


def test_a_name_the_store_cannot_hold_is_refused_before_anything_is_sent(tmp_path: Path) -> None:
    make(tmp_path, "bad\nname")
    with pytest.raises(Invalid) as caught:
        scan(tmp_path)
    assert caught.value.code == "sdk_path_unsendable"


def test_two_names_that_are_one_in_the_store_are_both_named(tmp_path: Path) -> None:
    make(tmp_path, "caf\u00e9", "cafe\u0301")
    with pytest.raises(Invalid) as caught:
        scan(tmp_path)
    assert caught.value.code == "sdk_path_twice"
