"""Online services on the wire."""

from datetime import datetime
from typing import Annotated, Literal, Self

from pydantic import Field, SecretStr, model_validator
from pydantic_core import PydanticCustomError

from tidemill.assets.schemas import Reference
from tidemill.kernel.fields import Description, Name, Text, View, Wire
from tidemill.serving.states import ReplicaState, Role, ServiceState, WaitsFor

REPLICAS_MAX = 100
VARIABLES_MAX = 200
ORIGINS_MAX = 50
RULES_MAX = 20
BODY_MAX_BYTES = 16 * 2**30

Replicas = Annotated[int, Field(ge=0, le=REPLICAS_MAX)]
Share = Annotated[float, Field(ge=0, le=100, allow_inf_nan=False, description="Percent of the traffic")]
SpecName = Annotated[Text, Field(min_length=1, max_length=100)]
Variable = Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$", max_length=200)]
Value = Annotated[Text, Field(max_length=10_000)]
Environment = Annotated[dict[Variable, Value], Field(max_length=VARIABLES_MAX)]
Secrets = Annotated[dict[Variable, SecretStr], Field(max_length=VARIABLES_MAX)]
Origin = Annotated[Text, Field(min_length=1, max_length=300, pattern=r"^(\*|https?://[^\s/]+)$")]
Origins = Annotated[list[Origin], Field(max_length=ORIGINS_MAX)]
Rate = Annotated[float, Field(gt=0, le=1_000_000, allow_inf_nan=False, description="Requests a second")]
Body = Annotated[int, Field(ge=1, le=BODY_MAX_BYTES)]
Timeout = Annotated[float, Field(ge=0.1, le=3600, allow_inf_nan=False)]
RunId = Annotated[Text, Field(min_length=1, max_length=100, description="A finished run's id: its model is deployed")]
Access = Literal["key", "open"]
AlertMetric = Literal["error_rate", "p50_ms", "p90_ms", "p99_ms"]
Window = Annotated[int, Field(ge=10, le=3600)]


class AlertRule(Wire):
    """Tells when a figure stays above a threshold."""

    id: Annotated[Text, Field(min_length=1, max_length=50)] | None = None
    metric: AlertMetric
    above: Annotated[float, Field(ge=0, le=10_000_000, allow_inf_nan=False)]
    """`error_rate` from 0 to 1, latencies in milliseconds."""
    window_s: Window = 60
    """Over how long the figure is taken."""
    for_s: Annotated[int, Field(ge=0, le=86_400)] = 0
    """How long it must be above before it is told."""
    role: Role | None = None
    """Only of this track; null: of the whole service."""
    requests: Annotated[int, Field(ge=1, le=1_000_000)] = 1
    """With fewer than these in the window nothing is said."""


class RollbackRule(Wire):
    """Takes the canary's traffic away when a figure of it is above a threshold."""

    error_rate: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)] | None = None
    p99_ms: Annotated[float, Field(gt=0, le=10_000_000, allow_inf_nan=False)] | None = None
    requests: Annotated[int, Field(ge=1, le=1_000_000)] = 20
    """Decides only over at least so many requests."""
    window_s: Window = 60

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if self.error_rate is None and self.p99_ms is None:
            raise PydanticCustomError("service_rollback_empty", "no threshold")
        return self


Alerts = Annotated[list[AlertRule], Field(max_length=RULES_MAX)]


class Deployed(Wire):
    """What is to run: one of `package`, `model` and `run`."""

    package: Annotated[Reference | None, Field(description="`name@3`")] = None
    model: Annotated[Reference | None, Field(description="`name@3`: a package with the built-in server is made")] = None
    run: RunId | None = None
    spec: SpecName | None = None
    replicas: Replicas = 1
    environment: Environment = Field(default_factory=dict)
    secrets: Annotated[Secrets, Field(description="Environment, too, but never shown")] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _names_one(self) -> Self:
        if sum(one is not None for one in (self.package, self.model, self.run)) != 1:
            raise PydanticCustomError("service_one_of", "one of package, model, run")
        return self


