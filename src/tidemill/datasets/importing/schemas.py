"""Imports on the wire."""

from typing import Annotated, Any, Literal, Self

from pydantic import Field, SecretStr, StringConstraints, model_validator
from pydantic_core import PydanticCustomError

from tidemill.assets.schemas import FilePath
from tidemill.datasets.works.schemas import WorkView
from tidemill.kernel.fields import Text, View, Wire
from tidemill.transfers.schemas import SIZE_MAX, Sha256

FILES_MAX = 5000
ADDRESSES_MAX = 20_000

Short = Annotated[Text, StringConstraints(min_length=1, max_length=200)]
Host = Annotated[Text, StringConstraints(min_length=1, max_length=255, strip_whitespace=True)]
Column = Annotated[Text, StringConstraints(min_length=1, max_length=200)]


class SentFile(Wire):
    """A file that was sent before, as an upload or in a batch."""

    name: FilePath
    sha256: Sha256
    size_bytes: Annotated[int, Field(ge=0, le=SIZE_MAX)]


class UploadSource(Wire):
    """Files that were sent: an archive, several, or loose files with their paths."""

    type: Literal["upload"]
    files: Annotated[list[SentFile], Field(min_length=1, max_length=FILES_MAX)]


class ServerSource(Wire):
    """A folder or file of the server, below one that an administrator allowed."""

    type: Literal["server"]
    path: Annotated[Text, Field(min_length=1, max_length=4096)]


class S3Source(Wire):
    """Everything under a prefix of a bucket. The keys are kept for this import only and never shown."""

    type: Literal["s3"]
    bucket: Annotated[Text, StringConstraints(pattern=r"^[A-Za-z0-9._-]{1,255}$")]
    prefix: Annotated[Text, Field(max_length=1024)] = ""
    endpoint: Annotated[Text, Field(max_length=2000)] | None = None
    """`https://…`; Amazon's own where there is none."""
    region: Annotated[Text, Field(max_length=100)] | None = None
    access_key: SecretStr | None = None
    secret_key: SecretStr | None = None


class Columns(Wire):
    """Which column of the query holds what. All others are kept with the item."""

    content: Column | None = None
    """Text, or the bytes of a file. Without it the row itself is the item, as JSON."""
    path: Column | None = None
    """What the item is called; the row's number where there is none."""
    label: Column | None = None
    """The class, or several with `separator` between them."""
    annotations: Column | None = None
    """A list of annotations as JSON, with names of labels."""
    split: Column | None = None
    separator: Annotated[Text, Field(min_length=1, max_length=10)] | None = None


class DatabaseSource(Wire):
    """The rows of a query. It runs in a transaction that only reads; the password is never shown."""

    type: Literal["mysql", "postgresql"]
    host: Host
    port: Annotated[int, Field(ge=1, le=65535)] | None = None
    database: Short
    user: Short
    password: SecretStr = SecretStr("")
    query: Annotated[Text, StringConstraints(min_length=1, max_length=100_000, strip_whitespace=True)]
    columns: Columns = Columns()
    tls: Literal["prefer", "require", "off"] = "prefer"
    limit: Annotated[int, Field(ge=1, le=10_000_000)] = 10_000_000


class AddressItem(Wire):
    url: Annotated[Text, Field(min_length=1, max_length=2000)]
    path: FilePath | None = None
    label: Annotated[Text, Field(min_length=1, max_length=200)] | None = None


class AddressesSource(Wire):
    """Files at http and https addresses, each with a label where one is given."""

    type: Literal["addresses"]
    addresses: Annotated[list[AddressItem], Field(min_length=1, max_length=ADDRESSES_MAX)]


class DatasetSource(Wire):
    """Another version, of this dataset or of one that the caller may read."""

    type: Literal["dataset"]
    project: Short | None = None
    dataset: Short
    version: Annotated[Text, StringConstraints(pattern=r"^(latest|[0-9]{1,9})$")] = "latest"
    with_annotations: bool = True


Source = Annotated[
    UploadSource | ServerSource | S3Source | DatabaseSource | AddressesSource | DatasetSource,
    Field(discriminator="type"),
]


class VideoOptions(Wire):
    """How films become frames."""

    fps: Annotated[float, Field(gt=0, le=240)] | None = None
    """So many frames of each second."""
    every_s: Annotated[float, Field(gt=0, le=86_400)] | None = None
    """One frame in so many seconds."""
    scene: Annotated[float, Field(gt=0, lt=1)] | None = None
    """One frame where the picture changes by more than this."""
    max_frames: Annotated[int, Field(ge=1, le=1_000_000)] | None = None

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        if sum(value is not None for value in (self.fps, self.every_s, self.scene)) != 1:
            raise PydanticCustomError("video_one_way", "one of fps, every_s, scene")
        return self


class ImportCreate(Wire):
    source: Source
    format: Annotated[Text, Field(max_length=50)] | None = None
    """Recognised by the content where it is not given."""
    options: Annotated[dict[Annotated[Text, Field(max_length=100)], Any], Field(max_length=50, default_factory=dict)]
    """Of the format; see its description."""
    existing: Literal["keep", "replace", "merge"] = "keep"
    """What becomes of items that are there already: kept as they are, replaced, or given the annotations besides."""
    folder: FilePath | None = None
    """Items are put below this folder."""
    video: VideoOptions | None = None
    """Films are kept whole without it."""
    dry_run: bool = False


class ImportView(WorkView):
    source: dict[str, Any]
    format: str | None
    options: dict[str, Any]
    existing: str
    folder: str | None
    video: dict[str, Any] | None


class FormatView(View):
    name: str
    title: str
    description: str
    reads: bool
    writes: bool
    types: list[str]
    """Annotation types it can carry when written."""
    has_sample: bool


class FormatList(View):
    items: list[FormatView]


class ServerFolders(View):
    """Folders of the server that may be imported from."""

    items: list[str]


class ServerEntry(View):
    name: str
    path: str
    is_folder: bool
    size_bytes: int | None


class ServerListing(View):
    path: str
    items: list[ServerEntry]
    is_cut: bool
