"""Reading is judged by the edits that lead to what is written."""

import pytest

from tidemill.evaluation import Pair, reading


@pytest.mark.parametrize(
    ("truth", "read", "count"),
    [("kitten", "sitting", 3), ("", "abc", 3), ("abc", "", 3), ("你好世界", "你好", 2), ("same", "same", 0)],
)
def test_edits(truth: str, read: str, count: int) -> None:
    assert reading.edits(truth, read) == count


def test_rates_are_over_all_lines_together() -> None:
    pairs = [("abcd", "abcx"), ("ab", "ab")]
    assert reading.rates(pairs) == {"cer": 1 / 6, "wer": 0.5, "accuracy": 0.5}


def test_ideographs_are_words() -> None:
    assert reading.words("你好 big sea") == ["你", "好", "big", "sea"]


def test_a_line_that_is_missed_counts_whole_and_an_unreadable_one_not_at_all() -> None:
    line = {"type": "box", "label": "text", "x": 0, "y": 0, "w": 50, "h": 10}
    missed, unreadable = line | {"y": 40, "text": "tide"}, line | {"y": 80, "ignore": True}
    found = [line | {"text": "mil1", "score": 0.9}, unreadable | {"text": "??", "score": 0.9}]
    item = Pair(1, "a.png", [line | {"text": "mill"}, missed, unreadable], found)
    metrics = reading.judge([item], ["text"]).metrics
    assert metrics["cer"] == pytest.approx(5 / 8)
    assert metrics["region_recall"] == 0.5
    assert metrics["region_precision"] == 1
