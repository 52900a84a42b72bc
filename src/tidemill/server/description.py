"""The API's OpenAPI document, with every path parameter in it.

What a permission needs of the path (`project`, `kind`) is read by the dependency that decides, not by the endpoint's
signature, so FastAPI does not know of it; a document without it is invalid and clients made from it cannot call.
"""

import re
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

_PARAMETER = re.compile(r"{(\w+)}")


def describe(app: FastAPI) -> None:
    """Makes `app.openapi()` complete."""

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            document = get_openapi(title=app.title, version=app.version, routes=app.routes)
            for path, operations in document["paths"].items():
                for operation in operations.values():
                    _declare_path_parameters(path, operation)
            app.openapi_schema = document
        return app.openapi_schema

    app.openapi = openapi  # type: ignore[method-assign]


def _declare_path_parameters(path: str, operation: dict[str, Any]) -> None:
    declared = {one["name"] for one in operation.get("parameters", []) if one["in"] == "path"}
    missing = [name for name in _PARAMETER.findall(path) if name not in declared]
    if missing:
        added = [{"name": name, "in": "path", "required": True, "schema": {"type": "string"}} for name in missing]
        operation["parameters"] = added + operation.get("parameters", [])
