"""The folder everything is kept in: made, checked, and held by one server at a time."""

import errno
import fcntl
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tidemill.server.cannot_start import CannotStart

LOCK_FILE = "tidemill.lock"


def prepare_home(home: Path) -> None:
    """The folder is there and ours to write in; one that we make is closed to everyone else."""
    try:
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
        (home / LOCK_FILE).touch(mode=0o600)
    except (FileExistsError, NotADirectoryError):
        raise CannotStart("up_home_not_a_folder", home=home) from None
    except OSError as error:
        raise CannotStart("up_home_unwritable", home=home, reason=error.strerror or error) from None


def is_open_to_others(home: Path) -> bool:
    """Whether other users of this machine can put files into the home."""
    return bool(home.stat().st_mode & (stat.S_IWGRP | stat.S_IWOTH))


@contextmanager
def hold_home(home: Path, address: str) -> Iterator[None]:
    """Keeps other servers out until the block ends; the kernel lets go when the process dies, however it dies."""
    with (home / LOCK_FILE).open("r+", encoding="utf-8") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno not in {errno.EWOULDBLOCK, errno.EACCES}:
                raise CannotStart("up_home_unwritable", home=home, reason=error.strerror or error) from None
            raise CannotStart("up_home_in_use", home=home, holder=file.read().strip() or "?") from None
        file.truncate()
        file.write(f"{address} (pid {os.getpid()})\n")
        file.flush()
        yield
