"""How a package version is started: what services, and whoever else runs one, ask of this room."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from sqlalchemy.orm import Session

from tidemill.accounts.access import Caller
from tidemill.assets.known import load_versions, readable_versions
from tidemill.kernel.errors import Conflict, NotFound
from tidemill.packages import containers, pickles, plans
from tidemill.packages.schemas import Recipe
from tidemill.packages.starting import FILE
from tidemill.packages.tables import PackageVersionRow
from tidemill.workloads.wanted import Input

FOLDER = "package"
"""Where in the workspace a package's files are."""
ALLOW_PICKLES = "TIDEMILL_ALLOW_PICKLES"
HEALTH: Mapping[str, str] = {"v2": "/v2/health/ready", "http": "/"}

PORT, TIDEMILL_PORT, GRPC_PORT, HOST = "PORT", "TIDEMILL_PORT", "TIDEMILL_GRPC_PORT", "TIDEMILL_HOST"
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
    known = load_versions(session, {version_id}).get(version_id)
    if known is None or not known.is_live or not readable_versions(session, [known], by=by):
        raise NotFound("version_not_found", name=version_id[:100])
    row = session.get(PackageVersionRow, version_id)
    name = f"{known.asset}@{known.number}"
    if row is None or row.state != "completed":
        raise Conflict("package_not_built", field="package", name=name, state=row.state if row else "-")
    plan, recipe = plans.from_json(row.plan), Recipe.model_validate(row.recipe)
    is_container = plan.base.kind == "oci"
    environment = dict(recipe.environment)
    if pickles.are_allowed(session, row.project_id):
        environment[ALLOW_PICKLES] = "1"
    return PackageLaunch(
        version_id=version_id,
        number=known.number,
        name=name,
        kind=plan.base.kind,
        image=plan.image,
        inputs=() if is_container else (Input(version_id, FOLDER),),
        command=("sh", f"{containers.FOLDER}/{FILE}") if is_container else ("sh", f"{FOLDER}/{FILE}"),
        environment=environment,
        health_path=HEALTH[plan.protocol],
        has_grpc=plan.has_grpc,
        protocol=plan.protocol,
        models=tuple(one.folder.rpartition("/")[2] for one in plan.models),
        task=plan.task,
        digest=row.digest,
    )
