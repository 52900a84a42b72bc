"""Collection: what goes, what stays, and what happens when others are at work."""

import random
import threading
from datetime import timedelta

import pytest
import sqlalchemy as sa

from tests.store.conftest import NOW, Shelf, get_tree, later, sha
from tests.store.test_trees import new_tree
from tidemill.kernel.clock import utc_now
from tidemill.kernel.errors import Conflict, Invalid, NotFound
from tidemill.store import blobs, gc, trees, uploads, verify
from tidemill.store.tables import BlobRow, HoldingRow, UploadRow
from tidemill.store.trees import Entry

DATA = b"ebb and flow"


def exists(shelf: Shelf, data: bytes) -> bool:
    return shelf.store.backend.size(sha(data)) is not None


def test_unused_content_goes_after_its_grace_and_not_before(shelf: Shelf, project_id: str) -> None:
    shelf.keep(project_id, DATA)
    shelf.collect(later(hours=23))
    assert exists(shelf, DATA)
    report = shelf.collect(later(hours=25))
    assert not exists(shelf, DATA)
    assert (report.holdings, report.blobs, report.bytes) == (1, 1, len(DATA))
    assert (shelf.used(project_id), shelf.state(sha(DATA))) == (0, None)


def test_asking_for_content_keeps_it_for_another_while(shelf: Shelf, project_id: str) -> None:
    shelf.keep(project_id, DATA)
    with shelf.db.write() as session:
        blobs.known(session, project_id, [sha(DATA)], later(hours=20))
    shelf.collect(later(hours=30))
    assert exists(shelf, DATA)
    shelf.collect(later(hours=45))
    assert not exists(shelf, DATA)


def test_used_content_stays_for_ever(shelf: Shelf, project_id: str) -> None:
    new_tree(shelf, project_id, {"a": DATA})
    shelf.collect(later(days=1000))
    assert exists(shelf, DATA)
    assert shelf.used(project_id) == len(DATA)


def test_content_that_one_project_gave_up_stays_for_the_other(shelf: Shelf, project_id: str) -> None:
    other = shelf.project("rivers")
    tree_id = new_tree(shelf, project_id, {"a": DATA})
    new_tree(shelf, other, {"b": DATA})
    with shelf.db.write() as session:
        trees.drop(session, get_tree(session, tree_id))
    assert shelf.used(project_id) == 0
    shelf.collect(later(days=2))
    assert exists(shelf, DATA)


def test_manifests_stay_as_long_as_their_tree(shelf: Shelf, project_id: str) -> None:
    tree_id = new_tree(shelf, project_id, {"a": DATA})
    digest = trees.seal(shelf.db, shelf.store, tree_id, NOW)
    shelf.collect(later(days=2))
    assert shelf.store.backend.size(digest)
    with shelf.db.write() as session:
        trees.drop(session, get_tree(session, tree_id))
    shelf.collect(later(days=2))
    assert shelf.store.backend.size(digest) is None
    assert not exists(shelf, DATA)


