"""Repositories: which content, manifests and tags each has. Everything happens with the project's books locked."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.accounts import audit
from tidemill.accounts.access import Caller
from tidemill.images.registry.manifests import Manifest
from tidemill.images.tables import ChildRow, ImageRow, ManifestRow
from tidemill.kernel.db import upsert
from tidemill.kernel.errors import Conflict, Invalid, NotFound
from tidemill.kernel.ids import new_id
from tidemill.store import blobs, pins
from tidemill.store.tables import BlobRow, PinRow

TOUCH_EVERY = timedelta(minutes=10)
SHOWN_MISSING = 20


@dataclass(frozen=True, slots=True)
class Repository:
    """A name in a project."""

    project_id: str
    name: str

    @property
    def owner(self) -> str:
        """Who uses the content, as the store's pins say it."""
        return f"repository/{self.name}"

    def holds(self, table: Any) -> sa.ColumnElement[bool]:
        return sa.and_(table.project_id == self.project_id, table.name == self.name)


def find_blob(session: Session, place: Repository, digest: str) -> PinRow | None:
    """Content of the repository, which the caller may have."""
    return session.get(PinRow, (place.project_id, place.owner, digest))


def is_promised(found: PinRow, now: datetime) -> bool:
    """Whether somebody was told just now that the content is here."""
    return found.touched_at is not None and found.touched_at >= now - TOUCH_EVERY


def promise_blob(session: Session, place: Repository, digest: str, now: datetime) -> None:
    """Somebody who may push is told that the content is here: it stays for a while, even if its last manifest goes."""
    blobs.lock_project(session, place.project_id)
    found = find_blob(session, place, digest)
    if found is None:
        raise NotFound("registry_blob_unknown", digest=f"sha256:{digest}")
    pins.pin(session, place.project_id, place.owner, {digest: found.size_bytes}, touched_at=now)


def add_blob(session: Session, place: Repository, digest: str, size_bytes: int, now: datetime) -> None:
    """The repository has content that its project has already."""
    pins.pin(session, place.project_id, place.owner, {digest: size_bytes}, touched_at=now)


def mount_blob(session: Session, place: Repository, digest: str, source: Repository | None, now: datetime) -> bool:
    """Takes content over from a repository the caller may read, or from any of the project; whether it was there."""
    blobs.lock_project(session, place.project_id)
    there = sa.select(PinRow).where(PinRow.digest == digest, PinRow.owner.startswith("repository/", autoescape=True))
    if source is None:
        there = there.where(PinRow.project_id == place.project_id)
    else:
        there = there.where(PinRow.project_id == source.project_id, PinRow.owner == source.owner)
    found = session.scalars(there.limit(1)).first()
    if found is None:
        return False
    if found.project_id != place.project_id:
        blob = session.get(BlobRow, digest, with_for_update=True)
        if blob is None or blob.state != "live":
            # On its way out at this very moment: the bytes must be sent.
            return False
        blobs.reserve(session, place.project_id, {digest: found.size_bytes}, now)
    add_blob(session, place, digest, found.size_bytes, now)
    return True


def delete_blob(session: Session, place: Repository, digest: str) -> None:
    """Removes content no manifest needs."""
    blobs.lock_project(session, place.project_id)
    if find_blob(session, place, digest) is None:
        raise NotFound("registry_blob_unknown", digest=digest)
    if not _is_free(session, place, digest):
        raise Conflict("registry_blob_in_use", digest=digest)
    pins.unpin(session, place.project_id, place.owner, [digest])


def put_manifest(
    session: Session,
    place: Repository,
    digest: str,
    size_bytes: int,
    manifest: Manifest,
    *,
    tag: str | None,
    by: Caller,
) -> None:
    """Enters a manifest whose bytes are in the store and whose children are all here."""
    blobs.lock_project(session, place.project_id)
    total_bytes = size_bytes + _check_children(session, place, manifest)
    pins.pin(session, place.project_id, place.owner, {digest: size_bytes})
    values = {
        "media_type": manifest.media_type,
        "artifact_type": manifest.artifact_type,
        "subject": manifest.subject,
        "annotations": manifest.annotations,
        "size_bytes": size_bytes,
        "total_bytes": total_bytes,
        "touched_at": by.now,
    }
    keys = {"project_id": place.project_id, "name": place.name, "digest": digest}
    insert = upsert(session, ManifestRow).values(**keys, **values, created_at=by.now)
    session.execute(insert.on_conflict_do_update(index_elements=list(keys), set_=values))
    _enter_children(session, place, digest, manifest)
    if tag is not None:
        put_tag(session, place, tag, digest, total_bytes, by=by)


