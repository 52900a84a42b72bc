"""The Open Inference Protocol over gRPC, on the same event loop and the same queues as HTTP."""

from collections.abc import AsyncIterator, Awaitable, Callable
from time import perf_counter
from typing import Any

import grpc

from tidemill import __version__
from tidemill.runtime.server import wire
from tidemill.runtime.server.app import EXTENSIONS, NAME
from tidemill.runtime.server.errors import Malformed, Refusal
from tidemill.runtime.server.protocol import check_input, check_output, chosen, take
from tidemill.runtime.server.repository import Entry, Repository
from tidemill.runtime.server.served import Tensors
from tidemill.runtime.server.tensors import Array, as_bytes, from_bytes, from_json, to_bytes, type_name

CODES = {
    400: grpc.StatusCode.INVALID_ARGUMENT,
    404: grpc.StatusCode.NOT_FOUND,
    413: grpc.StatusCode.RESOURCE_EXHAUSTED,
    429: grpc.StatusCode.RESOURCE_EXHAUSTED,
    503: grpc.StatusCode.UNAVAILABLE,
    504: grpc.StatusCode.DEADLINE_EXCEEDED,
}
_CONTENTS = {
    "BOOL": "bool_contents",
    "UINT8": "uint_contents",
    "UINT16": "uint_contents",
    "UINT32": "uint_contents",
    "UINT64": "uint64_contents",
    "INT8": "int_contents",
    "INT16": "int_contents",
    "INT32": "int_contents",
    "INT64": "int64_contents",
    "FP32": "fp32_contents",
    "FP64": "fp64_contents",
    "BYTES": "bytes_contents",
}
"""Where a message has elements that are not given as raw bytes. FP16 only goes raw."""

_InferResponse = wire.message("ModelInferResponse")
_StreamResponse = wire.message("ModelStreamInferResponse")


async def start(repository: Repository, host: str, port: int) -> tuple[Any, int]:
    """A server that answers, and its port."""
    limit = repository.options.max_body_bytes
    options = [
        ("grpc.max_receive_message_length", limit),
        ("grpc.max_send_message_length", -1),
        ("grpc.so_reuseport", 0),
    ]
    server = grpc.aio.server(options=options)
    server.add_generic_rpc_handlers((_handlers(Calls(repository)),))
    place = f"[{host}]" if ":" in host else host
    bound = server.add_insecure_port(f"{place}:{port}")
    await server.start()
    return server, bound


def _handlers(calls: "Calls") -> Any:
    methods = {}
    for name in ("ServerLive", "ServerReady", "ServerMetadata", "ModelReady", "ModelMetadata", "ModelInfer"):
        methods[name] = _unary(name, getattr(calls, _snake(name)))
    methods["RepositoryIndex"] = _unary("RepositoryIndex", calls.repository_index)
    methods["ModelStreamInfer"] = grpc.stream_stream_rpc_method_handler(
        calls.model_stream_infer,
        request_deserializer=wire.message("ModelInferRequest").FromString,
        response_serializer=_StreamResponse.SerializeToString,
    )
    return grpc.method_handlers_generic_handler(wire.SERVICE, methods)


def _unary(name: str, work: Callable[[Any], Awaitable[Any]]) -> Any:
    async def answered(request: Any, context: Any) -> Any:
        try:
            return await work(request)
        except Refusal as error:
            await context.abort(CODES.get(error.status, grpc.StatusCode.INTERNAL), str(error))

    return grpc.unary_unary_rpc_method_handler(
        answered,
        request_deserializer=wire.message(f"{name}Request").FromString,
        response_serializer=wire.message(f"{name}Response").SerializeToString,
    )


def _snake(name: str) -> str:
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name).lstrip("_")


