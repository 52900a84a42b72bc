"""Small datasets as published versions, in which there is something to learn."""

import json
import math
import random
import wave
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

COLOURS = {"red": (200, 40, 40), "green": (40, 200, 40), "blue": (40, 40, 200)}
WORDS = {"好": "好吃 味道 推荐 满意", "差": "难吃 太慢 失望 退款"}


def publish(
    folder: Path,
    data_type: str,
    annotation_type: str,
    labels: Iterable[str],
    items: Iterable[tuple[str, bytes, list[str]]],
    more: dict[str, Any] | None = None,
) -> Path:
    """A folder as a run is given it: items are path, content and classes."""
    folder.mkdir(parents=True, exist_ok=True)
    numbers = {name: number for number, name in enumerate(labels, 1)}
    with (folder / "annotations.jsonl").open("w", encoding="utf-8") as lines:
        for seq, (path, content, classes) in enumerate(items, 1):
            place = folder / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content)
            line = {
                "seq": seq,
                "path": path,
                "state": "labelled" if classes else "unlabelled",
                "annotations": [
                    {"id": str(at), "type": "class", "label": numbers[name]} for at, name in enumerate(classes, 1)
                ],
                **(more or {}),
            }
            lines.write(json.dumps(line) + "\n")
    about = {
        "format": "tidemill",
        "version": 1,
        "dataset": folder.name,
        "dataset_version": 1,
        "data_type": data_type,
        "annotation_type": annotation_type,
        "labels": [{"number": number, "name": name} for name, number in numbers.items()],
    }
    (folder / "dataset.json").write_text(json.dumps(about))
    return folder


def pictures(folder: Path, count: int = 48, annotation_type: str = "classification") -> Path:
    """Noise in three colours."""
    chance = np.random.default_rng(0)

    def made() -> Iterable[tuple[str, bytes, list[str]]]:
        for at in range(count):
            name = list(COLOURS)[at % 3]
            noise = chance.normal(0, 30, (24, 20, 3))
            pixels = np.clip(np.array(COLOURS[name]) + noise, 0, 255).astype(np.uint8)
            file = folder / "made.png"
            folder.mkdir(parents=True, exist_ok=True)
            Image.fromarray(pixels).save(file)
            yield f"{name}/{at:03d}.png", file.read_bytes(), [name]
            file.unlink()

    return publish(folder, "image", annotation_type, COLOURS, made())


def texts(folder: Path, count: int = 80) -> Path:
    """Sentences of the words of their class."""
    chance = random.Random(0)

    def made() -> Iterable[tuple[str, bytes, list[str]]]:
        for at in range(count):
            name = list(WORDS)[at % 2]
            said = " ".join(chance.choices(WORDS[name].split(), k=4)) + " 今天 的 order"
            yield f"{at:04d}.txt", said.encode(), [name]

    return publish(folder, "text", "text-classification", WORDS, made())


def sounds(folder: Path, count: int = 32) -> Path:
    """High and low tones."""
    chance = random.Random(0)

    def made() -> Iterable[tuple[str, bytes, list[str]]]:
        for at in range(count):
            name, pitch = (("low", 300), ("high", 1500))[at % 2]
            file = folder / "made.wav"
            folder.mkdir(parents=True, exist_ok=True)
            with wave.open(str(file), "wb") as sound:
                sound.setparams((1, 2, 8000, 0, "NONE", ""))
                tone = [math.sin(2 * math.pi * (pitch + chance.random() * 50) * t / 8000) for t in range(3000)]
                sound.writeframes(np.array([int(9000 * value) for value in tone], "<i2").tobytes())
            yield f"{name}/{at:03d}.wav", file.read_bytes(), [name]
            file.unlink()

    return publish(folder, "audio", "audio-classification", ["low", "high"], made(), {"duration": 0.375})


def rows(folder: Path, count: int = 200) -> Path:
    """Who is older than 40 and lives in town says yes; some fields are missing."""
    chance = random.Random(0)

    def made() -> Iterable[tuple[str, bytes, list[str]]]:
        for at in range(count):
            age, place = chance.randint(18, 80), chance.choice(["town", "village", "island"])
            row = {"id": at, "age": "?" if at % 17 == 0 else f" {age}", "place": place, "price": age * 3.5 + at % 2}
            yield f"t/{at:05d}.json", json.dumps(row).encode(), ["yes" if age > 40 and place == "town" else "no"]

    return publish(folder, "table", "tabular", ["no", "yes"], made())
