"""Label sets of a project."""

from collections.abc import Mapping, Sequence
from typing import Any

from tidemill.sdk.data_views import LabelSet
from tidemill.sdk.paging import Listing
from tidemill.sdk.resources.base import Resource, given


class LabelSets(Resource):
    """`client.label_sets`. A set is named by its name or id."""

    def list(self, *, project: str | None = None, q: str | None = None, sort: str | None = None) -> Listing[LabelSet]:
        return self._listing(self._in_project(project, "label-sets"), LabelSet.read, {"q": q, "sort": sort})

    def get(self, label_set: str, *, project: str | None = None) -> LabelSet:
        return LabelSet.read(self._call("GET", self._in_project(project, "label-sets", label_set)))

    def create(
        self,
        name: str,
        labels: Sequence[Mapping[str, Any] | str] = (),
        *,
        description: str = "",
        project: str | None = None,
    ) -> LabelSet:
        """`labels`: names, or `name`, `parent` (a name), `colour`, `shortcut`, `attributes`, `skeleton`."""
        body = {"name": name, "description": description, "labels": _described(labels)}
        return LabelSet.read(self._call("POST", self._in_project(project, "label-sets"), json=body))

    def create_from_version(
        self, name: str, version: str, *, description: str = "", project: str | None = None
    ) -> LabelSet:
        """With the labels of a dataset's version (`name@3`)."""
        body = {"name": name, "version": version, "description": description}
        return LabelSet.read(self._call("POST", self._in_project(project, "label-sets", "from-version"), json=body))

    def update(
        self,
        label_set: str,
        *,
        name: str | None = None,
        description: str | None = None,
        labels: Sequence[Mapping[str, Any] | str] | None = None,
        project: str | None = None,
    ) -> LabelSet:
        body = given(name=name, description=description, labels=None if labels is None else _described(labels))
        return LabelSet.read(self._call("PATCH", self._in_project(project, "label-sets", label_set), json=body))

    def delete(self, label_set: str, *, project: str | None = None) -> None:
        self._call("DELETE", self._in_project(project, "label-sets", label_set))


def _described(labels: Sequence[Mapping[str, Any] | str]) -> "list[dict[str, Any]]":
    return [{"name": one} if isinstance(one, str) else dict(one) for one in labels]
