"""What an import reads: records in an order that is the same each time, and the bytes they speak of.

A feed is closed by its user. Its order matters: the server keeps how many records were done, and an import that was
killed goes on after them.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tidemill.datasets.formats.base import Label, Sample
from tidemill.datasets.notes import Note
from tidemill.datasets.sources.base import Source

Record = Label | Sample | Note


@dataclass(slots=True)
class Known(Sample):
    """A sample whose content is known by its digest: it is only read where the project does not have it."""

    sha256: str = ""
    size_bytes: int = 0
    media: str = ""
    folder: Path = Path()
    """Where its bytes are, under its path."""


@dataclass(slots=True)
class Feed:
    """The records of an import."""

    source: Source
    records: Callable[[], Iterator[Record]]
    format: str
    total: int | None = None
    """How many records there are, about."""
    is_parallel: bool = False
    """Files may be opened by several threads at once: they are far away."""
    extra: dict[str, Any] = field(default_factory=dict)

    def close(self) -> None:
        self.source.close()
