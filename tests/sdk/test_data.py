"""Published versions in scripts: `tidemill.data`."""

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import tidemill
from tidemill.kernel.errors import Invalid, NotFound
from tidemill.kernel.splitting import choose_test
from tidemill.sdk.data import Dataset, open_folder

LABELS = [
    {"number": 3, "name": "boat", "colour": "#112233"},
    {"number": 4, "name": "sail", "parent": 3},
    {"number": 7, "name": "buoy"},
    {"number": 9, "name": "sail", "parent": 7, "skeleton": {"points": ["top", "foot"], "edges": [[0, 1]]}},
]


def _publish(folder: Path, lines: list[dict[str, Any]], **about: Any) -> Path:
    folder.mkdir(parents=True)
    told = {"dataset": folder.name, "dataset_version": 2, "data_type": "image", "annotation_type": "detection"}
    (folder / "dataset.json").write_text(json.dumps({**told, "labels": LABELS, **about}))
    (folder / "annotations.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    return folder


def _line(seq: int, label: int = 3, **more: Any) -> dict[str, Any]:
    box = {"id": "1", "type": "box", "label": label, "x": 1, "y": 2, "w": 3, "h": 4}
    return {"seq": seq, "path": f"a/{seq}.jpg", "state": "labelled", "width": 10, "annotations": [box], **more}


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TIDEMILL_WORKSPACE", str(tmp_path))
    monkeypatch.setenv("TIDEMILL_RUN_ID", "run_1")
    return tmp_path


def test_a_run_opens_its_only_dataset_without_a_name(workspace: Path) -> None:
    _publish(workspace / "dataset" / "boats", [_line(1), _line(2, 4)])
    boats = tidemill.data.open()
    assert (boats.name, boats.data_type, boats.annotation_type, len(boats)) == ("boats@2", "image", "detection", 2)
    item = boats[0]
    assert item.file == workspace / "dataset" / "boats" / "a" / "1.jpg"
    assert (item.seq, item.width, item.state) == (1, 10, "labelled")
    assert [item.path for item in boats] == ["a/1.jpg", "a/2.jpg"]


def test_labels_are_called_by_names_that_tell_them_apart(workspace: Path) -> None:
    _publish(workspace / "dataset" / "boats", [_line(1, 4), _line(2, 9), _line(3, 7)])
    boats = tidemill.data.open("boats")
    assert [label.name for label in boats.labels] == ["boat", "boat/sail", "buoy", "buoy/sail"]
    assert [item.annotations[0]["label"] for item in boats] == ["boat/sail", "buoy/sail", "buoy"]
    assert boats.labels[3].skeleton is not None
    assert boats.labels[1].parent == "boat"


def test_a_version_the_run_was_not_given_is_refused(workspace: Path) -> None:
    _publish(workspace / "dataset" / "boats", [_line(1)])
    assert len(tidemill.data.open("boats@2")) == 1
    with pytest.raises(Invalid, match="version 2"):
        tidemill.data.open("boats@3")
    with pytest.raises(NotFound, match="gulls"):
        tidemill.data.open("gulls@1")


def test_several_datasets_or_none_ask_for_a_name(workspace: Path) -> None:
    with pytest.raises(Invalid, match="no dataset"):
        tidemill.data.open()
    for name in ("boats", "gulls"):
        _publish(workspace / "dataset" / name, [_line(1)])
    with pytest.raises(Invalid, match="boats, gulls"):
        tidemill.data.open()


def test_a_folder_that_is_no_version_says_what_is_missing(tmp_path: Path) -> None:
    with pytest.raises(Invalid, match=r"dataset\.json"):
        open_folder(tmp_path)
    _publish(tmp_path / "odd", [_line(1)])
    (tmp_path / "odd" / "annotations.jsonl").write_text('{"path": 1, "ann\n')
    with pytest.raises(Invalid, match=r"annotations\.jsonl"):
        list(open_folder(tmp_path / "odd"))


def test_only_what_people_did_is_labelled(tmp_path: Path) -> None:
    states = ["unlabelled", "labelled", "suggested", "rework", "reviewed", "aside"]
    folder = _publish(tmp_path / "boats", [_line(seq, state=state) for seq, state in enumerate(states, 1)])
    assert [item.state for item in open_folder(folder).labelled()] == ["labelled", "reviewed"]


def test_parts_are_those_of_exported_training_files_in_any_order(tmp_path: Path) -> None:
    lines = [_line(seq, [3, 7, 7, 7][seq % 4]) for seq in range(1, 101)]
    folder = _publish(tmp_path / "boats", lines)
    train, test = open_folder(folder).split(test=0.3, seed=5)
    names = {3: "boat", 7: "buoy"}
    expected = choose_test(((line["path"], [names[line["annotations"][0]["label"]]]) for line in lines), 0.3, 5)
    assert {item.path for item in test} == expected
    assert len(train) == 70
    assert not {item.path for item in train} & expected
    random.Random(0).shuffle(lines)
    mixed = open_folder(_publish(tmp_path / "mixed", lines)).split(test=0.3, seed=5)[1]
    assert {item.path for item in mixed} == expected


def test_a_part_can_be_parted_filtered_and_sampled(tmp_path: Path) -> None:
    folder = _publish(tmp_path / "boats", [_line(seq) for seq in range(1, 41)])
    part = open_folder(folder).filter(lambda item: item.seq % 2 == 0)
    assert [item.seq for item in part.take(3)] == [2, 4, 6]
    sampled = [item.seq for item in part.take(5, seed=1)]
    assert sampled == [item.seq for item in part.take(5, seed=1)] == sorted(sampled)
    assert part[-1].seq == 40


def test_a_torch_loader_gets_what_the_function_makes(tmp_path: Path) -> None:
    torch_data = pytest.importorskip("torch.utils.data")
    folder = _publish(tmp_path / "boats", [_line(seq) for seq in range(1, 8)])
    shown = open_folder(folder).torch(lambda item: item.seq)
    batches = list(torch_data.DataLoader(shown, batch_size=4))
    assert [batch.tolist() for batch in batches] == [[1, 2, 3, 4], [5, 6, 7]]


def test_items_are_no_weight_in_memory(tmp_path: Path) -> None:
    """Eight bytes an item, whatever its line holds."""
    folder = _publish(tmp_path / "boats", [_line(seq, info={"text": "x" * 1000}) for seq in range(1, 2001)])
    opened = Dataset.of_folder(folder)
    assert opened._places.itemsize * len(opened._places) == 16_000


def test_elsewhere_the_version_is_fetched_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fetching: Callable[[Path], list[str]]
) -> None:
    monkeypatch.delenv("TIDEMILL_RUN_ID", raising=False)
    monkeypatch.chdir(tmp_path)
    source = _publish(tmp_path / "source" / "boats", [_line(1)])
    calls = fetching(source)
    from tidemill.sdk import Client

    with Client("http://127.0.0.1:1", "tm_x", "harbour") as client:
        for _ in range(2):
            assert len(tidemill.data.open("boats@2", client=client, cache=tmp_path / "cache")) == 1
    assert calls == ["harbour/boats@2"]


@pytest.fixture
def fetching(monkeypatch: pytest.MonkeyPatch) -> Callable[[Path], list[str]]:
    """A server that has one published version, told by its files."""
    import shutil

    from tidemill.sdk.data_views import DatasetVersion
    from tidemill.sdk.resources.assets import Assets
    from tidemill.sdk.resources.datasets import Datasets

    def prepare(source: Path) -> list[str]:
        calls: list[str] = []

        def pull(_self: Assets, ref: Any, target: Path, **_: Any) -> None:
            calls.append(str(ref))
            shutil.copytree(source, target)

        monkeypatch.setattr(Datasets, "version", lambda *_: DatasetVersion(number=2, work="published"))
        monkeypatch.setattr(Assets, "pull", pull)
        return calls

    return prepare
