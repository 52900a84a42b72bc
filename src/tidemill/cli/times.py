"""Times that are typed: the terminal's own, unless they say otherwise."""

from datetime import datetime
from typing import Any

import click

from tidemill.cli.words import both


def time_options(function: Any) -> Any:
    """`--since` and `--until`, which the command gets as the API takes them."""
    for name, words in (
        ("--until", both("Up to this time.", "截止时间。")),
        ("--since", both("From this time on.", "起始时间。")),
    ):
        function = click.option(name, type=click.DateTime(), metavar="TIME", callback=_aware, help=words)(function)
    return function


def _aware(context: click.Context, parameter: click.Parameter, moment: datetime | None) -> str | None:
    del context, parameter
    return None if moment is None else moment.astimezone().isoformat()
