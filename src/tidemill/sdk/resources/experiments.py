"""Experiments, and runs that go on outside of the platform."""

from collections.abc import Mapping, Sequence
from typing import Any

from tidemill.kernel.errors import NotFound
from tidemill.kernel.ids import looks_like_id
from tidemill.sdk.language import problem
from tidemill.sdk.paging import Listing
from tidemill.sdk.resources.base import Resource, given
from tidemill.sdk.work_views import Experiment, TrackedRun


class Experiments(Resource):
    """`client.experiments`. An experiment is named by its name or id; names may hold what addresses may not."""

    def list(
        self, *, q: str | None = None, sort: str | None = None, deleted: bool = False, project: str | None = None
    ) -> Listing[Experiment]:
        params = {"q": q, "sort": sort, "deleted": "true" if deleted else None}
        return self._listing(self._in_project(project, "experiments"), Experiment.read, params)

    def get(self, experiment: str, *, deleted: bool = False, project: str | None = None) -> Experiment:
        """By name or id; by name a deleted one only when asked for."""
        place = self._in_project(project, "experiments")
        if looks_like_id(experiment, "exp"):
            return Experiment.read(self._call("GET", f"{place}/{experiment}"))
        params = {"name": experiment, "deleted": "true" if deleted else None}
        for found in self._listing(place, Experiment.read, params):
            return found
        raise problem(NotFound, "sdk_experiment_unknown", name=experiment)

    def create(
        self, name: str, *, description: str = "", tags: Mapping[str, str] | None = None, project: str | None = None
    ) -> Experiment:
        body = given(name=name, description=description, tags=tags)
        return Experiment.read(self._call("POST", self._in_project(project, "experiments"), json=body))

    def update(self, experiment: str, *, project: str | None = None, **changes: Any) -> Experiment:
        """`name`, `description`, `tags`."""
        return Experiment.read(self._call("PATCH", self._place(experiment, project), json=changes))

    def delete(self, experiment: str, *, project: str | None = None) -> None:
        """Into the bin, with its runs."""
        self._call("DELETE", self._place(experiment, project))

    def restore(self, experiment: str, *, project: str | None = None) -> Experiment:
        found = self.get(experiment, deleted=True, project=project)
        return Experiment.read(self._call("POST", self._in_project(project, "experiments", found.id, "restore")))

    def keys(self, experiment: str, *, project: str | None = None) -> dict[str, Any]:
        """Names of `metrics`, `parameters` and `tags` that its runs have."""
        answer: dict[str, Any] = self._call("GET", self._place(experiment, project) + "/keys")
        return answer

    def runs(
        self,
        experiment: str,
        *,
        filter: str | None = None,
        order_by: Sequence[str] = (),
        project: str | None = None,
    ) -> Listing[TrackedRun]:
        """Its runs with what they measured: `filter="metrics.acc > 0.9"`, `order_by=["metrics.acc DESC"]`."""
        params = {"filter": filter, "order_by": [*order_by] or None, "as_numbers": "true"}
        return self._listing(self._place(experiment, project) + "/runs", TrackedRun.read, params)

    def _place(self, experiment: str, project: str | None) -> str:
        return self._in_project(project, "experiments", self.get(experiment, project=project).id)
