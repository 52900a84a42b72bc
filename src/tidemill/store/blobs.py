"""Who holds which content: the books of the store.

A project is charged for the distinct content it holds, whether or not others hold the same. It may use a digest without
sending the bytes only when it holds it already, or the public project does; what other projects have stays unknown.

Every function that writes takes the project's row first, so that all changes to one project's books wait for each other
and never deadlock.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.kernel.db import Base, upsert
from tidemill.kernel.errors import Conflict, Invalid, TooLarge
from tidemill.kernel.ids import new_id
from tidemill.store.sql import among, insert_rows, moment, table_of
from tidemill.store.tables import UNFINISHED, BlobRow, HoldingRow, UploadRow

PUBLIC = "public"
SHOWN_MISSING = 5000

_RESERVED = """ON CONFLICT (digest) DO UPDATE SET touched_at = excluded.touched_at,
    state = CASE WHEN blobs.state = 'live' THEN 'live' ELSE 'placing' END RETURNING digest, generation, state"""
_CLAIMED = "ON CONFLICT (project_id, digest) DO UPDATE SET touched_at = excluded.touched_at"
_USED = "ON CONFLICT (project_id, digest) DO UPDATE SET uses = holdings.uses + excluded.uses, touched_at = NULL"


def known(session: Session, project_id: str, digests: Iterable[str], now: datetime) -> set[str]:
    """Those of the digests the project may use without sending them. They are kept for a while, to be used."""
    owners = [project_id, *_public_id(session)]
    for owner in sorted(owners):
        lock_project(session, owner)
    found = {row.digest for row in session.execute(_held_live(session, owners, set(digests)))}
    session.connection().execute(
        sa.update(HoldingRow)
        .where(HoldingRow.project_id.in_(owners), among(session, HoldingRow.digest, found))
        .values(touched_at=now)
    )
    return found


def hold(
    session: Session, project_id: str, wanted: Mapping[str, tuple[int, int]], *, arrived: Collection[str] = ()
) -> None:
    """Adds uses: `{digest: (size_bytes, uses)}`. Raises Invalid for content the project must send first.

    `arrived`: what it has just sent, and what is settled in this transaction: it need not be held before.
    """
    if not wanted:
        return
    lock_project(session, project_id)
    named = {digest: size for digest, size in wanted.items() if digest not in arrived}
    own, public = _find_usable(session, project_id, named)
    _check_usable(named, {**public, **own})
    sent = {digest: size_bytes for digest, (size_bytes, _) in wanted.items() if digest in arrived}
    extra = sum(public[digest] for digest in named if digest not in own) + missing_bytes(session, project_id, sent)
    check_room(session, project_id, extra)
    rows = [(project_id, digest, size_bytes, uses) for digest, (size_bytes, uses) in sorted(wanted.items())]
    # Who adds them is who sent the content: nobody is waiting to use it any more.
    insert_rows(session, "holdings", ("project_id", "digest", "size_bytes", "uses"), rows, then=_USED)
    _charge(session, project_id, extra)


def release(session: Session, project_id: str, given_up: Mapping[str, int]) -> None:
    """Takes uses away. What is used no more is held and charged no more, unless somebody just sent it again."""
    if given_up:
        rows = ((digest, 0, uses) for digest, uses in sorted(given_up.items()))
        release_selected(session, project_id, sa.select(_uses_table(session, rows)))


def hold_selected(session: Session, project_id: str, used: Any) -> None:
    """`hold` for what a statement selects, without bringing it here.

    Columns are `digest`, `size_bytes` and `uses`, one row a digest. The caller knows that the project may use it all.
    """
    lock_project(session, project_id)
    wanted = used.subquery()
    held = sa.exists().where(HoldingRow.project_id == project_id, HoldingRow.digest == wanted.c.digest)
    extra = session.scalar(sa.select(sa.func.coalesce(sa.func.sum(wanted.c.size_bytes), 0)).where(~held)) or 0
    check_room(session, project_id, int(extra))
    _add_uses(session, project_id, wanted)
    _charge(session, project_id, int(extra))


def release_selected(session: Session, project_id: str, used: Any) -> None:
    """`release` for what a statement selects: columns `digest`, `size_bytes` and `uses`, one row a digest."""
    lock_project(session, project_id)
    given_up = used.subquery()
    _add_uses(session, project_id, given_up, sign=-1)
    unclaimed = HoldingRow.touched_at.is_(None)
    _close_holdings(session, project_id, sa.and_(HoldingRow.digest.in_(sa.select(given_up.c.digest)), unclaimed))


def check_room(session: Session, project_id: str, extra_bytes: int, *, besides_upload: str | None = None) -> None:
    """Raises TooLarge when the project's limit leaves no room for that many more bytes.

    Bytes promised to open uploads count as used, except those of the upload the bytes come from.
    """
    lock_project(session, project_id)
    room = room_left(session, project_id, besides_upload=besides_upload)
    if extra_bytes > 0 and room is not None and extra_bytes > room:
        raise TooLarge("storage_limit", needed_bytes=extra_bytes, left_bytes=max(room, 0))


def check_room_for(session: Session, project_id: str, sizes: Mapping[str, int]) -> None:
    """Raises TooLarge when there is no room for what the project does not hold yet of this content."""
    if room_left(session, project_id) is not None:
        check_room(session, project_id, missing_bytes(session, project_id, sizes))


def room_left(session: Session, project_id: str, *, besides_upload: str | None = None) -> int | None:
    """Bytes the project may still take; None when it has no limit."""
    projects = Base.metadata.tables["projects"]
    columns = (projects.c.storage_limit_bytes, projects.c.storage_used_bytes)
    row = session.execute(sa.select(*columns).where(projects.c.id == project_id)).one()
    if row.storage_limit_bytes is None:
        return None
    promised = sa.select(sa.func.coalesce(sa.func.sum(UploadRow.size_bytes), 0)).where(
        UploadRow.project_id == project_id, UploadRow.state.in_(UNFINISHED), UploadRow.id != (besides_upload or "")
    )
    return int(row.storage_limit_bytes) - int(row.storage_used_bytes) - int(session.scalar(promised) or 0)


def lock_project(session: Session, project_id: str) -> None:
    """The project's books are ours until the transaction ends; rows that merely point at the project need not wait."""
    projects = Base.metadata.tables["projects"]
    session.execute(sa.select(projects.c.id).where(projects.c.id == project_id).with_for_update(key_share=True)).one()