class ServiceCreate(Deployed):
    name: Name
    description: Description = ""
    access: Access = "key"
    cors: Annotated[Origins, Field(description="Origins whose pages may call it; `*` for all")] = Field(
        default_factory=list
    )
    body_max_bytes: Body = 64 * 2**20
    timeout_s: Timeout = 60.0
    rate_per_s: Rate | None = None
    retry_posts: Annotated[
        bool | None,
        Field(description="POSTs whose replica died are sent to another one, too; null: of the built-in server's"),
    ] = None
    alerts: Alerts = Field(default_factory=list)
    rollback: RollbackRule | None = None


class ModelDeploy(Wire):
    """A model version put behind a service, in one go. Without a name the service is called as the model."""

    name: Name | None = None
    description: Description = ""
    spec: SpecName | None = None
    replicas: Replicas = 1
    environment: Environment = Field(default_factory=dict)
    access: Access = "key"


class ServicePatch(Wire):
    """Only what is named changes."""

    description: Description | None = None
    access: Access | None = None
    cors: Origins | None = None
    body_max_bytes: Body | None = None
    timeout_s: Timeout | None = None
    rate_per_s: Rate | None = None
    retry_posts: bool | None = None
    alerts: Alerts | None = None
    rollback: RollbackRule | None = None


class CanaryPut(Deployed):
    """What some of the traffic goes to instead of production."""

    share: Share = 10.0


class TrackPatch(Wire):
    """Only what is named changes. All but `replicas` makes a new deployment, rolled out one replica after the other."""

    package: Reference | None = None
    model: Reference | None = None
    run: RunId | None = None
    spec: SpecName | None = None
    replicas: Replicas | None = None
    environment: Environment | None = None
    secrets: Annotated[dict[Variable, SecretStr | None], Field(max_length=VARIABLES_MAX)] | None = None
    """Those named are set, or removed with null; the others stay."""

    @model_validator(mode="after")
    def _names_at_most_one(self) -> Self:
        if sum(one is not None for one in (self.package, self.model, self.run)) > 1:
            raise PydanticCustomError("service_one_of", "one of package, model, run")
        return self


class ShareSet(Wire):
    share: Share


class ShadowPut(Wire):
    percent: Annotated[float, Field(gt=0, le=100, allow_inf_nan=False)] = 100.0


class KeyCreate(Wire):
    name: Name
    rate_per_s: Rate | None = None


class KeyPatch(Wire):
    name: Name | None = None
    rate_per_s: Rate | None = None


class KeyView(View):
    id: str
    name: str
    prefix: str
    """How the key begins."""
    rate_per_s: float | None
    last_used_on: str | None
    """A day, in UTC."""
    created_at: datetime
    created_by: str


class KeyCreated(KeyView):
    key: str
    """Shown this once."""


class ReplicaView(View):
    id: str
    name: str
    role: Role | None
    """null: of a track that is gone."""
    number: int
    state: ReplicaState
    reason: str
    workload_id: str
    """Its logs, use of resources and terminal are the workload's."""
    machine: str | None
    created_at: datetime
    ready_at: datetime | None
    ended_at: datetime | None


class TrackView(View):
    id: str
    role: Role
    number: int
    """Which deployment of the service it is."""
    package: str
    package_version_id: str
    model: str | None
    """The package's first model."""
    models: list[str]
    spec: str | None
    environment: dict[str, str]
    secret_names: list[str]
    wanted: int
    ready: int
    share: float
    """Percent of the traffic."""
    state: ServiceState
    reason: str
    waits_for: WaitsFor | None
    """What of it is in the queue of workloads: its package's build, or a replica. The reason says why."""
    rolled_back_at: datetime | None
    replicas: list[ReplicaView]
    created_at: datetime
    created_by: str
    """When and by whom this deployment was made."""


