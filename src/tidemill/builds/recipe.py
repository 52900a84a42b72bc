"""What a build does inside its workload: finds the packages, builds what must be built, leaves wheels.

It runs where other people's code belongs, because building a package from source runs that code. It uses the standard
library only, and pip. `TIDEMILL_REQUIREMENTS` is a JSON list of what people asked for, `TIDEMILL_ALWAYS` of what the
platform adds; wheels are left in the folder `wheels` of the workspace.
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

WHEELS = "wheels"


def main() -> int:
    """The exit code of the first step that failed, or 0."""
    workspace = Path(os.environ.get("TIDEMILL_WORKSPACE") or Path.cwd())
    wheels = workspace / WHEELS
    shutil.rmtree(wheels, ignore_errors=True)
    wheels.mkdir(parents=True)
    asked = json.loads(os.environ.get("TIDEMILL_REQUIREMENTS", "[]"))
    always = json.loads(os.environ.get("TIDEMILL_ALWAYS", "[]"))
    if asked and (code := _gather(workspace, wheels, asked, [])):
        return code
    # Apart, so that hashes people gave need not cover ours; what is there already is not chosen anew.
    return _gather(workspace, wheels, always, _chosen(wheels))


def _gather(workspace: Path, wheels: Path, requirements: Sequence[str], chosen: Sequence[str]) -> int:
    listed, limits = workspace / "requirements.txt", workspace / "constraints.txt"
    listed.write_text("".join(f"{line}\n" for line in requirements), "utf-8")
    limits.write_text("".join(f"{line}\n" for line in chosen), "utf-8")
    command = [
        *(sys.executable, "-m", "pip", "wheel", "--no-input", "--disable-pip-version-check", "--no-cache-dir"),
        *("--progress-bar", "off", "--wheel-dir", str(wheels), "--find-links", str(wheels)),
        *("--requirement", str(listed), "--constraint", str(limits)),
    ]
    return subprocess.run(command, check=False).returncode


def _chosen(wheels: Path) -> list[str]:
    return ["==".join(path.name.split("-")[:2]) for path in sorted(wheels.glob("*.whl"))]


if __name__ == "__main__":
    sys.exit(main())