def missing_bytes(session: Session, project_id: str, sizes: Mapping[str, int]) -> int:
    """How much of the content the project does not hold yet, and would be charged for."""
    if not sizes:
        return 0
    own = sa.select(HoldingRow.digest).where(HoldingRow.project_id == project_id)
    held = set(session.scalars(own.where(among(session, HoldingRow.digest, sizes))))
    return sum(size for digest, size in sizes.items() if digest not in held)


def reserve(
    session: Session,
    project_id: str | None,
    sizes: Mapping[str, int],
    now: datetime,
    *,
    from_upload: str | None = None,
) -> dict[str, str]:
    """First step of taking content in: enters it in the books, unused.

    From here on the collector leaves it alone for its time of grace. Without a project it is not charged to anybody.
    Returns the digests whose bytes must be placed, with what `settle` wants to know of them.
    """
    if project_id is not None:
        lock_project(session, project_id)
    at, generation = moment(session, now), new_id("gen")
    rows = [(digest, size_bytes, "placing", generation, at, at) for digest, size_bytes in sorted(sizes.items())]
    columns = ("digest", "size_bytes", "state", "generation", "touched_at", "created_at")
    found = insert_rows(session, "blobs", columns, rows, then=_RESERVED)
    if project_id is not None:
        _open_holdings(session, project_id, sizes, now, besides_upload=from_upload)
    return {row.digest: row.generation for row in found if row.state != "live"}


def settle(session: Session, placed: Mapping[str, str]) -> None:
    """Last step of taking content in, after the bytes are in place: it is there.

    Raises Conflict when the collector came first, which takes a pause longer than its time of grace.
    """
    settled = 0
    for generation in sorted(set(placed.values())):
        digests = sorted(digest for digest in placed if placed[digest] == generation)
        meant = sa.and_(among(session, BlobRow.digest, digests), BlobRow.generation == generation)
        here = sa.update(BlobRow).where(meant, BlobRow.state != "deleting").values(state="live")
        settled += session.connection().execute(here).rowcount
    if settled != len(placed):
        raise Conflict("upload_too_slow")


def drop_unused(session: Session, project_id: str, digests: Sequence[str], before: datetime) -> int:
    """Gives up holdings that are still unused and were last touched before that time; how many."""
    lock_project(session, project_id)
    these = among(session, HoldingRow.digest, digests)
    return _close_holdings(session, project_id, sa.and_(these, HoldingRow.touched_at < before))


