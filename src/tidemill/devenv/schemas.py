"""Development environments on the wire."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field

from tidemill.kernel.fields import Description, Name, Text, View, Wire
from tidemill.workloads.lifecycle import State
from tidemill.workloads.schemas import WorkloadView

NODES_MAX = 64
INPUTS_MAX = 50
IDLE_DEFAULT_S = 2 * 3600

Reference = Annotated[Text, Field(min_length=1, max_length=200, examples=["resnet50@3", "public/bert"])]
References = Annotated[list[Reference], Field(max_length=INPUTS_MAX)]
ImageName = Annotated[Text, Field(min_length=1, max_length=300, examples=["tidemill/jupyter:4"])]
SpecName = Annotated[Text, Field(min_length=1, max_length=100)]
Nodes = Annotated[int, Field(ge=1, le=NODES_MAX)]
Limit = Annotated[float, Field(ge=60, le=365 * 86400, allow_inf_nan=False)]
Password = Annotated[Text, Field(min_length=1, max_length=1024)]
Port = Annotated[int, Field(ge=1, le=65535)]


class EnvironmentCreate(Wire):
    name: Name
    description: Description = ""
    algorithms: Annotated[References, Field(description="Copied to `/workspace/algorithm/<name>`, to be worked on")] = (
        Field(default_factory=list)
    )
    datasets: Annotated[References, Field(description="At `/workspace/dataset/<name>`, read-only")] = Field(
        default_factory=list
    )
    models: Annotated[References, Field(description="At `/workspace/model/<name>`, read-only")] = Field(
        default_factory=list
    )
    image: ImageName | None = None
    spec: SpecName | None = None
    nodes: Nodes = 1
    save_model: Annotated[Name | None, Field(description="What is in `/workspace/persistent-model` at the end")] = None
    time_limit_s: Annotated[Limit | None, Field(description="Stopped after this long; null: never")] = None
    idle_limit_s: Annotated[Limit | None, Field(description="Stopped when unused for this long; null: never")] = (
        IDLE_DEFAULT_S
    )
    password: Annotated[Password | None, Field(description="For SSH; one is made and told once when not given")] = None
    start: bool = False


class EnvironmentPatch(Wire):
    """Only what is named changes. What is of a start (image, spec, nodes, inputs) holds from the next one on."""

    name: Name | None = None
    description: Description | None = None
    algorithms: References | None = None
    datasets: References | None = None
    models: References | None = None
    image: ImageName | None = None
    spec: SpecName | None = None
    nodes: Nodes | None = None
    save_model: Name | None = None
    time_limit_s: Limit | None = None
    idle_limit_s: Limit | None = None


class EnvironmentCopy(Wire):
    """The copy has the same settings, files of its own, and a password of its own."""

    name: Name
    password: Password | None = None


class PasswordSet(Wire):
    password: Annotated[Password | None, Field(description="One is made when not given")] = None


class InputView(View):
    kind: str
    ref: str
    target: str


class SshView(View):
    """How to come in over SSH."""

    is_enabled: bool
    host: str
    port: int
    user: str
    command: str
    password: str | None = Field(default=None, description="Only in the answer to the call that made it")


class WarningView(View):
    """It will be stopped soon."""

    kind: Literal["idle", "time_limit"]
    text: str
    stops_at: datetime


class EnvironmentView(View):
    id: str
    name: str
    description: str
    state: State
    image: str
    spec: str | None
    nodes: int
    inputs: list[InputView]
    algorithms: list[str]
    datasets: list[str]
    models: list[str]
    save_model: str | None
    time_limit_s: float | None
    idle_limit_s: float | None
    idle_since: datetime | None
    stops_at: datetime | None
    warning: WarningView | None
    has_jupyter: bool | None = Field(description="Whether JupyterLab can be opened; null until that is known")
    ssh: SshView
    workload: WorkloadView | None
    created_at: datetime
    created_by: str
    updated_at: datetime


class OpenedView(View):
    """An address that opens once, within a minute."""

    url: str
    state: Literal["starting", "open"]


class SavedImageView(View):
    """The image that is being made; its state is in the list of images."""

    id: str
    name: str
    version: str
    kind: str
    state: str


class SshKeyCreate(Wire):
    name: Annotated[Name | None, Field(description="The key's own comment when not given")] = None
    public_key: Annotated[Text, Field(min_length=1, max_length=20_000, examples=["ssh-ed25519 AAAA… ann@laptop"])]


class SshKeyView(View):
    id: str
    name: str
    algorithm: str
    fingerprint: str
    public_key: str
    created_at: datetime
    last_used_at: datetime | None
