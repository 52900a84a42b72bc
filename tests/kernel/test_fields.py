"""The limits on fields."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError
from pydantic_core import PydanticCustomError

from tidemill.kernel.fields import (
    DESCRIPTION_MAX,
    NAME_FORBIDDEN,
    NAME_MAX,
    Description,
    Name,
    Text,
    check_name,
    is_unprintable,
    name_key,
)

any_text = st.text(st.characters(exclude_categories=["Cs"]), max_size=80)
fine = st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"], exclude_characters=NAME_FORBIDDEN).filter(
    lambda character: not is_unprintable(character)
)


def broken_rule(text: str) -> str:
    with pytest.raises(PydanticCustomError) as caught:
        check_name(text)
    return caught.value.type


@given(any_text)
def test_what_passes_keeps_every_rule_and_passes_again_unchanged(text: str) -> None:
    try:
        name = check_name(text)
    except PydanticCustomError:
        return
    assert 1 <= len(name) <= NAME_MAX
    assert name == name.strip() == unicodedata.normalize("NFC", name)
    assert not set(name) & set(NAME_FORBIDDEN)
    assert not any(is_unprintable(character) for character in name)
    assert name not in {".", ".."}
    assert check_name(name) == name


@given(st.text(fine, min_size=1, max_size=NAME_MAX))
def test_a_name_within_the_rules_passes(text: str) -> None:
    name = unicodedata.normalize("NFC", text).strip()
    if not name or len(name) > NAME_MAX or name in {".", ".."}:
        return
    assert check_name(text) == name


@given(st.text(fine, max_size=20), st.sampled_from(NAME_FORBIDDEN), st.text(fine, max_size=20))
def test_a_forbidden_character_anywhere_is_refused(before: str, forbidden: str, after: str) -> None:
    assert broken_rule(before + forbidden + after) in {"name_forbidden", "name_too_long"}


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("", "name_blank"),
        ("   \t ", "name_blank"),
        ("\u3000", "name_blank"),
        ("x" * 51, "name_too_long"),
        ("字" * 51, "name_too_long"),
        (".", "name_forbidden"),
        ("..", "name_forbidden"),
        ("a\x00b", "name_forbidden"),
        ("a\nb", "name_forbidden"),
        ("a\u2028b", "name_forbidden"),
        ("a\u202eb", "name_forbidden"),
        ("usr_01m7gqcbnv9d8y2h9yyh4hm2vq", "name_like_id"),
    ],
)
def test_each_rule_has_its_own_refusal(text: str, rule: str) -> None:
    assert broken_rule(text) == rule


def test_fifty_characters_of_any_script_are_a_name() -> None:
    for character in ("x", "字", "é", "🌊"):
        assert check_name(character * NAME_MAX) == character * NAME_MAX


@given(st.text(fine, min_size=1, max_size=30))
def test_case_and_unicode_form_do_not_make_another_name(text: str) -> None:
    assert (
        name_key(text) == name_key(unicodedata.normalize("NFD", text)) == name_key(unicodedata.normalize("NFC", text))
    )


def test_names_that_differ_in_case_are_the_same() -> None:
    assert name_key("Straße") == name_key("STRASSE")
    assert name_key("ResNet50") == name_key("resnet50")
    assert name_key("resnet50") != name_key("resnet51")


def test_wire_types_refuse_what_the_database_cannot_hold() -> None:
    for kind in (Name, Description, Text):
        with pytest.raises(ValidationError):
            TypeAdapter(kind).validate_python("a\x00b")
    with pytest.raises(ValidationError):
        TypeAdapter(Description).validate_python("x" * (DESCRIPTION_MAX + 1))
    assert TypeAdapter(Description).validate_python("x" * DESCRIPTION_MAX)
