"""What nobody needs any more: manifests without tags, content without manifests, environments without images,
images in the container engine that are none of ours any more.
"""

from datetime import datetime, timedelta

import sqlalchemy as sa
from sqlalchemy.orm import Session, aliased

from tidemill.accounts.access import system_caller
from tidemill.images import remote
from tidemill.images.depot import Images
from tidemill.images.environments import own_digest
from tidemill.images.registry.repositories import Repository, delete_manifest
from tidemill.images.schemas import Kind
from tidemill.images.tables import ChildRow, ImageRow, ManifestRow
from tidemill.images.unloading import unload
from tidemill.store import blobs, pins
from tidemill.store.tables import PinRow

BATCH = 200
PREFIX = "repository/"
CREDENTIALS_KEPT_S = 24 * 3600.0


def tidy(images: Images) -> None:
    """One turn: everything that is past its time. Safe to be stopped at any moment, and to run beside pushes."""
    now, settings = images.clock(), images.settings
    while _drop_manifests(images, now - timedelta(days=settings.upload_days)):
        continue
    while _drop_blobs(images, now - timedelta(hours=settings.gc_grace_hours)):
        continue
    _drop_environments(images, now - timedelta(days=settings.upload_days))
    _drop_loaded(images)
    remote.forget_old_credentials(settings.home / "pulls", now.timestamp() - CREDENTIALS_KEPT_S)


def _drop_manifests(images: Images, before: datetime) -> bool:
    """Those that no tag, no other manifest and no subject holds."""
    with images.db.read() as session:
        rows = session.scalars(_loose(before).limit(BATCH)).all()
    for row in rows:
        with images.db.write() as session:
            blobs.lock_project(session, row.project_id)
            still = _loose(before).where(
                ManifestRow.project_id == row.project_id,
                ManifestRow.name == row.name,
                ManifestRow.digest == row.digest,
            )
            if session.scalar(still) is not None:
                place = Repository(row.project_id, row.name)
                delete_manifest(session, place, row.digest, by=system_caller(images.clock()))
    return len(rows) == BATCH


def _loose(before: datetime) -> sa.Select[ManifestRow]:
    subject = aliased(ManifestRow)
    here = sa.and_(ImageRow.project_id == ManifestRow.project_id, ImageRow.name == ManifestRow.name)
    tagged = sa.exists().where(here, ImageRow.digest == sa.literal("sha256:").concat(ManifestRow.digest))
    inside = sa.and_(ChildRow.project_id == ManifestRow.project_id, ChildRow.name == ManifestRow.name)
    named = sa.exists().where(inside, ChildRow.child == ManifestRow.digest)
    beside = sa.and_(subject.project_id == ManifestRow.project_id, subject.name == ManifestRow.name)
    about = sa.exists().where(beside, subject.digest == ManifestRow.subject)
    return sa.select(ManifestRow).where(ManifestRow.touched_at < before, ~tagged, ~named, ~about)


def _drop_blobs(images: Images, before: datetime) -> bool:
    """Content that was sent and never became part of a manifest."""
    with images.db.read() as session:
        rows = session.scalars(_unnamed(before).limit(BATCH)).all()
    for row in rows:
        with images.db.write() as session:
            _drop_blob(session, row, before)
    return len(rows) == BATCH


def _drop_blob(session: Session, row: PinRow, before: datetime) -> None:
    blobs.lock_project(session, row.project_id)
    same = sa.and_(PinRow.project_id == row.project_id, PinRow.owner == row.owner, PinRow.digest == row.digest)
    if session.scalar(_unnamed(before).where(same)) is not None:
        pins.unpin(session, row.project_id, row.owner, [row.digest])
        return
    # A manifest names it: it is no longer merely promised.
    session.execute(sa.update(PinRow).where(same, PinRow.touched_at < before).values(touched_at=None))


def _unnamed(before: datetime) -> sa.Select[PinRow]:
    owner = sa.literal(PREFIX).concat(ChildRow.name)
    named = sa.exists().where(
        ChildRow.project_id == PinRow.project_id, owner == PinRow.owner, ChildRow.child == PinRow.digest
    )
    itself = sa.literal(PREFIX).concat(ManifestRow.name)
    manifest = sa.exists().where(
        ManifestRow.project_id == PinRow.project_id, itself == PinRow.owner, ManifestRow.digest == PinRow.digest
    )
    of_registry = PinRow.owner.startswith(PREFIX, autoescape=True)
    return sa.select(PinRow).where(of_registry, PinRow.touched_at < before, ~named, ~manifest)


def _drop_environments(images: Images, before: datetime) -> None:
    keep = _digests(images, "python")
    images.environments.collect({*keep, own_digest()}, before_s=before.timestamp())


def _drop_loaded(images: Images) -> None:
    unload(images, _digests(images, "oci"))


def _digests(images: Images, kind: Kind) -> set[str]:
    """Of all images there are, and of those deleted ones that something still runs in."""
    with images.db.read() as session:
        known = set(session.scalars(sa.select(ImageRow.digest).where(ImageRow.kind == kind)))
        return known | {digest for room in images.users for digest in room.digests(session)}
