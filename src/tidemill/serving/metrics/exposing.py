"""A project's services in the exposition format of Prometheus."""

from collections import defaultdict
from collections.abc import Iterator

import sqlalchemy as sa
from fastapi import FastAPI
from sqlalchemy.orm import Session

from tidemill.accounts.access import Caller
from tidemill.gateway.control import Control
from tidemill.gateway.counting import SHADOW
from tidemill.gateway.schemas import LATENCY_BOUNDS_S, Counter
from tidemill.serving.tables import DeploymentRow, ServiceRow, TrackRow

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"


def expose(session: Session, app: FastAPI, *, by: Caller) -> str:
    """Counters since the gateway began, and how many replicas there are; only of services of this project."""
    services = session.scalars(
        sa.select(ServiceRow)
        .where(ServiceRow.project_id == by.project.id, ServiceRow.deleted_at.is_(None))
        .order_by(ServiceRow.id)
    ).all()
    names = {row.id: row.name for row in services}
    deployments = session.execute(
        sa.select(DeploymentRow.id, DeploymentRow.number).where(DeploymentRow.service_id.in_(names))
    ).all()
    numbers: dict[str, int] = dict(deployments)
    counters = [one for one in Control(app.state.settings.home / "gateway").counters() if one.service_id in names]
    calls = [one for one in counters if one.role != SHADOW]
    copies = [one for one in counters if one.role == SHADOW]
    lines = [
        *_replicas(session, services),
        *_counters("tidemill_service", calls, names, numbers, by.project.name),
        # Of other names, so that nobody adds them to what callers asked.
        *(_counters("tidemill_service_shadow", copies, names, numbers, by.project.name) if copies else ()),
    ]
    return "\n".join(lines) + "\n"


def _replicas(session: Session, services: object) -> Iterator[str]:
    rows: list[ServiceRow] = list(services)  # type: ignore[call-overload]
    tracks = session.scalars(sa.select(TrackRow).where(TrackRow.service_id.in_([row.id for row in rows]))).all()
    names = {row.id: row.name for row in rows}
    for name, words, field in (
        ("tidemill_service_replicas_wanted", "Replicas that should be ready.", "replicas"),
        ("tidemill_service_replicas_ready", "Replicas that are ready.", "ready"),
    ):
        yield from _about(name, "gauge", words)
        for track in tracks:
            yield f"{name}{{{_labels(service=names[track.service_id], role=track.role)}}} {getattr(track, field)}"


def _counters(
    prefix: str, counters: list[Counter], names: dict[str, str], numbers: dict[str, int], project: str
) -> Iterator[str]:
    def labels(one: Counter, **more: str) -> str:
        number = str(numbers.get(one.version_id, ""))
        return _labels(
            project=project, service=names[one.service_id], deployment=number, role=one.role,
            replica=one.replica_id, gateway=one.epoch, **more,
        )  # fmt: skip

    name = f"{prefix}_requests_total"
    yield from _about(name, "counter", "Requests that were answered, by class of status.")
    for one in counters:
        for status, count in sorted(one.requests.items()):
            yield f"{name}{{{labels(one, status=status)}}} {count}"
    name = f"{prefix}_latency_seconds"
    yield from _about(name, "histogram", "From the request's first byte to the end of its answer.")
    for one in counters:
        seen = 0
        bounds = (*(f"{bound:g}" for bound in LATENCY_BOUNDS_S), "+Inf")
        for bound, count in zip(bounds, one.latency, strict=False):
            seen += count
            yield f"{name}_bucket{{{labels(one, le=bound)}}} {seen}"
        yield f"{name}_sum{{{labels(one)}}} {one.latency_sum_s:.9g}"
        yield f"{name}_count{{{labels(one)}}} {seen}"
    plain = defaultdict(list)
    for one in counters:
        for field in ("retried", "failed", "cancelled", "bytes_in", "bytes_out"):
            plain[field].append(f"{{{labels(one)}}} {getattr(one, field)}")
    for field, values in plain.items():
        name = f"{prefix}_{field}_total"
        yield from _about(name, "counter", f"Requests or bytes: {field.replace('_', ' ')}.")
        yield from (f"{name}{value}" for value in values)
    name = f"{prefix}_in_flight"
    yield from _about(name, "gauge", "Requests that have no answer yet.")
    yield from (f"{name}{{{labels(one)}}} {one.in_flight}" for one in counters)


def _about(name: str, kind: str, words: str) -> Iterator[str]:
    yield f"# HELP {name} {words}"
    yield f"# TYPE {name} {kind}"


def _labels(**labels: str) -> str:
    return ",".join(f'{name}="{_escaped(value)}"' for name, value in labels.items())


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