class AlertView(View):
    id: str
    service_id: str
    service: str
    project: str
    rule: AlertRule
    state: Literal["open", "closed"]
    value: float
    worst: float
    opened_at: datetime
    closed_at: datetime | None
    text: str


class DifferenceView(View):
    """A request that the canary answered otherwise."""

    at: datetime
    request_id: str
    method: str
    path: str
    production_status: int
    canary_status: int | None
    """null: it did not answer."""
    production_ms: float
    canary_ms: float


class ShadowView(View):
    id: str
    production_number: int
    canary_number: int
    percent: float
    started_at: datetime
    started_by: str
    ended_at: datetime | None
    requests: int
    """Compared, or not answered by the canary."""
    same: int
    """Answers that were the same, byte for byte."""
    different: int
    failed: int
    """The canary did not answer."""
    skipped: int
    """Not shown, because too many were under way or the body was too large."""
    production_mean_ms: float | None
    canary_mean_ms: float | None
    differences: list[DifferenceView]
    """The newest few, while it goes on."""


class GrpcView(View):
    """How gRPC clients come in."""

    address: str
    """`host:port`"""
    metadata: dict[str, str]


class TrafficView(View):
    """What it was asked in the last minute."""

    requests_per_s: float
    errors: int
    """5xx, and requests that got no answer."""
    refused: int
    """4xx"""
    error_rate: float | None
    """null: nobody asked."""


class ServiceView(View):
    id: str
    name: str
    description: str
    project: str
    state: ServiceState
    reason: str
    waits_for: WaitsFor | None
    """What of it is in the queue of workloads: its package's build, or a replica. The reason says why."""
    url: str
    grpc: GrpcView
    wanted: int
    ready: int
    production: TrackView | None
    canary: TrackView | None
    is_stopped: bool
    access: Access
    cors: list[str]
    body_max_bytes: int
    timeout_s: float
    rate_per_s: float | None
    retry_posts: bool | None
    alerts: list[AlertRule]
    rollback: RollbackRule | None
    shadow_percent: float | None
    open_alerts: int
    traffic: TrafficView
    created_at: datetime
    created_by: str
    updated_at: datetime


class DeploymentView(View):
    """What was put behind the service, once."""

    number: int
    package: str
    package_version_id: str
    models: list[str]
    spec: str | None
    role: Role | None
    """Where it is now."""
    created_at: datetime
    created_by: str


class ServiceEventView(View):
    id: str
    at: datetime
    kind: str
    role: Role | None
    number: int | None
    message: str
    by: str


class PointView(View):
    at: datetime
    requests: int
    requests_per_s: float
    errors: int
    """5xx, and requests that got no answer."""
    refused: int
    """4xx"""
    error_rate: float | None
    p50_ms: float | None
    p90_ms: float | None
    p99_ms: float | None
    in_flight: float
    batch_size: float | None


class ServiceSeriesView(View):
    number: int | None
    """Of a deployment; null: of the whole service."""
    role: Role | None
    package: str | None
    replica: str | None
    """The replica's id; null: of all of that deployment."""
    is_shadow: bool
    """Of copies of production's requests that it was shown; no other series has them."""
    points: list[PointView]
    total: PointView
    """Over the whole time."""


class ServiceMetricsView(View):
    since: datetime
    until: datetime
    step_s: int
    series: list[ServiceSeriesView]


class TestView(View):
    """What the service answered."""

    status: int
    headers: dict[str, str]
    latency_ms: float
    version: str | None
    """Which deployment answered."""
    replica: str | None
    content_type: str
    text: str | None
    """The body, where it is text."""
    base64: str | None
    """The body, where it is not."""
    is_cut: bool
    """There was more of it."""


class SnippetView(View):
    name: Literal["curl", "python", "tritonclient-http", "tritonclient-grpc"]
    language: Literal["shell", "python"]
    code: str


class SnippetsView(View):
    items: list[SnippetView]
