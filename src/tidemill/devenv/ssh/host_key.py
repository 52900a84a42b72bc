"""The gateway's own key, by which clients know that they reached the same platform as last time."""

import os
import secrets
from pathlib import Path

import asyncssh

ALGORITHM = "ssh-ed25519"


def load_host_key(home: Path) -> asyncssh.SSHKey:
    """The key of this home, made at the first start, readable by its owner only."""
    file = home / "keys" / "ssh_host_ed25519_key"
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    if not file.exists():
        _make(file)
    return asyncssh.read_private_key(file)


def _make(file: Path) -> None:
    """Whole or not at all: written aside, then given its name unless another process was first."""
    aside = file.with_name(f"{file.name}.{secrets.token_hex(8)}")
    descriptor = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        os.write(descriptor, asyncssh.generate_private_key(ALGORITHM).export_private_key())
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    try:
        os.link(aside, file)
    except FileExistsError:
        return
    finally:
        aside.unlink()
