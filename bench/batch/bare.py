"""The yardstick, a process of its own: the same model over the same files, 32 at a time, and nothing else."""

import sys
import time
from pathlib import Path

from tidemill.runtime import load

AT_ONCE = 32


def main(model: Path, folder: Path) -> None:
    begun_s = time.perf_counter()
    loaded = load(model)
    files = sorted(folder.iterdir())
    for start in range(0, len(files), AT_ONCE):
        loaded.predict_each(files[start : start + AT_ONCE])
    print(len(files), time.perf_counter() - begun_s)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