def test_a_large_dropped_tree_is_taken_apart(shelf: Shelf, project_id: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tidemill.store.trees.lifecycle.DISSOLVE_BATCH", 3)
    tree_id = new_tree(shelf, project_id, {f"f/{n}": b"%d" % n for n in range(10)})
    with shelf.db.write() as session:
        assert trees.drop(session, get_tree(session, tree_id)) is False
    report = shelf.collect(later(days=2))
    assert (report.trees, report.blobs) == (1, 10)
    assert shelf.used(project_id) == 0
    assert verify.verify(shelf.db, shelf.store).clean


def test_abandoned_uploads_go_with_their_bytes(shelf: Shelf, project_id: str) -> None:
    upload = begin(shelf, project_id)
    with shelf.store.parts.writer(upload.id) as writer:
        writer.append(b"ebb")
    shelf.collect(later(days=6))
    assert shelf.store.parts.offset(upload.id) == 3
    assert shelf.collect(later(days=8)).uploads == 1
    assert shelf.store.parts.upload_ids() == []
    with shelf.db.read() as session, pytest.raises(NotFound):
        uploads.get_upload(session, project_id, "ada", upload.id)


def test_an_upload_being_written_is_not_abandoned(shelf: Shelf, project_id: str) -> None:
    upload = begin(shelf, project_id)
    with shelf.store.parts.writer(upload.id):
        assert shelf.collect(later(days=8)).uploads == 0
    assert shelf.collect(later(days=8)).uploads == 1


def test_files_nobody_knows_go_once_they_are_old(shelf: Shelf) -> None:
    shelf.store.backend.put_bytes(sha(DATA), DATA)
    stray = shelf.store.temporary_file()
    stray.write_bytes(b"half")
    (shelf.store.temporary / "tmp_batch").mkdir()
    (shelf.store.temporary / "tmp_batch" / "1").write_bytes(b"half")
    shelf.store.parts.path("upl_gone").write_bytes(b"half")
    now = utc_now()
    shelf.collect(now)
    assert exists(shelf, DATA)
    assert stray.exists()
    report = shelf.collect(now + timedelta(days=2))
    assert not exists(shelf, DATA)
    assert (list(shelf.store.temporary.iterdir()), shelf.store.parts.upload_ids()) == ([], [])
    assert report.strays == 3


def test_a_reservation_a_crash_left_behind_is_collected(shelf: Shelf, project_id: str) -> None:
    with shelf.db.write() as session:
        blobs.reserve(session, project_id, {sha(DATA): len(DATA)}, NOW)
    shelf.collect(later(hours=25))
    assert (shelf.state(sha(DATA)), shelf.used(project_id)) == (None, 0)


def test_a_collection_that_died_between_its_steps_is_finished_by_the_next(shelf: Shelf, project_id: str) -> None:
    shelf.keep(project_id, DATA)
    mark_deleting(shelf, project_id)
    assert shelf.state(sha(DATA)) == "deleting"
    shelf.collect(NOW)
    assert not exists(shelf, DATA)
    assert shelf.state(sha(DATA)) is None


def test_content_sent_while_it_is_being_deleted_is_placed_anew(shelf: Shelf, project_id: str) -> None:
    shelf.keep(project_id, DATA)
    mark_deleting(shelf, project_id)
    shelf.store.backend.delete([sha(DATA)])
    shelf.keep(project_id, DATA)
    assert shelf.state(sha(DATA)) == "live"
    shelf.collect(NOW)
    assert exists(shelf, DATA)


def test_what_was_held_again_after_it_was_marked_is_kept(shelf: Shelf, project_id: str) -> None:
    shelf.keep(project_id, DATA)
    with shelf.db.write() as session:
        session.execute(sa.update(BlobRow).values(state="deleting"))
    shelf.collect(NOW)
    assert exists(shelf, DATA)
    assert shelf.state(sha(DATA)) == "live"


def test_cancelling_stops_between_steps(shelf: Shelf, project_id: str) -> None:
    shelf.keep(project_id, DATA)
    seen: list[tuple[int, int]] = []
    report = gc.collect(
        shelf.db,
        shelf.store,
        later(days=2),
        timedelta(hours=24),
        progress=lambda done, total: seen.append((done, total)),
        cancelled=lambda: True,
    )
    assert (report.blobs, exists(shelf, DATA)) == (0, True)
    assert seen[-1][0] < seen[-1][1]
    shelf.collect(later(days=2), progress=lambda done, total: seen.append((done, total)))
    assert seen[-1][0] == seen[-1][1]


@pytest.mark.parametrize("grace_s", [0.0, 3600.0])
def test_collecting_beside_senders_never_loses_what_was_acknowledged(shelf: Shelf, grace_s: float) -> None:
    """Senders may be told to send again: with no grace at any time, otherwise only when somebody else took the same
    content in and gave it up in between. What a tree was given is there in any case."""
    projects = [shelf.project("tides"), shelf.project("rivers")]
    tree_ids = {project_id: new_tree(shelf, project_id) for project_id in projects}
    contents = [b"%d" % n * 50 for n in range(6)]
    stop, errors = threading.Event(), []
    told_to_send_again = {"blob_missing"} if grace_s else {"blob_missing", "upload_too_slow"}
    ages = timedelta(hours=10)

    def send(seed: int) -> None:
        luck = random.Random(seed)
        for turn in range(25):
            project_id, data = luck.choice(projects), luck.choice(contents)
            try:
                shelf.keep(project_id, data, utc_now() - ages)
                with shelf.db.write() as session:
                    tree = get_tree(session, tree_ids[project_id])
                    entry = Entry(f"{seed}/{turn % 4}", sha(data), len(data))
                    trees.put_entries(session, tree, [entry], utc_now())
                if luck.random() < 0.4:
                    with shelf.db.write() as session:
                        tree = get_tree(session, tree_ids[project_id])
                        trees.remove(session, tree, [f"{seed}/{turn % 4}"], utc_now())
            except (Conflict, Invalid) as error:
                if error.code not in told_to_send_again:
                    errors.append(error)

    def sweep() -> None:
        while not stop.is_set():
            gc.collect(shelf.db, shelf.store, utc_now(), ages * bool(grace_s) + timedelta(seconds=grace_s))

    senders = [threading.Thread(target=send, args=(seed,)) for seed in range(4)]
    sweepers = [threading.Thread(target=sweep) for _ in range(2)]
    for thread in [*senders, *sweepers]:
        thread.start()
    for thread in senders:
        thread.join()
    stop.set()
    for thread in sweepers:
        thread.join()
    assert errors == []
    assert verify.verify(shelf.db, shelf.store).problems == []
    gc.collect(shelf.db, shelf.store, utc_now() + timedelta(days=1), timedelta(0))
    with shelf.db.read() as session:
        held = set(session.scalars(sa.select(HoldingRow.digest)))
    assert {found.digest for found in shelf.store.backend.iterate()} == held


def begin(shelf: Shelf, project_id: str) -> UploadRow:
    with shelf.db.write() as session:
        return uploads.begin_upload(
            session,
            project_id=project_id,
            by="ada",
            digest=sha(DATA),
            size_bytes=len(DATA),
            name="",
            now=NOW,
            days=7,
        )


def mark_deleting(shelf: Shelf, project_id: str) -> None:
    """As after the first step of a collection."""
    with shelf.db.write() as session:
        blobs.drop_unused(session, project_id, [sha(DATA)], later(days=1))
        session.execute(sa.update(BlobRow).values(state="deleting"))
