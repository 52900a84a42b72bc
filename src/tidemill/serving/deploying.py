"""From what somebody names (a package, a model, a run) to a deployment."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from fastapi import FastAPI
from pydantic import SecretStr
from sqlalchemy.orm import Session

from tidemill.accounts.access import Caller
from tidemill.assets.kinds import MODEL, PACKAGE
from tidemill.assets.lookup import Found, resolve_reference
from tidemill.assets.tables import AssetRow, VersionRow
from tidemill.kernel.db import Database
from tidemill.kernel.errors import Conflict, Forbidden, Invalid
from tidemill.kernel.ids import new_id
from tidemill.packages.making import package_for_model
from tidemill.packages.tables import PackageVersionRow
from tidemill.serving.schemas import Deployed, TrackPatch
from tidemill.serving.tables import DeploymentRow, ServiceRow
from tidemill.training.runs import get_run
from tidemill.training.views import run_view
from tidemill.workloads.specs import get_wanted_spec

UNBUILT = frozenset({"failed", "stopped"})
_OWN = "TIDEMILL_"
_TUNABLE = "TIDEMILL_SERVE_"


@dataclass(frozen=True, slots=True)
class Chosen:
    """A package version that was found."""

    version_id: str
    name: str
    models: tuple[str, ...]


def choose(session: Session, body: Deployed | TrackPatch, *, own_python: bool, by: Caller) -> Chosen | None:
    """The package version that is meant, made from a model where that was named; None when nothing was."""
    if body.package is not None:
        return _from_package(session, body.package, by=by)
    if body.run is not None:
        return from_model(session, _model_of_run(session, body.run, by=by), field="run", own_python=own_python, by=by)
    if body.model is not None:
        return from_model(session, body.model, field="model", own_python=own_python, by=by)
    return None


def from_model(session: Session, reference: str, *, field: str, own_python: bool, by: Caller) -> Chosen:
    """A package of the model and the built-in server: one there is, or a new one that is being built."""
    found = resolve_reference(session, reference, by=by, kind=MODEL, field=field)
    if found.version.state != "committed":
        raise Conflict("model_not_committed", field=field, name=f"{found.asset.name}@{found.version.number}")
    version = package_for_model(session, found.version, own_python=own_python, by=by)
    asset = session.get_one(AssetRow, version.asset_id)
    return _chosen(session, asset, version, prefix="")


def read_facts(app: FastAPI, body: Deployed | TrackPatch, *, by: Caller) -> None:
    """What the named model says of itself is read, before a transaction begins: that may take a moment."""
    if body.model is None and body.run is None:
        return
    db: Database = app.state.db
    with db.read() as session:
        reference = body.model or _model_of_run(session, body.run or "", by=by)
        found = resolve_reference(session, reference, by=by, kind=MODEL, field="model" if body.model else "run")
    app.state.facts.ensure(found.version.id)


def add_deployment(
    session: Session,
    row: ServiceRow,
    chosen: Chosen,
    *,
    spec: str | None,
    environment: Mapping[str, str],
    secrets: Mapping[str, str],
    by: Caller,
) -> DeploymentRow:
    """What replicas are made from, from now on. Raises what is wrong with it."""
    if spec is not None:
        get_wanted_spec(session, spec)
    check_variables(environment, "environment")
    check_variables(secrets, "secrets")
    if both := sorted(set(environment) & set(secrets)):
        raise Invalid("service_variable_twice", field="secrets", name=both[0])
    row.last_number += 1
    deployment = DeploymentRow(
        id=new_id("dpl"),
        service_id=row.id,
        number=row.last_number,
        package_version_id=chosen.version_id,
        package=chosen.name,
        models=list(chosen.models),
        spec=spec,
        environment=dict(environment),
        secrets=dict(secrets),
        created_at=by.now,
        created_by=by.user_name,
        created_by_id=by.user_id,
    )
    session.add(deployment)
    session.flush()
    return deployment


def plain_secrets(secrets: Mapping[str, SecretStr]) -> dict[str, str]:
    return {name: value.get_secret_value() for name, value in secrets.items()}


def check_variables(variables: Mapping[str, Any], field: str) -> None:
    """Names that the platform sets itself are refused."""
    for name in variables:
        if name == "PORT" or (name.startswith(_OWN) and not name.startswith(_TUNABLE)):
            raise Invalid("service_variable_ours", field=field, name=name)


def _from_package(session: Session, reference: str, *, by: Caller) -> Chosen:
    found: Found = resolve_reference(session, reference, by=by, kind=PACKAGE, field="package")
    prefix = "" if found.project.id == by.project.id else f"{found.project.name}/"
    return _chosen(session, found.asset, found.version, prefix=prefix)


def _chosen(session: Session, asset: AssetRow, version: VersionRow, *, prefix: str) -> Chosen:
    name = f"{prefix}{asset.name}@{version.number}"
    package = session.scalar(sa.select(PackageVersionRow).where(PackageVersionRow.version_id == version.id))
    if package is None or package.state in UNBUILT:
        raise Conflict("service_package_unbuilt", field="package", name=name)
    return Chosen(version.id, name, tuple(str(one) for one in package.recipe.get("models") or ()))


def _model_of_run(session: Session, run: str, *, by: Caller) -> str:
    row = get_run(session, run, by=by)
    if not by.may("training.read"):
        raise Forbidden("forbidden_permission", permission="training.read")
    model = run_view(session, row, by.language).model
    if model is None:
        raise Conflict("service_run_no_model", field="run", name=row.name)
    return model
