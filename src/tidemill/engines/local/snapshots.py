"""Freezing a running node's software."""

from tidemill.engines.base import EngineError, Snapshot
from tidemill.engines.local.layout import Layout
from tidemill.engines.local.nodes import Node


def take_snapshot(node: Node, layout: Layout) -> Snapshot:
    """What is installed in it."""
    raise EngineError("no snapshot yet")
