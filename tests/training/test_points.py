"""Curves in columns: packed, merged, thinned out."""

import math
from array import array

from hypothesis import given
from hypothesis import strategies as st

from tidemill.training.metrics.points import Point, Points, in_order, merge, pack, thin_out, unpack

ANY_POINTS = st.lists(
    st.builds(Point, st.integers(-(2**62), 2**62), st.floats(allow_nan=False), st.integers(0, 2**50)), max_size=50
)


def curve(values: list[float]) -> Points:
    return in_order(Point(step, value, step * 1000) for step, value in enumerate(values))


@given(ANY_POINTS)
def test_what_is_packed_comes_out_as_it_was(points: list[Point]) -> None:
    packed = in_order(points)
    assert list(unpack(pack(packed))) == list(packed)


def test_a_point_takes_24_bytes() -> None:
    assert len(pack(curve([0.5] * 100))) == 2400


@given(ANY_POINTS, ANY_POINTS)
def test_merged_curves_have_every_step_once_and_the_newer_value(old: list[Point], new: list[Point]) -> None:
    wanted = {p.step: p.value for p in old} | {p.step: p.value for p in new}
    merged = merge(in_order(old), in_order(new))
    assert {p.step: p.value for p in merged} == wanted
    assert list(merged.steps) == sorted(wanted)


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=400), st.integers(4, 60))
def test_thinning_out_keeps_the_ends_the_lowest_and_the_highest(values: list[float], most: int) -> None:
    thinned = thin_out(curve(values), most)
    assert len(thinned) <= most
    assert thinned.steps[0] == 0
    assert thinned.steps[-1] == len(values) - 1
    assert min(thinned.values) == min(values)
    assert max(thinned.values) == max(values)
    assert list(thinned.steps) == sorted(set(thinned.steps))


def test_a_spike_of_one_step_survives_thinning() -> None:
    values = [1.0] * 10_000
    values[6543] = 99.0
    assert 99.0 in thin_out(curve(values), 300).values


def test_values_that_are_no_numbers_do_not_hide_the_others() -> None:
    values = [float(n) for n in range(1000)]
    values[500] = math.nan
    values[501] = math.inf
    thinned = thin_out(curve(values), 100)
    assert max(value for value in thinned.values if math.isfinite(value)) == 999.0


def test_a_stretch_of_nothing_but_nan_is_shown_by_its_last() -> None:
    thinned = thin_out(curve([math.nan] * 1000), 31)
    assert thinned.steps == array("q", [0, *range(99, 1000, 100)])