def put_tag(session: Session, place: Repository, tag: str, digest: str, size_bytes: int, *, by: Caller) -> ImageRow:
    """The tag stands for this manifest from now on."""
    row = find_tag(session, place, tag)
    before = None
    if row is None:
        row = ImageRow(
            id=new_id("img"),
            project_id=place.project_id,
            name=place.name,
            version=tag,
            kind="oci",
            search_key=f"{place.name}:{tag}".casefold(),
        )
        session.add(row)
    elif row.kind != "oci":
        raise Conflict("registry_tag_taken", image=f"{place.name}:{tag}")
    else:
        before = {"digest": row.digest}
        _touch_manifest(session, place, row.digest.removeprefix("sha256:"), by.now)
    row.state, row.digest, row.size_bytes, row.problem = "ready", f"sha256:{digest}", size_bytes, None
    row.created_at, row.created_by, row.updated_at = by.now, by.user_name, by.now
    session.flush()
    record(session, "image.push", row, by=by, before=before, after={"digest": row.digest, "size_bytes": size_bytes})
    return row


def find_tag(session: Session, place: Repository, tag: str) -> ImageRow | None:
    """The image of that version, of whatever kind."""
    return session.scalar(sa.select(ImageRow).where(place.holds(ImageRow), ImageRow.version == tag))


def find_manifest(session: Session, place: Repository, reference: str) -> ManifestRow | None:
    """The manifest by its tag or digest (`sha256:…`)."""
    digest = reference
    if not reference.startswith("sha256:"):
        row = find_tag(session, place, reference)
        if row is None or row.kind != "oci":
            return None
        digest = row.digest
    return session.get(ManifestRow, (place.project_id, place.name, digest.removeprefix("sha256:")))


def delete_tag(session: Session, place: Repository, tag: str, *, by: Caller) -> None:
    """Removes a tag; the manifest stays, until it is collected."""
    blobs.lock_project(session, place.project_id)
    row = find_tag(session, place, tag)
    if row is None or row.kind != "oci":
        raise NotFound("registry_manifest_unknown", reference=tag)
    _touch_manifest(session, place, row.digest.removeprefix("sha256:"), by.now)
    _delete_tag_row(session, row, by)


def delete_manifest(session: Session, place: Repository, digest: str, *, by: Caller, cascade: bool = False) -> None:
    """Removes a manifest with its tags and what only it needed; with `cascade` the manifests only it named too."""
    blobs.lock_project(session, place.project_id)
    row = session.get(ManifestRow, (place.project_id, place.name, digest))
    if row is None:
        raise NotFound("registry_manifest_unknown", reference=f"sha256:{digest}")
    if _is_child(session, place, digest):
        raise Conflict("registry_manifest_in_use", digest=f"sha256:{digest}")
    for image in session.scalars(_tags_of(place, digest)).all():
        _delete_tag_row(session, image, by)
    children = session.execute(
        sa.select(ChildRow.child, ChildRow.is_manifest).where(place.holds(ChildRow), ChildRow.manifest == digest)
    ).all()
    session.execute(sa.delete(ChildRow).where(place.holds(ChildRow), ChildRow.manifest == digest))
    session.delete(row)
    session.flush()
    _release_free(session, place, [digest, *(child.child for child in children if not child.is_manifest)])
    for child in children:
        if child.is_manifest and cascade and _is_loose(session, place, child.child):
            delete_manifest(session, place, child.child, by=by, cascade=True)


def drop_image(session: Session, row: ImageRow, *, by: Caller) -> None:
    """Removes a tag, and its manifest with all it needs when nothing else in the repository names it."""
    place = Repository(row.project_id, row.name)
    digest = row.digest.removeprefix("sha256:")
    delete_tag(session, place, row.version, by=by)
    if session.get(ManifestRow, (*_key(place), digest)) and _is_loose(session, place, digest):
        delete_manifest(session, place, digest, by=by, cascade=True)


