"""The model server: models of every kind behind the Open Inference Protocol (HTTP, gRPC) and a plain `/predict`.

    python -m tidemill.runtime serve --model models/flowers --port 8080 --grpc-port 8081

A request goes: bytes → `protocol` or `plain` (checked tensors or items) → `batching` (joined with others, run in the
thread of a model instance) → back. `formats` has one file a kind of model. docs/model-server.md tells users the rest.
"""
