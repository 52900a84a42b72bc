"""Images on the wire."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import AfterValidator, Field
from pydantic_core import PydanticCustomError

from tidemill.images.names import NAME_MAX, VERSION_MAX, is_name, is_version
from tidemill.jobs.schemas import JobErrorView
from tidemill.kernel.fields import Description, Text, View, Wire
from tidemill.transfers.schemas import Sha256

Kind = Literal["oci", "python"]
State = Literal["ready", "building", "failed", "not_made"]


def _check_name(text: str) -> str:
    if not is_name(text):
        raise PydanticCustomError("image_name_invalid", "not a name of an image")
    return text


def _check_version(text: str) -> str:
    if not is_version(text):
        raise PydanticCustomError("image_version_invalid", "not a version of an image")
    return text


ImageName = Annotated[
    str, AfterValidator(_check_name), Field(min_length=1, max_length=NAME_MAX, examples=["vision/base"])
]
ImageVersion = Annotated[
    str, AfterValidator(_check_version), Field(min_length=1, max_length=VERSION_MAX, examples=["1.0"])
]
SpecNames = Annotated[list[Annotated[Text, Field(min_length=1, max_length=50)]], Field(max_length=50)]
"""Compute specs the image suits: a hint for people."""


class NewImage(Wire):
    """What every way of making an image asks for."""

    name: ImageName
    version: ImageVersion
    description: Description = ""
    specs: SpecNames = Field(default_factory=list)


class PythonImageCreate(NewImage):
    """A Python environment from a list of packages, one requirement a line as pip reads them."""

    requirements: Annotated[list[Text], Field(max_length=500, examples=[["numpy==2.3.1", "pandas>=2"]])]
    python: Annotated[str | None, Field(max_length=20, description="`3.11`; the server's own when not given")] = None


class ImageImport(NewImage):
    """An uploaded archive: `docker save`, `podman save` or an OCI layout as a tar file."""

    sha256: Sha256


class ImagePull(NewImage):
    """An image of another registry."""

    reference: Annotated[Text, Field(min_length=1, max_length=500, examples=["docker.io/library/busybox:1.36"])]
    user: Annotated[Text | None, Field(max_length=200)] = None
    password: Annotated[Text | None, Field(max_length=4000, description="Used for this pull and not kept")] = None


class ImagePatch(Wire):
    """The description is all that can be changed."""

    description: Description


class ImageLayerView(View):
    """A layer of a container image, the lowest first."""

    digest: str
    size_bytes: int
    media_type: str
    made_by: str | None = Field(description="The step of the build that made it, where that is known")


class ImageUserView(View):
    """A workload that has not ended."""

    id: str
    name: str
    kind: str


class ImageContentsView(View):
    """What an image is made of, and what runs in it."""

    platforms: list[str] = Field(description="`linux/amd64`: machines that a container image is for")
    layers: list[ImageLayerView] = Field(
        description="Of a container image; the one for this machine, where there are several"
    )
    users: list[ImageUserView] = Field(description="What of this project runs in it now, or is about to: the first few")


class ImageView(View):
    """An image."""

    id: str
    project: str
    name: str
    version: str
    reference: str = Field(description="`name:version`, as tasks and environments ask for it")
    kind: Kind
    state: State
    size_bytes: int
    digest: str | None
    description: str
    specs: list[str]
    builtin: bool
    requirements: list[str] = Field(description="What was asked for, of a Python environment")
    packages: list[str] = Field(description="What is in a Python environment: `name==version`")
    error: JobErrorView | None = Field(description="Why the last build failed")
    workload_id: str | None = Field(description="The workload that builds it, or built it last")
    pull_command: str | None
    created_at: datetime
    created_by: str
    updated_at: datetime
