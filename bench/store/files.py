"""Files to send: different in every round, so that nothing is known to the store already."""

import os
from pathlib import Path

BLOCK_BYTES = 4 * 1024 * 1024


def make_large(path: Path, size_bytes: int, seed: int) -> None:
    """One file that does not compress and does not repeat in blocks; another one for another seed."""
    if not path.exists():
        with path.open("wb") as file:
            left = size_bytes
            while left > 0:
                left -= file.write(os.urandom(min(BLOCK_BYTES, left)))
    with path.open("r+b") as file:
        file.write(seed.to_bytes(8, "big") + os.urandom(8))


def make_small(folder: Path, count: int, size_bytes: int, seed: int) -> None:
    """Many small files in folders of a thousand."""
    body = os.urandom(size_bytes - 16)
    for number in range(count):
        path = folder / f"{number // 1000:03}" / f"{number:06}.bin"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(seed.to_bytes(8, "big") + number.to_bytes(8, "big") + body)