def _held_live(session: Session, owners: Sequence[str], digests: Iterable[str]) -> Any:
    return (
        sa.select(HoldingRow.project_id, HoldingRow.digest, HoldingRow.size_bytes)
        .join(BlobRow, BlobRow.digest == HoldingRow.digest)
        .where(HoldingRow.project_id.in_(owners), among(session, HoldingRow.digest, digests), BlobRow.state == "live")
    )


def _find_usable(session: Session, project_id: str, digests: Collection[str]) -> tuple[dict[str, int], dict[str, int]]:
    """Sizes of what the project itself holds, and of what the public project holds."""
    own: dict[str, int] = {}
    public: dict[str, int] = {}
    if not digests:
        return own, public
    owners = [project_id, *_public_id(session)]
    for row in session.connection().execute(_held_live(session, owners, digests)):
        (own if row.project_id == project_id else public)[row.digest] = row.size_bytes
    return own, public


def _check_usable(wanted: Mapping[str, tuple[int, int]], usable: Mapping[str, int]) -> None:
    missing = sorted(digest for digest in wanted if digest not in usable)
    if missing:
        raise Invalid("blob_missing", field="sha256", details=missing[:SHOWN_MISSING], count=len(missing))
    for digest, (size, _) in wanted.items():
        if usable[digest] != size:
            raise Invalid("blob_size", field="size_bytes", sha256=digest, size=usable[digest], given=size)


def _open_holdings(
    session: Session,
    project_id: str,
    sizes: Mapping[str, int],
    now: datetime,
    *,
    besides_upload: str | None = None,
) -> None:
    """Holdings with no uses yet; those there already are only touched. Charges what is new, within the limit."""
    if not sizes:
        return
    extra = missing_bytes(session, project_id, sizes)
    check_room(session, project_id, extra, besides_upload=besides_upload)
    at = moment(session, now)
    rows = [(project_id, digest, size_bytes, 0, at) for digest, size_bytes in sorted(sizes.items())]
    columns = ("project_id", "digest", "size_bytes", "uses", "touched_at")
    insert_rows(session, "holdings", columns, rows, then=_CLAIMED)
    _charge(session, project_id, extra)


def _close_holdings(session: Session, project_id: str, which: sa.ColumnElement[bool]) -> int:
    """Removes those holdings that have no uses, and gives back what they were charged; how many."""
    unused = sa.and_(HoldingRow.project_id == project_id, HoldingRow.uses <= 0, which)
    count, freed = session.execute(
        sa.select(sa.func.count(), sa.func.coalesce(sa.func.sum(HoldingRow.size_bytes), 0)).where(unused)
    ).one()
    if count:
        session.execute(sa.delete(HoldingRow).where(unused))
        _charge(session, project_id, -int(freed))
    return int(count)


def _charge(session: Session, project_id: str, change_bytes: int) -> None:
    if change_bytes == 0:
        return
    projects = Base.metadata.tables["projects"]
    session.execute(
        sa.update(projects)
        .where(projects.c.id == project_id)
        .values(storage_used_bytes=projects.c.storage_used_bytes + change_bytes)
    )


def _uses_table(session: Session, rows: Iterable[tuple[str, int, int]]) -> sa.Subquery:
    return table_of(session, rows, digest=sa.Text(), size_bytes=sa.BigInteger(), uses=sa.BigInteger())


def _add_uses(session: Session, project_id: str, given: sa.Subquery, *, sign: int = 1) -> None:
    """Adds (or takes) uses. An insert that finds its row there walks the given rows, never all that a project holds."""
    columns = (given.c.digest, given.c.size_bytes, sign * given.c.uses)
    rows = sa.select(sa.literal(project_id), *columns).where(sa.true()).order_by(given.c.digest)
    insert = upsert(session, HoldingRow).from_select(["project_id", "digest", "size_bytes", "uses"], rows)
    changed = {"uses": HoldingRow.uses + insert.excluded.uses}
    session.connection().execute(insert.on_conflict_do_update(index_elements=["project_id", "digest"], set_=changed))


def _public_id(session: Session) -> list[str]:
    """The public project's id; none before the first start."""
    projects = Base.metadata.tables["projects"]
    found = session.scalar(
        sa.select(projects.c.id).where(
            projects.c.name_key == PUBLIC, projects.c.deleted_at.is_(None), projects.c.is_public
        )
    )
    return [] if found is None else [found]
