"""The real client of Triton and KServe, over HTTP and gRPC."""

import io
import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import tritonclient.grpc as grpc_client
import tritonclient.http as http_client
from google.protobuf.descriptor import FieldDescriptor
from PIL import Image
from tritonclient.grpc import service_pb2
from tritonclient.utils import InferenceServerException, triton_to_np_dtype

from tests.algorithms.sets import COLOURS
from tests.runtime.server.models import TYPES, WEIGHTS
from tests.runtime.server.servers import Running
from tidemill.runtime.server import wire

ROWS = np.array([[1, 2, 3, 4], [0, 1, 0, 1]], np.float32)


@pytest.fixture(params=["http", "grpc"])
def client(request: pytest.FixtureRequest, server: Running) -> Iterator[Any]:
    kind = http_client if request.param == "http" else grpc_client
    made = kind.InferenceServerClient(server.triton if request.param == "http" else server.grpc)
    made.kind = kind
    yield made
    made.close()


def _input(kind: Any, name: str, array: Any, datatype: str, **more: Any) -> Any:
    made = kind.InferInput(name, list(array.shape), datatype)
    made.set_data_from_numpy(array, **more)
    return made


def _png(colour: tuple[int, int, int]) -> bytes:
    file = io.BytesIO()
    Image.new("RGB", (30, 20), colour).save(file, "PNG")
    return file.getvalue()


def test_health_and_metadata(client: Any) -> None:
    assert client.is_server_live()
    assert client.is_server_ready()
    assert client.is_model_ready("linear")
    assert client.is_model_ready("linear", "1")
    more = {} if client.kind is http_client else {"as_json": True}
    assert client.get_server_metadata(**more)["name"] == "tidemill"
    found = client.get_model_metadata("linear", **more)
    assert found["platform"] == "onnxruntime_onnx"
    assert found["inputs"][0]["name"] == "x"
    assert [int(size) for size in found["inputs"][0]["shape"]] == [-1, 4]
    index = client.get_model_repository_index(**more)
    names = {one["name"] for one in (index if isinstance(index, list) else index["models"])}
    assert names == {"linear", "one", "same", "colours", "prices"}
    assert {str(one) for one in found["versions"]} == {"1"}


def test_numbers_go_through_in_binary_form(client: Any) -> None:
    answer = client.infer("linear", [_input(client.kind, "x", ROWS, "FP32")], request_id="seven")
    np.testing.assert_allclose(answer.as_numpy("y"), ROWS @ WEIGHTS)
    np.testing.assert_allclose(answer.as_numpy("sum"), ROWS.sum(axis=1))
    told = answer.get_response()
    assert (told["id"] if isinstance(told, dict) else told.id) == "seven"


def test_only_wanted_outputs_come_back(client: Any) -> None:
    wanted = [client.kind.InferRequestedOutput("sum")]
    answer = client.infer("linear", [_input(client.kind, "x", ROWS, "FP32")], outputs=wanted)
    assert answer.as_numpy("y") is None
    np.testing.assert_allclose(answer.as_numpy("sum"), [10, 2])


@pytest.mark.parametrize("is_binary", [True, False])
def test_json_and_bytes_may_be_mixed(server: Running, is_binary: bool) -> None:
    with http_client.InferenceServerClient(server.triton) as client:
        given = [_input(http_client, "x", ROWS, "FP32", binary_data=is_binary)]
        wanted = [
            http_client.InferRequestedOutput("y", binary_data=not is_binary),
            http_client.InferRequestedOutput("sum", binary_data=is_binary),
        ]
        answer = client.infer("linear", given, outputs=wanted)
    np.testing.assert_allclose(answer.as_numpy("y"), ROWS @ WEIGHTS)
    np.testing.assert_allclose(answer.as_numpy("sum"), [10, 2])


@pytest.mark.parametrize("packing", ["gzip", "deflate"])
def test_packed_bodies_are_unpacked(server: Running, packing: str) -> None:
    with http_client.InferenceServerClient(server.triton) as client:
        given = [_input(http_client, "x", ROWS, "FP32")]
        answer = client.infer("linear", given, request_compression_algorithm=packing)
    np.testing.assert_allclose(answer.as_numpy("sum"), [10, 2])


