"""Another version as a feed: its items with their annotations, content by digest."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from tidemill.datasets.importing.feeds import Known, Record
from tidemill.datasets.works.labelling import Names


def version_records(
    items: Iterator[dict[str, Any]], labels: Sequence[dict[str, Any]], folder: Path, *, with_annotations: bool
) -> Iterator[Record]:
    """Its labels, then its items, whose files are in the folder."""
    names = Names(labels)
    if with_annotations:
        yield from names.labels()
    for item in items:
        annotations = [names.named(one) for one in item["annotations"]] if with_annotations else []
        yield Known(
            item["path"],
            item["path"],
            annotations,
            item["width"],
            item["height"],
            item["duration"],
            item["info"],
            state=item["state"] if with_annotations else None,
            sha256=item["sha256"],
            size_bytes=item["size_bytes"],
            media=item["media"],
            folder=folder,
        )
