"""`algorithm.json`: what an algorithm can do, with which parameters; read from files that anybody may have written."""

import math
from typing import Annotated, Any, Literal

import orjson
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator
from pydantic_core import PydanticCustomError

from tidemill.kernel.errors import Invalid
from tidemill.kernel.fields import Text
from tidemill.kernel.i18n import Language
from tidemill.kernel.web import describe_broken_rule

FILE = "algorithm.json"
FILE_MAX_BYTES = 1 << 20
TIME_BUDGET = "time_budget_s"

Value = bool | int | float | str | None
Words = Annotated[dict[Literal["en", "zh-CN"], Annotated[Text, Field(max_length=4000)]], Field(min_length=1)]
Said = Words | Annotated[Text, Field(max_length=4000)]
Key = Annotated[Text, Field(min_length=1, max_length=100)]


class _Part(BaseModel):
    """Fields that we do not know are somebody else's business."""

    model_config = ConfigDict(extra="ignore")


class Function(_Part):
    command: Annotated[Text, Field(min_length=1, max_length=3000)]
    launcher: Literal["command", "torchrun", "mpirun"] = "command"
    dataset: Literal["required", "optional", "none"] = "none"
    model: Literal["required", "optional", "none"] = "none"


class Parameter(_Part):
    name: Key
    type: Literal["int", "float", "bool", "choice", "text"]
    default: Value = None
    min: float | None = None
    max: float | None = None
    log: bool = False
    choices: Annotated[list[Value], Field(max_length=200)] | None = None
    title: Said = ""
    help: Said = ""
    group: Literal["basic", "optimiser", "augmentation", "model", "run"] = "basic"

    @model_validator(mode="after")
    def _is_sound(self) -> "Parameter":
        if self.type == "choice" and not self.choices:
            raise PydanticCustomError("manifest_choices", "no choices", {"name": self.name})
        if self.default is not None and (fault := find_fault(self, self.default)):
            raise PydanticCustomError("manifest_default", "default", {"name": self.name, "fault": fault})
        return self


class Metric(_Part):
    name: Key
    goal: Literal["max", "min"] = "max"
    title: Said = ""


class Manifest(_Part):
    manifest: Literal[1]
    task: Key
    title: Said = ""
    description: Said = ""
    image: Annotated[Text, Field(max_length=300)] | None = None
    functions: Annotated[dict[Key, Function], Field(max_length=50)]
    parameters: Annotated[list[Parameter], Field(max_length=200)] = Field(default_factory=list)
    metrics: Annotated[list[Metric], Field(max_length=100)] = Field(default_factory=list)
    primary: Key | None = None

    @model_validator(mode="after")
    def _names_differ(self) -> "Manifest":
        names = [one.name for one in self.parameters]
        if len(set(names)) < len(names):
            raise PydanticCustomError("manifest_names", "names twice")
        return self

    def find(self, name: str) -> Parameter | None:
        return next((one for one in self.parameters if one.name == name), None)

    def goal_of(self, metric: str | None) -> Literal["max", "min"]:
        return next((one.goal for one in self.metrics if one.name == metric), "max")


class NotUnderstood(Exception):
    """The file breaks rules; `problems` are in the reader's language."""

    def __init__(self, problems: list[dict[str, str]]) -> None:
        super().__init__("; ".join(f"{one['field']}: {one['message']}" for one in problems[:3]))
        self.problems = problems


def parse(content: bytes, language: Language = "en") -> Manifest:
    """The manifest; raises NotUnderstood."""
    try:
        return Manifest.model_validate(orjson.loads(content))
    except orjson.JSONDecodeError as error:
        raise NotUnderstood([{"field": "", "message": str(error)}]) from None
    except ValidationError as error:
        found = [describe_broken_rule(one, language) for one in error.errors()[:50]]
        raise NotUnderstood([{"field": str(one["field"]), "message": str(one["message"])} for one in found]) from None


def in_words(said: Said, language: Language) -> str:
    """Words in the reader's language, or in whichever there are."""
    if isinstance(said, str):
        return said
    return said.get(language) or next(iter(said.values()))


def check_parameters(manifest: Manifest, given: dict[str, Any]) -> dict[str, Value]:
    """The values as the manifest wants them; raises Invalid naming the parameter and its rule."""
    checked: dict[str, Value] = {}
    for name, value in given.items():
        parameter = manifest.find(name)
        field = f"parameters.{name}"[:200]
        if parameter is None:
            known = ", ".join(one.name for one in manifest.parameters)
            raise Invalid("parameter_unknown", field=field, name=name[:100], known=known)
        fault = find_fault(parameter, value)
        if fault == "type":
            raise Invalid("parameter_type", field=field, name=name, type=parameter.type)
        if fault == "range":
            raise Invalid(
                "parameter_range", field=field, name=name, min=_bound(parameter.min), max=_bound(parameter.max)
            )
        if fault == "choice":
            listed = ", ".join(map(str, parameter.choices or ()))
            raise Invalid("parameter_choice", field=field, name=name, choices=listed)
        checked[name] = _as_wanted(parameter, value)
    return checked


def find_fault(parameter: Parameter, value: Any) -> Literal["type", "range", "choice"] | None:
    """Which rule the value breaks, if one."""
    if parameter.type == "choice":
        return None if value in (parameter.choices or ()) else "choice"
    if not _has_type(parameter.type, value):
        return "type"
    if parameter.type in {"int", "float"}:
        low, high = parameter.min, parameter.max
        if (low is not None and value < low) or (high is not None and value > high):
            return "range"
    return None


def _has_type(type_: str, value: Any) -> bool:
    if type_ == "bool":
        return isinstance(value, bool)
    if type_ == "text":
        return isinstance(value, str)
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return False
    return type_ == "float" or float(value).is_integer()


def _as_wanted(parameter: Parameter, value: Any) -> Value:
    if parameter.type == "int":
        return int(value)
    return float(value) if parameter.type == "float" else value


def _bound(value: float | None) -> str:
    return "…" if value is None else f"{value:g}"
