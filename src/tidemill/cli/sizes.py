"""Sizes and pairs as people type them."""

import json
import re
from typing import Any

import click

from tidemill.cli.words import text

_UNITS = {
    "": 1, "B": 1, "K": 10**3, "KB": 10**3, "M": 10**6, "MB": 10**6, "G": 10**9, "GB": 10**9, "T": 10**12, "TB": 10**12,
    "KIB": 2**10, "MIB": 2**20, "GIB": 2**30, "TIB": 2**40,
}  # fmt: skip
_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([A-Za-z]*)")

UNLIMITED = "none"


class SizeType(click.ParamType[int]):
    """`500MB`, `20GiB`, or `none`, which is given as -1 so that it differs from an option left out."""

    name = "SIZE"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        if isinstance(value, int):
            return value
        if str(value).lower() == UNLIMITED:
            return -1
        found = _SIZE.fullmatch(str(value).strip())
        if found is None or found[2].upper() not in _UNITS:
            self.fail(text("cli_size_invalid", given=value), param, ctx)
        return int(float(found[1]) * _UNITS[found[2].upper()])


class PairType(click.ParamType[tuple[str, str]]):
    """`name=value`."""

    name = "NAME=VALUE"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, str]:
        if isinstance(value, tuple):
            return value
        name, equals, rest = str(value).partition("=")
        if not name or not equals:
            self.fail(text("cli_pair_invalid", given=value), param, ctx)
        return name, rest


def typed(pairs: tuple[tuple[str, str], ...]) -> dict[str, Any] | None:
    """Values of `--set`: numbers, true, false and null are meant as such; everything else is text. None without any."""
    return {name: _typed(value) for name, value in pairs} or None


def _typed(given: str) -> Any:
    try:
        found = json.loads(given)
    except ValueError:
        return given
    return given if isinstance(found, list | dict) else found


def limit_or_none(size: int | None) -> int | None:
    """A size option as the API wants it: `none` takes the limit away."""
    return None if size is None or size < 0 else size
