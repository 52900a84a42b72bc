"""A running node, for those who look into it."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tidemill.engines.local.layout import Layout
from tidemill.engines.local.states import NodeState
from tidemill.engines.runner.cgroups import Group, group_of_process
from tidemill.engines.runner.gang import node_of


@dataclass(frozen=True, slots=True)
class Node:
    """Its records, and its folders."""

    launch: dict[str, Any]
    record: dict[str, Any]
    started: dict[str, Any]
    folder: Path
    workspace: Path

    @classmethod
    def of(cls, launch: dict[str, Any], index: int, state: NodeState, layout: Layout) -> "Node":
        workspace = layout.workspace(launch["workspace"])
        return cls(launch, node_of(launch, index), state.started, layout.node(launch["id"], index), workspace)

    @property
    def mark(self) -> str:
        """By which its processes are known."""
        return f"{self.launch['id']}/{self.record['index']}"

    @property
    def is_container(self) -> bool:
        return bool(self.launch["runtime"] == "container")

    @property
    def is_apart(self) -> bool:
        """Whether it has name spaces of its own."""
        return bool(self.launch["runtime"] != "process")

    @property
    def group(self) -> Group:
        """The control group it is in; the container engine makes its own."""
        group: Group = self.record["group"]
        return group_of_process(self.inner_pid) if self.is_container else group

    @property
    def inner_pid(self) -> int:
        """The process whose surroundings are the node's."""
        return int(self.started["inner"])
