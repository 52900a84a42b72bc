"""What is behind a service is changed: scaled, rolled out, tried with a part of the traffic, promoted."""

from sqlalchemy.orm import Session

from tidemill.accounts.access import Caller
from tidemill.jobs.texts import text
from tidemill.kernel.errors import Conflict
from tidemill.serving import deploying, shadow
from tidemill.serving.changing import forgive
from tidemill.serving.creating import add_track
from tidemill.serving.deploying import Chosen, add_deployment, plain_secrets
from tidemill.serving.events import ask, record, tell, unsettle
from tidemill.serving.lookup import find_track, get_deployment, get_track
from tidemill.serving.schemas import CanaryPut, TrackPatch
from tidemill.serving.states import ROLES, Role
from tidemill.serving.tables import DeploymentRow, ServiceRow, TrackRow

_SWAPPING = "swapping"


def update_track(
    session: Session, row: ServiceRow, role: Role, body: TrackPatch, *, own_python: bool, by: Caller
) -> None:
    """Scales the track, or has another deployment rolled out on it, one replica after the other."""
    track = get_track(session, row, role)
    before = get_deployment(session, track)
    if body.replicas is not None and body.replicas != track.replicas:
        _scale(session, row, track, body.replicas, by=by)
    chosen = deploying.choose(session, body, own_python=own_python, by=by)
    wanted = chosen or Chosen(before.package_version_id, before.package, tuple(before.models))
    secrets = dict(before.secrets)
    for name, value in (body.secrets or {}).items():
        if value is None:
            secrets.pop(name, None)
        else:
            secrets[name] = value.get_secret_value()
    spec = body.spec if "spec" in body.model_fields_set else before.spec
    environment = body.environment if body.environment is not None else dict(before.environment)
    same = (before.package_version_id, before.spec, before.environment, before.secrets)
    if (wanted.version_id, spec, environment, secrets) != same:
        made = add_deployment(session, row, wanted, spec=spec, environment=environment, secrets=secrets, by=by)
        _roll_out(session, row, track, made, by=by)
    ask(session, row, by.now)


def put_canary(session: Session, row: ServiceRow, body: CanaryPut, *, own_python: bool, by: Caller) -> None:
    """A canary with its share of the traffic; one there is already is updated to it."""
    chosen = deploying.choose(session, body, own_python=own_python, by=by)
    assert chosen is not None
    made = add_deployment(
        session,
        row,
        chosen,
        spec=body.spec,
        environment=body.environment,
        secrets=plain_secrets(body.secrets),
        by=by,
    )
    track = find_track(session, row.id, "canary")
    if track is None:
        add_track(session, row, "canary", made, replicas=body.replicas, share=body.share, by=by)
        unsettle(row)
        words = text("service_event_canary", package=made.package, share=_percent(body.share))
        tell(session, row.id, "canary", words, now=by.now, by=by.user_name, role="canary", number=made.number)
    else:
        track.replicas, track.share, track.rolled_back_at = body.replicas, body.share, None
        _roll_out(session, row, track, made, by=by)
    ask(session, row, by.now)
    record(session, "service.canary", row, by=by, after={"package": made.package, "share": body.share})


def delete_canary(session: Session, row: ServiceRow, *, by: Caller) -> None:
    """Its share goes to production; its replicas end when they have answered."""
    track = get_track(session, row, "canary")
    if row.shadow_percent is not None:
        shadow.stop(session, row, by=by)
    number = get_deployment(session, track).number
    session.delete(track)
    session.flush()
    ask(session, row, by.now)
    words = text("service_event_canary_gone")
    tell(session, row.id, "canary_deleted", words, now=by.now, by=by.user_name, role="canary", number=number)
    record(session, "service.canary_delete", row, by=by)


def set_share(session: Session, row: ServiceRow, share: float, *, by: Caller) -> None:
    track = get_track(session, row, "canary")
    before = track.share
    track.share, track.rolled_back_at, track.updated_at = share, None, by.now
    ask(session, row, by.now)
    words = text("service_event_share", before=_percent(before), share=_percent(share))
    number = get_deployment(session, track).number
    tell(session, row.id, "share", words, now=by.now, by=by.user_name, role="canary", number=number)
    record(session, "service.share", row, by=by, before={"share": before}, after={"share": share})


def promote(session: Session, row: ServiceRow, *, by: Caller) -> None:
    """The two change places, with all of their replicas: nothing is started or ended."""
    canary = get_track(session, row, "canary")
    production = get_track(session, row, "production")
    if not canary.ready:
        raise Conflict("service_canary_not_ready", name=row.name)
    if row.shadow_percent is not None:
        shadow.stop(session, row, by=by)
    share = canary.share
    canary.role = _SWAPPING
    session.flush()
    production.role, production.share = "canary", share
    session.flush()
    canary.role, canary.share = "production", 100.0
    canary.rolled_back_at = production.rolled_back_at = None
    canary.updated_at = production.updated_at = by.now
    ask(session, row, by.now)
    session.flush()
    new, old = get_deployment(session, canary), get_deployment(session, production)
    words = text("service_event_promoted", package=new.package, before=old.package)
    tell(session, row.id, "promoted", words, now=by.now, by=by.user_name, role="production", number=new.number)
    record(session, "service.promote", row, by=by, before={"package": old.package}, after={"package": new.package})


def restart(session: Session, row: ServiceRow, role: Role | None, *, by: Caller) -> None:
    """Every replica is replaced by a new one of the same, one after the other."""
    roles = (role,) if role else ROLES
    tracks = [track for one in roles if (track := find_track(session, row.id, one)) is not None]
    if not tracks:
        raise Conflict("service_no_canary", name=row.name)
    for track in tracks:
        track.generation += 1
        track.updated_at = by.now
        forgive(track)
    unsettle(row, *tracks)
    ask(session, row, by.now)
    tell(session, row.id, "restarted", text("service_event_restarted"), now=by.now, by=by.user_name, role=role)
    record(session, "service.restart", row, by=by, after={"role": role})


def _scale(session: Session, row: ServiceRow, track: TrackRow, replicas: int, *, by: Caller) -> None:
    before = track.replicas
    track.replicas, track.updated_at = replicas, by.now
    unsettle(row, track)
    words = text("service_event_scaled", before=before, replicas=replicas)
    tell(session, row.id, "scaled", words, now=by.now, by=by.user_name, role=track.role)
    record(session, "service.scale", row, by=by, before={"replicas": before}, after={"replicas": replicas})


def _roll_out(session: Session, row: ServiceRow, track: TrackRow, made: DeploymentRow, *, by: Caller) -> None:
    before = get_deployment(session, track)
    track.deployment_id, track.updated_at = made.id, by.now
    forgive(track)
    unsettle(row, track)
    session.flush()
    words = text("service_event_rolling", package=made.package, before=before.package)
    tell(session, row.id, "rolling", words, now=by.now, by=by.user_name, role=track.role, number=made.number)
    after = {"package": made.package, "spec": made.spec, "environment": sorted(made.environment)}
    record(session, "service.deploy", row, by=by, before={"package": before.package}, after=after)


def _percent(share: float) -> str:
    return f"{share:g}"
