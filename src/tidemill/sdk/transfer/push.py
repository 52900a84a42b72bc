"""A folder becomes a version.

Bytes first, then the version: everything is in the store before the draft is made, so that a push which is killed
leaves nothing behind but bytes that the next one finds.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from tidemill.kernel.errors import Conflict, Invalid, NotFound, TooLarge
from tidemill.sdk.language import problem
from tidemill.sdk.refs import Ref, address
from tidemill.sdk.transfer.batches import SMALL_BYTES, Content, send_batches
from tidemill.sdk.transfer.digests import DigestCache, digest_files
from tidemill.sdk.transfer.progress import Meter, Watch
from tidemill.sdk.transfer.scan import LocalFile, Scan, scan
from tidemill.sdk.transfer.uploads import send_uploads
from tidemill.sdk.views import Version

if TYPE_CHECKING:
    from tidemill.sdk.client import Client
    from tidemill.sdk.resources.assets import Assets

ASKED_AT_ONCE = 5000
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class PushOptions:
    """How to push; see `Assets.push`."""

    scene: str = "other"
    description: str = ""
    note: str | None = None
    draft: bool = False
    add: bool = False
    links: str = "inside"


@dataclass(frozen=True, slots=True)
class Pushed:
    """What a push did."""

    version: Version
    files: int
    size_bytes: int
    sent_files: int
    sent_bytes: int
    skipped: list[str] = field(default_factory=list)


def push(
    client: "Client", assets: "Assets", source: Path, ref: Ref, options: PushOptions, watch: Watch | None
) -> Pushed:
    """Sends what the server lacks, then makes the version out of it."""
    meter = Meter(watch)
    existing = _find_draft(assets, ref)
    found, digests = _look(source, options, meter)
    project = ref.project or client.project_name()
    _ensure_asset(assets, ref, options)
    sent = _send_missing(client, project, _contents(found, digests), meter)
    draft = existing or assets.create_version(ref, origin=_origin(assets, ref, options), note=options.note)
    place = replace(ref, version=str(draft.number))
    try:
        version = _fill(assets, place, found, digests, options, client, meter)
    except (Invalid, Conflict, TooLarge):
        # The server will not have it, now or later: a draft that was made for it would only be in the way.
        if existing is None:
            assets.delete_version(place)
        raise
    return Pushed(
        version=version,
        files=len(found.files),
        size_bytes=found.size_bytes,
        sent_files=len(sent),
        sent_bytes=sum(content.file.size_bytes for content in sent),
        skipped=found.skipped,
    )


def _look(source: Path, options: PushOptions, meter: Meter) -> tuple[Scan, dict[str, str]]:
    """The files there are, and their digests by path."""
    meter.begin("scan")
    try:
        found = scan(source, links=options.links)
    except OSError as error:
        raise problem(Invalid, "sdk_source_unreadable", path=error.filename, cause=error.strerror) from error
    if not found.files:
        raise problem(Invalid, "sdk_source_empty", path=source)
    cache = DigestCache()
    try:
        return found, digest_files(found.files.values(), cache, source.resolve(), meter)
    finally:
        cache.close()


def _find_draft(assets: "Assets", ref: Ref) -> Version | None:
    """The draft that was named; a committed version is refused before any byte is read."""
    if ref.version is None:
        return None
    version = assets.version(ref)
    if version.state != "draft":
        raise problem(Conflict, "sdk_not_draft", version=version.name)
    return version


def _ensure_asset(assets: "Assets", ref: Ref, options: PushOptions) -> None:
    """Makes the asset when there is none; done before the bytes, so that a bad name is told early."""
    try:
        assets.get(ref)
    except NotFound:
        if ref.version is not None:
            raise
        assets.create(ref.name, scene=options.scene, description=options.description, project=ref.project)


def _origin(assets: "Assets", ref: Ref, options: PushOptions) -> str | None:
    if not options.add:
        return None
    latest = assets.get(ref).latest_version
    return None if latest is None else str(latest)


def _contents(found: Scan, digests: dict[str, str]) -> dict[str, Content]:
    """What there is to have, each content once."""
    return {digests[path]: Content(digests[path], file) for path, file in found.files.items()}


def _send_missing(client: "Client", project: str, contents: dict[str, Content], meter: Meter) -> list[Content]:
    """Sends what neither the project nor the public project has."""
    missing = [contents[digest] for digest in _ask_missing(client, project, contents)]
    meter.begin("send", total_files=len(missing), total_bytes=sum(content.file.size_bytes for content in missing))
    small = [content for content in missing if content.file.size_bytes <= SMALL_BYTES]
    large = [content for content in missing if content.file.size_bytes > SMALL_BYTES]
    if small:
        send_batches(client.transport, project, small, client.meta().limits, meter)
    if large:
        send_uploads(client.transport, project, large, meter)
    return missing


def _ask_missing(client: "Client", project: str, contents: dict[str, Content]) -> Iterator[str]:
    path = address("projects", project, "blobs", "missing")
    for some in _in_parts(list(contents.values()), ASKED_AT_ONCE):
        asked = [{"sha256": content.digest, "size_bytes": content.file.size_bytes} for content in some]
        yield from client.transport.call("POST", path, json={"blobs": asked})["missing"]


def _fill(
    assets: "Assets",
    ref: Ref,
    found: Scan,
    digests: dict[str, str],
    options: PushOptions,
    client: "Client",
    meter: Meter,
) -> Version:
    """Makes the draft hold the files, and commits it unless told otherwise."""
    there = {line.path: line.sha256 for line in assets.manifest(ref)} if assets.version(ref).files else {}
    gone = [] if options.add else _gone(there, found.files)
    for some in _in_parts(gone, ASKED_AT_ONCE):
        assets.delete_files(ref, some)
    changed = [file for path, file in found.files.items() if there.get(path) != digests[path]]
    meter.begin("attach", total_files=len(changed))
    for files in _in_parts(changed, ASKED_AT_ONCE):
        _attach(assets, ref, files, digests, client)
        meter.add(files=len(files))
    return assets.version(ref) if options.draft else assets.commit(ref, note=options.note)


def _gone(there: dict[str, str], wanted: dict[str, LocalFile]) -> list[str]:
    """Files to take out; also a file in whose place there is a folder now."""
    return [path for path in there if path not in wanted]


def _attach(assets: "Assets", ref: Ref, files: Sequence[LocalFile], digests: dict[str, str], client: "Client") -> None:
    path = assets.version_address(ref, "files", "attach")
    entries = [{"path": f.path, "sha256": digests[f.path], "size_bytes": f.size_bytes} for f in files]
    try:
        client.transport.call("POST", path, json={"entries": entries})
    except Invalid as error:
        if error.code != "blob_missing":
            raise
        # The bytes were collected in between: a push that was interrupted for longer than they are kept.
        contents = {digests[f.path]: Content(digests[f.path], f) for f in files}
        _send_missing(client, client.project_name(ref.project), contents, Meter(None))
        client.transport.call("POST", path, json={"entries": entries})


def _in_parts(items: list[T], size: int) -> Iterator[list[T]]:
    waiting: Iterator[Any] = iter(items)
    while part := list(islice(waiting, size)):
        yield part
