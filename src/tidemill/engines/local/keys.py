"""The key by which the nodes of one launch reach each other, and nobody else."""

from pathlib import Path
from typing import Any


def write_keys(folder: Path, record: dict[str, Any]) -> None:
    """Makes the launch's own key pair, and the files OpenSSH's client reads."""
    raise NotImplementedError
