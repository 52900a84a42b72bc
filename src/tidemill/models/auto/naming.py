"""Which label of a dataset a model's label means: by name, whatever its case, number or language. Pure functions."""

import json
import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Literal

How = Literal["same", "case", "plural", "translation"]

_SEPARATORS = re.compile(r"[\s_\-./]+")


@dataclass(frozen=True, slots=True)
class Match:
    """A label of the dataset, and how it was recognised."""

    number: int
    how: How


def suggest(model_labels: Sequence[str], dataset_labels: Mapping[str, int]) -> dict[str, Match]:
    """For each label of the model that has one: the dataset's label that is meant, the surest way first."""
    tables: list[tuple[How, Mapping[str, int], Callable[[str], str]]] = [
        ("same", dataset_labels, str),
        ("case", _table(dataset_labels, plain), plain),
        ("plural", _table(dataset_labels, singular), singular),
        ("translation", _table(dataset_labels, meaning), meaning),
    ]
    found: dict[str, Match] = {}
    for label in model_labels:
        for how, table, key in tables:
            number = table.get(key(label))
            if number is not None:
                found[label] = Match(number, how)
                break
    return found


def plain(name: str) -> str:
    """Without case, kind of blanks and width of letters."""
    return _SEPARATORS.sub(" ", unicodedata.normalize("NFKC", name).casefold()).strip()


def singular(name: str) -> str:
    """An English plural as its singular, roughly: both sides are treated alike."""
    word = plain(name)
    for end, instead in (("ies", "y"), ("ches", "ch"), ("shes", "sh"), ("sses", "ss"), ("xes", "x"), ("s", "")):
        if word.endswith(end) and len(word) > len(end) + 1 and not word.endswith("ss"):
            return word[: -len(end)] + instead
    return word


def meaning(name: str) -> str:
    """What common names mean, in one language."""
    word = plain(name)
    return _meanings().get(word) or _meanings().get(singular(word)) or singular(word)


def _table(labels: Mapping[str, int], key: Callable[[str], str]) -> dict[str, int]:
    """By key; where two labels have the same, neither is meant."""
    found: dict[str, int] = {}
    twice: set[str] = set()
    for name, number in labels.items():
        word = key(name)
        if word in found:
            twice.add(word)
        found[word] = number
    return {word: number for word, number in found.items() if word not in twice}


@cache
def _meanings() -> dict[str, str]:
    """Every known name, with the one that stands for it."""
    text = resources.files("tidemill.models.auto").joinpath("translations.json").read_text("utf-8")
    loaded: dict[str, list[str]] = json.loads(text)
    return {plain(name): plain(english) for english, names in loaded.items() for name in (english, *names)}
