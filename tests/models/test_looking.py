"""What looks at drafts: services, names of labels, boxes that are doubted."""

import base64
import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from tests.datasets.conftest import Desk
from tests.datasets.test_plans import statements as statements
from tests.datasets.test_plans import walks
from tests.datasets.working import Works
from tests.models.conftest import colours
from tests.models.test_auto import model as model
from tidemill.datasets.notes import Refused
from tidemill.models.auto.confident import Judged, Usual, find_box_errors, find_class_errors
from tidemill.models.auto.naming import suggest
from tidemill.models.auto.predicting import Words
from tidemill.models.auto.services import Service
from tidemill.runtime.model import Prediction
from tidemill.sdk.data import Item


def box(label: int, x: float, score: float | None = None, **more: Any) -> dict[str, Any]:
    found = {"type": "box", "label": label, "x": x, "y": 10, "w": 20, "h": 20, **more}
    return found if score is None else {**found, "score": score}


def test_an_overlooked_a_wrong_and_a_needless_box_are_told_apart() -> None:
    given = [box(1, 0, id="a"), box(1, 100, id="b"), box(2, 300, id="c")]
    predicted = [box(1, 1, 0.9), box(2, 101, 0.8), box(2, 200, 0.95), box(2, 205, 0.5)]
    found = {error.kind: error for error in find_box_errors(7, 3, given, predicted)}
    assert (found["missing"].predicted, found["missing"].about["annotation"]["x"]) == (2, 200)
    assert (found["class"].given, found["class"].predicted, found["class"].about["id"]) == (1, 2, "b")
    assert found["extra"].about["id"] == "c"
    assert find_box_errors(7, 3, [box(1, 0)], [box(1, 2, 0.9)]) == []


def test_a_class_is_doubted_where_the_model_is_as_sure_of_another_as_it_usually_is() -> None:
    items = [Judged(n, 1, 1, {1: 0.8, 2: 0.2}) for n in range(10)]
    items += [Judged(10 + n, 1, 2, {1: 0.1, 2: 0.9}) for n in range(10)]
    items += [Judged(30, 1, 1, {1: 0.05, 2: 0.95}), Judged(31, 1, 2, {1: 0.55, 2: 0.45})]
    usual = Usual()
    for one in items:
        usual.add(one)
    (error,) = find_class_errors(items, usual)
    assert (error.seq, error.given, error.predicted, error.score) == (30, 1, 2, pytest.approx(0.9))


def test_names_are_matched_by_the_surest_way_and_never_by_one_that_means_two() -> None:
    labels = {"Dog": 1, "人": 2, "boxes": 3, "CAR": 4, "car": 5, "traffic_light": 6}
    found = suggest(["dogs", "pedestrian", "box", "car", "Traffic Light", "ship"], labels)
    assert {name: (one.number, one.how) for name, one in found.items()} == {
        "dogs": (1, "plural"),
        "pedestrian": (2, "translation"),
        "box": (3, "plural"),
        "car": (5, "same"),
        "Traffic Light": (6, "case"),
    }


def test_what_a_model_says_is_cleaned_before_it_is_sent() -> None:
    words = Words([{"number": 1, "name": "cat", "items": 3, "skeleton": None}], {"cat": 1})
    odd = [
        {"type": "box", "label": "cat", "x": float("nan"), "y": 1, "w": 2, "h": 3, "score": 0.9},
        {"type": "box", "label": "cat", "x": 1, "y": 1, "w": 2, "h": 3, "score": 1.7, "colour": "red"},
        {"type": "cloud", "label": "cat"},
        {"type": "box", "label": "dog", "x": 1, "y": 1, "w": 2, "h": 3},
    ]
    said = words.read(Prediction(odd, uncertainty=float("nan")))
    assert said.annotations == [{"type": "box", "label": 1, "x": 1, "y": 1, "w": 2, "h": 3, "score": 1.0}]
    assert said.uncertainty == 1.0


class Colours(BaseHTTPRequestHandler):
    """A service that finds everything red."""

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        assert self.path == "/v2/models/colours/infer"
        assert self.headers["Authorization"] == "Bearer secret"
        data = asked["inputs"][0]["data"]
        assert all(base64.b64decode(one).startswith(b"\x89PNG") for one in data)
        said = json.dumps([{"type": "class", "label": "RED", "score": 0.8}])
        outputs = [{"name": "annotations", "datatype": "BYTES", "shape": [len(data)], "data": [said] * len(data)}]
        answer = json.dumps({"model_name": "colours", "outputs": outputs}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_: object) -> None:
        """Nobody reads it."""


def test_a_service_suggests_as_a_model_does(works: Works, desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    colours(desk, {"red": 3, "green": 1}, labelled=False)
    desk.person.http.app.state.settings.outbound_allow = ["127.0.0.1"]  # type: ignore[attr-defined]
    monkeypatch.setenv("TIDEMILL_SERVICE_TOKEN", "secret")
    with ThreadingHTTPServer(("127.0.0.1", 0), Colours) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}/v2"
        source = {"type": "service", "url": url, "model": "colours", "token": "secret"}
        done = works.do(desk, "auto", source=source, label_errors=False)
        server.shutdown()
    assert (done["state"], done["counts"]["suggested"], done["source_type"]) == ("done", 4, "service")
    assert "secret" not in json.dumps(done)
    item = desk.item(1)
    assert item["annotations"][0]["score"] == 0.8


def test_a_service_in_a_private_network_is_not_asked(desk: Desk) -> None:
    source = {"type": "service", "url": "http://127.0.0.1:9/", "model": "x"}
    answer = desk.call("post", "/auto", json={"source": source})
    assert answer.json()["error"]["code"] == "address_private"


def test_a_service_that_does_not_answer_as_it_should_ends_the_work(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(b"\x89PNG")
    item = Item(1, "a.png", tmp_path / "a.png", "unlabelled", [])
    with pytest.raises(Refused, match="service"):
        Service("http://127.0.0.1:9", "x", None).predict_each([item])


def test_the_least_certain_are_found_without_walking_all_items(
    works: Works, desk: Desk, model: str, statements: list[tuple[str, Any]]
) -> None:
    colours(desk, {"red": 4, "grey": 2}, labelled=False)
    works.do(desk, "auto", source={"type": "model", "model": model}, label_errors=False)
    statements.clear()
    first = desk.ok("get", "/items", params={"sort": "uncertainty", "state": "suggested", "limit": 2})
    desk.ok("get", "/items", params={"sort": "uncertainty", "limit": 2, "cursor": first["next"]})
    desk.ok("post", "/suggestions/accept", json={"seqs": [1, 2]})
    desk.ok("get", "/label-errors")
    assert statements
    assert walks(desk.person.http.app, statements) == []  # type: ignore[attr-defined]
