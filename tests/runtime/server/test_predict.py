"""`POST /predict`: files, texts and rows in, annotations out."""

import base64
import io
import json
import wave
from pathlib import Path

import pytest
from PIL import Image

from tests.algorithms.sets import COLOURS
from tests.runtime.server.servers import Running
from tidemill.runtime import load


def _picture(name: str, kind: str = "PNG", turned: bool = False) -> bytes:
    file = io.BytesIO()
    picture = Image.new("RGB", (30, 20), COLOURS[name])
    about = Image.Exif()
    if turned:
        about[0x0112] = 6
    picture.save(file, kind, exif=about)
    return file.getvalue()


def test_a_picture_is_answered_with_labels_and_its_size(server: Running) -> None:
    status, found, _ = server.ask("/predict/colours", _picture("green"), {"Content-Type": "image/png"})
    assert status == 200
    assert (found["model"], found["task"]) == ("colours", "image-classification")
    assert found["labels"][0]["label"] == "green"
    assert found["labels"][0]["score"] >= found["labels"][1]["score"]
    assert found["annotations"] == [
        {"type": "class", "label": "green", "score": found["labels"][0]["score"]},
    ]
    assert (found["width"], found["height"]) == (30, 20)
    assert 0 < found["latency_ms"] < 20_000
    assert 0 <= found["uncertainty"] <= 1


def test_the_size_is_that_of_the_upright_picture(server: Running) -> None:
    body = _picture("red", "JPEG", turned=True)
    # As curl sends a file that nothing is said of.
    _, found, _ = server.ask("/predict/colours", body, {"Content-Type": "application/x-www-form-urlencoded"})
    assert (found["width"], found["height"]) == (20, 30)


def test_threshold_and_top_leave_labels_out(server: Running) -> None:
    _, found, _ = server.ask("/predict/colours?threshold=0.5", _picture("green"), {"Content-Type": "image/png"})
    assert len(found["labels"]) == 1
    _, found, _ = server.ask("/predict/colours?top=2", _picture("green"), {"Content-Type": "image/png"})
    assert len(found["labels"]) == 2
    for query in ("threshold=2", "threshold=x", "threshold=nan", "top=0", "top=%C2%B2"):
        path = f"/predict/colours?{query}"
        assert server.ask(path, _picture("green"), {"Content-Type": "image/png"})[0] == 400, query


def test_a_form_may_bring_several_files(server: Running) -> None:
    parts = b"".join(
        b'--line\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\nContent-Type: image/png\r\n\r\n'
        + _picture(name)
        + b"\r\n"
        for name in ("red", "blue")
    )
    kind = {"Content-Type": "multipart/form-data; boundary=line"}
    status, found, _ = server.ask("/predict/colours", parts + b"--line--\r\n", kind)
    assert status == 200
    assert [one["labels"][0]["label"] for one in found["predictions"]] == ["red", "blue"]
    for body in (parts, b"--line--", b"", b"--other--\r\n"):
        assert server.ask("/predict/colours", body or b"x", kind)[0] == 400
    assert server.ask("/predict/colours", parts, {"Content-Type": "multipart/form-data"})[0] == 400


def test_json_may_bring_files_in_base64(server: Running) -> None:
    one = base64.b64encode(_picture("blue")).decode()
    _, found, _ = server.ask("/predict/colours", {"image": f"data:image/png;base64,{one}"})
    assert found["labels"][0]["label"] == "blue"
    _, found, _ = server.ask("/predict/colours", {"inputs": [{"content": one}, {"content": one}]})
    assert len(found["predictions"]) == 2
    status, found, _ = server.ask("/predict/colours", {"content": "no base64!"})
    assert (status, "base64" in found["error"]) == (400, True)


def test_rows_of_a_table_are_answered_with_their_number(server: Running) -> None:
    _, found, _ = server.ask("/predict/prices", {"size": 40, "rooms": 2})
    assert found["value"] == 42.0
    _, found, _ = server.ask("/predict/prices", [{"size": 1, "rooms": 2}, {"size": "3", "rooms": 4}])
    assert [one["value"] for one in found["predictions"]] == [3.0, 7.0]
    assert server.ask("/predict/prices", [1, 2])[0] == 400


def test_plain_numbers_are_answered_with_the_outputs(server: Running) -> None:
    for given in ([[1, 2, 3, 4]], [1, 2, 3, 4], {"inputs": [1, 2, 3, 4]}, {"inputs": {"x": [[1, 2, 3, 4]]}}):
        status, found, _ = server.ask("/predict/linear", given)
        assert (status, found["outputs"]["sum"]) == (200, [10.0]), given
    assert server.ask("/predict/linear", [[1, 2, 3]])[0] == 400
    assert server.ask("/predict/linear", b"x", {"Content-Type": "image/png"})[0] == 400


def test_what_is_no_picture_is_refused(server: Running) -> None:
    file = io.BytesIO()
    with wave.open(file, "wb") as out:
        out.setparams((1, 2, 8000, 0, "NONE", "NONE"))
    for body in (file.getvalue(), b"text", _picture("red")[:60]):
        status, found, _ = server.ask("/predict/colours", body, {"Content-Type": "image/png"})
        assert (status, "cannot be read" in found["error"]) == (400, True)


def test_one_of_several_models_must_be_named(server: Running) -> None:
    status, found, _ = server.ask("/predict", b"x")
    assert (status, "/predict/{model}" in found["error"]) == (404, True)


@pytest.mark.parametrize("parameters", [{"binary": "base64"}, {"binary": "base64", "threshold": None}])
def test_services_of_auto_annotation_ask_in_base64(server: Running, parameters: dict[str, object]) -> None:
    data = [base64.b64encode(_picture(name)).decode() for name in ("red", "green")]
    for tensor in (
        {"name": "content", "shape": [2], "datatype": "BYTES", "data": data},
        {"name": "content", "data": data},
    ):
        body = {"inputs": [tensor], "parameters": parameters}
        status, found, _ = server.ask("/v2/models/colours/infer", body)
        assert status == 200, found
        outputs = {one["name"]: one["data"] for one in found["outputs"]}
        assert '"label":"red"' in outputs["annotations"][0]
        assert len(outputs["uncertainty"]) == 2


def test_an_address_answers_as_the_model_does(server: Running, models_folder: Path) -> None:
    contents = [_picture(name) for name in COLOURS]
    expected = load(models_folder / "colours").predict(contents)
    data = [base64.b64encode(one).decode() for one in contents]
    body = {"inputs": [{"name": "content", "data": data}], "parameters": {"binary": "base64"}}
    outputs = {one["name"]: one["data"] for one in server.ask("/v2/models/colours/infer", body)[1]["outputs"]}
    assert [json.loads(text) for text in outputs["annotations"]] == [one.annotations for one in expected]
    assert outputs["uncertainty"] == pytest.approx([one.uncertainty for one in expected])
    assert server.ask("/v2/models/colours")[1]["parameters"]["labels"] == list(COLOURS)
