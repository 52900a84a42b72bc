"""A rar archive: listed and judged by `rarfile`, unpacked by `unar`, then seen as a folder."""

import resource
import shutil
import subprocess
from pathlib import Path

from tidemill.datasets.notes import Refused
from tidemill.datasets.reasons import why
from tidemill.datasets.sources import naming
from tidemill.datasets.sources.base import Source
from tidemill.datasets.sources.folder import FolderSource
from tidemill.datasets.sources.limits import Budget, Limits, Meter

_TIMEOUT_S = 6 * 3600


class RarSource(FolderSource):
    """What was unpacked; goes when it is closed."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, Budget(Limits()))
        self._folder = folder

    def close(self) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)


def unpack_rar(file: Path, scratch: Path, budget: Budget) -> Source:
    """Unpacks it whole: a solid archive gives its last file only after all the others."""
    if shutil.which("unar") is None:
        raise Refused("archive_needs_unar", file.name)
    largest = _judge(file, budget)
    scratch.mkdir(parents=True, exist_ok=True)
    command = ["unar", "-quiet", "-no-directory", "-no-recursion", "-force-overwrite"]
    done = subprocess.run(
        [*command, "-output-directory", str(scratch), str(file)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=_TIMEOUT_S,
        check=False,
        # The listing bounds every file, whatever the archive holds in truth.
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (largest, largest)),
    )
    if done.returncode != 0:
        shutil.rmtree(scratch, ignore_errors=True)
        raise Refused("archive_broken", file.name, reason="data_damaged")
    return RarSource(scratch)


def _judge(file: Path, budget: Budget) -> int:
    """Refuses hostile ones by their listing; the size of the largest file."""
    import rarfile

    try:
        with rarfile.RarFile(file) as archive:
            if archive.needs_password():
                raise Refused("archive_encrypted", file.name)
            members = archive.infolist()
    except (rarfile.Error, OSError, ValueError, IndexError) as error:
        raise Refused("archive_broken", file.name, **why(error)) from error
    largest, meter = 1 << 20, Meter(budget, file)
    for member in members:
        path = naming.path_of(member.filename, file.name)
        if member.is_symlink() and naming.points_out(path, (member.file_redir or (0, 0, "/"))[2]):
            raise Refused("archive_link_escapes", file.name, name=path)
        size = int(member.file_size or 0)
        meter.take(files=1, size_bytes=size)
        largest = max(largest, size)
    return largest
