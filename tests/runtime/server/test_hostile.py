"""Bodies that are not as they should be get an answer that says so, and the server lives on."""

import gzip
import json
import socket
from collections.abc import Iterator
from typing import Any

import pytest

from tests.runtime.server.servers import Running

GOOD = {"inputs": [{"name": "x", "shape": [1, 4], "datatype": "FP32", "data": [1, 2, 3, 4]}]}


def _tensor(**changes: Any) -> dict[str, Any]:
    return {"inputs": [{**GOOD["inputs"][0], **changes}]}


@pytest.fixture(autouse=True)
def lives_on(server: Running) -> Iterator[None]:
    yield
    assert server.ask("/v2/models/linear/infer", GOOD)[0] == 200


@pytest.mark.parametrize(
    ("body", "says"),
    [
        (b"", "not JSON"),
        (b"{", "not JSON"),
        (b"[]", "JSON object"),
        (b"null", "JSON object"),
        (b"[" * 100_000, "not JSON"),
        (b'{"inputs": ' + b"[" * 900 + b"]" * 900 + b"}", "must be an object"),
        (b'{"inputs":[{"name":"x","shape":[1,4],"datatype":"FP32","data":[NaN,1,2,3]}]}', "not JSON"),
        ({}, "at least one tensor"),
        ({"inputs": []}, "at least one tensor"),
        ({"inputs": {}}, "at least one tensor"),
        ({"inputs": [1]}, "must be an object"),
        ({"inputs": [{}]}, "must have a name"),
        (_tensor(name="z"), "'z' is none of the model's: x"),
        (_tensor(datatype="FP128"), "datatype must be FP32"),
        (_tensor(datatype=["FP32"]), "datatype must be FP32"),
        (_tensor(shape=[1, 5]), "shape must be [-1, 4]"),
        (_tensor(shape=[4]), "shape must be [-1, 4]"),
        (_tensor(shape="1,4"), "shape must be [-1, 4]"),
        (_tensor(shape=[-1, 4]), "whole numbers from 0"),
        (_tensor(shape=[1.0, 4]), "whole numbers from 0"),
        (_tensor(shape=[True, 4]), "whole numbers from 0"),
        (_tensor(shape=[10**15, 4]), "elements, but data has 4"),
        (_tensor(shape=[0, 4], data=[]), "at least one"),
        (_tensor(data=[1, 2, 3]), "shape [1, 4] has 4 elements, but data has 3"),
        (_tensor(data=[1, 2, 3, "4"]), "no FP32"),
        (_tensor(data=[1, 2, 3, None]), "no FP32"),
        (_tensor(data=[1, 2, 3, True]), "no FP32"),
        (_tensor(data=[[1, 2], [3]]), "nested evenly"),
        (_tensor(data=[[1, 2], 3, 4]), "nested evenly"),
        (_tensor(data=[1e300, 2, 3, 4]), "outside of FP32"),
        (_tensor(data={"a": 1}), "data must be a list"),
        (_tensor(parameters={"binary_data_size": 16}), "follow the JSON"),
        ({**GOOD, "outputs": [{"name": "z"}]}, "output 'z'"),
        ({**GOOD, "outputs": 7}, "outputs must be a list"),
        ({**GOOD, "outputs": [{"name": "y", "parameters": {"classification": 2}}]}, "classification"),
        ({**GOOD, "parameters": []}, "must be an object"),
        ({**GOOD, "id": 7}, "id must be a string"),
        ({"inputs": GOOD["inputs"] * 2}, "there twice"),
    ],
)
def test_what_breaks_a_rule_is_refused_in_words(server: Running, body: Any, says: str) -> None:
    status, found, _ = server.ask("/v2/models/linear/infer", body)
    assert status == 400, found
    assert says in found["error"]


def test_one_of_many_inputs_that_is_missing_is_named(server: Running) -> None:
    body = {"inputs": [{"name": "BOOL", "shape": [1, 1], "datatype": "BOOL", "data": [True]}]}
    status, found, _ = server.ask("/v2/models/same/infer", body)
    assert (status, found["error"]) == (400, "input 'UINT8' is missing")


