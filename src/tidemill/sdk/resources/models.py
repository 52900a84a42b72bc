"""Models with what they say of themselves; evaluations; the catalogue."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tidemill.kernel.errors import Invalid, NotFound, TidemillError
from tidemill.sdk.language import problem
from tidemill.sdk.model_views import CatalogueEntry, Evaluation, Facts
from tidemill.sdk.paging import Listing
from tidemill.sdk.refs import Ref, parse_ref
from tidemill.sdk.resources.assets import Assets
from tidemill.sdk.resources.base import Resource, given
from tidemill.sdk.views import Job

if TYPE_CHECKING:
    from tidemill.sdk.client import Client
    from tidemill.sdk.transfer.progress import Watch

PUBLIC = "public"


class EvaluationFailed(TidemillError):
    """An evaluation ended without a result; `evaluation` is how it ended."""

    default_code = "sdk_work_failed"

    evaluation: Evaluation


class Models(Assets):
    """`client.models`."""

    def __init__(self, client: "Client") -> None:
        super().__init__(client, "model")

    def facts(self, model: str | Ref) -> Facts:
        """Task, labels, metrics and what it was made with; of the latest version, or that named."""
        ref = parse_ref(model)
        parts = ("models", ref.name, "versions", ref.version or "latest", "facts")
        return Facts.read(self._call("GET", self._in_project(ref.project, *parts)))

    def with_facts(
        self, *, task: str | None = None, scope: str | None = None, sort: str | None = None, project: str | None = None
    ) -> Listing[Facts]:
        """Versions that say what they are, of the project and public ones."""
        params = {"task": task, "scope": scope, "sort": sort}
        return self._listing(self._in_project(project, "model-facts"), Facts.read, params)


class Evaluations(Resource):
    """`client.evaluations`."""

    def create(
        self,
        model: str | Ref,
        dataset: str | Ref,
        *,
        part: str | None = None,
        threshold: float | None = None,
        spec: str | None = None,
        project: str | None = None,
    ) -> Evaluation:
        """Measures a model version on a published dataset version, in the background."""
        body = given(model=str(model), dataset=str(dataset), part=part, threshold=threshold, spec=spec)
        return Evaluation.read(self._call("POST", self._in_project(project, "evaluations"), json=body))

    def list(
        self,
        *,
        model: str | None = None,
        dataset: str | None = None,
        state: str | None = None,
        sort: str | None = None,
        project: str | None = None,
    ) -> Listing[Evaluation]:
        params = {"model": model, "dataset": dataset, "state": state, "sort": sort}
        return self._listing(self._in_project(project, "evaluations"), Evaluation.read, params)

    def get(self, evaluation: str, *, project: str | None = None) -> Evaluation:
        """One with its `result`."""
        return Evaluation.read(self._call("GET", self._in_project(project, "evaluations", evaluation)))

    def compare(self, evaluations: Sequence[str], *, project: str | None = None) -> dict[str, Any]:
        """Several on one dataset version."""
        path = self._in_project(project, "evaluations", "compare")
        found: dict[str, Any] = self._call("GET", path, params={"ids": [*evaluations]})
        return found

    def stop(self, evaluation: str, *, project: str | None = None) -> Evaluation:
        return Evaluation.read(self._call("POST", self._in_project(project, "evaluations", evaluation, "stop")))

    def delete(self, evaluation: str, *, project: str | None = None) -> None:
        self._call("DELETE", self._in_project(project, "evaluations", evaluation))

    def predictions(self, evaluation: str, target: str | Path, *, project: str | None = None) -> Path:
        """What the model said of each item, into a file of JSON lines."""
        path = self._in_project(project, "evaluations", evaluation, "predictions")
        return self._client.transport.fetch(path, target)

    def wait(
        self,
        evaluation: Evaluation,
        *,
        watch: Callable[[Evaluation], None] | None = None,
        project: str | None = None,
    ) -> Evaluation:
        """Waits until it is over; raises EvaluationFailed when there is no result."""

        def look() -> Evaluation:
            return self.get(evaluation.id, project=project)

        found = self._until(look(), look, lambda one: one.is_over, watch)
        if found.state == "done":
            return found
        message = (found.error or {}).get("message", found.state)
        failure = problem(EvaluationFailed, "sdk_work_failed", name=found.model, message=message)
        failure.evaluation = found
        raise failure


class Catalogue(Resource):
    """`client.catalogue`: well-known models, installed into the public project unless another is named."""

    def list(self, *, task: str | None = None, project: str | None = None) -> Sequence[CatalogueEntry]:
        path = self._in_project(project or PUBLIC, "catalogue")
        return [CatalogueEntry.read(one) for one in self._call("GET", path, params=given(task=task))["items"]]

    def get(self, name: str, *, project: str | None = None) -> CatalogueEntry:
        for one in self.list(project=project):
            if one.name == name:
                return one
        raise problem(NotFound, "sdk_catalogue_unknown", name=name)

    def install(
        self, name: str, *, folder: str | Path | None = None, project: str | None = None, watch: "Watch | None" = None
    ) -> Job:
        """Installs a model; with a folder of this machine its files are sent from there instead of downloaded."""
        place = project or PUBLIC
        if folder is not None:
            self._send(self.get(name, project=place), Path(folder), place, watch)
        answer = self._call("POST", self._in_project(place, "catalogue", name, "install"))
        return self._client.jobs.get(answer["job"], project=place)

    def _send(self, entry: CatalogueEntry, folder: Path, project: str, watch: "Watch | None") -> None:
        from tidemill.sdk.transfer.single import send_file

        for file in entry.files:
            found = _find(folder, file["path"], file["size_bytes"])
            if found is None:
                raise problem(Invalid, "sdk_catalogue_file", path=file["path"], folder=folder)
            if send_file(self._client.transport, project, found, watch) != file["sha256"]:
                raise problem(Invalid, "sdk_catalogue_other", path=found)


def _find(folder: Path, path: str, size_bytes: int) -> Path | None:
    name = path.rpartition("/")[2]
    return next((one for one in sorted(folder.rglob(name)) if one.is_file() and one.stat().st_size == size_bytes), None)
