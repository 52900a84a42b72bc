"""Labels of a model as labels of a dataset, wherever a command writes what a model found."""

import click

from tidemill.cli.sizes import PairType
from tidemill.cli.words import both

mapping_option = click.option(
    "--map",
    "mapping",
    type=PairType(),
    multiple=True,
    help=both(
        "Model's label=dataset's label; may be repeated. Then only those named are taken. All by name when left out.",
        "模型标签=数据集标签，可重复；使用后仅保留列出的标签。不使用则按名称匹配全部标签。",
    ),
)


def mapping_of(pairs: tuple[tuple[str, str], ...]) -> dict[str, str | None] | None:
    """As the API takes it; None where nothing was said, and a label without another is left out."""
    return {name: label or None for name, label in pairs} or None
