"""COCO of 20,000 pictures and 150,000 boxes: read, and written as VOC and YOLO, beside datumaro in the same run.

    python -m bench.data.convert [--peer PYTHON] [--rounds 3] [--home DIR]

`--peer` is the Python of an environment with datumaro. Each conversion is a process of its own, timed as a whole, its
start included. The exit code is 1 when a bar is missed: memory always, ratios where there is a peer.
"""

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

PICTURES, BOXES = 20_000, 150_000
MEMORY_BAR_MB = 300
RATIO_BARS = {"load": 3.0, "voc": 5.0, "yolo": 1.6}

_PEER = """
import sys
import datumaro as dm
goal, source, target = sys.argv[1:]
data = dm.Dataset.import_from(source, "coco_instances")
boxes = sum(a.type is dm.AnnotationType.bbox for item in data for a in item.annotations)
if goal != "load":
    data.export(target, {"voc": "voc_detection", "yolo": "yolo"}[goal], save_media=False)
print("BOXES", boxes)
"""


@dataclass
class Run:
    """One process, from start to end."""

    wall_s: float
    cpu_s: float
    memory_mb: float
    boxes: int


def main() -> int:
    if sys.argv[1:2] == ["one"]:
        return _convert(*sys.argv[2:5])
    if sys.argv[1:2] == ["make"]:
        make(Path(sys.argv[2]))
        return 0
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--peer", default=None, help="a Python with datumaro")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--home", type=Path, default=None, help="where to put the scratch folder")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.home) as scratch:
        source = Path(scratch) / "coco"
        # In a process of its own: what a process held when it starts another counts as the other's memory.
        subprocess.run([sys.executable, "-m", "bench.data.convert", "make", str(source)], check=True)
        return _measure(source, Path(scratch), options.peer, options.rounds)


def _measure(source: Path, scratch: Path, peer: str | None, rounds: int) -> int:
    missed = 0
    print(f"{PICTURES} pictures, {BOXES} boxes, median of {rounds}; load average {os.getloadavg()[0]:.1f}\n")
    print(f"{'':6}{'ours s':>9}{'cpu s':>8}{'MB':>7}{'peer s':>9}{'cpu s':>8}{'MB':>7}{'ratio':>8}{'cpu':>7}{'bar':>6}")
    for goal, bar in RATIO_BARS.items():
        ours, theirs = [], []
        for number in range(rounds):
            target = str(scratch / f"{goal}-{number}")
            ours.append(_run([sys.executable, "-m", "bench.data.convert", "one", goal, str(source), target]))
            if peer:
                theirs.append(_run([peer, "-c", _PEER, goal, str(source), f"{target}-peer"]))
        missed += _report(goal, bar, _median(ours), _median(theirs) if theirs else None)
    return 1 if missed else 0


def _report(goal: str, bar: float, ours: Run, theirs: Run | None) -> int:
    assert ours.boxes == BOXES
    line = f"{goal:6}{ours.wall_s:9.2f}{ours.cpu_s:8.2f}{ours.memory_mb:7.0f}"
    missed = ours.memory_mb > MEMORY_BAR_MB
    if theirs:
        ratio = theirs.wall_s / ours.wall_s
        line += f"{theirs.wall_s:9.2f}{theirs.cpu_s:8.2f}{theirs.memory_mb:7.0f}"
        line += f"{ratio:8.1f}{theirs.cpu_s / ours.cpu_s:7.1f}{bar:6.1f}"
        missed = missed or ratio < bar
    print(line + ("  MISSED" if missed else ""))
    return int(missed)


def _median(runs: list[Run]) -> Run:
    return Run(
        statistics.median(run.wall_s for run in runs),
        statistics.median(run.cpu_s for run in runs),
        statistics.median(run.memory_mb for run in runs),
        runs[0].boxes,
    )


def _run(command: list[str]) -> Run:
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    said = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - start
    if os.waitstatus_to_exitcode(status):
        raise SystemExit(f"{' '.join(command[:3])} failed")
    boxes = next(int(line.split()[1]) for line in said.splitlines() if line.startswith("BOXES"))
    return Run(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, boxes)


def _convert(goal: str, source: str, target: str) -> int:
    """Ours, in a process of its own."""
    from tidemill.datasets import formats
    from tidemill.datasets.formats.targets import FolderTarget
    from tidemill.datasets.sources import open_source

    seen = 0
    with open_source(Path(source), scratch=Path(f"{target}-scratch")) as opened:
        found = formats.reader("coco").read(opened, {"annotation_type": "detection"})
        labels = []

        def samples():
            nonlocal seen
            for thing in found:
                if isinstance(thing, formats.Label):
                    labels.append(thing)
                elif isinstance(thing, formats.Sample):
                    seen += len(thing.annotations)
                    yield thing

        if goal == "load":
            for _ in samples():
                pass
        else:
            formats.writer(goal).write(labels, samples(), FolderTarget(Path(target)), {"task": "detect"}, None)
    print("BOXES", seen)
    return 0


def make(folder: Path) -> None:
    """The set: boxes with outlines, spread over tiny pictures."""
    chance = random.Random(3)
    picture = _jpeg()
    (folder / "images" / "train").mkdir(parents=True)
    (folder / "annotations").mkdir()
    images = []
    for number in range(1, PICTURES + 1):
        name = f"{number:06d}.jpg"
        (folder / "images" / "train" / name).write_bytes(picture)
        images.append({"id": number, "file_name": name, "width": 64, "height": 48})
    rows = [_row(number, chance) for number in range(1, BOXES + 1)]
    categories = [{"id": c, "name": f"class{c:02d}", "supercategory": "thing"} for c in range(1, 81)]
    document = {"images": images, "annotations": rows, "categories": categories}
    (folder / "annotations" / "instances_train.json").write_text(json.dumps(document))


def _row(number: int, chance: random.Random) -> dict[str, object]:
    w, h = round(chance.uniform(2, 30), 2), round(chance.uniform(2, 20), 2)
    x, y = round(chance.uniform(0, 64 - w), 2), round(chance.uniform(0, 48 - h), 2)
    return {
        "id": number, "image_id": chance.randint(1, PICTURES), "category_id": chance.randint(1, 80),
        "bbox": [x, y, w, h], "area": round(w * h, 2), "iscrowd": 0,
        "segmentation": [[x, y, x + w, y, x + w, y + h, x, y + h]],
    }  # fmt: skip


def _jpeg() -> bytes:
    import io

    from PIL import Image

    out = io.BytesIO()
    Image.new("RGB", (64, 48), (90, 120, 150)).save(out, "JPEG")
    return out.getvalue()


if __name__ == "__main__":
    sys.exit(main())
