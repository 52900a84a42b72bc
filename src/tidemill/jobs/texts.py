"""Words kept as a code and its parameters, and said in the reader's language when they are read."""

from typing import Any

from tidemill.kernel import i18n
from tidemill.kernel.errors import TidemillError
from tidemill.kernel.i18n import Language

Text = dict[str, Any]
"""`{"code": …, "params": {…}}`; a parameter may itself be a text. `{"said": …}` for what another program said,
in one language or by language."""


def text(code: str, **params: Any) -> Text:
    """Words to be said later; a code without words is a defect, so it raises KeyError here and not at the reader."""
    if code not in i18n.catalogue():
        raise KeyError(code)
    return {"code": code, "params": {name: _plain(value) for name, value in params.items()}}


def said(words: str | dict[Language, str]) -> Text:
    """Words that are in no catalogue, such as another program's error message."""
    return {"said": words}


def say(found: Text, language: Language) -> str:
    """The words in a language. A code an older release knew and this one does not is shown as it is."""
    if "said" in found:
        words = found["said"]
        return str(words[language] if isinstance(words, dict) else words)
    code, params = found["code"], found.get("params", {})
    if code not in i18n.catalogue():
        return str(code)
    return i18n.message(code, language, **_spoken(params, language))


def error_text(error: TidemillError) -> Text:
    """What of an error is kept: enough to say it in any language."""
    kept: Text = {"code": error.code, "params": {name: _plain(value) for name, value in error.params.items()}}
    for name, value in (("message", error.message), ("hint", error.hint), ("field", error.field)):
        if value is not None:
            kept[name] = value
    if error.details is not None:
        kept["details"] = _plain_json(error.details)
    return kept


def say_error(found: Text, language: Language) -> dict[str, Any]:
    """A kept error in the shape of the API's error envelope."""
    params = _spoken(found.get("params", {}), language)
    return {
        "code": found["code"],
        "message": found.get("message") or say(found, language),
        "hint": found.get("hint") or i18n.find_hint(found["code"], language, **params),
        "field": found.get("field"),
        "details": found.get("details"),
    }


def _spoken(params: dict[str, Any], language: Language) -> dict[str, Any]:
    return {name: say(value, language) if isinstance(value, dict) else value for name, value in params.items()}


def _plain(value: Any) -> Any:
    if isinstance(value, str | int | float | bool | None):
        return value
    if isinstance(value, dict) and ("code" in value or "said" in value):
        return value
    return str(value)


def _plain_json(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _plain_json(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain_json(inner) for inner in value]
    return value if isinstance(value, str | int | float | bool | None) else str(value)