class Calls:
    """The calls of the service. What they raise is told by `_unary`."""

    def __init__(self, repository: Repository) -> None:
        self._models = repository

    async def server_live(self, request: Any) -> Any:  # noqa: ARG002
        return wire.message("ServerLiveResponse")(live=True)

    async def server_ready(self, request: Any) -> Any:  # noqa: ARG002
        return wire.message("ServerReadyResponse")(ready=self._models.is_ready)

    async def server_metadata(self, request: Any) -> Any:  # noqa: ARG002
        return wire.message("ServerMetadataResponse")(name=NAME, version=__version__, extensions=EXTENSIONS)

    async def model_ready(self, request: Any) -> Any:
        self._models.get(request.name, request.version or None)
        return wire.message("ModelReadyResponse")(ready=self._models.is_ready)

    async def model_metadata(self, request: Any) -> Any:
        view = self._models.get(request.name, request.version or None).view()
        return wire.message("ModelMetadataResponse")(
            name=view["name"],
            versions=view["versions"],
            platform=view["platform"],
            inputs=view["inputs"],
            outputs=view["outputs"],
        )

    async def repository_index(self, request: Any) -> Any:  # noqa: ARG002
        state = "READY" if self._models.is_ready else "UNAVAILABLE"
        known = [{"name": one.name, "version": one.version, "state": state} for one in self._models.entries.values()]
        return wire.message("RepositoryIndexResponse")(models=known)

    async def model_infer(self, request: Any) -> Any:
        entry = self._models.get(request.model_name, request.model_version or None)
        started = perf_counter()
        status = 500
        entry.metrics.in_flight += 1
        try:
            answer = await _infer(entry, request)
            status = 200
            return answer
        except Refusal as error:
            status = error.status
            raise
        finally:
            entry.metrics.in_flight -= 1
            entry.metrics.request("grpc", status, perf_counter() - started)

    async def model_stream_infer(self, requests: AsyncIterator[Any], context: Any) -> AsyncIterator[Any]:  # noqa: ARG002
        """One answer a request, in their order."""
        async for request in requests:
            try:
                yield _StreamResponse(infer_response=await self.model_infer(request))
            except Refusal as error:
                yield _StreamResponse(error_message=str(error), infer_response=_InferResponse(id=request.id))


async def _infer(entry: Entry, request: Any) -> Any:
    tensors = _read(entry, request)
    parameters = {name: _value(one) for name, one in request.parameters.items()}
    wanted = [one.name for one in request.outputs] or None
    for name in wanted or []:
        check_output(entry.served, name)
    work = take(entry.served, tensors, parameters)
    found = chosen(entry.served.give(await entry.batcher.submit(work)), wanted)
    answer = _InferResponse(model_name=entry.name, model_version=entry.version, id=request.id)
    is_raw = bool(request.raw_input_contents) or any(type_name(one) == "FP16" for one in found.values())
    for name, array in found.items():
        output = answer.outputs.add(name=name, datatype=type_name(array), shape=array.shape)
        if is_raw:
            answer.raw_output_contents.append(to_bytes(array))
        else:
            getattr(output.contents, _CONTENTS[output.datatype]).extend(_elements(array))
    return answer


def _read(entry: Entry, request: Any) -> Tensors:
    if not request.inputs:
        raise Malformed("inputs must have at least one tensor")
    raw = request.raw_input_contents
    if raw and len(raw) != len(request.inputs):
        raise Malformed(f"raw_input_contents has {len(raw)} tensors, but inputs has {len(request.inputs)}")
    found: Tensors = {}
    for at, one in enumerate(request.inputs):
        name, datatype, shape = one.name, one.datatype, list(one.shape)
        check_input(entry.served, name, datatype, shape, found)
        found[name] = from_bytes(name, datatype, shape, raw[at]) if raw else _contents(name, datatype, shape, one)
    return found


def _contents(name: str, datatype: str, shape: list[int], tensor: Any) -> Array:
    place = _CONTENTS.get(datatype)
    if place is None:
        raise Malformed(f"input {name!r}: {datatype} goes in raw_input_contents only")
    elements = list(getattr(tensor.contents, place))
    if datatype != "BYTES":
        return from_json(name, datatype, shape, elements)
    packed = b"".join(len(one).to_bytes(4, "little") + one for one in elements)
    return from_bytes(name, datatype, shape, packed)


def _elements(array: Array) -> list[Any]:
    flat = array.reshape(-1)
    return [as_bytes(one) for one in flat] if flat.dtype.kind == "O" else flat.tolist()


def _value(parameter: Any) -> Any:
    chosen_field = parameter.WhichOneof("parameter_choice")
    return getattr(parameter, chosen_field) if chosen_field else None
