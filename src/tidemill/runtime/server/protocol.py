"""The Open Inference Protocol's JSON with its binary extension: requests read and checked, answers written."""

from collections.abc import Iterable, Mapping
from typing import Any

import orjson

from tidemill.runtime.server.errors import Malformed
from tidemill.runtime.server.served import Served, Tensors, Work
from tidemill.runtime.server.tensors import (
    Array,
    Spec,
    as_text,
    check_shape,
    from_bytes,
    from_json,
    to_bytes,
    type_name,
)

Parameters = Mapping[str, Any]
_NOTHING: Parameters = {}


class Asked:
    """A request that was checked: the work, and how its answer is wanted."""

    __slots__ = ("all_binary", "id", "outputs", "work")

    def __init__(self, work: Work, id: str | None, outputs: dict[str, bool | None] | None, all_binary: bool) -> None:
        self.work = work
        self.id = id
        self.outputs = outputs
        """Names of wanted outputs, each with whether it is wanted in binary form; None: all of them."""
        self.all_binary = all_binary


def read(served: Served, body: bytes, header_length: int | None) -> Asked:
    """What a body asks. With a header length, JSON of that length is followed by tensors' bytes. Raises `Malformed`."""
    if header_length is None:
        told, raw = _json(body), None
    elif 0 <= header_length <= len(body):
        told, raw = _json(body[:header_length]), memoryview(body)[header_length:]
    else:
        raise Malformed(f"Inference-Header-Content-Length: {header_length} bytes of JSON in a body of {len(body)}")
    inputs = told.get("inputs")
    if not isinstance(inputs, list) or not inputs:
        raise Malformed("inputs must be a list of at least one tensor")
    parameters = get_parameters(told, "the request")
    tensors = _read_inputs(served, inputs, raw)
    id = told.get("id")
    if id is not None and not isinstance(id, str):
        raise Malformed("id must be a string")
    work = take(served, tensors, parameters)
    outputs = told.get("outputs")
    wanted = None if not outputs else _read_outputs(served, outputs)
    return Asked(work, id, wanted, bool(parameters.get("binary_data_output")))


def take(served: Served, tensors: Tensors, parameters: Parameters) -> Work:
    """Tensors that were read as work; none is missing."""
    if len(tensors) < len(served.inputs):
        missing = [name for name in served.inputs if name not in tensors]
        raise Malformed(f"input {missing[0]!r} is missing")
    return served.take(tensors, parameters)


def check_input(served: Served, name: Any, datatype: Any, shape: Any, known: Iterable[str]) -> Spec | None:
    """The declared input that a given one is; None where the model declares none. Raises `Malformed`."""
    if not isinstance(name, str):
        raise Malformed("each input must have a name")
    if name in known:
        raise Malformed(f"input {name!r} is there twice")
    if not served.inputs:
        return None
    spec = served.inputs.get(name)
    if spec is None:
        raise Malformed(f"input {name!r} is none of the model's: {', '.join(served.inputs)}")
    if not spec.takes(datatype):
        raise Malformed(f"input {name!r}: datatype must be {spec.datatype}, not {datatype}")
    if not isinstance(shape, list) or not spec.fits(shape):
        raise Malformed(f"input {name!r}: shape must be {list(spec.shape)} (-1: any), not {shape}")
    return spec


