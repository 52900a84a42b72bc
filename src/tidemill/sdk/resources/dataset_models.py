"""From a dataset to models and back: training, auto-annotation, suggestions, label errors, the loop."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tidemill.sdk.data_views import DatasetVersion, Work
from tidemill.sdk.model_views import LabelError, SuggestionsChanged, TrainingPlan, TrainingStarted
from tidemill.sdk.paging import Listing
from tidemill.sdk.refs import Ref, parse_ref
from tidemill.sdk.resources.base import given
from tidemill.sdk.resources.dataset_content import DatasetContent
from tidemill.sdk.work_views import Run


class DatasetModels(DatasetContent):
    """Calls that have models learn from a version or look at it; `client.datasets` has them all."""

    def plan_training(self, dataset: str | Ref, **wishes: Any) -> TrainingPlan:
        """What `train` would do and why: `algorithm`, `model`, `spec`, `time_budget_s`."""
        path = self._version(self.published(dataset), "training-plan")
        return TrainingPlan.read(self._call("GET", path, params=given(**wishes)))

    def train(self, dataset: str | Ref, **wishes: Any) -> TrainingStarted:
        """Trains a model from a published version (the newest, unless one is named); what is not given is chosen.

        `wishes`: algorithm, parameters, model (to start from; "" for none), save_model, spec, time_budget_s, name.
        """
        path = self._version(self.published(dataset), "train")
        return TrainingStarted.read(self._call("POST", path, json=given(**wishes)))

    def trained(self, started: TrainingStarted, *, watch: Callable[[Run], None] | None = None) -> Run:
        """The run when it has ended well and its model is saved; raises WorkloadFailed otherwise."""
        runs = self._client.runs
        ended = runs.wait(started.run, watch=watch)
        return self._until(ended, lambda: runs.get(ended.id), _is_saved, None)

    def published(self, dataset: str | Ref) -> Ref:
        """The version named, or the newest published one; the latest where none is published."""
        ref = parse_ref(dataset)
        if ref.version is not None:
            return ref
        for version in self._listing(self._dataset(ref, "versions"), DatasetVersion.read):
            if version.work == "published":
                return Ref(ref.name, ref.project, str(version.number))
        return ref

    def suggest_mapping(self, dataset: str | Ref, source: Mapping[str, Any]) -> dict[str, Any]:
        """Which labels of the dataset a model's labels seem to mean."""
        body = {"source": dict(source)}
        found: dict[str, Any] = self._call("POST", self._version(dataset, "auto", "mapping"), json=body)
        return found

    def auto_annotate(self, dataset: str | Ref, source: Mapping[str, Any] | str, **wishes: Any) -> Work:
        """Has a model look at a draft: a model version by name, or a source as the API takes it.

        `wishes`: mapping, make_labels, threshold, states, label_errors, spec.
        """
        told = {"type": "model", "model": source} if isinstance(source, str) else dict(source)
        body = {"source": told, **given(**wishes)}
        return Work.read(self._call("POST", self._version(dataset, "auto"), json=body))

    def accept(
        self,
        dataset: str | Ref,
        seqs: Sequence[int] | None = None,
        *,
        threshold: float | None = None,
        below: str | None = None,
        **which: Any,
    ) -> SuggestionsChanged:
        """Accepts suggestions: of these items, or of all that the filter finds."""
        body = given(threshold=threshold, below=below)
        return self._suggestions(dataset, "accept", body, seqs, which)

    def reject(
        self, dataset: str | Ref, seqs: Sequence[int] | None = None, *, threshold: float | None = None, **which: Any
    ) -> SuggestionsChanged:
        """Takes suggestions away; with a threshold only those below it."""
        return self._suggestions(dataset, "reject", given(threshold=threshold), seqs, which)

    def undo(self, dataset: str | Ref, action: str) -> SuggestionsChanged:
        """Takes an `accept` or `reject` back."""
        path = self._version(dataset, "suggestions", "undo")
        return SuggestionsChanged.read(self._call("POST", path, json={"action": action}))

    def label_errors(self, dataset: str | Ref, *, kind: str | None = None) -> Listing[LabelError]:
        """Labelled items whose labels seem wrong, the surest first."""
        return self._listing(self._version(dataset, "label-errors"), LabelError.read, {"kind": kind})

    def loop(self, dataset: str | Ref) -> dict[str, Any]:
        """How far labelling is, how good models are, what to do next."""
        found: dict[str, Any] = self._call("GET", self._dataset(dataset, "loop"))
        return found

    def retrain(self, dataset: str | Ref, **wishes: Any) -> dict[str, Any]:
        """Publishes the draft, begins a new one, trains and, with `then_annotate`, annotates it."""
        found: dict[str, Any] = self._call("POST", self._dataset(dataset, "loop", "retrain"), json=given(**wishes))
        return found

    def _suggestions(
        self,
        dataset: str | Ref,
        verb: str,
        body: Mapping[str, Any],
        seqs: Sequence[int] | None,
        which: Mapping[str, Any],
    ) -> SuggestionsChanged:
        chosen = {"seqs": [*seqs]} if seqs is not None else {"filter": given(**which)}
        path = self._version(dataset, "suggestions", verb)
        return SuggestionsChanged.read(self._call("POST", path, json={**body, **chosen}))


def _is_saved(run: Run) -> bool:
    """Whether the model is whole: its version is there, as a draft, from the moment its files are taken over."""
    return (run.raw.get("workload") or {}).get("outputs_state") != "waiting"