def test_every_data_type_comes_back_as_it_went(client: Any) -> None:
    given: dict[str, Any] = {}
    for name in TYPES:
        if name == "BYTES":
            given[name] = np.array([[b"a", "贝贝".encode()], [b"", b"d" * 300]], np.object_)
        elif name == "BOOL":
            given[name] = np.array([[True, False], [False, True]])
        else:
            kind = np.dtype(triton_to_np_dtype(name))
            least = np.finfo(kind).min if kind.kind == "f" else np.iinfo(kind).min
            given[name] = np.array([[0, 1], [least, 7]], kind)
    answer = client.infer("same", [_input(client.kind, name, one, name) for name, one in given.items()])
    for name, array in given.items():
        found = answer.as_numpy(f"{name}_out")
        assert found.dtype == array.dtype, name
        assert found.tolist() == array.tolist(), name


def test_a_model_of_a_built_in_task_takes_files(client: Any) -> None:
    contents = np.array([_png(COLOURS["blue"]), b"no picture", _png(COLOURS["red"])], np.object_)
    answer = client.infer("colours", [_input(client.kind, "content", contents, "BYTES")])
    said = [json.loads(text) for text in answer.as_numpy("annotations")]
    assert [one[0]["label"] if one else None for one in said] == ["blue", None, "red"]
    assert answer.as_numpy("uncertainty")[1] == 1.0
    assert b"the file is no picture" in answer.as_numpy("error")[1]
    assert answer.as_numpy("probabilities").shape == (3, 3)
    assert answer.as_numpy("probabilities")[0].argmax() == list(COLOURS).index("blue")


def test_a_number_is_predicted_for_a_row(client: Any) -> None:
    rows = np.array([b'{"size": 40, "rooms": 2}'], np.object_)
    answer = client.infer("prices", [_input(client.kind, "content", rows, "BYTES")])
    assert answer.as_numpy("value").tolist() == [42.0]


def test_what_is_wrong_is_said(client: Any) -> None:
    with pytest.raises(InferenceServerException, match="'x': shape must be"):
        client.infer("linear", [_input(client.kind, "x", ROWS[:, :3], "FP32")])
    with pytest.raises(InferenceServerException, match="'x': datatype must be FP32"):
        client.infer("linear", [_input(client.kind, "x", ROWS.astype(np.float64), "FP64")])
    with pytest.raises(InferenceServerException, match="output 'z'"):
        given = [_input(client.kind, "x", ROWS, "FP32")]
        client.infer("linear", given, outputs=[client.kind.InferRequestedOutput("z")])
    with pytest.raises(InferenceServerException, match="no model 'nothing'"):
        client.infer("nothing", [_input(client.kind, "x", ROWS, "FP32")])
    with pytest.raises(InferenceServerException, match="no version '9'"):
        client.infer("linear", [_input(client.kind, "x", ROWS, "FP32")], model_version="9")


def test_a_stream_is_answered_in_order(server: Running) -> None:
    answers: list[Any] = []
    with grpc_client.InferenceServerClient(server.grpc) as client:
        client.start_stream(lambda result, error: answers.append((result, error)))
        for at in range(5):
            client.async_stream_infer("linear", [_input(grpc_client, "x", ROWS + at, "FP32")])
        wrong = ROWS[:, :2].copy()
        client.async_stream_infer("linear", [_input(grpc_client, "x", wrong, "FP32")])
        client.stop_stream()
    assert [float(result.as_numpy("sum")[0]) for result, error in answers[:5]] == [10, 14, 18, 22, 26]
    assert "shape must be" in str(answers[5][1])


def test_elements_may_come_as_a_message_has_them(server: Running) -> None:
    import grpc

    asked = wire.message("ModelInferRequest")(model_name="linear", id="a")
    tensor = asked.inputs.add(name="x", datatype="FP32", shape=[1, 4])
    tensor.contents.fp32_contents.extend([1, 2, 3, 4])
    with grpc.insecure_channel(server.grpc) as channel:
        call = channel.unary_unary(
            f"/{wire.SERVICE}/ModelInfer",
            request_serializer=wire.message("ModelInferRequest").SerializeToString,
            response_deserializer=wire.message("ModelInferResponse").FromString,
        )
        answer = call(asked, timeout=10)
    assert list(answer.outputs[1].contents.fp32_contents) == [10.0]
    assert not answer.raw_output_contents


@pytest.mark.parametrize("name", wire.MESSAGES)
def test_messages_are_those_of_the_public_protocol(name: str) -> None:
    theirs: Any = service_pb2
    for part in name.split("."):
        theirs = getattr(theirs, part)
    ours = wire.message(name).DESCRIPTOR
    for field in ours.fields:
        same = theirs.DESCRIPTOR.fields_by_number[field.number]
        assert (field.name, field.type, field.is_repeated) == (same.name, same.type, same.is_repeated)
        if field.type == FieldDescriptor.TYPE_MESSAGE:
            assert field.message_type.full_name == same.message_type.full_name