def is_known(session: Session, place: Repository) -> bool:
    """Whether anything was ever pushed there and is still there."""
    return session.scalar(sa.select(ManifestRow.digest).where(place.holds(ManifestRow)).limit(1)) is not None


def record(session: Session, action: str, row: ImageRow, *, by: Caller, **changes: Any) -> None:
    """Writes down a change of an image."""
    audit.record(
        session,
        action,
        by=by,
        project_id=row.project_id,
        target_kind="image",
        target_id=row.id,
        target_name=f"{row.name}:{row.version}",
        **changes,
    )


def _check_children(session: Session, place: Repository, manifest: Manifest) -> int:
    """All children's bytes together; raises when one is missing, or is not as large as it was said to be."""
    own = pins.pinned_sizes(session, place.project_id, place.owner, manifest.children)
    rows = sa.select(ManifestRow.digest, ManifestRow.total_bytes).where(place.holds(ManifestRow))
    wanted = [child.digest for child in manifest.children.values() if child.is_manifest]
    totals = {row.digest: row.total_bytes for row in session.execute(rows.where(ManifestRow.digest.in_(wanted)))}
    missing = [
        child.digest
        for child in manifest.children.values()
        if child.digest not in own or (child.is_manifest and child.digest not in totals)
    ]
    if missing:
        shown = [{"digest": f"sha256:{digest}"} for digest in missing[:SHOWN_MISSING]]
        raise NotFound("registry_child_unknown", count=len(missing), digest=f"sha256:{missing[0]}", details=shown)
    for child in manifest.children.values():
        if own[child.digest] != child.size_bytes:
            raise Invalid("registry_manifest_invalid", reason=f"the size of sha256:{child.digest} is not right")
    return sum(totals.get(digest, size) for digest, size in own.items())


def _enter_children(session: Session, place: Repository, digest: str, manifest: Manifest) -> None:
    blobs_only = {c.digest: c.size_bytes for c in manifest.children.values() if not c.is_manifest}
    pins.pin(session, place.project_id, place.owner, blobs_only)
    rows = [
        {
            "project_id": place.project_id,
            "name": place.name,
            "manifest": digest,
            "child": child.digest,
            "is_manifest": child.is_manifest,
        }
        for child in manifest.children.values()
    ]
    if rows:
        session.connection().execute(upsert(session, ChildRow).on_conflict_do_nothing(), rows)


def _release_free(session: Session, place: Repository, digests: Iterable[str]) -> None:
    """Gives up content that no manifest needs and nobody was promised."""
    found = filter(None, (find_blob(session, place, digest) for digest in digests))
    unclaimed = [blob.digest for blob in found if blob.touched_at is None]
    free = [digest for digest in unclaimed if _is_free(session, place, digest)]
    pins.unpin(session, place.project_id, place.owner, free)


def _is_free(session: Session, place: Repository, digest: str) -> bool:
    is_manifest = session.get(ManifestRow, (*_key(place), digest)) is not None
    return not is_manifest and not _is_child(session, place, digest)


def _is_child(session: Session, place: Repository, digest: str) -> bool:
    parents = sa.select(ChildRow.manifest).where(place.holds(ChildRow), ChildRow.child == digest)
    return session.scalar(parents.limit(1)) is not None


def _is_loose(session: Session, place: Repository, digest: str) -> bool:
    """No tag and no other manifest names it."""
    tag = session.scalar(_tags_of(place, digest).with_only_columns(ImageRow.id).limit(1))
    return tag is None and not _is_child(session, place, digest)


def _tags_of(place: Repository, digest: str) -> sa.Select[Any]:
    return sa.select(ImageRow).where(
        place.holds(ImageRow), ImageRow.kind == "oci", ImageRow.digest == f"sha256:{digest}"
    )


def _delete_tag_row(session: Session, row: ImageRow, by: Caller) -> None:
    record(session, "image.delete", row, by=by, before={"digest": row.digest, "size_bytes": row.size_bytes})
    session.delete(row)
    session.flush()


def _touch_manifest(session: Session, place: Repository, digest: str, now: datetime) -> None:
    session.execute(
        sa.update(ManifestRow).where(place.holds(ManifestRow), ManifestRow.digest == digest).values(touched_at=now)
    )


def _key(place: Repository) -> tuple[str, str]:
    return place.project_id, place.name
