"""Programs started inside a running node."""

from collections.abc import Mapping, Sequence

from tidemill.engines.base import EngineError, Shell
from tidemill.engines.local.nodes import Node


def open_shell(
    node: Node, argv: Sequence[str], *, environment: Mapping[str, str], terminal: tuple[int, int] | None
) -> Shell:
    """Starts a program in the node's own surroundings."""
    raise EngineError("shells cannot be opened yet")
