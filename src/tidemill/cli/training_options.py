"""What every command that trains can be told."""

from collections.abc import Callable
from typing import Any

import click

from tidemill.cli.completing import complete_asset, complete_spec
from tidemill.cli.sizes import PairType
from tidemill.cli.words import both

spec_option = click.option("--spec", shell_complete=complete_spec, help=both("Size of the node.", "节点规格。"))
_OPTIONS = [
    click.option(
        "--algorithm",
        metavar="REF",
        shell_complete=complete_asset("algorithm"),
        help=both("Chosen if not given.", "不填则自动选择。"),
    ),
    click.option(
        "--set",
        "parameters",
        type=PairType(),
        multiple=True,
        help=both("Parameter, such as epochs=20.", "参数，如 epochs=20。"),
    ),
    spec_option,
    click.option(
        "--time-budget",
        "time_budget_s",
        type=click.FloatRange(min=1),
        metavar="SECONDS",
        help=both("How long it may take.", "训练时长上限（秒）。"),
    ),
]


def training_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """`--algorithm`, `--set`, `--spec` and `--time-budget`."""
    for option in reversed(_OPTIONS):
        function = option(function)
    return function
