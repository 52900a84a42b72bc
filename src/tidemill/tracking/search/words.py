"""Short filters over things with a few fields and tags: experiments, models, versions."""

from dataclasses import dataclass
from typing import Any

from tidemill.kernel.errors import Invalid
from tidemill.tracking.search.parsing import Reader


@dataclass(frozen=True, slots=True)
class Words:
    """The fields there are; tags are always among them."""

    texts: tuple[str, ...]
    numbers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class WordTerm:
    """One comparison."""

    name: str
    operator: str
    value: Any
    is_tag: bool


def parse_words(text: str, words: Words) -> list[WordTerm]:
    """The comparisons, all of which must hold."""
    return [_checked(found.name, found.operator, found.value, words) for found in Reader(text).comparisons()]


def _checked(name: str, operator: str, value: Any, words: Words) -> WordTerm:
    entity, dot, rest = name.partition(".")
    if dot and entity.casefold() in ("tag", "tags"):
        return WordTerm(rest.strip("`\"'"), operator, value, is_tag=True)
    plain = rest if dot and entity.casefold() in ("attribute", "attributes") else name
    plain = plain.strip("`\"'")
    if plain in words.numbers:
        try:
            return WordTerm(plain, operator, float(value), is_tag=False)
        except (TypeError, ValueError):
            raise Invalid("filter_needs_number", field="filter", name=plain, given=str(value)[:100]) from None
    if plain not in words.texts:
        allowed = ", ".join((*words.texts, *words.numbers, "tags.…"))
        raise Invalid("filter_attribute", field="filter", given=name[:100], allowed=allowed)
    return WordTerm(plain, operator, value, is_tag=False)
