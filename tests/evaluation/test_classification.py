"""Metrics of classes and numbers agree with scikit-learn."""

import json
from pathlib import Path

import numpy as np
import pytest
from sklearn import metrics as sk

from tidemill.evaluation import Pair, judge, report

NAMES = ["ant", "bee", "cat", "dog"]


def _class(name: str, score: float | None = None) -> dict[str, object]:
    return {"type": "class", "label": name} | ({} if score is None else {"score": score})


def _pairs(seed: int, count: int) -> tuple[list[Pair], np.ndarray, np.ndarray]:
    chance = np.random.default_rng(seed)
    truth = chance.choice(len(NAMES), count, p=[0.5, 0.3, 0.15, 0.05])
    raw = chance.random((count, len(NAMES))) + 0.9 * np.eye(len(NAMES))[truth]
    # Rounded, so that there are scores that are the same.
    scores = np.round(raw / raw.sum(axis=1, keepdims=True), 2)
    pairs = [
        Pair(
            seq=at + 1,
            path=f"{at}.jpg",
            truth=[_class(NAMES[true])],
            predicted=[_class(NAMES[int(row.argmax())], float(row.max()))],
            probabilities=dict(zip(NAMES, row.tolist(), strict=True)),
        )
        for at, (true, row) in enumerate(zip(truth, scores, strict=True))
    ]
    return pairs, truth, scores


@pytest.mark.parametrize("seed", range(3))
def test_one_class_an_item_is_judged_as_scikit_learn_does(seed: int) -> None:
    pairs, truth, scores = _pairs(seed, 300)
    found = judge("image-classification", pairs, NAMES)
    said = scores.argmax(axis=1)
    precision, recall, f1, support = sk.precision_recall_fscore_support(truth, said, zero_division=0)
    assert found.metrics["accuracy"] == pytest.approx(sk.accuracy_score(truth, said), abs=1e-6)
    assert found.metrics["precision"] == pytest.approx(precision.mean(), abs=1e-6)
    assert found.metrics["recall"] == pytest.approx(recall.mean(), abs=1e-6)
    assert found.metrics["f1"] == pytest.approx(f1.mean(), abs=1e-6)
    assert found.confusion is not None
    assert found.confusion["counts"] == sk.confusion_matrix(truth, said).tolist()
    for at, row in enumerate(found.classes):
        assert row["support"] == support[at]
        for name, values in (("precision", precision), ("recall", recall), ("f1", f1)):
            assert row[name] == pytest.approx(values[at], abs=1e-6)
        assert row["ap"] == pytest.approx(sk.average_precision_score(truth == at, scores[:, at]), abs=1e-6)


def test_curves_are_those_of_scikit_learn_at_their_thresholds() -> None:
    pairs, truth, scores = _pairs(7, 120)
    found = judge("text-classification", pairs, NAMES)
    for curve in found.curves["pr"]:
        at = NAMES.index(curve["label"])
        precision, recall, thresholds = sk.precision_recall_curve(truth == at, scores[:, at])
        known = {round(float(t), 6): (r, p) for p, r, t in zip(precision[:-1], recall[:-1], thresholds, strict=True)}
        assert 0 < len(curve["points"]) <= 200
        for point_recall, point_precision, threshold in curve["points"]:
            assert (point_recall, point_precision) == pytest.approx(known[threshold], abs=2e-6)


