"""Where the log goes: short lines to the terminal, full lines to a file in the home that never grows without end."""

import logging
import logging.handlers
import sys
import time
from pathlib import Path

from tidemill.server.cannot_start import CannotStart

FILE_BYTES = 10 * 1024 * 1024
FILES_KEPT = 5


def start_logs(home: Path) -> None:
    """Sends what is logged to stderr, briefly, and to `logs/tidemill.log` in the home, with date and thread."""
    folder = home / "logs"
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        file = logging.handlers.RotatingFileHandler(
            folder / "tidemill.log", maxBytes=FILE_BYTES, backupCount=FILES_KEPT, encoding="utf-8"
        )
    except OSError as error:
        raise CannotStart("up_home_unwritable", home=folder, reason=error.strerror or error) from None
    file.setFormatter(_UtcFormatter("%(asctime)s %(levelname)s %(name)s [%(threadName)s] %(message)s"))
    terminal = logging.StreamHandler(sys.stderr)
    terminal.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s", "%H:%M:%S"))
    logging.basicConfig(level=logging.INFO, handlers=[file, terminal], force=True)
    # Uvicorn tells of every step of its own; only what went wrong is news.
    logging.getLogger("uvicorn").setLevel(logging.WARNING)
    logging.getLogger("alembic").setLevel(logging.WARNING)


class _UtcFormatter(logging.Formatter):
    converter = staticmethod(time.gmtime)
    default_time_format = "%Y-%m-%dT%H:%M:%S"
    default_msec_format = "%s.%03dZ"
