"""A new replica: its row and its workload in one transaction, so that there is never one without the other."""

from datetime import datetime

from sqlalchemy.orm import Session

from tidemill.kernel.ids import new_id
from tidemill.packages.running import GRPC_PORT, HOST, PORT, TIDEMILL_PORT, launch_of
from tidemill.serving.lookup import platform_caller
from tidemill.serving.ports import free_ports
from tidemill.serving.reconciling.loading import Loaded
from tidemill.serving.tables import ReplicaRow, TrackRow
from tidemill.workloads import service as workloads
from tidemill.workloads.wanted import Wanted

KIND = "replica"
LOOPBACK = "127.0.0.1"


def start_replica(session: Session, loaded: Loaded, track: TrackRow, ports: range, now: datetime) -> ReplicaRow:
    """Submits one more. Raises what keeps it from ever running."""
    deployment = loaded.deployments[track.deployment_id]
    by = platform_caller(loaded.project, deployment, now)
    launch = launch_of(session, deployment.package_version_id, by)
    # All share the machine's network, containers too: none but the gateway is to reach a replica.
    port, *more = free_ports(session, ports, 2 if launch.has_grpc else 1)
    grpc_port = more[0] if more else None
    replica_id = new_id("rpl")
    name = f"{loaded.row.name}-{deployment.number}-{replica_id[-5:]}"
    environment = {
        **launch.environment,
        **deployment.environment,
        PORT: str(port),
        TIDEMILL_PORT: str(port),
        HOST: LOOPBACK,
        "TIDEMILL_SERVICE": loaded.row.name,
        "TIDEMILL_REPLICA": replica_id,
    }
    if grpc_port is not None:
        environment[GRPC_PORT] = str(grpc_port)
    workload = workloads.submit(
        session,
        Wanted(
            kind=KIND,
            owner_id=loaded.row.id,
            name=name,
            command=launch.command,
            image=launch.image,
            spec=deployment.spec,
            inputs=launch.inputs,
            environment=environment,
            secrets=dict(deployment.secrets),
            priority="high",
            ports=(port,) if grpc_port is None else (port, grpc_port),
        ),
        by=by,
    )
    row = ReplicaRow(
        id=replica_id,
        service_id=loaded.row.id,
        track_id=track.id,
        deployment_id=deployment.id,
        number=deployment.number,
        generation=track.generation,
        name=name,
        workload_id=workload.id,
        port=port,
        grpc_port=grpc_port,
        state="waiting",
        created_at=now,
    )
    session.add(row)
    session.flush()
    return row
