"""What a room above asks for when it submits a workload."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Priority = Literal["low", "normal", "high"]
MLFLOW_URI = "MLFLOW_TRACKING_URI"
"""Where the MLflow client logs to: to us, unless whoever submits it says otherwise."""

PRIORITIES: dict[str, int] = {"low": 0, "normal": 1, "high": 2}
PRIORITY_NAMES: dict[int, Priority] = {0: "low", 1: "normal", 2: "high"}


@dataclass(frozen=True, slots=True)
class Input:
    """A version of an asset, draft or committed, placed at `/workspace/<target>`."""

    version_id: str
    target: str
    mode: Literal["link", "copy"] = "link"


@dataclass(frozen=True, slots=True)
class Output:
    """What is in the folder at the end becomes a version of the model, which is made when it is missing."""

    folder: str
    model: str


@dataclass(frozen=True, slots=True)
class Resources:
    """What each node gets."""

    cpus: float
    memory_bytes: int
    accelerator: str | None = None
    accelerators: float = 0.0
    fabrics: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Wanted:
    """A workload to be submitted. `spec` None: the first enabled one; `image` None: the platform's own Python."""

    kind: str
    owner_id: str
    name: str
    command: tuple[str, ...]
    image: str | None = None
    """`name:version`"""
    spec: str | None = None
    nodes: int = 1
    run_on: Literal["all", "first"] = "all"
    inputs: tuple[Input, ...] = ()
    outputs: tuple[Output, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    secrets: Mapping[str, str] = field(default_factory=dict)
    workspace: str | None = None
    """Key of a workspace that the room above keeps; None: its own, removed with it."""
    priority: Priority = "normal"
    preemptible: bool = False
    retries: int = 0
    time_limit_s: float | None = None
    idle_limit_s: float | None = None
    window: tuple[str, str, str] | None = None
    """Starts only between these times of the day: `22:00`, `06:00`, `Asia/Shanghai`."""
    token_scopes: tuple[str, ...] = ()
    ports: tuple[Any, ...] = ()
