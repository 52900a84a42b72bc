"""Passwords and their hashes."""

import unicodedata
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tidemill.accounts.passwords import Passwords, generate_password
from tidemill.kernel.errors import Invalid
from tidemill.kernel.settings import Settings


def make(**overrides: int) -> Passwords:
    quick = {"argon2_time_cost": 1, "argon2_memory_kib": 64, **overrides}
    return Passwords(Settings(home=Path("/nonexistent"), **quick))  # type: ignore[arg-type]


PASSWORDS = make()


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=8, max_size=20))
@settings(max_examples=25, deadline=None)
def test_a_password_is_recognised_and_another_is_not(password: str) -> None:
    stored = PASSWORDS.hash(password)
    assert PASSWORDS.verify(stored, password)
    assert not PASSWORDS.verify(stored, password + "x")
    assert password not in stored


def test_the_same_password_typed_on_another_keyboard_is_the_same() -> None:
    composed, apart = "caf\u00e9-au-lait", unicodedata.normalize("NFD", "caf\u00e9-au-lait")
    assert composed != apart
    assert PASSWORDS.verify(PASSWORDS.hash(composed), apart)


def test_length_is_counted_in_characters_between_the_limits_set() -> None:
    passwords = make(password_min=3, password_max=5)
    for good in ("abc", "密码好长度"):
        passwords.hash_new(good)
    for bad in ("ab", "abcdef", ""):
        with pytest.raises(Invalid) as caught:
            passwords.hash_new(bad, field="new_password")
        assert (caught.value.code, caught.value.field) == ("password_length", "new_password")


def test_without_a_stored_hash_nothing_is_right() -> None:
    assert not PASSWORDS.verify(None, "anything")
    assert not PASSWORDS.verify("", "anything")
    assert not PASSWORDS.verify("not a hash", "anything")


def test_other_parameters_make_a_hash_outdated() -> None:
    stored = PASSWORDS.hash("password")
    assert not PASSWORDS.is_outdated(stored)
    assert make(argon2_time_cost=2).is_outdated(stored)
    assert make(argon2_memory_kib=128).is_outdated(stored)


def test_generated_passwords_are_long_and_never_the_same() -> None:
    made = {generate_password() for _ in range(50)}
    assert len(made) == 50
    assert all(len(password) == 23 for password in made)
