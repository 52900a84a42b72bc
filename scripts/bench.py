"""Runs the benchmarks, all of them or those named: `bench.py store`. Fails when one misses its bar."""

import subprocess
import sys

from environment import PYTHON
from steps import ROOT


def main() -> int:
    there = sorted(file.parent.name for file in (ROOT / "bench").glob("*/__main__.py"))
    chosen = sys.argv[1:] or there
    if unknown := sorted(set(chosen) - set(there)):
        print(f"no such benchmark: {', '.join(unknown)}; there are: {', '.join(there)}", file=sys.stderr)
        return 2
    codes = [subprocess.run([str(PYTHON), "-m", f"bench.{name}"], cwd=ROOT, check=False).returncode for name in chosen]
    return 1 if any(codes) else 0


if __name__ == "__main__":
    sys.exit(main())
