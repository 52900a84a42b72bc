"""What an entry is made of, and what each of its runs keeps a copy of: a command, or a model and a dataset."""

from typing import Annotated, Any, Literal

from pydantic import Field, TypeAdapter

from tidemill.assets.schemas import Reference
from tidemill.datasets.states import ItemState
from tidemill.kernel.fields import Name, Text, Wire
from tidemill.training.settings import Command, Launcher, Parameters, References, TaskSettings, Variables

WORKERS_MAX = 64
IN_FLIGHT_MAX = 64
Form = Literal["code", "model"]
Priority = Literal["low", "normal", "high"]
SpecName = Annotated[Text, Field(min_length=1, max_length=100)]
Share = Annotated[float, Field(ge=0, le=1)]


class CodeSettings(Wire):
    """A command of the user's, run as a training task's is."""

    form: Literal["code"]
    datasets: References = Field(default_factory=list)
    """`name`, `name@3`, `public/name@3`; each is at `/workspace/dataset/<name>`, for reading."""
    algorithm: Reference | None = None
    """Its files are at `/workspace/algorithm/<name>`, where the command begins."""
    models: References = Field(default_factory=list)
    """Each is at `/workspace/model/<name>`, for reading."""
    image: Annotated[Text, Field(min_length=1, max_length=300, examples=["tidemill/runtime:1"])] | None = None
    """The platform's own Python when not given."""
    spec: SpecName | None = None
    """The first one when not given."""
    nodes: Annotated[int, Field(ge=1, le=1024)] = 1
    launcher: Launcher = "command"
    command: Command
    priority: Priority = "normal"
    retries: Annotated[int, Field(ge=0, le=20)] = 0
    """How often a failure is followed by another attempt, in the workspace it left."""
    time_limit_s: Annotated[float, Field(gt=0, le=366 * 86400)] | None = None
    environment: Variables = Field(default_factory=dict)
    parameters: Parameters = Field(default_factory=dict)
    """For `tidemill.run().parameters`, and `$TIDEMILL_PARAM_<NAME>` in the command."""

    def as_task(self) -> TaskSettings:
        """The same, as what launches training tasks takes it."""
        same = self.model_dump(exclude={"form", "datasets"})
        return TaskSettings(**same, inputs=[f"dataset:{one}" for one in self.datasets])

    @classmethod
    def of_task(cls, task: TaskSettings) -> "CodeSettings":
        """The other way round."""
        same = {name: getattr(task, name) for name in cls.model_fields if name not in {"form", "datasets"}}
        return cls(form="code", datasets=[one.removeprefix("dataset:") for one in task.inputs], **same)


class ModelSource(Wire):
    type: Literal["model"]
    model: Reference


class InferenceServiceSource(Wire):
    """An online service of the project, or any address that speaks the Open Inference Protocol."""

    type: Literal["service"]
    service: Name | None = None
    """By name, through the gateway; then no address is given."""
    url: Annotated[Text, Field(min_length=1, max_length=2000, examples=["https://models.example.org/v2"])] | None = None
    model: Annotated[Text, Field(min_length=1, max_length=200)] | None = None
    """Which of the service's models; with a name, its first when not given."""
    in_flight: Annotated[int, Field(ge=1, le=IN_FLIGHT_MAX)] = 4
    """Requests at once."""


Source = Annotated[ModelSource | InferenceServiceSource, Field(discriminator="type")]


class ModelSettings(Wire):
    """No code: a model version or a service looks at a dataset version."""

    form: Literal["model"]
    source: Source
    dataset: Reference
    """A version, published or draft; a name alone means the newest."""
    threshold: Share = 0.5
    """What is less sure is left out."""
    states: Annotated[list[ItemState], Field(max_length=6)] = Field(default_factory=list)
    """Only items in these states; all when empty."""
    spec: SpecName | None = None
    workers: Annotated[int, Field(ge=1, le=WORKERS_MAX)] | None = None
    """Processes that look at items at once; as many as suit the spec when not given."""
    priority: Priority = "normal"
    time_limit_s: Annotated[float, Field(gt=0, le=366 * 86400)] | None = None


Settings = Annotated[CodeSettings | ModelSettings, Field(discriminator="form")]
_SETTINGS: TypeAdapter[CodeSettings | ModelSettings] = TypeAdapter(Settings)


def load_settings(kept: dict[str, Any]) -> CodeSettings | ModelSettings:
    """As they were kept."""
    return _SETTINGS.validate_python(kept)
