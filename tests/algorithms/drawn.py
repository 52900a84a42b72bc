"""Small drawn datasets as published versions: quick to learn, with every kind of annotation of pictures."""

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

from PIL import Image, ImageDraw, ImageFont

Drawn = tuple[Image.Image, list[dict[str, Any]]]
SIZE = 96


def publish(
    folder: Path, kind: str, labels: list[dict[str, Any]], count: int, draw: Callable[[random.Random], Drawn]
) -> Path:
    """So many pictures by chance, the same every time."""
    folder.mkdir(parents=True)
    chance = random.Random(7)
    lines = []
    for seq in range(1, count + 1):
        picture, annotations = draw(chance)
        path = f"{seq:03d}.png"
        picture.save(folder / path)
        size = {"width": picture.width, "height": picture.height}
        lines.append({"seq": seq, "path": path, "state": "labelled", **size, "annotations": annotations})
    (folder / "annotations.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    numbered = [{"number": number, **label} for number, label in enumerate(labels, 1)]
    about = {"dataset": folder.name, "dataset_version": 1, "data_type": "image", "annotation_type": kind}
    (folder / "dataset.json").write_text(json.dumps(about | {"labels": numbered}))
    return folder


def boxes(chance: random.Random) -> Drawn:
    """Red squares (1) and blue discs (2) on grey."""
    picture, pen = _ground(chance)
    annotations = []
    for place in ((8, 8), (52, 8), (8, 52), (52, 52)):
        if chance.random() < 0.5:
            continue
        side, label = chance.randint(18, 34), chance.randint(1, 2)
        x, y = place[0] + chance.randint(0, 6), place[1] + chance.randint(0, 6)
        shape = (x, y, x + side, y + side)
        if label == 1:
            pen.rectangle(shape, fill=(200, 40, 40))
        else:
            pen.ellipse(shape, fill=(40, 60, 200))
        annotations.append({"type": "box", "label": label, "x": x, "y": y, "w": side, "h": side})
    return picture, annotations


def polygons(chance: random.Random) -> Drawn:
    """Boxes' pictures with the squares as polygons and the discs as circles; the rest is background."""
    picture, found = boxes(chance)
    shapes = []
    for one in found:
        x, y, side = one["x"], one["y"], one["w"]
        ring = [x, y, x + side, y, x + side, y + side, x, y + side]
        disc = {"type": "circle", "label": 2, "x": x + side / 2, "y": y + side / 2, "r": side / 2}
        shapes.append({"type": "polygon", "label": 1, "rings": [ring]} if one["label"] == 1 else disc)
    return picture, shapes


def arrows(chance: random.Random) -> Drawn:
    """One arrow a picture: its green tail and its red head are points."""
    picture, pen = _ground(chance)
    x, y = chance.randint(20, 40), chance.randint(20, 76)
    head = (x + chance.randint(30, 40), y + chance.randint(-14, 14))
    pen.line((x, y, *head), fill=(20, 20, 20), width=4)
    for (px, py), colour in (((x, y), (30, 160, 60)), (head, (200, 40, 40))):
        pen.ellipse((px - 7, py - 7, px + 7, py + 7), fill=colour)
    top, bottom = min(y, head[1]) - 7, max(y, head[1]) + 7
    around = {"x": x - 7, "y": top, "w": head[0] - x + 14, "h": bottom - top}
    return picture, [{"type": "keypoints", "label": 1, "points": [[x, y, 2], [*head, 2]], **around}]


def words(chance: random.Random) -> Drawn:
    """Two lines of digits a picture, one of them as a polygon."""
    picture = Image.new("RGB", (128, 64), "white")
    pen = ImageDraw.Draw(picture)
    annotations = []
    for number, y in enumerate((4, 34)):
        text = "".join(chance.choice("0123") for _ in range(chance.randint(2, 4)))
        left, top, right, bottom = pen.textbbox((6, y), text, font=ImageFont.load_default(20))
        pen.text((6, y), text, fill="black", font=ImageFont.load_default(20))
        left, top, right, bottom = left - 3, top - 3, right + 3, bottom + 3
        shape: dict[str, Any] = {"type": "box", "x": left, "y": top, "w": right - left, "h": bottom - top}
        if number:
            shape = {"type": "polygon", "rings": [[left, top, right, top, right, bottom, left, bottom]]}
        annotations.append(shape | {"label": 1, "text": text})
    return picture, annotations


def _ground(chance: random.Random) -> tuple[Image.Image, ImageDraw.ImageDraw]:
    grey = chance.randint(140, 220)
    picture = Image.new("RGB", (SIZE, SIZE), (grey, grey, grey))
    return picture, ImageDraw.Draw(picture)
