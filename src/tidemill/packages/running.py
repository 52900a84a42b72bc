"""How a package version is started: what services, and whoever else runs one, ask of this room."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from sqlalchemy.orm import Session

from tidemill.accounts.access import Caller
from tidemill.workloads.wanted import Input

PORT, TIDEMILL_PORT, GRPC_PORT = "PORT", "TIDEMILL_PORT", "TIDEMILL_GRPC_PORT"
"""Environment variables that whoever starts it sets: where it is to listen."""


@dataclass(frozen=True, slots=True)
class PackageLaunch:
    """A package version, ready to be a workload."""

    version_id: str
    number: int
    name: str
    """`name@3`"""
    kind: Literal["python", "oci"]
    image: str | None
    """For `Wanted.image`; None: the platform's own Python."""
    inputs: tuple[Input, ...]
    command: tuple[str, ...]
    environment: Mapping[str, str]
    """Without the ports. What a service sets goes over it."""
    port: int
    """Where it listens in a container; processes listen on `$PORT`."""
    grpc_port: int
    """The same for gRPC, where it has that."""
    health_path: str
    """Answers 200 when it is ready; of `http` ones any answer below 500 will do."""
    has_grpc: bool
    protocol: Literal["v2", "http"]
    models: tuple[str, ...]
    """What its models are called when they are asked: `/v2/models/<name>`."""
    task: str
    """Of its models, where that is known and the same; empty otherwise."""
    digest: str


def launch_of(session: Session, version_id: str, by: Caller) -> PackageLaunch:
    """How the version is started.

    Raises NotFound where the caller may not read it or it is gone, Conflict `package_not_built` while it is not
    completed.
    """
    raise NotImplementedError
