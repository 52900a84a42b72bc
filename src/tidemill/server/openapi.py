"""Prints the OpenAPI document: `python -m tidemill.server.openapi`."""

import json
import sys
import tempfile
from pathlib import Path

from tidemill.kernel.settings import Settings
from tidemill.server.app import create_app


def document() -> dict[str, object]:
    """The API's description, the same on every machine."""
    with tempfile.TemporaryDirectory() as home:
        return create_app(Settings(home=Path(home), background=False)).openapi()


if __name__ == "__main__":
    sys.stdout.write(json.dumps(document(), indent=1, ensure_ascii=False, sort_keys=True) + "\n")
