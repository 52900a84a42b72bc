"""The books: who holds what, what is charged, what may be used unsent."""

import threading

import pytest

from tests.store.conftest import NOW, Shelf, later, sha
from tidemill.kernel.errors import Conflict, Invalid, TidemillError, TooLarge
from tidemill.store import blobs, intake
from tidemill.store.backends import Staged

DATA = b"ebb and flow"


def hold(shelf: Shelf, project_id: str, data: bytes, uses: int = 1) -> None:
    with shelf.db.write() as session:
        blobs.hold(session, project_id, {sha(data): (len(data), uses)})


def release(shelf: Shelf, project_id: str, data: bytes, uses: int = 1) -> None:
    with shelf.db.write() as session:
        blobs.release(session, project_id, {sha(data): uses})


def known(shelf: Shelf, project_id: str, *datas: bytes) -> set[str]:
    with shelf.db.write() as session:
        return blobs.known(session, project_id, [sha(data) for data in datas], NOW)


def test_content_sent_is_held_unused_and_charged(shelf: Shelf, project_id: str) -> None:
    shelf.keep(project_id, DATA)
    assert shelf.uses(project_id, sha(DATA)) == 0
    assert shelf.used(project_id) == len(DATA)
    assert known(shelf, project_id, DATA, b"other") == {sha(DATA)}


def test_content_sent_twice_is_charged_once(shelf: Shelf, project_id: str) -> None:
    shelf.keep(project_id, DATA)
    shelf.keep(project_id, DATA)
    assert shelf.used(project_id) == len(DATA)


def test_the_last_use_given_up_frees_the_space(shelf: Shelf, project_id: str) -> None:
    shelf.keep(project_id, DATA)
    hold(shelf, project_id, DATA, 2)
    release(shelf, project_id, DATA)
    assert (shelf.uses(project_id, sha(DATA)), shelf.used(project_id)) == (1, len(DATA))
    release(shelf, project_id, DATA)
    assert (shelf.uses(project_id, sha(DATA)), shelf.used(project_id)) == (None, 0)


def test_content_just_sent_stays_although_all_who_used_it_gave_it_up(shelf: Shelf, project_id: str) -> None:
    shelf.keep(project_id, DATA)
    hold(shelf, project_id, DATA)
    shelf.keep(project_id, DATA)
    release(shelf, project_id, DATA)
    assert shelf.uses(project_id, sha(DATA)) == 0
    hold(shelf, project_id, DATA)
    release(shelf, project_id, DATA)
    assert shelf.uses(project_id, sha(DATA)) is None


def test_content_a_sender_was_told_not_to_send_stays_for_them(shelf: Shelf, project_id: str) -> None:
    shelf.keep(project_id, DATA)
    hold(shelf, project_id, DATA)
    assert known(shelf, project_id, DATA) == {sha(DATA)}
    release(shelf, project_id, DATA)
    hold(shelf, project_id, DATA)


def test_content_of_another_project_cannot_be_used_or_found_out(shelf: Shelf, project_id: str) -> None:
    other = shelf.project("rivers")
    shelf.keep(other, DATA)
    hold(shelf, other, DATA)
    assert known(shelf, project_id, DATA) == set()
    with pytest.raises(Invalid) as elsewhere:
        hold(shelf, project_id, DATA)
    with pytest.raises(Invalid) as nowhere:
        hold(shelf, project_id, b"nobody has this")
    assert (elsewhere.value.code, elsewhere.value.details) == ("blob_missing", [sha(DATA)])
    assert nowhere.value.code == elsewhere.value.code


def test_public_content_may_be_used_and_is_then_charged(shelf: Shelf, project_id: str) -> None:
    public = shelf.project("public", public=True)
    shelf.keep(public, DATA)
    assert known(shelf, project_id, DATA) == {sha(DATA)}
    assert shelf.used(project_id) == 0
    hold(shelf, project_id, DATA)
    assert (shelf.uses(project_id, sha(DATA)), shelf.used(project_id)) == (1, len(DATA))
    release(shelf, project_id, DATA)
    assert shelf.uses(public, sha(DATA)) == 0


def test_a_private_project_that_is_called_public_gives_nothing_away(shelf: Shelf, project_id: str) -> None:
    impostor = shelf.project("public", public=False)
    shelf.keep(impostor, DATA)
    assert known(shelf, project_id, DATA) == set()


def test_a_size_that_is_not_the_contents_is_refused(shelf: Shelf, project_id: str) -> None:
    shelf.keep(project_id, DATA)
    with shelf.db.write() as session, pytest.raises(Invalid) as refused:
        blobs.hold(session, project_id, {sha(DATA): (1, 1)})
    assert refused.value.code == "blob_size"


def test_the_limit_is_kept(shelf: Shelf) -> None:
    project_id = shelf.project("small", limit=20)
    shelf.keep(project_id, DATA)
    with pytest.raises(TooLarge) as refused:
        shelf.keep(project_id, b"nine byte")
    assert refused.value.code == "storage_limit"
    assert (refused.value.params["needed_bytes"], refused.value.params["left_bytes"]) == (9, 8)
    shelf.keep(project_id, b"8 bytes.")
    assert shelf.used(project_id) == 20
    assert shelf.state(sha(b"nine byte")) is None


