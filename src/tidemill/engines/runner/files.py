"""Small records on disk: whole or not there."""

import contextlib
import json
import os

Record = dict[str, object]


def read_record(path: str) -> "Record | None":
    """The record, or None when there is none."""
    try:
        with open(path, "rb") as file:
            found: Record = json.loads(file.read())
    except (FileNotFoundError, NotADirectoryError):
        return None
    return found


def write_record(path: str, record: object, *, sync: bool = False) -> None:
    """Puts the record there, replacing what was."""
    temporary = _write_beside(path, record, sync=sync)
    os.rename(temporary, path)
    if sync:
        sync_folder(os.path.dirname(path) or ".")


def write_record_once(path: str, record: object, *, sync: bool = False) -> bool:
    """Puts the record there unless there is one; says whether it did."""
    temporary = _write_beside(path, record, sync=sync)
    try:
        os.link(temporary, path)
    except FileExistsError:
        return False
    finally:
        os.unlink(temporary)
    if sync:
        sync_folder(os.path.dirname(path) or ".")
    return True


def sync_folder(path: str) -> None:
    """Waits until the names in a folder are on disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def remove_file(path: str) -> None:
    """Removes a file that may be gone."""
    with contextlib.suppress(FileNotFoundError):
        os.unlink(path)


def _write_beside(path: str, record: object, *, sync: bool) -> str:
    temporary = f"{path}.{os.getpid()}.{os.urandom(4).hex()}"
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        os.write(handle, json.dumps(record).encode())
        if sync:
            os.fsync(handle)
    finally:
        os.close(handle)
    return temporary
