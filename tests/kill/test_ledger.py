"""The judge of the kill test notices what is lost, what is half there, and what came back from the dead."""

import pytest

from tests.kill.ledger import Ledger, Sight, Version, find_difference


def ledger() -> Ledger:
    return Ledger(
        live={1: Version({"a": "x", "b": "y"}, is_committed=True), 3: Version({"c": "z"})},
        binned={2: Version({"d": "w"}), 4: Version()},
        doomed={4},
        last_number=4,
    )


def seen(**changes: object) -> Sight:
    live = {1: Version({"a": "x", "b": "y"}, is_committed=True), 3: Version({"c": "z"})}
    return Sight(**{"live": live, "binned": {2}, **changes})  # type: ignore[arg-type]


def test_what_was_acknowledged_is_what_is_there() -> None:
    assert find_difference(ledger(), seen()) is None
    assert find_difference(ledger(), seen(), settled=True) is None


def test_an_entry_that_is_being_removed_may_still_be_there_until_all_is_settled() -> None:
    assert find_difference(ledger(), seen(binned={2, 4})) is None
    assert find_difference(ledger(), seen(binned={2, 4}), settled=True) is not None


@pytest.mark.parametrize(
    "wrong",
    [
        {"live": {1: Version({"a": "x", "b": "y"}, is_committed=True)}},
        {"live": {1: Version({"a": "x"}, is_committed=True), 3: Version({"c": "z"})}},
        {"live": {1: Version({"a": "x", "b": "other"}, is_committed=True), 3: Version({"c": "z"})}},
        {"live": {1: Version({"a": "x", "b": "y"}), 3: Version({"c": "z"})}},
        {"binned": set()},
        {"binned": {2, 7}},
    ],
)
def test_anything_else_is_noticed(wrong: dict[str, object]) -> None:
    assert find_difference(ledger(), seen(**wrong)) is not None