def test_public_content_does_not_get_round_the_limit(shelf: Shelf) -> None:
    project_id = shelf.project("small", limit=5)
    public = shelf.project("public", public=True)
    shelf.keep(public, DATA)
    with pytest.raises(TooLarge):
        hold(shelf, project_id, DATA)
    assert shelf.uses(project_id, sha(DATA)) is None


def test_a_limit_lowered_below_what_is_used_leaves_no_room(shelf: Shelf, project_id: str) -> None:
    shelf.keep(project_id, DATA)
    shelf.set_limit(project_id, 3)
    with shelf.db.read() as session:
        assert blobs.room_left(session, project_id) == 3 - len(DATA)
    with pytest.raises(TooLarge):
        shelf.keep(project_id, b"x")
    shelf.keep(project_id, DATA)


def test_threads_cannot_race_past_the_limit(shelf: Shelf) -> None:
    project_id = shelf.project("small", limit=50)
    outcomes: list[str] = []

    def send(number: int) -> None:
        try:
            shelf.keep(project_id, b"%010d" % number)
            outcomes.append("kept")
        except TooLarge:
            outcomes.append("refused")

    threads = [threading.Thread(target=send, args=(n,)) for n in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["kept"] * 5 + ["refused"] * 7
    assert shelf.used(project_id) == 50


def test_content_is_not_known_before_its_bytes_are_in_place(shelf: Shelf, project_id: str) -> None:
    with shelf.db.write() as session:
        unplaced = blobs.reserve(session, project_id, {sha(DATA): len(DATA)}, NOW)
    assert set(unplaced) == {sha(DATA)}
    assert known(shelf, project_id, DATA) == set()
    with pytest.raises(Invalid):
        hold(shelf, project_id, DATA)
    shelf.store.backend.put_bytes(sha(DATA), DATA)
    with shelf.db.write() as session:
        blobs.settle(session, unplaced)
    assert known(shelf, project_id, DATA) == {sha(DATA)}


def test_bytes_placed_for_a_reservation_that_is_gone_do_not_count(shelf: Shelf, project_id: str) -> None:
    with shelf.db.write() as session:
        unplaced = blobs.reserve(session, project_id, {sha(DATA): len(DATA)}, NOW)
    shelf.collect(later(days=2))
    assert shelf.state(sha(DATA)) is None
    with shelf.db.write() as session:
        blobs.reserve(session, project_id, {sha(DATA): len(DATA)}, NOW)
    with pytest.raises(Conflict) as refused, shelf.db.write() as session:
        blobs.settle(session, unplaced)
    assert refused.value.code == "upload_too_slow"
    assert shelf.state(sha(DATA)) == "placing"


def test_files_are_taken_in_together_and_their_sources_are_gone(shelf: Shelf, project_id: str) -> None:
    datas = [b"one", b"two", b"three"]
    shelf.keep(project_id, b"two")
    staged = []
    for data in datas:
        path = shelf.store.temporary_file()
        path.write_bytes(data)
        staged.append(Staged(sha(data), len(data), str(path)))
    intake.keep_files(shelf.db, shelf.store.backend, project_id, staged, NOW)
    assert known(shelf, project_id, *datas) == {sha(data) for data in datas}
    assert shelf.used(project_id) == sum(map(len, datas))
    assert list(shelf.store.temporary.iterdir()) == []


def test_contents_in_place_are_nobodys_until_they_are_settled_and_held(shelf: Shelf, project_id: str) -> None:
    contents = {sha(data): data for data in (b"one", b"two")}
    placed = intake.place_contents(shelf.db, shelf.store.backend, project_id, contents, NOW)
    assert (set(placed), known(shelf, project_id, *contents.values()), shelf.used(project_id)) == (
        set(contents),
        set(),
        0,
    )
    with shelf.db.write() as session:
        blobs.settle(session, placed)
        blobs.hold(session, project_id, dict.fromkeys(contents, (3, 1)), arrived=set(contents))
    assert known(shelf, project_id, *contents.values()) == set(contents)
    assert (shelf.used(project_id), shelf.uses(project_id, sha(b"one"))) == (6, 1)
    assert intake.place_contents(shelf.db, shelf.store.backend, project_id, contents, NOW) == {}


def test_contents_beyond_the_limit_are_not_placed(shelf: Shelf) -> None:
    project_id = shelf.project("small", limit=5)
    with pytest.raises(TooLarge):
        intake.place_contents(shelf.db, shelf.store.backend, project_id, {sha(DATA * 10): DATA * 10}, NOW)
    assert shelf.store.backend.size(sha(DATA * 10)) is None


def test_a_backend_that_fails_leaves_nothing_visible(
    shelf: Shelf, project_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise OSError("disk on fire")

    monkeypatch.setattr(shelf.store.backend, "put_bytes", fail)
    with pytest.raises(OSError, match="fire"):
        shelf.keep(project_id, DATA)
    assert known(shelf, project_id, DATA) == set()
    monkeypatch.undo()
    shelf.keep(project_id, DATA)
    assert known(shelf, project_id, DATA) == {sha(DATA)}
    assert shelf.used(project_id) == len(DATA)


def test_a_failed_transaction_charges_nothing(shelf: Shelf, project_id: str) -> None:
    with pytest.raises(TidemillError), shelf.db.write() as session:
        blobs.reserve(session, project_id, {sha(DATA): len(DATA)}, NOW)
        raise Conflict
    assert (shelf.used(project_id), shelf.state(sha(DATA))) == (0, None)
