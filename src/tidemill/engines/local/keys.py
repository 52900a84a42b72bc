"""The key by which the nodes of one launch reach each other, and nobody else."""

import os
import shlex
from pathlib import Path
from typing import Any

from tidemill.engines.base import EngineError

PORT = "ssh.json"
"""In a node's folder, once its server listens."""


def write_keys(folder: Path, record: dict[str, Any], seen_at: str) -> None:
    """Makes the launch's own key pair, and what OpenSSH's client needs. `seen_at`: where nodes see the shared files."""
    try:
        import asyncssh
    except ImportError:
        raise EngineError("launches on several nodes need asyncssh: pip install 'tidemill[server]'") from None
    shared = folder / "shared"
    for place in (shared / "ssh", shared / "bin"):
        place.mkdir(mode=0o755)
    key = asyncssh.generate_private_key("ssh-ed25519", comment=record["id"])
    _write(shared / "ssh" / "key", key.export_private_key(), 0o600)
    _write(shared / "ssh" / "key.pub", key.export_public_key(), 0o644)
    for program in ("ssh", "scp", "sftp"):
        text = f'#!/bin/sh\nexec /usr/bin/{program} -F {shlex.quote(seen_at)}/ssh/config "$@"\n'
        _write(shared / "bin" / program, text.encode(), 0o755)
    # Filled in by the runners when the ports are known; a sandbox must find the files to mount them.
    _write(shared / "ssh" / "config", b"", 0o644)
    _write(shared / "ssh" / "known_hosts", b"", 0o644)


def _write(path: Path, data: bytes, mode: int) -> None:
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    try:
        os.write(handle, data)
    finally:
        os.close(handle)
