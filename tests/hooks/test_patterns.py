"""Patterns of events."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from tidemill.hooks.patterns import matches
from tidemill.hooks.schemas import Pattern

words = st.from_regex(r"[a-z][a-z_]{0,20}", fullmatch=True)


@pytest.mark.parametrize(
    ("pattern", "event", "covered"),
    [
        ("*", "model.commit", True),
        ("*.*", "model.commit", True),
        ("model.*", "model.commit", True),
        ("model.*", "model_version.commit", False),
        ("*.commit", "algorithm.commit", True),
        ("*.commit", "algorithm.committed", False),
        ("model.commit", "model.commit", True),
        ("model.commit", "model.delete", False),
    ],
)
def test_a_pattern_covers_what_it_says(pattern: str, event: str, covered: bool) -> None:
    assert matches([pattern], event) is covered


@given(thing=words, verb=words, other=words)
def test_wildcards_stand_for_exactly_one_part(thing: str, verb: str, other: str) -> None:
    event = f"{thing}.{verb}"
    assert matches([f"{thing}.*"], event)
    assert matches([f"*.{verb}"], event)
    assert matches([event], event)
    assert matches([f"{other}.*"], event) is (other == thing)
    assert matches([f"*.{other}"], event) is (other == verb)
    assert not matches([], event)


@pytest.mark.parametrize(
    "text", ["", "model", "model.", ".commit", "model.*.x", "Model.commit", "mod*.x", "model commit", "a.b\n"]
)
def test_what_is_no_pattern_is_refused(text: str) -> None:
    with pytest.raises(ValidationError):
        TypeAdapter(Pattern).validate_python(text)
