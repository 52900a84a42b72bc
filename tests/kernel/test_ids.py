"""Ids sort by time of making and say what they are."""

import threading

from tidemill.kernel.ids import looks_like_id, new_id


def test_ids_sort_in_the_order_they_were_made() -> None:
    made = [new_id("tst") for _ in range(5000)]
    assert made == sorted(made)
    assert len(set(made)) == len(made)


def test_threads_never_make_the_same_id() -> None:
    made: list[str] = []

    def make() -> None:
        made.extend(new_id("tst") for _ in range(1000))

    threads = [threading.Thread(target=make) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(made)) == 8000


def test_an_id_is_told_from_a_name_by_its_shape() -> None:
    assert looks_like_id(new_id("usr"), "usr")
    assert not looks_like_id(new_id("usr"), "prj")
    assert not looks_like_id("usr_me", "usr")
    assert not looks_like_id(new_id("usr") + "x", "usr")
