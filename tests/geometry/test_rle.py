"""Run-length masks and polygon filling give the same as pycocotools."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst
from pycocotools import mask as oracle

from tidemill.geometry import polygons, rle

MASKS = npst.arrays(bool, npst.array_shapes(min_dims=2, max_dims=2, min_side=1, max_side=24))


@st.composite
def rings(draw: st.DrawFn) -> tuple[list[float], int, int]:
    height, width = draw(st.integers(1, 40)), draw(st.integers(1, 40))
    value = st.floats(-15, 55).map(lambda v: round(v, 2))
    return draw(st.lists(value, min_size=6, max_size=16).filter(lambda r: len(r) % 2 == 0)), height, width


@given(MASKS)
def test_a_mask_encodes_to_the_oracles_string_and_back(mask: np.ndarray) -> None:
    expected = oracle.encode(np.asfortranarray(mask.astype(np.uint8)))
    counts = rle.encode(mask)
    assert rle.text_of(counts) == expected["counts"].decode()
    assert rle.counts_of(rle.text_of(counts)) == counts
    assert (rle.decode(counts, *mask.shape) == mask).all()


@given(st.lists(MASKS, min_size=1, max_size=4))
def test_many_masks_are_written_at_once_as_one_by_one(masks: list[np.ndarray]) -> None:
    runs = [rle.encode(mask) for mask in masks]
    begins = np.cumsum([0, *map(len, runs[:-1])])
    together = np.array([run for counts in runs for run in counts])
    assert rle.texts_of(together, begins) == [rle.text_of(counts) for counts in runs]
    large = np.array([2**27, 1, 2**28 - 3, 0, 5, 2**20])
    assert rle.texts_of(large, np.array([0])) == [rle.text_of(large.tolist())]


@given(MASKS)
def test_area_and_bounds_are_the_oracles(mask: np.ndarray) -> None:
    encoded = oracle.encode(np.asfortranarray(mask.astype(np.uint8)))
    counts = rle.encode(mask)
    assert rle.area(counts) == oracle.area(encoded)
    assert rle.bounds(counts, mask.shape[0]) == tuple(oracle.toBbox(encoded))


@given(rings())
def test_a_polygon_fills_the_oracles_pixels(case: tuple[list[float], int, int]) -> None:
    ring, height, width = case
    expected = oracle.frPyObjects([ring], height, width)[0]["counts"].decode()
    assert rle.text_of(polygons.to_counts(ring, height, width)) == expected


@given(MASKS)
def test_outlines_fill_to_the_same_mask(mask: np.ndarray) -> None:
    outline, holes = polygons.outlines(mask)
    assert (polygons.fill(outline, holes, *mask.shape) == mask).all()
    signed = sum(polygons.area(ring) * (-1 if i in holes else 1) for i, ring in enumerate(outline))
    assert signed == mask.sum()


@given(st.text(max_size=30))
def test_any_text_is_decoded_or_refused(text: str) -> None:
    try:
        counts = rle.counts_of(text)
    except ValueError:
        return
    assert all(run >= 0 for run in counts)


def test_runs_that_do_not_fill_the_mask_are_refused() -> None:
    with pytest.raises(ValueError):
        rle.check(rle.text_of([3, 2]), 2, 3)


def test_a_polygon_far_outside_takes_no_time() -> None:
    assert rle.area(polygons.to_counts([-1e12, -1e12, 1e12, -1e12, 1e12, 1e12, -1e12, 1e12], 4, 5)) == 20


def test_simplifying_a_straight_outline_keeps_its_corners() -> None:
    ring = [0.0, 0, 5, 0, 10, 0.1, 10, 10, 5, 10, 0, 10]
    assert polygons.simplify(ring, 0.5) == [0.0, 0, 10, 0.1, 10, 10, 0, 10]
