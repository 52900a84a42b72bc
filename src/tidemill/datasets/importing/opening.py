"""From what was asked for to a feed of records."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tidemill.datasets.importing import from_addresses, from_database
from tidemill.datasets.importing.feeds import Feed, Record
from tidemill.datasets.importing.from_bucket import Bucket
from tidemill.datasets.importing.from_server import open_server_path
from tidemill.datasets.importing.from_version import version_records
from tidemill.datasets.notes import Refused
from tidemill.datasets.sources import MemorySource, Source, open_source
from tidemill.datasets.sources.folder import FolderSource
from tidemill.datasets.sources.limits import Budget, Limits
from tidemill.datasets.works import registry
from tidemill.datasets.works.office import Office

LOOSE = "in"


def open_feed(office: Office, task: dict[str, Any], scratch: Path) -> Feed:
    """The records of the import; raises Refused where there is nothing to be read."""
    asked = task["asked"]
    source = asked["source"]
    kind = source["type"]
    if kind in {"mysql", "postgresql"}:
        return _rows(office, source, task, scratch)
    if kind == "dataset":
        return _version(office, source, task, scratch)
    if kind == "addresses":
        return _addresses(office, source, task, scratch)
    if kind == "s3":
        office.progress("listing")
        return _formatted(Bucket(source, scratch), task, is_parallel=True)
    if kind == "server":
        office.progress("listing")
        return _formatted(open_server_path(office, source["path"], scratch), task)
    return _formatted(_sent(office, source["files"], scratch), task)


def _formatted(source: Source, task: dict[str, Any], *, is_parallel: bool = False) -> Feed:
    """A source in one of the formats: the one asked for, or the one it looks most like."""
    try:
        reader = registry.choose(source, task["asked"].get("format"))
    except BaseException:
        source.close()
        raise
    options = {"annotation_type": task["annotation_type"], "data_type": task["data_type"], **task["asked"]["options"]}

    def records() -> Iterator[Record]:
        yield from source.notes
        yield from reader.read(source, options)

    total = sum(1 for _ in source.entries())
    return Feed(source, records, reader.name, total, is_parallel=is_parallel)


def _sent(office: Office, files: list[dict[str, Any]], scratch: Path) -> Source:
    """Files that were sent, brought here. One alone is opened under its own name, several as the folder they were."""
    office.progress("fetching")
    folder = scratch / LOOSE
    folder.mkdir(exist_ok=True)
    if len(files) == 1:
        target = folder / "0"
        office.fetch_input(0, target, files[0]["size_bytes"])
        return open_source(target, scratch=scratch / "opened", name=files[0]["name"].rpartition("/")[2])
    for index, file in enumerate(files):
        target = folder / file["name"]
        target.parent.mkdir(parents=True, exist_ok=True)
        office.fetch_input(index, target, file["size_bytes"])
        office.progress("fetching", now=False)
    return open_source(folder, scratch=scratch / "opened")


def _addresses(office: Office, source: dict[str, Any], task: dict[str, Any], scratch: Path) -> Feed:
    """Labels that were given with addresses are classes; without any, what came is read like files that were sent."""
    office.progress("fetching")
    addresses = source["addresses"]
    fetched = from_addresses.Fetched(addresses, scratch / "fetched")
    fetched.fetch(office)
    if not fetched.names:
        raise Refused("addresses_none", **(fetched.notes[0].params if fetched.notes else {"reason": "address_wrong"}))
    if task["asked"].get("format") is None and (len(addresses) > 1 or any(one.get("label") for one in addresses)):
        folder = FolderSource(scratch / "fetched", Budget(Limits()))
        records = lambda: from_addresses.labelled_records(fetched, addresses)  # noqa: E731
        return Feed(folder, records, "addresses", len(addresses))
    renamed = scratch / "named"
    for place, name in fetched.names.items():
        target = renamed / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if not target.exists():
            target.hardlink_to(fetched.place(place))
    opened = open_source(renamed, scratch=scratch / "opened")
    opened.notes += fetched.notes
    return _formatted(opened, task)


def _rows(office: Office, source: dict[str, Any], task: dict[str, Any], scratch: Path) -> Feed:
    office.progress("fetching")
    file = scratch / "rows.jsonl"
    from_database.fetch_rows(office, source, file)
    records = lambda: from_database.row_records(file, source, task["data_type"])  # noqa: E731
    return Feed(MemorySource({}), records, source["type"], from_database.count_rows(file))


def _version(office: Office, source: dict[str, Any], task: dict[str, Any], scratch: Path) -> Feed:
    """The version's files are mounted beside the scratch folder."""

    def records() -> Iterator[Record]:
        return version_records(
            office.items(), task["labels"], scratch.parent / "source", with_annotations=source["with_annotations"]
        )

    return Feed(MemorySource({}), records, "dataset", task["items"])
