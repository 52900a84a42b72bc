"""Parameters as the manifest has them."""

import json
from pathlib import Path

import pytest

from tidemill.learn import WrongParameter, parameters

MANIFEST = {
    "parameters": [
        {"name": "epochs", "type": "int", "default": 5, "min": 1, "max": 10},
        {"name": "rate", "type": "float", "default": 0.1, "min": 0, "max": 1},
        {"name": "kind", "type": "choice", "default": "a", "choices": ["a", "b"]},
        {"name": "mirror", "type": "bool", "default": False},
        {"name": "note", "type": "text", "default": ""},
    ]
}


@pytest.fixture
def script(tmp_path: Path) -> Path:
    (tmp_path / "algorithm.json").write_text(json.dumps(MANIFEST))
    return tmp_path / "train.py"


def test_what_is_not_set_has_the_manifests_default(script: Path) -> None:
    found = parameters(script, {"epochs": "7", "mirror": "true", "mine": [1]})
    assert dict(found) == {"epochs": 7, "rate": 0.1, "kind": "a", "mirror": True, "note": "", "mine": [1]}
    assert found.epochs == 7


def test_the_run_tells_them(script: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TIDEMILL_PARAMETERS", '{"rate": 0.5}')
    assert parameters(script).rate == 0.5


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"epochs": 2.5}, "epochs: 2.5 is no int"),
        ({"epochs": 11}, "epochs: 11 is not between 1 and 10"),
        ({"rate": "fast"}, "rate: 'fast' is no float"),
        ({"rate": float("nan")}, "rate: nan is no float"),
        ({"kind": "c"}, "kind: 'c' is none of a, b"),
        ({"mirror": "perhaps"}, "mirror: 'perhaps' is no bool"),
    ],
)
def test_what_the_manifest_does_not_allow_is_told(script: Path, given: dict[str, object], said: str) -> None:
    with pytest.raises(WrongParameter, match=said):
        parameters(script, given)
