"""Items: added in bulk, listed page by page, looked at."""

from tests.conftest import Api
from tests.datasets.conftest import Desk, box, code_of
from tidemill.store.verify import verify


def test_items_are_added_with_their_annotations(desk: Desk) -> None:
    boat, buoy = desk.labels("boat", "buoy")
    answer = desk.add("a.jpg", "deep/b.jpg", annotations=[box(boat), box(buoy, w=5, h=5)])
    assert (answer["added"], answer["refused"], answer["first_seq"], answer["last_seq"]) == (2, [], 1, 2)
    item = desk.item(2)
    assert (item["path"], item["media"], item["state"]) == ("deep/b.jpg", "image/jpeg", "labelled")
    assert item["annotations_count"] == 2
    assert [one["id"] for one in item["annotations"]] == ["1", "2"]
    assert item["annotator"] is None


def test_the_same_items_sent_again_add_nothing(desk: Desk) -> None:
    (boat,) = desk.labels("boat")
    desk.add("a.jpg", "b.jpg", annotations=[box(boat)])
    before = desk.item(1)
    again = desk.add("a.jpg", "b.jpg", annotations=[box(boat)])
    assert (again["added"], again["annotated"], again["unchanged"]) == (0, 0, 2)
    assert desk.item(1) == before


def test_annotations_come_to_items_that_were_there_without(desk: Desk) -> None:
    (boat,) = desk.labels("boat")
    desk.add("a.jpg")
    answer = desk.ok("post", "/items/bulk", json={"items": [{"path": "a.jpg", "annotations": [box(boat)]}]})
    assert answer["annotated"] == 1
    assert desk.item(1)["state"] == "labelled"
    assert desk.seqs(label=boat) == [1]


def test_annotations_that_are_there_are_kept_unless_they_are_to_be_replaced(desk: Desk) -> None:
    boat, buoy = desk.labels("boat", "buoy")
    desk.add("a.jpg", annotations=[box(boat)])
    other = [{"path": "a.jpg", "annotations": [box(buoy)]}]
    assert desk.ok("post", "/items/bulk", json={"items": other})["unchanged"] == 1
    assert desk.ok("post", "/items/bulk", json={"items": other, "existing": "replace"})["annotated"] == 1
    assert desk.seqs(label=boat) == []
    assert desk.seqs(label=buoy) == [1]


def test_what_cannot_be_added_is_refused_one_by_one(desk: Desk) -> None:
    desk.add("a.jpg")
    good = {"path": "good.jpg", **desk.keep(b"good")}
    items = [
        good,
        {"path": "../etc/passwd", **desk.keep(b"bad")},
        {"path": "dataset.json", **desk.keep(b"bad")},
        {"path": "a.jpg", **desk.keep(b"other")},
        {"path": "absent.jpg", "annotations": []},
        {**good, **desk.keep(b"twice")},
        {"path": "c.jpg", **desk.keep(b"c"), "annotations": [{"type": "polygon", "label": 1, "rings": [[1, 2, 3]]}]},
    ]
    answer = desk.ok("post", "/items/bulk", json={"items": items})
    assert answer["added"] == 1
    assert [(one["index"], one["code"]) for one in answer["refused"]] == [
        (1, "path_invalid"),
        (2, "item_path_reserved"),
        (3, "item_path_taken"),
        (4, "item_not_there"),
        (5, "item_path_twice"),
        (6, "annotation_ring"),
    ]


def test_a_broken_item_is_named_by_its_place_however_many_there_are(desk: Desk) -> None:
    items: list[dict[str, object]] = [{"path": f"{number}.jpg", "sha256": "0" * 64} for number in range(130)]
    items[117]["width"] = -3
    refused = desk.call("post", "/items/bulk", json={"items": items})
    assert refused.status_code == 422
    assert refused.json()["error"]["field"] == "items.117.width"
    nothing = desk.call("post", "/items/bulk", json={"items": [], "existing": "keep"})
    assert nothing.json()["error"]["field"] == "items"
    unread = desk.call("post", "/items/bulk", content=b"{", headers={"Content-Type": "application/json"})
    assert unread.status_code == 422


def test_content_that_was_not_sent_is_refused(desk: Desk) -> None:
    items = [{"path": "a.jpg", "sha256": "0" * 64, "size_bytes": 3}]
    assert code_of(desk.call("post", "/items/bulk", json={"items": items})) == "blob_missing"
    assert desk.seqs() == []


def test_short_texts_come_with_their_items(desk: Desk) -> None:
    texts = {"a.txt": "Ebb and flow", "b.txt": "潮起潮落", "c.txt": "", "d.txt": "Ebb and flow"}
    items = [{"path": path, "content": text} for path, text in texts.items()]
    assert desk.ok("post", "/items/bulk", json={"items": items})["added"] == 4
    assert [desk.call("get", f"/items/{seq}/content").text for seq in range(1, 5)] == list(texts.values())
    assert desk.item(2)["size_bytes"] == len("潮起潮落".encode())
    assert desk.ok("get", "/statistics")["duplicates"] == 1
    state = desk.person.http.app.state  # type: ignore[attr-defined]
    assert verify(state.db, state.store).problems == []
    again = desk.ok("post", "/items/bulk", json={"items": items})
    assert (again["added"], again["unchanged"]) == (0, 4)


