"""What is in a version of a dataset: items, annotations, labels, statistics, differences."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from tidemill.sdk.data_views import Item, ItemChange, ItemRevision, Label, Saved, Statistics
from tidemill.sdk.paging import Listing
from tidemill.sdk.refs import Ref, parse_ref
from tidemill.sdk.resources.base import Resource, given

Annotation = Mapping[str, Any]


class DatasetContent(Resource):
    """Calls about the content of a version; `client.datasets` has them all."""

    def items(
        self,
        dataset: str | Ref,
        *,
        state: str | None = None,
        label: int | None = None,
        annotator: str | None = None,
        owner: str | None = None,
        q: str | None = None,
        annotations: bool = False,
    ) -> Listing[Item]:
        """Items by number; with `annotations` each brings its own."""
        params = {"state": state, "label": label, "annotator": annotator, "owner": owner, "q": q}
        return self._listing(
            self._version(dataset, "items"), Item.read, {**params, "with": "annotations" if annotations else None}
        )

    def item(self, dataset: str | Ref, seq: int) -> Item:
        """One item with its annotations."""
        return Item.read(self._call("GET", self._version(dataset, "items", seq)))

    def next_item(self, dataset: str | Ref, *, after: int = 0, back: bool = False, **which: Any) -> Item | None:
        """The next item (or the one before) that the filter finds: `state`, `label`, `annotator`, `owner`, `q`."""
        params = {"after": after, "back": back, **given(**which)}
        found = self._call("GET", self._version(dataset, "items", "next"), params=params)
        return None if found is None else Item.read(found)

    def content(self, dataset: str | Ref, seq: int) -> Iterator[bytes]:
        """An item's bytes, in blocks."""
        with self._client.transport.stream(self._version(dataset, "items", seq, "content")) as response:
            yield from response.iter_raw()

    def add_items(self, dataset: str | Ref, items: Sequence[Mapping[str, Any]], *, existing: str = "keep") -> Any:
        """Up to 2,000 items: `path`, `annotations`, …, and `sha256` and `size_bytes` of content that was sent before.

        A short text may come along as `content` instead.
        """
        body = {"items": [dict(item) for item in items], "existing": existing}
        return self._call("POST", self._version(dataset, "items", "bulk"), json=body)

    def save(
        self,
        dataset: str | Ref,
        seq: int,
        annotations: Sequence[Annotation],
        *,
        base: int | None,
        state: str | None = None,
        merge: bool = False,
    ) -> Saved:
        """Saves an item's annotations on the revision `base`; Conflict when somebody was quicker.

        With `merge` both changes are joined, as long as they are about different annotations.
        """
        body = {"base": base, "annotations": [dict(one) for one in annotations], "merge": merge, **given(state=state)}
        return Saved.read(self._call("PUT", self._version(dataset, "items", seq, "annotations"), json=body))

    def history(self, dataset: str | Ref, seq: int, *, annotations: bool = False) -> Iterator[ItemRevision]:
        """The revisions of an item, newest first."""
        before: int | None = None
        path = self._version(dataset, "items", seq, "history")
        while True:
            params = given(before=before, limit=100, **({"with": "annotations"} if annotations else {}))
            page = self._call("GET", path, params=params)
            for item in page["items"]:
                yield ItemRevision.read(item)
            before = page["next"]
            if before is None:
                return

    def restore(self, dataset: str | Ref, seq: int, revision: int | None, *, base: int | None) -> Saved:
        """Gives an item the annotations of an earlier revision."""
        body = {"revision": revision, "base": base}
        return Saved.read(self._call("POST", self._version(dataset, "items", seq, "restore"), json=body))

    def set_state(self, dataset: str | Ref, state: str, seqs: Sequence[int] | None = None, **which: Any) -> Any:
        """Gives items a state: those named, or all that the filter finds."""
        return self._change(dataset, "state", {"state": state}, seqs, which)

    def set_owner(self, dataset: str | Ref, owner: str | None, seqs: Sequence[int] | None = None, **which: Any) -> Any:
        """Gives items to somebody to annotate."""
        return self._change(dataset, "owner", {"owner": owner}, seqs, which)

    def delete_items(self, dataset: str | Ref, seqs: Sequence[int] | None = None, **which: Any) -> Any:
        """Takes items out of a draft."""
        return self._change(dataset, "delete", {}, seqs, which)

    def labels(self, dataset: str | Ref) -> Sequence[Label]:
        """All labels, in order, with how often each is used."""
        return [Label.read(item) for item in self._call("GET", self._version(dataset, "labels"))["items"]]

    def add_labels(self, dataset: str | Ref, labels: Sequence[Mapping[str, Any] | str]) -> Sequence[Label]:
        """The labels of these names, in their order; those that are not there yet are made."""
        body = {"labels": [{"name": one} if isinstance(one, str) else dict(one) for one in labels]}
        return [Label.read(item) for item in self._call("POST", self._version(dataset, "labels"), json=body)["items"]]

    def put_labels(
        self, dataset: str | Ref, labels: Sequence[Mapping[str, Any]], *, known: Iterable[int] | None = None
    ) -> Sequence[Label]:
        """Makes these the version's labels.

        `known`: numbers of the labels you had seen; others, added by somebody meanwhile, stay. Without it they go.
        """
        body: dict[str, Any] = {"labels": [dict(one) for one in labels]}
        if known is not None:
            body["known"] = list(known)
        return [Label.read(item) for item in self._call("PUT", self._version(dataset, "labels"), json=body)["items"]]

    def update_label(self, dataset: str | Ref, number: int, **changes: Any) -> Label:
        return Label.read(self._call("PATCH", self._version(dataset, "labels", number), json=changes))

    def delete_label(self, dataset: str | Ref, number: int) -> None:
        """Refused while annotations use it."""
        self._call("DELETE", self._version(dataset, "labels", number))

    def apply_label_set(self, dataset: str | Ref, label_set: str) -> Sequence[Label]:
        """Adds the labels of a set; all labels the version then has."""
        answer = self._call("POST", self._version(dataset, "labels", "apply"), json={"label_set": label_set})
        return [Label.read(item) for item in answer["items"]]

    def statistics(self, dataset: str | Ref) -> Statistics:
        return Statistics.read(self._call("GET", self._version(dataset, "statistics")))

    def compare(self, dataset: str | Ref, other: int | str, *, change: str | None = None) -> Listing[ItemChange]:
        """Items that came, went or changed against `other`."""
        params = {"with": str(other), "change": change}
        return self._listing(self._version(dataset, "compare"), ItemChange.read, params)

    def set_guidance(
        self, dataset: str | Ref, *, guidelines: str | None = None, examples: Sequence[int] | None = None
    ) -> Any:
        """What annotators are told, and items that show good annotation."""
        body = given(guidelines=guidelines, examples=None if examples is None else [*examples])
        return self._call("PATCH", self._version(dataset, "guidance"), json=body)

    def _change(
        self,
        dataset: str | Ref,
        action: str,
        body: Mapping[str, Any],
        seqs: Sequence[int] | None,
        which: Mapping[str, Any],
    ) -> Any:
        chosen = {"seqs": [*seqs]} if seqs is not None else {"filter": given(**which)}
        return self._call("POST", self._version(dataset, "items", action), json={**body, **chosen})

    def _dataset(self, dataset: str | Ref, *parts: str | int) -> str:
        ref = parse_ref(dataset)
        return self._in_project(ref.project, "datasets", ref.name, *parts)

    def _version(self, dataset: str | Ref, *parts: str | int) -> str:
        return self._dataset(dataset, "versions", parse_ref(dataset).version or "latest", *parts)
