"""The OpenAPI document."""

import re

from tidemill.server.openapi import document


def test_every_path_parameter_is_declared_once() -> None:
    paths = document()["paths"]
    assert isinstance(paths, dict)
    for path, operations in paths.items():
        for operation in operations.values():
            declared = [one["name"] for one in operation.get("parameters", []) if one["in"] == "path"]
            assert sorted(declared) == sorted(re.findall(r"{(\w+)}", path)), path
