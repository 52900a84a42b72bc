import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tidemill.kernel.errors import Invalid
from tidemill.sdk.transfer.paths import check_writable, find_fault
from tidemill.store.paths import check_path


@given(
    st.text(max_size=30) | st.lists(st.sampled_from(["a", "..", ".", "", "b\\", "\u202e"]), max_size=5).map("/".join)
)
@example("a/" * 64 + "b")
@example("a/" * 63 + "b")
@example("x" * 255)
@example("x" * 256)
@example("汉" * 86)
@example("a\u2028b")
def test_we_refuse_just_what_the_store_refuses(path: str) -> None:
    path = unicodedata.normalize("NFC", path)
    try:
        check_path(path)
        is_allowed = True
    except Invalid:
        is_allowed = False
    assert (find_fault(path) is None) == is_allowed


@pytest.mark.parametrize(
    "path",
    ["../x", "a/../../x", "/etc/passwd", "a//b", "", ".", "a/.", "C:/x", "a\\..\\b", "a\nb", "a\x00b",
     ".tidemill-parts/x", "\udcff"],
)  # fmt: skip
def test_a_path_that_would_leave_the_folder_is_not_written(path: str) -> None:
    with pytest.raises(Invalid) as caught:
        check_writable(path)
    assert caught.value.code == "sdk_path_hostile"
