"""What is printed: tables that line up in every script, sizes and times people can read, one JSON document."""

import json
import sys
import unicodedata
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, TypeVar

import click

T = TypeVar("T")

Column = tuple[str, Callable[[T], Any]]


def print_json(document: Any) -> None:
    """One document on stdout, nothing else."""
    encoding = (getattr(sys.stdout, "encoding", None) or "utf-8").lower().replace("-", "")
    click.echo(json.dumps(document, ensure_ascii=encoding != "utf8", indent=2))


def print_table(columns: Sequence[Column[T]], rows: Sequence[T]) -> None:
    """Aligned columns; numbers to the right."""
    cells = [[cell(get(row)) for _, get in columns] for row in rows]
    right = [bool(rows) and all(_is_number(get(row)) for row in rows) for _, get in columns]
    for line in align([[heading for heading, _ in columns], *cells], right):
        click.echo(line)


def print_fields(fields: Sequence[tuple[str, Any]]) -> None:
    """One thing: its fields below each other."""
    width = max(width_of(label) for label, _ in fields)
    for label, value in fields:
        shown = cell(value)
        click.echo(f"{label}{' ' * (width - width_of(label))}  {shown}".rstrip())


def align(lines: Sequence[Sequence[str]], right: Sequence[bool]) -> list[str]:
    """Lines of cells as text, each column as wide as its widest cell."""
    widths = [max(width_of(line[n]) for line in lines) for n in range(len(lines[0]))]
    aligned = []
    for line in lines:
        padded = []
        for text, width, is_right in zip(line, widths, right, strict=True):
            space = " " * (width - width_of(text))
            padded.append(space + text if is_right else text + space)
        aligned.append("  ".join(padded).rstrip())
    return aligned


def width_of(text: str) -> int:
    """Columns a text takes on a terminal: Chinese characters take two, accents none."""
    return sum(_character_width(character) for character in text)


def cell(value: Any) -> str:
    """A value as one line without anything a terminal would act on."""
    if value is None or value == "":
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, datetime):
        return value.astimezone().strftime("%Y-%m-%d %H:%M")
    if isinstance(value, list | tuple):
        return ", ".join(cell(item) for item in value) or "-"
    return "".join(" " if c in "\n\t" else c for c in str(value) if c in "\n\t" or unicodedata.category(c) != "Cc")


class Size(int):
    """Bytes, shown for people."""

    def __str__(self) -> str:
        return size_text(int(self))


def size_text(size_bytes: float) -> str:
    """`1.5 GiB`; the units the web pages use."""
    for unit in ("B", "KiB", "MiB", "GiB", "TiB"):
        if abs(size_bytes) < 1024 or unit == "TiB":
            break
        size_bytes /= 1024
    return f"{int(size_bytes)} {unit}" if unit == "B" else f"{size_bytes:.1f} {unit}"


def _character_width(character: str) -> int:
    if unicodedata.combining(character) or unicodedata.category(character) in {"Cf", "Me", "Mn"}:
        return 0
    return 2 if unicodedata.east_asian_width(character) in {"W", "F"} else 1


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
