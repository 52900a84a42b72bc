"""The program of an import's workload."""

import sys
from pathlib import Path
from typing import Any

from tidemill.datasets.importing.films import with_frames
from tidemill.datasets.importing.importer import Importer
from tidemill.datasets.importing.opening import open_feed
from tidemill.datasets.works.office import Office
from tidemill.datasets.works.program import run


def import_all(office: Office, task: dict[str, Any], scratch: Path) -> None:
    """Reads everything and has it kept."""
    feed = open_feed(office, task, scratch)
    try:
        office.progress("importing", format=feed.format, total=feed.total)
        records = with_frames(feed.records(), feed.source, task["asked"].get("video"), scratch)
        Importer(office, task, feed, scratch).run(records)
    finally:
        feed.close()
    office.finish()


if __name__ == "__main__":
    sys.exit(run(import_all))
