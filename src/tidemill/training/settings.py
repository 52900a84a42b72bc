"""What a task is made of, and what each of its runs keeps a copy of."""

import re
from typing import Annotated, Literal, Self
from zoneinfo import ZoneInfo

from pydantic import AfterValidator, Field, FiniteFloat, StringConstraints, model_validator
from pydantic_core import PydanticCustomError

from tidemill.assets.schemas import Reference
from tidemill.kernel.fields import Name, Text, Wire

COMMAND_MAX = 3000
Launcher = Literal["command", "torchrun", "mpirun"]

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}")
_OURS = ("TIDEMILL_",)


def _check_command(text: str) -> str:
    if not text.strip():
        raise PydanticCustomError("task_command_blank", "blank")
    if "\x00" in text or any("\ud800" <= character <= "\udfff" for character in text):
        raise PydanticCustomError("text_unprintable", "unprintable")
    return text.replace("\r\n", "\n")


def _check_variables(variables: dict[str, str]) -> dict[str, str]:
    for name in variables:
        if not _VARIABLE.fullmatch(name):
            raise PydanticCustomError("task_variable_name", "name", {"name": name[:100]})
        if name.startswith(_OURS):
            raise PydanticCustomError("task_variable_ours", "ours", {"name": name})
    return variables


def _check_zone(name: str) -> str:
    try:
        ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        raise PydanticCustomError("task_zone_unknown", "zone", {"name": name}) from None
    return name


Command = Annotated[str, StringConstraints(min_length=1, max_length=COMMAND_MAX), AfterValidator(_check_command)]
References = Annotated[list[Reference], Field(max_length=50)]
ClockTime = Annotated[str, StringConstraints(pattern=r"^([01][0-9]|2[0-3]):[0-5][0-9]$")]
Value = bool | int | FiniteFloat | Annotated[Text, Field(max_length=2000)] | None
Variables = Annotated[
    dict[Text, Annotated[Text, Field(max_length=4000)]], Field(max_length=100), AfterValidator(_check_variables)
]
Parameters = Annotated[dict[Annotated[Text, Field(min_length=1, max_length=100)], Value], Field(max_length=200)]


class StartWindow(Wire):
    """Runs begin only between these times of the day; one that runs on past the end is left alone."""

    start: ClockTime
    end: ClockTime
    zone: Annotated[Text, Field(max_length=64), AfterValidator(_check_zone)] = "UTC"

    @model_validator(mode="after")
    def _is_not_empty(self) -> Self:
        if self.start == self.end:
            raise PydanticCustomError("task_window_empty", "empty")
        return self


class TaskSettings(Wire):
    """Everything but the task's name and description."""

    algorithm: Reference | None = None
    """`name`, `name@3`, `public/name@3`: its files are at `/workspace/algorithm/<name>`, where the command begins."""
    models: References = Field(default_factory=list)
    """To start from; each is at `/workspace/model/<name>`, for reading."""
    inputs: References = Field(default_factory=list)
    """Further assets with their kind, `algorithm:common@2`; each is at `/workspace/<kind>/<name>`."""
    image: Annotated[Text, Field(min_length=1, max_length=300, examples=["tidemill/pytorch:1"])] | None = None
    """The platform's own Python when not given."""
    spec: Annotated[Text, Field(min_length=1, max_length=100)] | None = None
    """The first one when not given."""
    nodes: Annotated[int, Field(ge=1, le=1024)] = 1
    launcher: Launcher = "command"
    processes_per_node: Annotated[int, Field(ge=1, le=256)] | None = None
    """For torchrun and mpirun: one for each accelerator of a node, or one, when not given."""
    command: Command
    save_model: Name | None = None
    """What the run writes to `/workspace/persistent-model` becomes a version of this model."""
    priority: Literal["low", "normal", "high"] = "normal"
    preemptible: bool = False
    """May be put back into the queue when something more urgent needs its place."""
    retries: Annotated[int, Field(ge=0, le=20)] = 0
    """How often a failure is followed by another attempt, from the newest checkpoint."""
    time_limit_s: Annotated[float, Field(gt=0, le=366 * 86400)] | None = None
    window: StartWindow | None = None
    environment: Variables = Field(default_factory=dict)
    parameters: Parameters = Field(default_factory=dict)
    """For `tidemill.run().parameters`, and `$TIDEMILL_PARAM_<NAME>` in the command."""
