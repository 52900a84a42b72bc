"""Formats as users meet them: chosen, told of, shown by a sample."""

import io

from tidemill.datasets import formats
from tidemill.datasets.formats.base import Reader
from tidemill.datasets.formats.targets import ZipTarget
from tidemill.datasets.notes import Refused
from tidemill.datasets.sources.base import Source

SURE_ENOUGH = 0.05
TRAINING = "training"
"""Not a format to be read back: files to train from."""


def choose(source: Source, name: str | None) -> Reader:
    """The reader that was asked for, or the one that recognises the source most surely."""
    if name is not None:
        try:
            return formats.reader(name)
        except KeyError:
            raise Refused("format_unknown", format=name, allowed=", ".join(sorted(formats.READERS))) from None
    found = formats.recognise(source)
    if not found or found[0][1] < SURE_ENOUGH:
        raise Refused("format_not_recognised")
    return formats.reader(found[0][0])


def is_readable(name: str) -> bool:
    """Whether something can be imported under that name."""
    try:
        formats.reader(name)
    except KeyError:
        return False
    return True


def sample(name: str) -> bytes:
    """The format's sample as an archive."""
    out = io.BytesIO()
    with ZipTarget(out) as target:
        for path, data in formats.sample(name).items():
            target.add(path, data)
    return out.getvalue()


def needs_files(format: str, annotation_type: str, *, with_data: bool) -> bool:
    """Whether the version's files are read: because they are exported, or because what is written is made of them."""
    return with_data or (format == TRAINING and annotation_type.endswith("classification"))