@pytest.mark.parametrize("length", ["-1", "99999999999", "abc", "1e3", ""])
def test_a_wrong_length_of_the_json_is_refused(server: Running, length: str) -> None:
    headers = {"Inference-Header-Content-Length": length}
    assert server.ask("/v2/models/linear/infer", GOOD, headers)[0] == 400


@pytest.mark.parametrize(
    ("size", "tail", "shape"),
    [
        (16, b"\0" * 15, [1, 4]),
        (16, b"\0" * 17, [1, 4]),
        (2**40, b"\0" * 16, [1, 4]),
        (-16, b"\0" * 16, [1, 4]),
        (16, b"\0" * 16, [2**60, 4]),
        (0, b"", [1, 4]),
    ],
)
def test_bytes_that_are_not_the_tensor_are_refused(server: Running, size: int, tail: bytes, shape: list[int]) -> None:
    tensor = {"name": "x", "shape": shape, "datatype": "FP32", "parameters": {"binary_data_size": size}}
    head = json.dumps({"inputs": [tensor]}).encode()
    status, _, _ = server.ask(
        "/v2/models/linear/infer", head + tail, {"Inference-Header-Content-Length": str(len(head))}
    )
    assert status == 400


@pytest.mark.parametrize("raw", [b"\xff\xff\xff\xff", b"\x05\0\0\0abc", b"\x01\0\0\0abc", b"\x01"])
def test_elements_of_bytes_that_do_not_fit_are_refused(server: Running, raw: bytes) -> None:
    tensor = {"name": "content", "shape": [1], "datatype": "BYTES", "parameters": {"binary_data_size": len(raw)}}
    head = json.dumps({"inputs": [tensor]}).encode()
    headers = {"Inference-Header-Content-Length": str(len(head))}
    status, found, _ = server.ask("/v2/models/colours/infer", head + raw, headers)
    assert (status, "BYTES" in found["error"]) == (400, True)


def test_a_body_over_the_limit_is_refused_before_it_is_read(server: Running) -> None:
    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as wire:
        wire.sendall(b"POST /v2/models/linear/infer HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999\r\n\r\n")
        assert wire.recv(100).startswith(b"HTTP/1.1 413")


def test_a_body_in_pieces_over_the_limit_is_refused(server: Running) -> None:
    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as wire:
        wire.sendall(b"POST /predict/colours HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
        try:
            for _ in range(30):
                wire.sendall(b"10000\r\n" + b"a" * 65536 + b"\r\n")
        except ConnectionError:
            pass
        assert wire.recv(100).startswith(b"HTTP/1.1 413")


def test_a_small_body_that_unpacks_to_a_large_one_is_refused(server: Running) -> None:
    bomb = gzip.compress(b"\0" * (8 << 20))
    assert server.ask("/predict/colours", bomb, {"Content-Encoding": "gzip"})[0] == 413
    assert server.ask("/predict/colours", bomb[:50], {"Content-Encoding": "gzip"})[0] == 400
    assert server.ask("/predict/colours", b"xx", {"Content-Encoding": "gzip"})[0] == 400
    assert server.ask("/predict/colours", b"xx", {"Content-Encoding": "br"})[0] == 400


def test_who_goes_away_in_the_middle_harms_nobody(server: Running) -> None:
    for _ in range(20):
        with socket.create_connection(("127.0.0.1", server.port), timeout=10) as wire:
            wire.sendall(b"POST /v2/models/linear/infer HTTP/1.1\r\nHost: a\r\nContent-Length: 500\r\n\r\n{")


def test_addresses_that_are_not_there(server: Running) -> None:
    for path in ("/nothing", "/v2/models/nothing", "/v2/models/linear/versions/9", "/v2/models/linear/versions"):
        status, found, _ = server.ask(path)
        assert (status, list(found)) == (404, ["error"])
    assert server.ask("/v2/models/nothing/infer", GOOD)[0] == 404
    assert server.ask("/v2/health/live", GOOD)[0] == 404
