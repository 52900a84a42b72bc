"""A picture with thousands of shapes, and a version of thousands of pictures."""

import hashlib
import io
import math
import random
import secrets
from typing import Any

import numpy as np
from PIL import Image

from tidemill.sdk import Client

PROJECT = "bench"
LARGE = (4000, 3000)
SMALL = (1280, 960)
LABELS = 12
BULK = 2000


def make_person(client: Client) -> str:
    """An annotator; their password."""
    password = secrets.token_urlsafe(12)
    body = {"name": "ann", "password": password, "kind": "annotator", "must_change_password": False}
    client.transport.call("POST", "/users", json=body)
    client.transport.call("POST", f"/projects/{PROJECT}/members", json={"user": "ann", "role": "annotator"})
    return password


def make_large_picture(client: Client, *, shapes: int) -> str:
    """One item with that many shapes; the address of its workbench."""
    base, numbers = _version(client, "large")
    content = _photo(*LARGE, seed=1)
    annotations = [_shape(random.Random(n), n, numbers) for n in range(shapes)]
    _add(client, base, "large", [("large.jpg", content, LARGE, annotations)])
    return f"/p/{PROJECT}/datasets/large/versions/1/annotate"


def make_many_items(client: Client, *, count: int) -> str:
    """Items of a few pictures with a few boxes each; the address of the workbench."""
    base, numbers = _version(client, "many")
    photos = [_photo(*SMALL, seed=n) for n in range(8)]
    chance = random.Random(3)
    items = [
        (f"{n:06}.jpg", photos[n % len(photos)], SMALL, [_box(chance, k, numbers, SMALL) for k in range(8)])
        for n in range(count)
    ]
    _add(client, base, "many", items)
    return f"/p/{PROJECT}/datasets/many/versions/1/annotate"


def _version(client: Client, name: str) -> tuple[str, list[int]]:
    call = client.transport.call
    body = {"name": name, "data_type": "image", "annotation_type": "detection"}
    call("POST", f"/projects/{PROJECT}/datasets", json=body)
    call("POST", f"/projects/{PROJECT}/datasets/{name}/versions", json={})
    base = f"/projects/{PROJECT}/datasets/{name}/versions/1"
    labels = call("POST", f"{base}/labels", json={"labels": [{"name": f"thing {n}"} for n in range(LABELS)]})
    return base, [label["number"] for label in labels["items"]]


def _add(client: Client, base: str, name: str, items: list[tuple[str, bytes, tuple[int, int], list[Any]]]) -> None:
    call = client.transport.call
    call("POST", f"/projects/{PROJECT}/models", json={"name": name, "scene": "other"})
    call("POST", f"/projects/{PROJECT}/models/{name}/versions", json={})
    digests: dict[int, str] = {}
    for _, content, _, _ in items:
        if id(content) not in digests:
            digests[id(content)] = hashlib.sha256(content).hexdigest()
            path = f"/projects/{PROJECT}/models/{name}/versions/1/files/{digests[id(content)]}.jpg"
            call("PUT", path, content=content)
    for start in range(0, len(items), BULK):
        body = [
            {
                "path": path,
                "sha256": digests[id(content)],
                "size_bytes": len(content),
                "media": "image/jpeg",
                "width": size[0],
                "height": size[1],
                "annotations": annotations,
            }
            for path, content, size, annotations in items[start : start + BULK]
        ]
        call("POST", f"{base}/items/bulk", json={"items": body})


def _photo(width: int, height: int, *, seed: int) -> bytes:
    """Soft colours with some grain, so that it costs as much to decode as a photograph."""
    generator = np.random.default_rng(seed)
    coarse = generator.integers(40, 220, (height // 100, width // 100, 3), dtype=np.uint8)
    soft = np.asarray(Image.fromarray(coarse).resize((width, height), Image.Resampling.BICUBIC), dtype=np.int16)
    grain = generator.integers(-12, 13, (height, width, 1), dtype=np.int16)
    out = io.BytesIO()
    Image.fromarray(np.clip(soft + grain, 0, 255).astype(np.uint8)).save(out, "JPEG", quality=85)
    return out.getvalue()


def _box(chance: random.Random, n: int, labels: list[int], size: tuple[int, int]) -> dict[str, Any]:
    w, h = chance.uniform(20, 120), chance.uniform(20, 120)
    x, y = chance.uniform(0, size[0] - w), chance.uniform(0, size[1] - h)
    label = labels[n % len(labels)]
    return {"id": f"s{n}", "type": "box", "label": label, "x": x, "y": y, "w": w, "h": h}


def _shape(chance: random.Random, n: int, labels: list[int]) -> dict[str, Any]:
    """Three boxes to a polygon of twelve points."""
    box = _box(chance, n, labels, LARGE)
    if n % 4:
        return box
    x, y, r = box["x"] + box["w"] / 2, box["y"] + box["h"] / 2, box["w"] / 2
    ring = [
        round(value, 2)
        for k in range(12)
        for value in (
            x + r * chance.uniform(0.7, 1) * math.cos(k * math.pi / 6),
            y + r * chance.uniform(0.7, 1) * math.sin(k * math.pi / 6),
        )
    ]
    return {"id": box["id"], "type": "polygon", "label": box["label"], "rings": [ring]}
