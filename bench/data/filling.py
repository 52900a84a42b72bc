"""Items for the benchmark: pictures that nobody fetches, each with eight boxes on half of them."""

import hashlib
import json
import random
import sqlite3
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bench.data.calls import Calls

LABELS = ["person", "car", "dog", "cat", "bus", "bike", "tree", "sign", "boat", "bird"]
AT_ONCE = 2000
SIZE_BYTES = 100_000


def keep_contents(home: Path, project_id: str, first: int, count: int) -> None:
    """Enters contents in the store's books, without their bytes: what is measured never reads them."""
    now = datetime.now(UTC).replace(tzinfo=None).isoformat(" ", "microseconds")
    connection = sqlite3.connect(home / "tidemill.db", timeout=60)
    digests = sorted(digest(number) for number in range(first, first + count))
    with connection:
        connection.executemany(
            "INSERT INTO blobs (digest, size_bytes, state, generation, touched_at, created_at) "
            "VALUES (?, ?, 'live', 'gen_bench', ?, ?)",
            ((one, SIZE_BYTES, now, now) for one in digests),
        )
        connection.executemany(
            "INSERT INTO holdings (project_id, digest, size_bytes, uses, touched_at) VALUES (?, ?, ?, 0, ?)",
            ((project_id, one, SIZE_BYTES, now) for one in digests),
        )
    connection.close()


def digest(number: int) -> str:
    return hashlib.sha256(f"picture {number}".encode()).hexdigest()


def boxes(rng: random.Random, count: int = 8) -> list[dict[str, Any]]:
    return [
        {
            "id": str(place + 1),
            "type": "box",
            "label": rng.randint(1, len(LABELS)),
            "x": round(rng.uniform(0, 896), 2),
            "y": round(rng.uniform(0, 504), 2),
            "w": round(rng.uniform(5, 384), 2),
            "h": round(rng.uniform(5, 216), 2),
        }
        for place in range(count)
    ]


def batches(first: int, count: int) -> Iterator[bytes]:
    """Bodies of bulk requests, made before any clock runs."""
    rng = random.Random(first)
    for start in range(first, first + count, AT_ONCE):
        items = [
            {
                "path": f"pictures/{number // 10_000:03d}/{number:07d}.jpg",
                "sha256": digest(number),
                "size_bytes": SIZE_BYTES,
                "width": 1280,
                "height": 720,
                **({"annotations": boxes(rng)} if number % 10 else {}),
            }
            for number in range(start, min(start + AT_ONCE, first + count))
        ]
        yield json.dumps({"items": items}).encode()


def begin(calls: Calls, name: str) -> None:
    """A dataset with an empty draft and its labels."""
    body = {"name": name, "data_type": "image", "annotation_type": "detection"}
    calls("POST", f"{calls.project}/datasets", body)
    calls("POST", calls.version(1).rpartition("/")[0], {})
    calls("POST", calls.version(1, "/labels"), {"labels": [{"name": label} for label in LABELS]})
