"""Reading what an MLflow client sent: each field by its rule, refused with the field's name."""

from collections.abc import Iterator
from typing import Any, Self

import orjson
from fastapi import Request

from tidemill.kernel.errors import Invalid

INT_MAX = 2**62
_NONE: Any = object()


def broken(code: str, field: str, **params: Any) -> Invalid:
    """A field that breaks a rule; the words for these rules name the field."""
    error = Invalid(code, field=field, **params)
    error.params["field"] = field
    return error


class Values:
    """A JSON object, or a query."""

    __slots__ = ("_given", "_where")

    def __init__(self, given: dict[str, Any], where: str = "") -> None:
        self._given = given
        self._where = where

    @classmethod
    def read(cls, request: Request, content: bytes) -> Self:
        """The body; of a call without one, the query."""
        if not content:
            query = request.query_params
            return cls({key: many if len(many := query.getlist(key)) > 1 else query[key] for key in query})
        try:
            found = orjson.loads(content)
        except orjson.JSONDecodeError:
            raise Invalid("json_invalid", field="body") from None
        if not isinstance(found, dict):
            raise Invalid("json_invalid", field="body")
        return cls(found)

    def text(self, field: str, *, most: int, least: int = 1, default: Any = _NONE) -> Any:
        """A text the database can hold."""
        found = self._given.get(field)
        if found is None or (found == "" and default is not _NONE and least):
            return self._lacking(field, default)
        if not isinstance(found, str):
            raise broken("field_text", self._named(field))
        if "\x00" in found:
            raise Invalid("text_unprintable", field=self._named(field))
        if len(found) > most:
            raise broken("field_too_long", self._named(field), max_length=most)
        if len(found) < least:
            raise broken("field_too_short", self._named(field), min_length=least)
        return found

    def whole(self, field: str, *, default: Any = _NONE, least: int = -INT_MAX, most: int = INT_MAX) -> Any:
        """A whole number, which may come as text."""
        found = self._given.get(field)
        if found is None or found == "":
            return self._lacking(field, default)
        if isinstance(found, str) and found.lstrip("-").isdecimal() and len(found) < 20:
            found = int(found)
        if isinstance(found, float) and found.is_integer():
            found = int(found)
        if not isinstance(found, int) or isinstance(found, bool):
            raise broken("field_whole_number", self._named(field))
        if found < least:
            raise broken("number_too_small", self._named(field), ge=least)
        if found > most:
            raise broken("number_too_large", self._named(field), le=most)
        return found

    def number(self, field: str) -> float:
        """A number; `NaN`, `Infinity` and `-Infinity` come as texts."""
        found = self._given.get(field)
        if found is None:
            return float(self._lacking(field, _NONE))
        if isinstance(found, str):
            try:
                return float(found)
            except ValueError:
                raise broken("field_number", self._named(field)) from None
        if not isinstance(found, int | float) or isinstance(found, bool):
            raise broken("field_number", self._named(field))
        try:
            return float(found)
        except OverflowError:
            raise broken("field_number", self._named(field)) from None

    def flag(self, field: str) -> bool:
        found = self._given.get(field, False)
        if found in (True, False):
            return bool(found)
        if isinstance(found, str) and found.lower() in ("true", "false"):
            return found.lower() == "true"
        raise broken("field_flag", self._named(field))

    def texts(self, field: str, *, most: int, length: int) -> list[str]:
        """A list of texts; one alone may come by itself."""
        found = self._given.get(field) or []
        if isinstance(found, str):
            found = [found]
        if not isinstance(found, list) or not all(isinstance(each, str) and "\x00" not in each for each in found):
            raise broken("field_text", self._named(field))
        if len(found) > most:
            raise broken("list_too_long", self._named(field), max_length=most)
        if any(len(each) > length for each in found):
            raise broken("field_too_long", self._named(field), max_length=length)
        return found

    def objects(self, field: str, *, most: int) -> Iterator["Values"]:
        """A list of objects, each named by its place in errors."""
        found = self._given.get(field) or []
        if not isinstance(found, list):
            raise broken("field_invalid", self._named(field))
        if len(found) > most:
            raise broken("list_too_long", self._named(field), max_length=most)
        for place, each in enumerate(found):
            if not isinstance(each, dict):
                raise broken("field_invalid", self._named(f"{field}.{place}"))
            yield Values(each, self._named(f"{field}.{place}."))

    def pairs(self, field: str, *, key_max: int, value_max: int, most: int) -> dict[str, str]:
        """A list of `{key, value}` as what it means; of a key that is there twice the last counts."""
        return {
            one.text("key", most=key_max): one.text("value", most=value_max, least=0, default="")
            for one in self.objects(field, most=most)
        }

    def inner(self, field: str) -> "Values":
        found = self._given.get(field)
        if not isinstance(found, dict):
            raise broken("field_missing" if found is None else "field_invalid", self._named(field))
        return Values(found, self._named(f"{field}."))

    def raw(self, field: str) -> Any:
        return self._given.get(field)

    def has(self, field: str) -> bool:
        return self._given.get(field) is not None

    def _lacking(self, field: str, default: Any) -> Any:
        if default is _NONE:
            raise broken("field_missing", self._named(field))
        return default

    def _named(self, field: str) -> str:
        return f"{self._where}{field}"
