import json
from datetime import UTC, datetime

import pytest

from tidemill.cli.output import align, cell, print_json, print_table, size_text, width_of


def test_chinese_and_latin_line_up() -> None:
    lines = align([["名称", "N"], ["模型一", "5"], ["ab", "12"]], [False, True])
    assert lines == ["名称     N", "模型一   5", "ab      12"]
    assert {width_of(line) for line in lines} == {10}


def test_accents_and_invisible_marks_take_no_room() -> None:
    assert width_of("e\u0301") == 1
    assert width_of("\u200b") == 0


def test_nothing_a_terminal_would_act_on_is_printed() -> None:
    assert "\x1b" not in cell("\x1b[31mred\x07")
    assert cell("two\nlines") == "two lines"
    assert cell(None) == "-"
    assert cell([]) == "-"


@pytest.mark.parametrize(
    ("size", "text"),
    [(0, "0 B"), (1023, "1023 B"), (1536, "1.5 KiB"), (2 * 1024**3, "2.0 GiB"), (5000 * 1024**4, "5000.0 TiB")],
)
def test_sizes_are_for_people(size: float, text: str) -> None:
    assert size_text(size) == text


def test_times_are_shown_in_the_terminals_time() -> None:
    moment = datetime(2026, 1, 2, 3, 4, tzinfo=UTC)
    assert cell(moment) == moment.astimezone().strftime("%Y-%m-%d %H:%M")


def test_a_table_has_its_headings_even_when_empty(capsys: pytest.CaptureFixture[str]) -> None:
    print_table([("NAME", lambda row: row), ("SIZE", lambda _: 1)], [])
    assert capsys.readouterr().out == "NAME  SIZE\n"


def test_json_keeps_chinese_readable(capsys: pytest.CaptureFixture[str]) -> None:
    print_json({"name": "潮汐"})
    out = capsys.readouterr().out
    assert "潮汐" in out
    assert json.loads(out) == {"name": "潮汐"}
