"""The real sets, how each becomes a dataset, what is trained on it, and what must be reached."""

import gzip
import os
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench.models.published import publish

DATA = Path(os.environ.get("TIDEMILL_TEST_DATA", Path(__file__).parents[3] / "shared" / "data"))


@dataclass(frozen=True)
class Trial:
    """One training on one set."""

    name: str
    task: str
    """The algorithm's folder."""
    make: Callable[[Path], Path]
    """Writes the dataset into the folder."""
    metric: str
    bar: float
    seconds: float
    parameters: Mapping[str, Any] = field(default_factory=dict)
    start: Callable[[], Path] | None = None
    """The model to start from."""
    goal: str = "max"
    """`min` where less is better."""


def flowers(target: Path) -> Path:
    return publish(DATA / "cls-flowers", target, data_type="image", annotation_type="classification", format="folders")


def digits(target: Path) -> Path:
    """The digit is the first sign of a recording's name."""
    sorted_ones = target.with_name(f"{target.name}-sorted")
    for file in sorted((DATA / "audio-spoken-digits" / "recordings").glob("*.wav")):
        place = sorted_ones / file.name[0] / file.name
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, place)
    return publish(sorted_ones, target, data_type="audio", annotation_type="audio-classification", format="folders")


def texts(folder: str, **options: Any) -> Callable[[Path], Path]:
    def make(target: Path) -> Path:
        return publish(
            DATA / folder,
            target,
            data_type="text",
            annotation_type="text-classification",
            format="table",
            options=options,
        )

    return make


def table(name: str, label: str) -> Callable[[Path], Path]:
    def make(target: Path) -> Path:
        alone = target.with_name(f"{target.name}-alone")
        alone.mkdir(parents=True, exist_ok=True)
        source = DATA / "tabular" / name
        unpacked = alone / name.removesuffix(".gz")
        with gzip.open(source) if name.endswith(".gz") else source.open("rb") as file:
            unpacked.write_bytes(file.read())
        return publish(
            alone,
            target,
            data_type="table",
            annotation_type="tabular",
            format="table",
            options={"label_column": label},
        )

    return make


def mobilenet() -> Path:
    return DATA / "models" / "classify-mobilenetv2-int8"


TRIALS = [
    # The pictures were enlarged from small ones: there is no more to see in 128 pixels than in 64.
    Trial("flowers", "image-classification", flowers, "accuracy", 0.60, 600, {"image_size": 64}),
    Trial(
        "flowers-catalogue",
        "image-classification",
        flowers,
        "accuracy",
        0.80,
        600,
        {"augmentation": "light", "average": 0.95, "batch_size": 16},
        mobilenet,
    ),
    Trial("waimai", "text-classification", texts("text-zh-waimai"), "accuracy", 0.91, 300),
    Trial("thucnews", "text-classification", texts("text-zh-thucnews"), "accuracy", 0.86, 300),
    Trial("movie", "text-classification", texts("text-en-movie"), "accuracy", 0.77, 300),
    Trial("digits", "audio-classification", digits, "accuracy", 0.90, 300),
    Trial("adult", "tabular", table("adult.csv.gz", "income"), "accuracy", 0.865, 120),
    # Who was in which boat, and whose body was found, is not known before it is known who survived.
    Trial("titanic", "tabular", table("titanic.csv", "survived"), "accuracy", 0.79, 120, {"leave_out": "boat,body"}),
]
