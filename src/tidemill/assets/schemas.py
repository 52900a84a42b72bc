"""Assets on the wire."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, FiniteFloat, StringConstraints
from pydantic_core import PydanticCustomError

from tidemill.assets.kinds import BinKind, FoundKind, KindName, Scene
from tidemill.kernel.fields import Description, Name, Text, View, Wire

Action = Literal["read", "write", "delete"]
State = Literal["draft", "committed"]
Origin = Literal["new", "upload", "copy", "git", "run"]
Relation = Literal["copied_from", "imported_from", "made_from", "trained_on", "served_by"]
"""`served_by`: a service runs it. That one is found anew each time and is in no row."""

PATHS_MAX = 5000
METRICS_MAX = 200
TENSORS_MAX = 200

Note = Description
Reference = Annotated[Text, Field(min_length=1, max_length=300, examples=["public/resnet50@3"])]
FilePath = Annotated[Text, Field(min_length=1, max_length=4096)]
FormatName = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9+._-]*$", max_length=50)]
Digest = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]


class AssetCreate(Wire):
    name: Name
    scene: Scene
    description: Description = ""


class AssetPatch(Wire):
    """Only the description can be changed."""

    description: Description


class AssetCopy(Wire):
    name: Name
    to_project: Annotated[Text, Field(max_length=400)] | None = None
    version: Annotated[int, Field(ge=1, le=2**53)] | None = None
    """The newest committed one, or else the newest draft, when not given."""


class AssetView(View):
    id: str
    kind: KindName
    name: str
    project: str
    is_public: bool
    scene: Scene
    description: str
    versions_count: int
    latest_version: int | None
    size_bytes: int
    """Of all live versions together, as if nothing were shared."""
    created_at: datetime
    created_by: str
    updated_at: datetime
    permissions: list[Action]


class ReferenceView(View):
    """Something that was made from this. What is in a project the caller cannot read has no name here."""

    kind: str
    id: str | None
    name: str | None
    version: int | None
    project: str | None
    relation: Relation
    link: str | None


class ReferenceList(View):
    items: list[ReferenceView]


class VersionCreate(Wire):
    from_: Reference | None = Field(default=None, alias="from")
    """A version to start from: `3` of this asset, `name@3`, `public/name@3`; its files are shared, not copied."""
    note: Note = ""


def _check_metrics(metrics: dict[str, float]) -> dict[str, float]:
    if any(not name.strip() or len(name) > 50 or "\x00" in name for name in metrics):
        raise PydanticCustomError("metric_name", "metric name")
    return metrics


Metrics = Annotated[dict[Text, FiniteFloat], Field(max_length=METRICS_MAX), AfterValidator(_check_metrics)]
Dimension = Annotated[int, Field(ge=-1, le=2**53)] | Annotated[Text, Field(max_length=50)] | None


class Tensor(Wire):
    name: Annotated[Text, Field(max_length=200)]
    type: Annotated[Text, Field(max_length=50)]
    shape: Annotated[list[Dimension], Field(max_length=32)] | None = None


class Signature(Wire):
    """What a model takes and gives."""

    inputs: Annotated[list[Tensor], Field(default_factory=list, max_length=TENSORS_MAX)]
    outputs: Annotated[list[Tensor], Field(default_factory=list, max_length=TENSORS_MAX)]


class VersionPatch(Wire):
    note: Note | None = None
    format: FormatName | None = None
    metrics: Metrics | None = None
    signature: Signature | None = None


class VersionCommit(Wire):
    note: Note | None = None


class VersionView(View):
    id: str
    asset_id: str
    asset: str
    kind: KindName
    project: str
    number: int
    name: str
    state: State
    note: str
    digest: str | None
    files: int
    size_bytes: int
    revision: int
    origin: Origin
    format: str | None
    metrics: dict[str, float]
    signature: Signature | None
    created_at: datetime
    created_by: str
    committed_at: datetime | None
    can_edit: bool


class SourcesAdd(Wire):
    sources: Annotated[list[Reference], Field(min_length=1, max_length=100)]
    relation: Literal["made_from", "trained_on"]


class NodeView(View):
    id: str
    kind: str
    name: str
    version: str
    project: str | None
    label: str
    exists: bool
    created_at: datetime | None
    created_by: str | None
    is_self: bool
    link: str | None


class EdgeView(View):
    from_: str = Field(alias="from")
    to: str
    relation: Relation


class LineageView(View):
    """Edges point from what something was made from to what was made."""

    nodes: list[NodeView]
    edges: list[EdgeView]
    truncated: bool = False


class EntryView(View):
    path: str
    name: str
    type: Literal["file", "dir"]
    size_bytes: int
    digest: str | None = None
    files: int | None = None
    media_type: str | None = None
    is_text: bool | None = None
    updated_at: datetime | None = None


class TreePage(View):
    items: list[EntryView]
    next: str | None = None
    total: int
    total_capped: bool = False


class Attachment(Wire):
    path: FilePath
    sha256: Digest
    size_bytes: Annotated[int, Field(ge=0, le=2**53)]


class FilesAttach(Wire):
    entries: Annotated[list[Attachment], Field(min_length=1, max_length=PATHS_MAX)]


class FilesDelete(Wire):
    paths: Annotated[list[FilePath], Field(min_length=1, max_length=PATHS_MAX)]


class Move(Wire):
    from_: FilePath = Field(alias="from")
    to: FilePath


class FilesMove(Wire):
    moves: Annotated[list[Move], Field(min_length=1, max_length=PATHS_MAX)]
    overwrite: bool = False


class FolderMake(Wire):
    path: FilePath


class TreeState(View):
    """A draft's files after a change."""

    files: int
    size_bytes: int
    revision: int


class ChangeView(View):
    path: str
    change: Literal["added", "removed", "changed"]
    size_bytes: int | None
    old_size_bytes: int | None


class ChangePage(View):
    items: list[ChangeView]
    next: str | None = None


class GitImport(Wire):
    url: Annotated[Text, Field(min_length=1, max_length=2000, examples=["https://example.org/team/code.git"])]
    ref: Annotated[Text, Field(max_length=255)] | None = None
    """A branch, a tag or a commit; the default branch when not given."""
    subdir: Annotated[Text, Field(max_length=1024)] | None = None


class ViewerOpen(Wire):
    path: FilePath
    viewer: Literal["netron"] = "netron"


class ViewerView(View):
    url: str
    expires_at: datetime


class BinView(View):
    id: str
    kind: BinKind
    name: str
    size_bytes: int
    deleted_at: datetime
    deleted_by: str
    purge_at: datetime
    created_at: datetime
    created_by: str


class BinRestore(Wire):
    name: Name | None = None
    """A new name for the asset, where its old one has been taken meanwhile."""


class Restored(View):
    """What came back, and where."""

    kind: KindName
    name: str
    version: int | None
    link: str


class FoundView(View):
    kind: FoundKind
    id: str
    name: str
    project: str | None
    description: str
    link: str


class FoundList(View):
    items: list[FoundView]
