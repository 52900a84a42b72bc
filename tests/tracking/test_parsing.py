"""Filters and orders, as people write them."""

import pytest

from tidemill.kernel.errors import Invalid
from tidemill.tracking.search.parsing import Field, Order, Term, parse_filter, parse_orders


def test_comparisons_are_joined_by_and_whatever_their_case() -> None:
    found = parse_filter("metrics.acc > 0.9 and params.lr = '0.1' AND tags.team LIKE 'a%'")
    assert found == (
        Term(Field("metric", "acc"), ">", 0.9),
        Term(Field("parameter", "lr"), "=", "0.1"),
        Term(Field("tag", "team"), "LIKE", "a%"),
    )


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("metrics.`val/acc top 1` > 1", "val/acc top 1"),
        ('metrics."val acc" > 1', "val acc"),
        ("metric.m1.sub >= 1e-3", "m1.sub"),
        ("metrics.精度<0.5", "精度"),
    ],
)
def test_names_with_blanks_dots_and_slashes_are_understood(text: str, name: str) -> None:
    assert parse_filter(text)[0].field == Field("metric", name)


def test_lists_nothings_and_quotes_within_texts() -> None:
    found = parse_filter(r"status IN ('FINISHED', 'FAILED') AND params.x IS NULL AND run_name != 'o\'clock AND more'")
    assert [term.value for term in found] == [("FINISHED", "FAILED"), None, "o'clock AND more"]
    assert [term.operator for term in found] == ["IN", "IS NULL", "!="]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("metrics.acc >", "filter_ends_early"),
        ("metrics.acc", "filter_ends_early"),
        ("metrics.acc > 'high'", "filter_needs_number"),
        ("params.lr = 0.1", "filter_needs_text"),
        ("params.lr > '0.1'", "filter_operator"),
        ("accuracy > 1", "filter_attribute"),
        ("metrics.a > 1 OR metrics.b > 1", "filter_or"),
        ("metrics.a > 1 metrics.b > 1", "filter_unreadable"),
        ("metrics.a > 1; DROP TABLE runs", "filter_unreadable"),
        ("status IN ('a' 'b')", "filter_unreadable"),
        ("'", "filter_unreadable"),
        (" AND ".join(["metrics.a > 1"] * 60), "filter_too_long"),
    ],
)
def test_what_cannot_be_read_is_refused_by_its_own_name(text: str, code: str) -> None:
    with pytest.raises(Invalid) as refused:
        parse_filter(text)
    assert refused.value.code == code


def test_orders_have_a_direction_and_names_of_their_own() -> None:
    found = parse_orders(["metrics.`val acc` DESC", "params.lr", "start_time asc"])
    assert found == (
        Order(Field("metric", "val acc"), descending=True),
        Order(Field("parameter", "lr"), descending=False),
        Order(Field("attribute", "start_time"), descending=False),
    )
