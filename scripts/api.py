"""Writes the API's description and the web's typed client from the server's code.

With `--check` it fails when they had to change: a change of the API and what follows from it belong in one commit.
"""

import argparse
import subprocess
import sys
from pathlib import Path

import web
from environment import PYTHON
from steps import ROOT

API = web.WEB / "src" / "api"
DOCUMENT = API / "openapi.json"
GENERATED = [DOCUMENT, API / "schema.d.ts"]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="fail when something had to change")
    must_be_same = parser.parse_args().check
    before = [_read(file) for file in GENERATED]
    described = subprocess.run(
        [str(PYTHON), "-m", "tidemill.server.openapi"], cwd=ROOT, stdout=subprocess.PIPE, check=False
    )
    if described.returncode != 0:
        return 1
    if described.stdout != before[0]:
        DOCUMENT.write_bytes(described.stdout)
    if subprocess.run(["npm", "run", "--silent", "api"], cwd=web.WEB, env=web.environ(), check=False).returncode != 0:
        return 1
    changed = [file.relative_to(ROOT) for file, old in zip(GENERATED, before, strict=True) if _read(file) != old]
    if changed:
        print(f"regenerated, commit them with your change: {', '.join(map(str, changed))}")
    else:
        print("the API's description and client are up to date")
    return 1 if changed and must_be_same else 0


def _read(file: Path) -> bytes | None:
    return file.read_bytes() if file.is_file() else None


if __name__ == "__main__":
    sys.exit(main())
