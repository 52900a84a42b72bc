"""The messages of the Open Inference Protocol over gRPC, built without a compiler.

Field numbers are those of the public protocol (`inference.GRPCInferenceService`). They live in a pool of their own:
another package that brings the same names, as tritonclient does, is not in the way.
"""

from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

SERVICE = "inference.GRPCInferenceService"
PARAMETERS = "map<InferParameter>"

# A field's number, its name, its type; `*` stands for repeated, a capital letter for a message.
MESSAGES: dict[str, tuple[tuple[int, str, str], ...]] = {
    "ServerLiveRequest": (),
    "ServerLiveResponse": ((1, "live", "bool"),),
    "ServerReadyRequest": (),
    "ServerReadyResponse": ((1, "ready", "bool"),),
    "ModelReadyRequest": ((1, "name", "string"), (2, "version", "string")),
    "ModelReadyResponse": ((1, "ready", "bool"),),
    "ServerMetadataRequest": (),
    "ServerMetadataResponse": ((1, "name", "string"), (2, "version", "string"), (3, "extensions", "*string")),
    "ModelMetadataRequest": ((1, "name", "string"), (2, "version", "string")),
    "ModelMetadataResponse.TensorMetadata": ((1, "name", "string"), (2, "datatype", "string"), (3, "shape", "*int64")),
    "ModelMetadataResponse": (
        (1, "name", "string"),
        (2, "versions", "*string"),
        (3, "platform", "string"),
        (4, "inputs", "*ModelMetadataResponse.TensorMetadata"),
        (5, "outputs", "*ModelMetadataResponse.TensorMetadata"),
    ),
    "InferParameter": (
        (1, "bool_param", "|bool"),
        (2, "int64_param", "|int64"),
        (3, "string_param", "|string"),
        (4, "double_param", "|double"),
        (5, "uint64_param", "|uint64"),
    ),
    "InferTensorContents": (
        (1, "bool_contents", "*bool"),
        (2, "int_contents", "*int32"),
        (3, "int64_contents", "*int64"),
        (4, "uint_contents", "*uint32"),
        (5, "uint64_contents", "*uint64"),
        (6, "fp32_contents", "*float"),
        (7, "fp64_contents", "*double"),
        (8, "bytes_contents", "*bytes"),
    ),
    "ModelInferRequest.InferInputTensor": (
        (1, "name", "string"),
        (2, "datatype", "string"),
        (3, "shape", "*int64"),
        (4, "parameters", PARAMETERS),
        (5, "contents", "InferTensorContents"),
    ),
    "ModelInferRequest.InferRequestedOutputTensor": ((1, "name", "string"), (2, "parameters", PARAMETERS)),
    "ModelInferRequest": (
        (1, "model_name", "string"),
        (2, "model_version", "string"),
        (3, "id", "string"),
        (4, "parameters", PARAMETERS),
        (5, "inputs", "*ModelInferRequest.InferInputTensor"),
        (6, "outputs", "*ModelInferRequest.InferRequestedOutputTensor"),
        (7, "raw_input_contents", "*bytes"),
    ),
    "ModelInferResponse.InferOutputTensor": (
        (1, "name", "string"),
        (2, "datatype", "string"),
        (3, "shape", "*int64"),
        (4, "parameters", PARAMETERS),
        (5, "contents", "InferTensorContents"),
    ),
    "ModelInferResponse": (
        (1, "model_name", "string"),
        (2, "model_version", "string"),
        (3, "id", "string"),
        (4, "parameters", PARAMETERS),
        (5, "outputs", "*ModelInferResponse.InferOutputTensor"),
        (6, "raw_output_contents", "*bytes"),
    ),
    "ModelStreamInferResponse": ((1, "error_message", "string"), (2, "infer_response", "ModelInferResponse")),
    "RepositoryIndexRequest": ((1, "repository_name", "string"), (2, "ready", "bool")),
    "RepositoryIndexResponse.ModelIndex": (
        (1, "name", "string"),
        (2, "version", "string"),
        (3, "state", "string"),
        (4, "reason", "string"),
    ),
    "RepositoryIndexResponse": ((1, "models", "*RepositoryIndexResponse.ModelIndex"),),
}

_Field = descriptor_pb2.FieldDescriptorProto


def _file() -> Any:
    file = descriptor_pb2.FileDescriptorProto(
        name="tidemill/open_inference.proto", package="inference", syntax="proto3"
    )
    made: dict[str, Any] = {}
    for name in sorted(MESSAGES, key=lambda one: one.count(".")):
        outer, dot, inner = name.partition(".")
        made[name] = made[outer].nested_type.add(name=inner) if dot else file.message_type.add(name=name)
    for name, fields in MESSAGES.items():
        for number, field, kind in fields:
            _add_field(made[name], name, number, field, kind)
    return file


def _add_field(message: Any, owner: str, number: int, name: str, kind: str) -> None:
    plain = kind.lstrip("*|")
    field = message.field.add(name=name, number=number, label=_Field.LABEL_OPTIONAL)
    if kind == PARAMETERS:
        entry = message.nested_type.add(name="ParametersEntry")
        entry.options.map_entry = True
        _add_field(entry, f"{owner}.ParametersEntry", 1, "key", "string")
        _add_field(entry, f"{owner}.ParametersEntry", 2, "value", "InferParameter")
        kind, plain = "*", f"{owner}.ParametersEntry"
    if kind.startswith("*"):
        field.label = _Field.LABEL_REPEATED
    if kind.startswith("|"):
        if not message.oneof_decl:
            message.oneof_decl.add(name="parameter_choice")
        field.oneof_index = 0
    if plain[0].isupper():
        field.type, field.type_name = _Field.TYPE_MESSAGE, f".inference.{plain}"
    else:
        field.type = getattr(_Field, f"TYPE_{plain.upper()}")


_pool = descriptor_pool.DescriptorPool()
_pool.AddSerializedFile(_file().SerializeToString())


def message(name: str) -> Any:
    """The class of a message."""
    return message_factory.GetMessageClass(_pool.FindMessageTypeByName(f"inference.{name}"))
