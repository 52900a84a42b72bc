"""Services are made."""

from typing import Any

import sqlalchemy as sa
from fastapi import FastAPI
from sqlalchemy.orm import Session

from tidemill.accounts.access import Caller
from tidemill.assets.lookup import Place, get_version
from tidemill.jobs.texts import text
from tidemill.kernel.db import Database
from tidemill.kernel.errors import Conflict, Invalid, NotFound
from tidemill.kernel.fields import check_name, name_key
from tidemill.kernel.ids import new_id
from tidemill.serving import deploying
from tidemill.serving.deploying import Chosen, add_deployment, plain_secrets
from tidemill.serving.events import record, tell, touch
from tidemill.serving.lookup import PREFIX, find_service
from tidemill.serving.schemas import AlertRule, ModelDeploy, ServiceCreate
from tidemill.serving.states import Role
from tidemill.serving.tables import DeploymentRow, ServiceRow, TrackRow

SERVICES_MAX = 1000
"""In one project."""
RESERVED = frozenset({"metrics", "alerts"})
"""Names that mean something else in addresses."""


def create_service(session: Session, body: ServiceCreate, *, own_python: bool, by: Caller) -> ServiceRow:
    """A new service that begins to run as soon as its package is built."""
    _check_name(session, body.name, by=by)
    chosen = deploying.choose(session, body, own_python=own_python, by=by)
    assert chosen is not None
    return _create(session, body, chosen, by=by)


def deploy_model(session: Session, place: Place, body: ModelDeploy, *, own_python: bool, by: Caller) -> ServiceRow:
    """A model version behind a new service, called as the model unless said."""
    if not by.may("model.read"):
        raise NotFound("asset_not_found", name=place.asset[:100])
    asset, version = get_version(session, place, project_id=by.project.id)
    name = body.name or _free_name(session, asset.name, by=by)
    _check_name(session, name, by=by)
    reference = f"{asset.name}@{version.number}"
    chosen = deploying.from_model(session, reference, field="model", own_python=own_python, by=by)
    whole = ServiceCreate(name=name, model=reference, **body.model_dump(exclude={"name"}))
    return _create(session, whole, chosen, by=by)


def read_facts(app: FastAPI, place: Place, *, by: Caller) -> None:
    """What the model says of itself, before the transaction."""
    db: Database = app.state.db
    with db.read() as session:
        _, version = get_version(session, place, project_id=by.project.id)
    app.state.facts.ensure(version.id)


def add_track(
    session: Session, row: ServiceRow, role: Role, deployment: DeploymentRow, *, replicas: int, share: float, by: Caller
) -> TrackRow:
    """A way behind the address, to be filled with replicas."""
    track = TrackRow(
        id=new_id("trk"),
        service_id=row.id,
        role=role,
        deployment_id=deployment.id,
        replicas=replicas,
        share=share,
        state="starting",
        created_at=by.now,
        updated_at=by.now,
    )
    session.add(track)
    session.flush()
    return track


def rules_of(alerts: list[AlertRule]) -> list[dict[str, Any]]:
    """As they are kept: each with an id of its own."""
    kept: list[dict[str, Any]] = []
    for rule in alerts:
        rule_id = rule.id if rule.id and all(rule.id != one["id"] for one in kept) else new_id("rul")
        kept.append(rule.model_dump() | {"id": rule_id})
    return kept


def _create(session: Session, body: ServiceCreate, chosen: Chosen, *, by: Caller) -> ServiceRow:
    row = ServiceRow(
        id=new_id(PREFIX),
        project_id=by.project.id,
        name=body.name,
        name_key=name_key(body.name),
        description=body.description,
        access=body.access,
        cors=list(body.cors),
        body_max_bytes=body.body_max_bytes,
        timeout_s=body.timeout_s,
        rate_per_s=body.rate_per_s,
        retry_posts=body.retry_posts,
        alert_rules=rules_of(body.alerts),
        rollback_rule=body.rollback.model_dump() if body.rollback else None,
        is_stopped=False,
        last_number=0,
        asked=0,
        state="starting",
        wanted=body.replicas,
        ready=0,
        revision=0,
        changed_at=by.now,
        created_at=by.now,
        created_by=by.user_name,
        created_by_id=by.user_id,
        updated_at=by.now,
    )
    session.add(row)
    session.flush()
    deployment = add_deployment(
        session,
        row,
        chosen,
        spec=body.spec,
        environment=body.environment,
        secrets=plain_secrets(body.secrets),
        by=by,
    )
    add_track(session, row, "production", deployment, replicas=body.replicas, share=100.0, by=by)
    tell(
        session, row.id, "created", text("service_event_created", package=chosen.name),
        now=by.now, by=by.user_name, role="production", number=deployment.number,
    )  # fmt: skip
    record(session, "service.create", row, by=by, after={"package": chosen.name, "replicas": body.replicas})
    touch(session, row, by.now)
    session.flush()
    return row


def _check_name(session: Session, name: str, *, by: Caller) -> None:
    if name_key(name) in RESERVED:
        raise Invalid("service_name_reserved", field="name", name=name)
    if find_service(session, name, project_id=by.project.id) is not None:
        raise Conflict("name_taken", field="name", name=name)
    there = sa.select(sa.func.count()).where(ServiceRow.project_id == by.project.id, ServiceRow.deleted_at.is_(None))
    if (session.scalar(there) or 0) >= SERVICES_MAX:
        raise Conflict("service_limit", max=SERVICES_MAX)


def _free_name(session: Session, wanted: str, *, by: Caller) -> str:
    """The model's name, or with a number behind it where a service is called so already."""
    tries = [wanted, *(f"{wanted[:45]}-{number}" for number in range(2, SERVICES_MAX + 2))]
    for name in tries:
        if name_key(name) not in RESERVED and find_service(session, name, project_id=by.project.id) is None:
            return check_name(name)
    raise Conflict("service_limit", max=SERVICES_MAX)
