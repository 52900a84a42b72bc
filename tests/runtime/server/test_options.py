"""Options come from the command line, from the environment, and from what a run was given."""

import argparse
from pathlib import Path

import pytest

from tidemill.runtime.model import Unfit
from tidemill.runtime.server.command import add_options, read_options
from tidemill.runtime.server.options import ModelOptions, ServerOptions


def _read(*arguments: object, own: Path | None = None) -> ServerOptions:
    parser = argparse.ArgumentParser()
    add_options(parser, own)
    return read_options(parser.parse_args([str(one) for one in arguments]))


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("TIDEMILL_PORT", "TIDEMILL_GRPC_PORT", "PORT", "TIDEMILL_HOST"):
        monkeypatch.delenv(name, raising=False)
    # Both are set for the runtime; a test must not leave them behind.
    monkeypatch.setenv("TIDEMILL_RUNTIME_SPINNING", "0")
    monkeypatch.setenv("TIDEMILL_RUNTIME_THREADS", "")


def test_the_environment_says_what_the_command_line_does_not(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    said = {
        "PORT": "81",
        "TIDEMILL_PORT": "82",
        "TIDEMILL_GRPC_PORT": "83",
        "TIDEMILL_SERVE_MAX_BATCH_SIZE": "4",
        "TIDEMILL_SERVE_MAX_DELAY_MS": "2.5",
        "TIDEMILL_SERVE_ALLOW_PICKLES": "1",
        "TIDEMILL_SERVE_MODELS_FOLDER": str(tmp_path),
    }
    for name, value in said.items():
        monkeypatch.setenv(name, value)
    (tmp_path / "a").mkdir()
    found = _read("--max-batch-size", 5)
    assert (found.port, found.grpc_port, found.allow_pickles) == (82, 83, True)
    assert found.each == ModelOptions(max_batch_size=5, max_delay_ms=2.5)
    assert found.models == {"a": tmp_path / "a"}


def test_in_a_run_the_models_are_those_it_was_given(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
    assert list(_read(own=tmp_path).models) == ["a", "b"]
    assert list(_read("--model", tmp_path / "b", own=tmp_path).models) == ["b"]
    assert list(_read("--model", f"c={tmp_path / 'b'}", own=tmp_path).models) == ["c"]
    assert list(_read("--model", tmp_path / "b", "--name", "d").models) == ["d"]
    assert _read(own=tmp_path / "nothing").models == {}


def test_two_models_cannot_have_one_name(tmp_path: Path) -> None:
    with pytest.raises(Unfit, match="two models"):
        _read("--model", tmp_path / "a", "--model", tmp_path / "other" / "a")
    with pytest.raises(Unfit, match="for one model"):
        _read("--model", tmp_path / "a", "--model", tmp_path / "b", "--name", "c")


def test_settings_of_single_models_are_json_or_a_file(tmp_path: Path) -> None:
    assert _read("--settings", '{"a": {"instances": 2}}').by_model == {"a": {"instances": 2}}
    (tmp_path / "s.json").write_text('{"a": {"timeout_s": 3}}')
    assert _read("--settings", tmp_path / "s.json").by_model == {"a": {"timeout_s": 3}}
    for wrong in ("{", '{"a": 1}', str(tmp_path / "nothing")):
        with pytest.raises(Unfit, match="settings"):
            _read("--settings", wrong)


def test_options_of_a_model_are_checked() -> None:
    assert ModelOptions().changed({"timeout_s": 3, "warm_up": False}) == ModelOptions(timeout_s=3.0, warm_up=False)
    for wrong in ({"a": 1}, {"instances": "2"}, {"instances": True}, {"max_queue": 0}, {"timeout_s": 0}):
        with pytest.raises(Unfit):
            ModelOptions().changed(wrong)