def _read_inputs(served: Served, inputs: list[Any], raw: memoryview | None) -> Tensors:
    found: Tensors = {}
    at = 0
    for one in inputs:
        if type(one) is not dict:
            raise Malformed("each input must be an object")
        name: Any = one.get("name")
        datatype: Any = one.get("datatype")
        shape: Any = one.get("shape")
        if datatype is None and served.about.task is not None:
            # The short form our own services take: `content` and its data.
            datatype, data = "BYTES", one.get("data")
            shape = [len(data)] if shape is None and isinstance(data, list) else shape
        check_input(served, name, datatype, shape, found)
        parameters = one.get("parameters")
        size = parameters.get("binary_data_size") if isinstance(parameters, dict) else None
        if size is None:
            found[name] = from_json(name, datatype, shape, one.get("data"))
            continue
        if type(size) is not int or size < 0 or raw is None or at + size > len(raw):
            raise Malformed(f"input {name!r}: binary_data_size must be bytes that follow the JSON, not {size}")
        found[name] = from_bytes(name, datatype, shape, raw[at : at + size])
        at += size
    if raw is not None and at != len(raw):
        raise Malformed(f"{len(raw) - at} bytes follow the JSON that belong to no input")
    return found


def _read_outputs(served: Served, outputs: Any) -> dict[str, bool | None]:
    if not isinstance(outputs, list):
        raise Malformed("outputs must be a list")
    wanted: dict[str, bool | None] = {}
    for one in outputs:
        name = one.get("name") if isinstance(one, dict) else None
        if not isinstance(name, str):
            raise Malformed("each output must have a name")
        check_output(served, name)
        parameters = get_parameters(one, f"output {name!r}")
        if parameters.get("classification"):
            raise Malformed(f"output {name!r}: the classification extension is not served; /predict gives labels")
        is_binary = parameters.get("binary_data")
        wanted[name] = None if is_binary is None else bool(is_binary)
    return wanted


def check_output(served: Served, name: str) -> None:
    """Raises `Malformed` where the model says that it has no such output."""
    if served.outputs and name not in served.outputs:
        raise Malformed(f"output {name!r} is none of the model's: {', '.join(served.outputs)}")


def get_parameters(told: dict[str, Any], of: str) -> Parameters:
    found = told.get("parameters")
    if found is None:
        return _NOTHING
    if not isinstance(found, dict):
        raise Malformed(f"parameters of {of} must be an object")
    return found


def _json(body: bytes) -> dict[str, Any]:
    try:
        found = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise Malformed(f"the body is not JSON: {error}") from error
    if type(found) is not dict:
        raise Malformed("the body must be a JSON object")
    return found


def chosen(tensors: Tensors, wanted: Iterable[str] | None) -> Tensors:
    """The wanted outputs, in the order they were asked for."""
    if wanted is None:
        return tensors
    for name in wanted:
        if name not in tensors:
            raise Malformed(f"output {name!r}: the model did not give it")
    return {name: tensors[name] for name in wanted}


def write(name: str, version: str, asked: Asked, tensors: Tensors) -> tuple[bytes, int | None]:
    """The answer's body, and the length of its JSON where tensors' bytes follow it."""
    raw: list[bytes] = []
    outputs = []
    wanted = asked.outputs
    for output, array in tensors.items() if wanted is None else chosen(tensors, wanted).items():
        is_binary = asked.all_binary if wanted is None or wanted[output] is None else wanted[output]
        made: dict[str, Any] = {"name": output, "datatype": type_name(array), "shape": array.shape}
        if is_binary:
            raw.append(to_bytes(array))
            made["parameters"] = {"binary_data_size": len(raw[-1])}
        else:
            made["data"] = _elements(output, array)
        outputs.append(made)
    answer: dict[str, Any] = {"model_name": name, "model_version": version, "outputs": outputs}
    if asked.id is not None:
        answer["id"] = asked.id
    head = orjson.dumps(answer, option=orjson.OPT_SERIALIZE_NUMPY)
    return (b"".join([head, *raw]), len(head)) if raw else (head, None)


def _elements(name: str, array: Array) -> Any:
    if array.dtype.kind == "O":
        return [as_text(name, one) for one in array.reshape(-1)]
    flat = array.reshape(-1)
    return flat if flat.flags.c_contiguous and flat.dtype.isnative else flat.tolist()


__all__ = ["Asked", "check_input", "check_output", "check_shape", "chosen", "get_parameters", "read", "take", "write"]
