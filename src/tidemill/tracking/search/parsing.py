"""What people write to find runs: `metrics.acc > 0.9 AND params.lr = '0.1'`, and `metrics.acc DESC`.

The words are those of MLflow's search: comparisons joined by AND, names of `metrics`, `params`, `tags`, `attributes`
and `datasets`, text in quotes. Nothing here knows a database.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from tidemill.kernel.errors import Invalid

Entity = Literal["metric", "parameter", "tag", "attribute", "dataset"]
Value = str | float | tuple[str, ...] | None

TEXT_MAX = 10_000
TERMS_MAX = 50

_ENTITIES: dict[str, Entity] = {
    **dict.fromkeys(("metric", "metrics"), "metric"),
    **dict.fromkeys(("param", "params", "parameter", "parameters"), "parameter"),
    **dict.fromkeys(("tag", "tags"), "tag"),
    **dict.fromkeys(("attribute", "attributes", "attr", "run"), "attribute"),
    **dict.fromkeys(("dataset", "datasets"), "dataset"),
}
_ATTRIBUTES = {
    "run_id": "run_id",
    "run_name": "run_name", "run name": "run_name", "name": "run_name",
    "status": "status",
    "start_time": "start_time", "created": "start_time",
    "end_time": "end_time",
    "user_id": "user_id", "user": "user_id",
    "artifact_uri": "artifact_uri",
}  # fmt: skip
_NUMBERS = {"start_time", "end_time"}
_DATASET_FIELDS = {"name", "digest", "context"}

_OPERATORS = ("=", "!=", "<", "<=", ">", ">=", "LIKE", "ILIKE", "IN", "NOT IN", "IS NULL", "IS NOT NULL")
_FOR_NUMBERS = ("=", "!=", "<", "<=", ">", ">=")
_FOR_TEXTS = ("=", "!=", "LIKE", "ILIKE", "IN", "NOT IN", "IS NULL", "IS NOT NULL")

_TOKEN = re.compile(
    r"""\s*(?:
        (?P<text>'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")
      | (?P<operator><=|>=|!=|=|<|>)
      | (?P<bracket>[(),])
      | (?P<word>(?:`[^`]*`|"[^"]*"|[^\s'"`<>=!(),])+)
    )""",
    re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class Field:
    """What a comparison or an order is about."""

    entity: Entity
    name: str

    @property
    def is_number(self) -> bool:
        return self.entity == "metric" or (self.entity == "attribute" and self.name in _NUMBERS)


@dataclass(frozen=True, slots=True)
class Term:
    """One comparison."""

    field: Field
    operator: str
    value: Value = None


@dataclass(frozen=True, slots=True)
class Order:
    """One thing to sort by."""

    field: Field
    descending: bool


def parse_filter(text: str) -> tuple[Term, ...]:
    """The comparisons of a filter, all of which must hold; raises Invalid that says where it cannot be read."""
    return tuple(_term(found) for found in Reader(text).comparisons())


def parse_orders(given: Sequence[str]) -> tuple[Order, ...]:
    """What to sort by, most important first: `metrics.acc DESC`, `params.lr`, `start_time ASC`."""
    return tuple(_order(text) for text in given if text.strip())


def _order(text: str) -> Order:
    found = re.fullmatch(r"\s*(.+?)(?:\s+(ASC|DESC))?\s*", text, re.IGNORECASE | re.DOTALL)
    assert found is not None
    field = _field(found[1], "order_by")
    if field.entity == "dataset":
        raise Invalid("order_unknown", field="order_by", given=found[1][:100])
    return Order(field, descending=(found[2] or "").upper() == "DESC")


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str
    at: int

    def is_word(self, *words: str) -> bool:
        return self.kind == "word" and self.text.upper() in words


class Comparison(NamedTuple):
    """A comparison as it was written."""

    name: str
    operator: str
    value: str | tuple[str, ...] | None
    is_quoted: bool = True


class Reader:
    """Reads a filter from left to right."""

    def __init__(self, text: str) -> None:
        if len(text) > TEXT_MAX:
            raise Invalid("filter_too_long", field="filter", max=TEXT_MAX)
        self._tokens = _tokens(text)
        self._place = 0

    def comparisons(self) -> list[Comparison]:
        found: list[Comparison] = []
        while self._place < len(self._tokens):
            if found:
                self._take_and()
            found.append(self._comparison())
            if len(found) > TERMS_MAX:
                raise Invalid("filter_too_long", field="filter", max=TERMS_MAX)
        return found

    def _comparison(self) -> Comparison:
        name = self._take("word").text
        operator = self._operator()
        if operator.startswith("IS "):
            return Comparison(name, operator, None)
        if operator.endswith("IN"):
            return Comparison(name, operator, self._list())
        token = self._take("text", "word")
        is_quoted = token.kind == "text"
        return Comparison(name, operator, _unquoted(token.text) if is_quoted else token.text, is_quoted)

    def _take_and(self) -> None:
        token = self._take("word")
        if token.is_word("OR"):
            raise Invalid("filter_or", field="filter")
        if not token.is_word("AND"):
            raise _unreadable(token)

    def _operator(self) -> str:
        token = self._take("operator", "word")
        if token.kind == "operator":
            return token.text
        more = [each.text if each.kind == "word" else "" for each in self._tokens[self._place : self._place + 2]]
        for count in (2, 1, 0):
            found = " ".join([token.text, *more[:count]]).upper()
            if found in _OPERATORS:
                self._place += count
                return found
        raise _unreadable(token)

    def _list(self) -> tuple[str, ...]:
        values: list[str] = []
        self._bracket("(")
        while True:
            values.append(_unquoted(self._take("text").text))
            if self._bracket(",", ")") == ")":
                return tuple(values)

    def _bracket(self, *allowed: str) -> str:
        token = self._take("bracket")
        if token.text not in allowed:
            raise _unreadable(token)
        return token.text

    def _take(self, *kinds: str) -> _Token:
        if self._place >= len(self._tokens):
            raise Invalid("filter_ends_early", field="filter")
        token = self._tokens[self._place]
        if token.kind not in kinds:
            raise _unreadable(token)
        self._place += 1
        return token


def _tokens(text: str) -> list[_Token]:
    found: list[_Token] = []
    place = 0
    while place < len(text.rstrip()):
        match = _TOKEN.match(text, place)
        if match is None:
            raise Invalid("filter_unreadable", field="filter", at=place + 1, near=text[place : place + 30])
        assert match.lastgroup is not None
        found.append(_Token(match.lastgroup, match[match.lastgroup], match.start(match.lastgroup)))
        place = match.end()
    return _joined(found)


def _joined(tokens: list[_Token]) -> list[_Token]:
    """`params."my key"`: a quoted name directly after its dot belongs to the word before it."""
    joined: list[_Token] = []
    for token in tokens:
        last = joined[-1] if joined else None
        touches = last is not None and last.kind == "word" and last.text.endswith(".")
        if last is not None and touches and token.kind == "text" and last.at + len(last.text) == token.at:
            joined[-1] = _Token("word", last.text + token.text, last.at)
        else:
            joined.append(token)
    return joined


def _term(found: Comparison) -> Term:
    field = _field(found.name, "filter")
    shown = f"{field.entity}.{field.name}"[:100]
    allowed = _FOR_NUMBERS if field.is_number else _FOR_TEXTS
    if found.operator not in allowed:
        raise Invalid("filter_operator", field="filter", name=shown, given=found.operator, allowed=", ".join(allowed))
    if not field.is_number:
        if not found.is_quoted:
            raise Invalid("filter_needs_text", field="filter", name=shown, given=str(found.value)[:100])
        return Term(field, found.operator, found.value)
    try:
        return Term(field, found.operator, float(str(found.value)))
    except ValueError:
        raise Invalid("filter_needs_number", field="filter", name=shown, given=str(found.value)[:100]) from None


def _field(text: str, where: str) -> Field:
    entity_name, dot, rest = text.partition(".")
    entity = _ENTITIES.get(entity_name.strip("`\"'").casefold()) if dot else None
    if entity is None:
        # A bare name is one of the run itself.
        entity, rest = "attribute", text
    name = rest[1:-1] if len(rest) > 1 and rest[0] == rest[-1] and rest[0] in "`\"'" else rest
    if entity == "attribute":
        known = _ATTRIBUTES.get(name.casefold())
        if known is None:
            raise Invalid(
                "filter_attribute", field=where, given=text[:100], allowed=", ".join(sorted(set(_ATTRIBUTES.values())))
            )
        return Field(entity, known)
    if entity == "dataset" and name not in _DATASET_FIELDS:
        raise Invalid("filter_attribute", field=where, given=text[:100], allowed="dataset.name, .digest, .context")
    if not name or "\x00" in name:
        raise Invalid("filter_unreadable", field=where, at=1, near=text[:30])
    return Field(entity, name)


def _unquoted(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text[1:-1]).replace("\x00", "")


def _unreadable(token: _Token) -> Invalid:
    return Invalid("filter_unreadable", field="filter", at=token.at + 1, near=token.text[:30])
