"""What a recipe comes to: plain values that are kept with a version, and the manifest whose digest is the version's.

The manifest (`package.json` in the version's files) has everything that goes in and nothing else: no package name, no
note, no time. It is JSON with sorted keys and no spaces, so that the same inputs give the same bytes, and its SHA-256
is the version's digest.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

from tidemill.packages.schemas import Protocol, Recipe, Server

FORMAT = "tidemill-package/1"
MANIFEST = "package.json"
CODE = "code"
MODELS = "model"


@dataclass(frozen=True, slots=True)
class Source:
    """A version of a model or an algorithm that goes in."""

    kind: str
    version_id: str
    reference: str
    """`name@3`, with the project before it where it is another one's."""
    folder: str
    """Where in the package."""
    tree: str
    """The digest of its files' manifest."""
    task: str = ""
    format: str | None = None


@dataclass(frozen=True, slots=True)
class BaseImage:
    """The image to build on."""

    id: str
    kind: Literal["python", "oci"]
    name: str
    """`name:version`, as a workload asks for it."""
    digest: str
    """Empty for one of ours that is made when it is first used."""
    is_builtin: bool


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything that is known before the build."""

    sources: tuple[Source, ...]
    base: BaseImage
    server: Server
    protocol: Protocol
    has_grpc: bool
    task: str
    start: str
    """What the start script runs at its end."""
    requirements: tuple[str, ...] = ()
    """As they were checked."""
    own_python: bool = True
    """Whether the platform's own Python stands in for images of ours where it has all that they have."""
    image: str | None = None
    """What the built version runs in; None while it is not built, and for the platform's own Python."""

    @property
    def models(self) -> tuple[Source, ...]:
        return tuple(one for one in self.sources if one.kind == "model")

    @property
    def code(self) -> Source | None:
        return next((one for one in self.sources if one.kind == "algorithm"), None)

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def from_json(kept: Mapping[str, Any]) -> Plan:
    """The plan as it was kept."""
    values = dict(kept)
    values["sources"] = tuple(Source(**one) for one in values["sources"])
    values["base"] = BaseImage(**values["base"])
    values["requirements"] = tuple(values["requirements"])
    return Plan(**values)


def manifest_of(plan: Plan, recipe: Recipe) -> bytes:
    """The canonical manifest: the same bytes for the same inputs."""
    code = plan.code
    inputs = {
        "format": FORMAT,
        "models": {one.folder.rpartition("/")[2]: one.tree for one in plan.models},
        "code": code.tree if code else None,
        "image": {"kind": plan.base.kind, "name": plan.base.name}
        if plan.base.is_builtin
        else {"kind": plan.base.kind, "digest": plan.base.digest},
        "port": recipe.port,
        "command": recipe.command,
        "arguments": recipe.arguments,
        "requirements": sorted(set(plan.requirements)),
        "environment": recipe.environment,
        "shell_commands": recipe.shell_commands,
    }
    return json.dumps(inputs, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()


def digest_of(plan: Plan, recipe: Recipe) -> str:
    """What names the version's inputs."""
    return hashlib.sha256(manifest_of(plan, recipe)).hexdigest()