def test_a_text_that_is_not_what_its_digest_says_is_refused(desk: Desk) -> None:
    other = desk.keep(b"other")
    items = [
        {"path": "a.txt", "content": "other", **other},
        {"path": "b.txt", "content": "text", "sha256": other["sha256"]},
        {"path": "c.txt", "content": "text", "size_bytes": 5},
    ]
    answer = desk.ok("post", "/items/bulk", json={"items": items})
    assert [(one["index"], one["code"]) for one in answer["refused"]] == [(1, "checksum_mismatch"), (2, "blob_size")]
    assert desk.seqs() == [1]


def test_texts_beyond_the_projects_storage_are_refused(desk: Desk, api: Api) -> None:
    api.admin.ok("patch", "/projects/tides", json={"storage_limit_bytes": 10})
    items = [{"path": "a.txt", "content": "eleven char"}]
    assert code_of(desk.call("post", "/items/bulk", json={"items": items})) == "storage_limit"
    assert desk.seqs() == []


def test_a_label_the_version_lacks_is_refused(desk: Desk) -> None:
    items = [{"path": "a.jpg", **desk.keep(b"a"), "annotations": [box(77)]}]
    assert code_of(desk.call("post", "/items/bulk", json={"items": items})) == "label_unknown"


def test_items_are_found_by_state_label_annotator_and_path(desk: Desk) -> None:
    boat, buoy = desk.labels("boat", "buoy")
    desk.add(*(f"a{n}.jpg" for n in range(5)), annotations=[box(boat)])
    desk.add(*(f"b{n}.jpg" for n in range(5)))
    for seq in (2, 7, 9):
        desk.saved(seq, desk.item(seq)["revision"], [box(buoy)])
    assert desk.seqs(limit=3) == list(range(1, 11))
    assert desk.seqs(limit=3, sort="-seq") == list(range(10, 0, -1))
    assert desk.seqs(state="unlabelled", limit=2) == [6, 8, 10]
    assert desk.seqs(label=buoy, limit=2) == [2, 7, 9]
    assert desk.seqs(annotator="ada", limit=2) == [2, 7, 9]
    assert desk.seqs(annotator="nobody") == []
    assert desk.seqs(label=boat, state="labelled", limit=2) == [1, 3, 4, 5]
    assert desk.seqs(label=buoy, annotator="ada", state="labelled", limit=2) == [2, 7, 9]
    assert desk.seqs(state="labelled", annotator="ada", limit=2) == [2, 7, 9]
    assert desk.seqs(q="B", limit=2) == [6, 7, 8, 9, 10]
    assert desk.seqs(q="b", state="labelled") == [7, 9]


def test_a_page_knows_how_many_there_are(desk: Desk) -> None:
    (boat,) = desk.labels("boat")
    desk.add("a.jpg", "b.jpg", annotations=[box(boat)])
    desk.add("c.jpg")

    def total(**query: object) -> int:
        found: int = desk.ok("get", "/items", params={"limit": 1, **query})["total"]
        return found

    assert (total(), total(state="labelled"), total(label=boat), total(label=boat, state="unlabelled")) == (3, 2, 2, 0)


def test_a_page_carries_annotations_when_asked(desk: Desk) -> None:
    (boat,) = desk.labels("boat")
    desk.add("a.jpg", annotations=[box(boat)])
    (bare,) = desk.ok("get", "/items")["items"]
    (full,) = desk.ok("get", "/items?with=annotations")["items"]
    assert bare["annotations"] is None
    assert full["annotations"] == [{**box(boat), "id": "1"}]


def test_an_items_content_is_its_bytes(desk: Desk) -> None:
    desk.add("a.jpg")
    answer = desk.call("get", "/items/1/content")
    assert (answer.content, answer.headers["content-type"]) == (b"a.jpg", "image/jpeg")
    part = desk.call("get", "/items/1/content", headers={"Range": "bytes=1-2"})
    assert (part.status_code, part.content) == (206, b".j")


def test_a_cursor_that_is_none_is_refused(desk: Desk) -> None:
    for cursor in ("x", "aTE5OTk5OTk5OTk5OTk5OTk5OTk", "5pel"):
        assert code_of(desk.call("get", f"/items?cursor={cursor}")) == "cursor_invalid"


def test_an_item_that_is_not_there_is_not_found(desk: Desk) -> None:
    assert code_of(desk.call("get", "/items/9")) == "item_not_found"
    assert code_of(desk.save(9, None, [])) == "item_not_found"
