"""Which printed lines are points."""

import pytest

from tidemill.training.metrics.json_lines import Line, read_lines, whole_lines


def read(text: str) -> list[Line]:
    lines, _ = whole_lines(text.encode())
    return list(read_lines(lines))


def test_a_json_object_with_numbers_is_a_point_on_each_curve() -> None:
    assert read('{"step": 3, "loss": 0.5, "lr": 1e-3}\n') == [Line(3, {"loss": 0.5, "lr": 0.001})]


def test_other_output_in_between_does_not_disturb() -> None:
    found = read('epoch 1\n{"step": 1, "loss": 2}\nTraceback…\n  {"epoch": 2, "acc": 1.0}\r\n')
    assert found == [Line(1, {"loss": 2.0}), Line(2, {"acc": 1.0})]


@pytest.mark.parametrize(
    "line",
    [
        "{}",
        '{"step": 1}',
        '{"step": 1, "name": "resnet"}',
        '{"step": 1, "ok": true}',
        '{"loss": ',
        "[1, 2]",
        '{"step": 1, "loss": [1, 2]}',
        "{" * 2000 + "}",
        '{"step": 1, "time": 12.5}',
    ],
)
def test_what_has_no_numbers_is_only_output(line: str) -> None:
    assert read(line + "\n") == []


def test_the_step_is_the_first_of_the_names_for_it() -> None:
    assert read('{"epoch": 2, "step": 50, "loss": 1.0}\n') == [Line(50, {"epoch": 2.0, "loss": 1.0})]
    assert read('{"loss": 1.0}\n') == [Line(None, {"loss": 1.0})]


def test_a_line_without_its_end_waits_for_it() -> None:
    lines, used = whole_lines(b'{"step": 1, "loss": 1}\n{"step": 2, "lo')
    assert len(list(read_lines(lines))) == 1
    assert used == 23
