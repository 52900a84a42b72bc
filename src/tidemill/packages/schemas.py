"""Packages on the wire."""

import re
from datetime import datetime
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, StringConstraints, model_validator
from pydantic_core import PydanticCustomError

from tidemill.assets.kinds import Scene
from tidemill.assets.schemas import Action, AssetView, Note, Reference
from tidemill.jobs.schemas import JobErrorView
from tidemill.kernel.fields import Description, Name, Text, View, Wire
from tidemill.kernel.paging import Page

State = Literal["pending", "building", "completed", "failed", "stopped"]
Server = Literal["builtin", "class", "function", "command"]
"""What answers: the built-in model server; it with a Python class of the code (`model.py`); the algorithm's function
`serve`; the recipe's own command."""
Protocol = Literal["v2", "http"]

PORT = 8080
COMMAND_MAX = 3000
MODELS_MAX = 20
VARIABLES_MAX = 100
VARIABLE_MAX = 500
LINES_MAX = 50

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_OURS = ("TIDEMILL_",)
_SET_BY_US = frozenset({"PORT"})


def _check_command(text: str) -> str:
    if "\x00" in text or any("\ud800" <= character <= "\udfff" for character in text):
        raise PydanticCustomError("text_unprintable", "unprintable")
    return text.replace("\r\n", "\n").strip()


def _check_variables(variables: dict[str, str]) -> dict[str, str]:
    for name in variables:
        if not _VARIABLE.fullmatch(name) or len(name) > VARIABLE_MAX:
            raise PydanticCustomError("package_variable_name", "name", {"name": name[:100], "max": VARIABLE_MAX})
        if name.startswith(_OURS) or name in _SET_BY_US:
            raise PydanticCustomError("package_variable_ours", "ours", {"name": name})
    return variables


Command = Annotated[str, StringConstraints(max_length=COMMAND_MAX), AfterValidator(_check_command)]
Variables = Annotated[
    dict[Text, Annotated[Text, Field(max_length=VARIABLE_MAX)]],
    Field(max_length=VARIABLES_MAX, examples=[{"OMP_NUM_THREADS": "2"}]),
    AfterValidator(_check_variables),
]
Port = Annotated[int, Field(ge=1, le=65535)]
ImageName = Annotated[Text, Field(min_length=1, max_length=300, examples=["tidemill/runtime:1"])]


class PackageCreate(Wire):
    name: Name
    scene: Scene
    description: Description = ""


class PackagePatch(Wire):
    """Only the description can be changed."""

    description: Description


class Recipe(Wire):
    """What a version is made of."""

    models: Annotated[
        list[Reference], Field(max_length=MODELS_MAX, description="`name@3`, `public/name@3`; each at `model/<name>`")
    ] = Field(default_factory=list)
    image: Annotated[
        ImageName | None, Field(description="To build on: `name:version`; what the models need when not given")
    ] = None
    algorithm: Annotated[
        Reference | None,
        Field(description="Inference code, at `code`; the built-in model server answers when not given"),
    ] = None
    port: Annotated[
        Port, Field(description="Where it listens in a container; elsewhere the platform says so in `$PORT`")
    ] = PORT
    command: Annotated[
        Command,
        Field(description="Starts an HTTP application on `$PORT`, in the folder of the code; mostly not needed"),
    ] = ""
    arguments: Annotated[Command, Field(description="Added to what starts it", examples=["--max-batch 16"])] = ""
    requirements: Annotated[
        list[Text], Field(max_length=500, description="Python packages, as pip reads them", examples=[["shapely>=2"]])
    ] = Field(default_factory=list)
    environment: Variables = Field(default_factory=dict)
    shell_commands: Annotated[
        list[Command],
        Field(max_length=LINES_MAX, description="In a container image run when it is built, else before each start"),
    ] = Field(default_factory=list)

    @model_validator(mode="after")
    def _has_something(self) -> Self:
        if not self.models and self.algorithm is None:
            raise PydanticCustomError("package_empty", "empty")
        if self.command and self.algorithm is None:
            raise PydanticCustomError("package_command_alone", "command without code")
        return self


class PackageVersionCreate(Recipe):
    note: Note = ""


class PackageVersionCopy(Wire):
    """A new version from the same recipe."""

    note: Note = ""


class PackageVersionSummary(View):
    number: int
    state: State
    digest: str


class PackageView(AssetView):
    latest: PackageVersionSummary | None = Field(description="The newest version")
    ready: PackageVersionSummary | None = Field(description="The newest version that is built")


class ModelInView(View):
    """A model of a version."""

    reference: str = Field(description="`name@3`, with the project before it where it is another one's")
    folder: str = Field(description="`model/<name>` in the package; what the model is called when it is asked")
    version_id: str
    task: str
    format: str | None


class RecipeView(View):
    """A recipe as it goes out; fields as in `Recipe`."""

    models: list[str]
    image: str | None
    algorithm: str | None
    port: int
    command: str
    arguments: str
    requirements: list[str]
    environment: dict[str, str]
    shell_commands: list[str]


class PackageUserView(View):
    """Something that runs the version. What the caller may not read has no name."""

    kind: str
    id: str | None
    name: str | None
    link: str | None


class PackageVersionView(View):
    id: str
    package_id: str
    package: str
    project: str
    number: int
    name: str = Field(description="`name@3`")
    state: State
    note: str
    digest: str = Field(description="The same for the same inputs")
    same_as: list[str] = Field(description="Other versions in the project of the same digest, the newest first")
    recipe: RecipeView
    models: list[ModelInView]
    server: Server
    protocol: Protocol = Field(description="`v2`: the Open Inference Protocol and `/predict`; `http`: its own")
    has_grpc: bool
    task: str = Field(description="Of its models, where that is known and the same")
    runtime: Literal["python", "oci"]
    base_image: str
    image: str | None = Field(description="What it runs in: `name:version`; null: the platform's own Python")
    start: str = Field(description="What starts it, as a shell would read it")
    files: int
    size_bytes: int
    error: JobErrorView | None = Field(description="Why the last build failed")
    workload_id: str | None = Field(description="The workload that builds it, or built it last: its log is the build's")
    users: list[PackageUserView] = Field(description="What runs it: it cannot be deleted while there is something")
    created_at: datetime
    created_by: str
    started_at: datetime | None
    finished_at: datetime | None
    permissions: list[Action]


class RecipeCheck(View):
    """What a recipe would come to."""

    digest: str
    same_as: list[str]
    server: Server
    protocol: Protocol
    has_grpc: bool
    task: str
    runtime: Literal["python", "oci"]
    base_image: str
    start: str


class PackageSettingsView(View):
    """What the project allows."""

    allow_pickles: bool = Field(description="Models may be read from pickle files, which can run anybody's code")
    changed_at: datetime | None
    changed_by: str | None
    may_change: bool


class PackageSettingsPatch(Wire):
    allow_pickles: bool


class BuildTask(View):
    """What a build's program has to know."""

    state: State
    requirements: list[str]


class BuildFail(Wire):
    code: Literal["package_pip"]
    params: dict[Literal["status"], int] = Field(default_factory=dict)


PackagePage = Page[PackageView]
PackageVersionPage = Page[PackageVersionView]
