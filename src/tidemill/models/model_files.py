"""`model.json`: what a model is, as whoever made it says; read from files that anybody may have written."""

import math
from typing import Annotated, Any

import orjson
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from tidemill.kernel.fields import Text
from tidemill.models.manifests import NotUnderstood
from tidemill.models.tables import UNRANKED

FILE = "model.json"
FILE_MAX_BYTES = 8 << 20
LABELS_MAX = 20_000
LOWER_IS_BETTER = frozenset({"cer", "wer", "rmse", "mae", "mse", "loss", "log_loss"})

Short = Annotated[Text, Field(max_length=200)]


class Label(BaseModel):
    model_config = ConfigDict(extra="allow")

    name: Short


class ModelFile(BaseModel):
    """What of the file we know; the rest is handed on to nobody."""

    model_config = ConfigDict(extra="ignore")

    task: Short = ""
    format: Short | None = None
    labels: Annotated[list[Label | Short], Field(max_length=LABELS_MAX)] = Field(default_factory=list)
    input: dict[str, Any] = Field(default_factory=dict)
    signature: dict[str, Any] | None = None
    metrics: Annotated[dict[Short, float | int | None], Field(max_length=500)] = Field(default_factory=dict)
    primary: Short | None = None
    made_with: dict[str, Any] = Field(default_factory=dict)
    adapter: Short | None = None
    trains: Annotated[list[Short], Field(max_length=50)] = Field(default_factory=list)
    """Tasks that training can start from it for."""

    def facts(self) -> dict[str, Any]:
        """As it is kept: labels all in one form, numbers that are none left out."""
        kept = self.model_dump()
        kept["labels"] = [{"name": one} if isinstance(one, str) else one.model_dump() for one in self.labels]
        kept["metrics"] = {name: value for name, value in self.metrics.items() if _is_number(value)}
        return kept

    @property
    def is_runnable(self) -> bool:
        """Whether the runtime knows what to do with it."""
        return bool(self.task) and (self.format == "onnx" or self.adapter is not None)


def parse(content: bytes) -> ModelFile:
    """The file's content; raises NotUnderstood."""
    try:
        return ModelFile.model_validate(orjson.loads(content))
    except orjson.JSONDecodeError as error:
        raise NotUnderstood([{"field": "", "message": str(error)}]) from None
    except ValidationError as error:
        found = [{"field": ".".join(map(str, one["loc"])), "message": one["msg"]} for one in error.errors()[:20]]
        raise NotUnderstood(found) from None


def rank_of(metrics: dict[str, Any], primary: str | None) -> float:
    """The primary metric so that more is better; the last place where there is none."""
    value: Any = metrics.get(primary) if primary else None
    if not _is_number(value):
        return UNRANKED
    return -float(value) if primary in LOWER_IS_BETTER else float(value)


def goal_of(metric: str) -> str:
    return "min" if metric in LOWER_IS_BETTER else "max"


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
