"""How the server and each of its models are run."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from tidemill.runtime.model import Unfit


@dataclass(frozen=True, slots=True)
class ModelOptions:
    """Of one model. `model.json` may say them in `serving`, and the command line for all that do not."""

    max_batch_size: int = 0
    """Rows that go in together at most; 0: what suits the kind of model."""
    max_delay_ms: float = 0.0
    """How long requests that wait anyway may wait for more to join them. A request nothing runs before never waits."""
    instances: int = 1
    max_queue: int = 512
    """Requests that may wait; further ones are refused with 429."""
    timeout_s: float = 60.0
    warm_up: bool = True

    def __post_init__(self) -> None:
        for name, least in (("max_batch_size", 0), ("max_delay_ms", 0), ("instances", 1), ("max_queue", 1)):
            if getattr(self, name) < least:
                raise Unfit(f"{name} must be at least {least}")
        if not self.timeout_s > 0:
            raise Unfit("timeout_s must be more than 0")

    def changed(self, told: Mapping[str, Any]) -> "ModelOptions":
        """With what a model says of itself. Raises `Unfit` on what is not an option."""
        types = {one.name: type(getattr(self, one.name)) for one in fields(self)}
        made: dict[str, Any] = {}
        for name, value in told.items():
            if name not in types:
                raise Unfit(f"serving: {name!r} is none of {', '.join(types)}")
            if types[name] is not bool and (isinstance(value, bool) or not isinstance(value, int | float)):
                raise Unfit(f"serving: {name} must be a number")
            made[name] = types[name](value)
        return replace(self, **made)


@dataclass(frozen=True, slots=True)
class ServerOptions:
    """Of the whole server."""

    models: Mapping[str, Path]
    host: str = "127.0.0.1"
    port: int = 8080
    grpc_port: int | None = None
    code: Path | None = None
    """A folder with a `model.py`: how the models are used."""
    allow_pickles: bool = False
    max_body_bytes: int = 64 << 20
    drain_s: float = 30.0
    """How long requests that were taken may go on after SIGTERM."""
    linger_s: float = 0.3
    """How long new requests are still taken after SIGTERM, with `Connection: close`, so that clients move on."""
    each: ModelOptions = field(default_factory=ModelOptions)
    by_model: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
