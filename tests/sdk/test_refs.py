import pytest

from tidemill.sdk import Invalid
from tidemill.sdk.refs import Ref, address, file_address, parse_ref


@pytest.mark.parametrize(
    ("text", "ref"),
    [
        ("net", Ref("net")),
        ("net@3", Ref("net", None, "3")),
        ("public/net@latest", Ref("net", "public", "latest")),
        ("me@home", Ref("me@home")),
        ("me@home@2", Ref("me@home", None, "2")),
        ("模型@12", Ref("模型", None, "12")),
    ],
)
def test_a_reference_is_read_and_written_the_same(text: str, ref: Ref) -> None:
    assert parse_ref(text) == ref
    assert str(ref) == text


@pytest.mark.parametrize("text", ["", "/net", "a/b/c", "@3", "public/@3"])
def test_what_names_nothing_is_refused_with_a_hint(text: str) -> None:
    with pytest.raises(Invalid) as caught:
        parse_ref(text)
    assert caught.value.code == "sdk_ref_invalid"
    assert "name@3" in (caught.value.hint or "")


def test_no_name_can_leave_its_place_in_an_address() -> None:
    assert address("projects", "../users", "a b?c#d") == "/projects/..%2Fusers/a%20b%3Fc%23d"
    assert file_address("a b/c?.txt") == "a%20b/c%3F.txt"
