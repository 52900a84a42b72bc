import stat
from pathlib import Path

import pytest

from tidemill.sdk import Invalid
from tidemill.sdk.config import Config, Login, config_file, load_config, resolve, save_config

A, B = "http://a.test:8700", "http://b.test"


def save() -> None:
    save_config(Config(A, {A: Login("tm_a", "tok_a", "ann", "tides"), B: Login("tm_b")}))


def test_settings_survive_and_only_their_owner_may_read_them() -> None:
    save()
    assert load_config() == Config(A, {A: Login("tm_a", "tok_a", "ann", "tides"), B: Login("tm_b")})
    assert stat.S_IMODE(config_file().stat().st_mode) == 0o600
    assert stat.S_IMODE(config_file().parent.stat().st_mode) == 0o700


def test_without_settings_the_embedded_server_is_meant() -> None:
    assert resolve().url == "http://127.0.0.1:8700"
    assert resolve().token is None


def test_what_is_given_goes_before_the_environment_and_that_before_the_settings(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    save()
    assert resolve().project == "tides"
    monkeypatch.setenv("TIDEMILL_PROJECT", "moon")
    assert resolve().project == "moon"
    assert resolve(project="sun").project == "sun"


def test_a_token_is_never_sent_to_another_server(monkeypatch: pytest.MonkeyPatch) -> None:
    save()
    assert resolve(A + "/").token == "tm_a"
    assert resolve(B).token == "tm_b"
    assert resolve("http://evil.test").token is None
    monkeypatch.setenv("TIDEMILL_URL", "http://evil.test")
    assert resolve().token is None


@pytest.mark.parametrize("content", ["{", "[]", '{"servers": {"x": 3}}', "\udcff"])
def test_a_damaged_settings_file_is_named(content: str) -> None:
    config_file().parent.mkdir()
    config_file().write_text(content, "utf-8", errors="surrogateescape")
    with pytest.raises(Invalid) as caught:
        load_config()
    assert str(config_file()) in str(caught.value)
    assert "tidemill login" in (caught.value.hint or "")


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("TIDEMILL_CONFIG", str(tmp_path / "file" / "config.json"))
    with pytest.raises(Invalid) as caught:
        save_config(Config())
    assert caught.value.code == "sdk_config_unwritable"