def test_several_classes_an_item_are_judged_one_by_one() -> None:
    chance = np.random.default_rng(3)
    truth = chance.random((200, 4)) < 0.3
    truth[:5] = [True, True, False, False]
    scores = np.round(np.clip(truth * 0.4 + chance.random((200, 4)) * 0.6, 0, 1), 3)
    pairs = [
        Pair(
            at + 1,
            f"{at}.jpg",
            [_class(name) for name, is_so in zip(NAMES, true, strict=True) if is_so],
            [_class(name, float(score)) for name, score in zip(NAMES, row, strict=True)],
            probabilities=dict(zip(NAMES, row.tolist(), strict=True)),
        )
        for at, (true, row) in enumerate(zip(truth, scores, strict=True))
    ]
    found = judge("image-classification", pairs, NAMES, threshold=0.4)
    said = scores >= 0.4
    assert found.primary == "f1"
    assert found.metrics["f1"] == pytest.approx(sk.f1_score(truth, said, average="macro"), abs=1e-6)
    assert found.metrics["f1_micro"] == pytest.approx(sk.f1_score(truth, said, average="micro"), abs=1e-6)
    assert found.metrics["exact"] == pytest.approx(sk.accuracy_score(truth, said), abs=1e-6)
    assert found.metrics["map"] == pytest.approx(sk.average_precision_score(truth, scores, average="macro"), abs=1e-6)
    row = found.thresholds[40]
    assert row["threshold"] == pytest.approx(0.4)
    assert row["recall"] == pytest.approx(sk.recall_score(truth, said, average="micro"), abs=1e-6)
    assert all(one["score"] >= 0.4 for entry in found.worst for one in entry["predicted"])


def test_the_worst_come_first_and_right_answers_after_wrong_ones() -> None:
    def pair(seq: int, true: str, said: str, of_true: float) -> Pair:
        return Pair(seq, f"{seq}", [_class(true)], [_class(said, 0.5)], probabilities={true: of_true, said: 0.5})

    pairs = [pair(1, "ant", "ant", 0.5), pair(2, "ant", "bee", 0.01), pair(3, "bee", "ant", 0.4)]
    worst = judge("image-classification", pairs, ["ant", "bee"]).worst
    assert [(entry["seq"], entry["why"]) for entry in worst] == [(2, "wrong_class"), (3, "wrong_class"), (1, "unsure")]


def test_a_threshold_leaves_the_sure_answers() -> None:
    pairs = [
        Pair(1, "1", [_class("ant")], [_class("ant", 0.9)]),
        Pair(2, "2", [_class("ant")], [_class("bee", 0.6)]),
        Pair(3, "3", [_class("bee")], [_class("bee", 0.4)]),
    ]
    found = judge("image-classification", pairs, ["ant", "bee"]).thresholds
    assert (found[0]["precision"], found[0]["recall"]) == pytest.approx((2 / 3, 2 / 3))
    assert (found[70]["precision"], found[70]["recall"]) == pytest.approx((1, 1 / 3))
    assert (found[95]["precision"], found[95]["recall"]) == (0, 0)


def test_labels_that_the_model_does_not_know_count_as_missed() -> None:
    pairs = [Pair(1, "1", [_class("eel")], [_class("ant", 0.9)]), Pair(2, "2", [_class("ant")], [_class("ant", 0.9)])]
    found = judge("image-classification", pairs, ["ant", "bee"])
    assert found.metrics["accuracy"] == 0.5
    assert found.confusion == {"labels": ["ant", "bee", "eel"], "counts": [[1, 0, 0], [0, 0, 0], [1, 0, 0]]}


def test_numbers_are_judged_as_scikit_learn_does() -> None:
    chance = np.random.default_rng(1)
    truth, said = chance.normal(size=50), chance.normal(size=50)
    pairs = [
        Pair(at, str(at), [], [], true_value=t, value=s) for at, (t, s) in enumerate(zip(truth, said, strict=True))
    ]
    found = judge("tabular", pairs, [])
    assert found.metrics["r2"] == pytest.approx(sk.r2_score(truth, said), abs=1e-6)
    assert found.metrics["mae"] == pytest.approx(sk.mean_absolute_error(truth, said), abs=1e-6)
    assert found.metrics["rmse"] == pytest.approx(sk.root_mean_squared_error(truth, said), abs=1e-6)


def test_an_evaluation_is_written_as_json_that_everybody_reads(tmp_path: Path) -> None:
    pairs, _, _ = _pairs(0, 30)
    judgement = judge("image-classification", pairs, NAMES)
    judgement.metrics["odd"] = float("nan")
    report.write(tmp_path, judgement, task="image-classification", dataset="d@1", model="m@2", part="test")
    found = json.loads((tmp_path / "evaluation.json").read_text("utf-8"), parse_constant=pytest.fail)
    assert found["metrics"]["odd"] is None
    assert found["items"] == 30
    assert [file.name for file in tmp_path.iterdir()] == ["evaluation.json"]
