"""The client: one server, one caller, and the groups of calls."""

import time
from collections.abc import Callable
from functools import cached_property
from types import TracebackType
from typing import Self

import httpx2

from tidemill.kernel.errors import Invalid
from tidemill.kernel.i18n import Language
from tidemill.sdk.config import resolve
from tidemill.sdk.language import problem, user_language
from tidemill.sdk.patience import Patience
from tidemill.sdk.resources.assets import Assets
from tidemill.sdk.resources.datasets import Datasets
from tidemill.sdk.resources.experiments import Experiments
from tidemill.sdk.resources.inference import Inferences
from tidemill.sdk.resources.label_sets import LabelSets
from tidemill.sdk.resources.me import Myself, Tokens
from tidemill.sdk.resources.models import Catalogue, Evaluations, Models
from tidemill.sdk.resources.packages import Packages
from tidemill.sdk.resources.people import Groups, Roles, Users
from tidemill.sdk.resources.places import Environments, Images, SshKeys
from tidemill.sdk.resources.projects import Projects
from tidemill.sdk.resources.services import Services
from tidemill.sdk.resources.training import Runs, Tasks
from tidemill.sdk.resources.work import Audit, Bin, Jobs, Search, Systems, Webhooks
from tidemill.sdk.resources.workloads import Machines, Overviews, Specs, Workloads
from tidemill.sdk.transport import Transport
from tidemill.sdk.views import Me, Meta


class Client:
    """Talks to a Tidemill server.

        client = Client("http://127.0.0.1:8700", token="tm_…", project="tides")
        client.models.push("out/", "detector", scene="object-detection")

    What is not given comes from `TIDEMILL_URL`, `TIDEMILL_TOKEN` and `TIDEMILL_PROJECT`, then from `tidemill login`.
    Safe to use from several threads. Close it, or use it in a `with`.
    """

    def __init__(
        self,
        url: str | None = None,
        token: str | None = None,
        project: str | None = None,
        *,
        language: Language | None = None,
        timeout_s: float = 60.0,
        patience: Patience | None = None,
        sleep: Callable[[float], None] = time.sleep,
        backend: httpx2.BaseTransport | None = None,
    ) -> None:
        found = resolve(url, token, project)
        self.url = found.url
        self.project = found.project
        self.transport = Transport(
            found.url,
            token=found.token,
            language=language or user_language(),
            timeout_s=timeout_s,
            patience=patience,
            sleep=sleep,
            backend=backend,
        )

    def sign_in(self, user: str, password: str) -> Me:
        """Opens a session with a password, for a client that has no token."""
        body = {"user": user, "password": password}
        return Me.read(self.transport.call("POST", "/session", json=body, is_repeatable=False))

    def sign_out(self) -> None:
        self.transport.call("DELETE", "/session")

    def meta(self) -> Meta:
        """The server's version and limits."""
        return Meta.read(self.transport.call("GET", "/meta"))

    def project_name(self, project: str | None = None) -> str:
        """The project to work in: the one named, or the client's own."""
        if found := project or self.project:
            return found
        raise problem(Invalid, "sdk_project_needed", field="project")

    @cached_property
    def projects(self) -> Projects:
        return Projects(self)

    @cached_property
    def users(self) -> Users:
        return Users(self)

    @cached_property
    def groups(self) -> Groups:
        return Groups(self)

    @cached_property
    def roles(self) -> Roles:
        return Roles(self)

    @cached_property
    def me(self) -> Myself:
        return Myself(self)

    @cached_property
    def tokens(self) -> Tokens:
        return Tokens(self)

    @cached_property
    def algorithms(self) -> Assets:
        return Assets(self, "algorithm")

    @cached_property
    def models(self) -> Models:
        return Models(self)

    @cached_property
    def packages(self) -> Packages:
        return Packages(self)

    @cached_property
    def services(self) -> Services:
        return Services(self)

    @cached_property
    def evaluations(self) -> Evaluations:
        return Evaluations(self)

    @cached_property
    def catalogue(self) -> Catalogue:
        return Catalogue(self)

    @cached_property
    def datasets(self) -> Datasets:
        return Datasets(self)

    @cached_property
    def label_sets(self) -> LabelSets:
        return LabelSets(self)

    @cached_property
    def tasks(self) -> Tasks:
        return Tasks(self)

    @cached_property
    def runs(self) -> Runs:
        return Runs(self)

    @cached_property
    def inferences(self) -> Inferences:
        return Inferences(self)

    @cached_property
    def experiments(self) -> Experiments:
        return Experiments(self)

    @cached_property
    def workloads(self) -> Workloads:
        return Workloads(self)

    @cached_property
    def specs(self) -> Specs:
        return Specs(self)

    @cached_property
    def machines(self) -> Machines:
        return Machines(self)

    @cached_property
    def overview(self) -> Overviews:
        return Overviews(self)

    @cached_property
    def images(self) -> Images:
        return Images(self)

    @cached_property
    def environments(self) -> Environments:
        return Environments(self)

    @cached_property
    def ssh_keys(self) -> SshKeys:
        return SshKeys(self)

    @cached_property
    def jobs(self) -> Jobs:
        return Jobs(self)

    @cached_property
    def bin(self) -> Bin:
        return Bin(self)

    @cached_property
    def audit(self) -> Audit:
        return Audit(self)

    @cached_property
    def webhooks(self) -> Webhooks:
        return Webhooks(self)

    @cached_property
    def system(self) -> Systems:
        return Systems(self)

    @cached_property
    def search(self) -> Search:
        return Search(self)

    def close(self) -> None:
        self.transport.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
