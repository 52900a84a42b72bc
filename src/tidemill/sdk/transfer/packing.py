"""Files and folders as they are sent for an import: a folder travels as one archive."""

import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tidemill.kernel.errors import Invalid
from tidemill.sdk.language import problem

_BEGINNING = (1980, 1, 1, 0, 0, 0)
_BLOCK_BYTES = 1 << 20


@contextmanager
def packed(files: Sequence[Path]) -> Iterator[dict[str, Path]]:
    """What is sent, by name; archives of folders are gone when the block ends."""
    with tempfile.TemporaryDirectory(prefix="tidemill-") as folder:
        found: dict[str, Path] = {}
        for place, file in enumerate(files):
            if not file.exists():
                raise problem(Invalid, "sdk_source_unreadable", path=file, cause="not there")
            name = file.name or file.resolve().name
            if file.is_dir():
                name, file = f"{name}.zip", pack(file, Path(folder) / f"{place}.zip")
            while name in found:
                name = f"{place}-{name}"
            found[name] = file
        yield found


def pack(folder: Path, target: Path) -> Path:
    """All plain files of a folder as an archive, nothing compressed. The same files give the same archive, so that
    sending them again finds what was sent before."""
    with zipfile.ZipFile(target, "w", zipfile.ZIP_STORED) as archive:
        for file in sorted(folder.rglob("*")):
            if file.is_file() and not file.is_symlink():
                info = zipfile.ZipInfo(file.relative_to(folder).as_posix(), _BEGINNING)
                info.external_attr = 0o100644 << 16
                with file.open("rb") as stream, archive.open(info, "w", force_zip64=True) as out:
                    while block := stream.read(_BLOCK_BYTES):
                        out.write(block)
    return target
