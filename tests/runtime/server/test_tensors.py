"""Tensors go to the wire and back as they were."""

import json
import math

import numpy as np
import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from tidemill.runtime.server.errors import Malformed
from tidemill.runtime.server.tensors import TYPES, from_bytes, from_json, to_bytes, type_name

_NUMBERS = [kind for kind in TYPES.values() if kind.kind != "O"]
_SHAPES = arrays.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=4)


@given(st.data())
def test_numbers_survive_the_binary_form(data: st.DataObject) -> None:
    kind = data.draw(st.sampled_from(_NUMBERS))
    array = data.draw(arrays.arrays(kind, _SHAPES))
    found = from_bytes("x", type_name(array), list(array.shape), to_bytes(array))
    assert found.dtype == array.dtype
    np.testing.assert_array_equal(found, array)


@given(st.data())
def test_numbers_survive_json(data: st.DataObject) -> None:
    kind = data.draw(st.sampled_from(_NUMBERS))
    finite = {"allow_nan": False, "allow_infinity": False} if kind.kind == "f" else {}
    array = data.draw(arrays.arrays(kind, _SHAPES, elements=arrays.from_dtype(kind, **finite)))
    flat = orjson.loads(orjson.dumps(array.reshape(-1), option=orjson.OPT_SERIALIZE_NUMPY))
    for said in (flat, json.loads(json.dumps(array.tolist())) if array.ndim and array.size else flat):
        found = from_json("x", type_name(array), list(array.shape), said)
        assert found.dtype == array.dtype
        np.testing.assert_array_equal(found, array)


@given(st.lists(st.binary(max_size=40), max_size=8))
def test_bytes_survive_the_binary_form(elements: list[bytes]) -> None:
    array = np.empty(len(elements), np.object_)
    array[:] = elements
    assert from_bytes("x", "BYTES", [len(elements)], to_bytes(array)).tolist() == elements


@given(st.sampled_from(list(TYPES)), st.lists(st.integers(-2, 2**40), max_size=4), st.binary(max_size=64))
def test_bytes_of_any_kind_are_a_tensor_or_refused(datatype: str, shape: list[int], raw: bytes) -> None:
    try:
        found = from_bytes("x", datatype, shape, raw)
    except Malformed:
        return
    assert found.size == math.prod(shape)


_ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=4),
    max_leaves=12,
)


@given(st.sampled_from(list(TYPES)), st.lists(st.integers(0, 3), max_size=3), _ANYTHING)
def test_lists_of_any_kind_are_a_tensor_or_refused(datatype: str, shape: list[int], data: object) -> None:
    try:
        found = from_json("x", datatype, shape, data)
    except Malformed:
        return
    assert list(found.shape) == shape
    assert found.dtype == TYPES[datatype]


def test_whole_numbers_are_not_cut_to_size() -> None:
    for datatype, value in (("UINT8", 256), ("INT8", -129), ("INT64", 2**63), ("UINT64", -1), ("FP16", 70000)):
        with pytest.raises(Malformed, match=f"outside of {datatype}"):
            from_json("x", datatype, [1], [value])
    with pytest.raises(Malformed, match="no INT32"):
        from_json("x", "INT32", [1], [1.5])
