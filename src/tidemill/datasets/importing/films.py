"""Films among the records become their frames."""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from tidemill.datasets.formats.base import Sample
from tidemill.datasets.formats.finding import FILMS, suffix_of
from tidemill.datasets.importing.feeds import Record
from tidemill.datasets.media.films import Frame, frames_by_rate, frames_by_scene
from tidemill.datasets.media.pictures import Unreadable
from tidemill.datasets.notes import Note
from tidemill.datasets.reasons import why
from tidemill.datasets.sources.base import Source


def with_frames(
    records: Iterator[Record], source: Source, options: dict[str, Any] | None, scratch: Path
) -> Iterator[Record]:
    """The records, each film replaced by its frames: `clip.mp4` becomes `clip/000042.jpg`. Without options all stay."""
    for record in records:
        is_film = isinstance(record, Sample) and isinstance(record.file, str) and suffix_of(record.path) in FILMS
        if options is None or not is_film:
            yield record
        else:
            assert isinstance(record, Sample)
            yield from _frames_of(record, source, options, scratch)


def _frames_of(sample: Sample, source: Source, options: dict[str, Any], scratch: Path) -> Iterator[Record]:
    count = 0
    try:
        # A copy: a film is read while other files of the source are.
        with source.open(str(sample.file)) as stream, tempfile.TemporaryFile(dir=scratch) as copy:
            shutil.copyfileobj(stream, copy, 1 << 20)
            copy.seek(0)
            for frame in _chosen(copy, options):
                if options["max_frames"] and count >= options["max_frames"]:
                    yield Note("film_cut", sample.path, level="changed", params={"frames": count})
                    return
                count += 1
                yield _frame_sample(sample, frame)
    except Unreadable as error:
        yield Note(error.code, sample.path, level="changed" if count else "skipped", params=error.params)
    except (OSError, KeyError) as error:
        yield Note("file_unreadable", sample.path, params=why(error))


def _chosen(file: BinaryIO, options: dict[str, Any]) -> Iterator[Frame]:
    if options["scene"] is not None:
        return frames_by_scene(file, options["scene"])
    return frames_by_rate(file, options["fps"] or 1 / options["every_s"])


def _frame_sample(sample: Sample, frame: Frame) -> Sample:
    """Annotations that hold for a time of the film go to the frames of that time."""
    stem = sample.path[: sample.path.rfind(".")]
    info = {"film": sample.path, "frame": frame.number, "time": round(frame.time, 6), **sample.info}
    annotations = [
        {"type": "class", "label": one["label"]} if one["type"] == "segment" else one
        for one in sample.annotations
        if one["type"] == "class" or (one["type"] == "segment" and _is_at(one, frame.time))
    ]
    return Sample(f"{stem}/{frame.number:06d}.jpg", frame.encoded(), annotations, info=info, split=sample.split)


def _is_at(segment: dict[str, Any], time: float) -> bool:
    return bool(segment.get("label")) and segment["start"] <= time < segment["end"]
