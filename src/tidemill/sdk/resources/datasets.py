"""Datasets: their versions, and the long work on them."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tidemill.kernel.errors import Invalid, TidemillError
from tidemill.sdk.data_views import Dataset, DatasetVersion, Format, Found, ReportLine, Work
from tidemill.sdk.language import problem
from tidemill.sdk.paging import Listing
from tidemill.sdk.refs import Ref, address, parse_ref
from tidemill.sdk.resources.base import given
from tidemill.sdk.resources.dataset_models import DatasetModels
from tidemill.sdk.transfer.packing import packed
from tidemill.sdk.transfer.single import send_file
from tidemill.sdk.views import Job

if TYPE_CHECKING:
    from tidemill.sdk.transfer.progress import Watch

LOOK_EVERY_S = 0.5
_PLACES = {"import": "imports", "export": "exports", "preprocess": "preprocess", "scan": "scans", "auto": "auto"}


class WorkFailed(TidemillError):
    """Long work ended without success; `work` is how it ended."""

    default_code = "sdk_work_failed"

    work: Work


class Datasets(DatasetModels):
    """`client.datasets`. Wherever a version is meant: `name` (the latest), `name@3`, `public/name@3`."""

    def list(
        self,
        *,
        project: str | None = None,
        q: str | None = None,
        data_type: str | None = None,
        annotation_type: str | None = None,
        mine: bool | None = None,
        sort: str | None = None,
    ) -> Listing[Dataset]:
        params = {"q": q, "data_type": data_type, "annotation_type": annotation_type, "mine": mine, "sort": sort}
        return self._listing(self._in_project(project, "datasets"), Dataset.read, params)

    def get(self, dataset: str | Ref) -> Dataset:
        return Dataset.read(self._call("GET", self._dataset(dataset)))

    def create(
        self, name: str, *, data_type: str, annotation_type: str, description: str = "", project: str | None = None
    ) -> Dataset:
        body = {
            "name": name,
            "data_type": data_type,
            "annotation_type": annotation_type,
            "description": description,
        }
        return Dataset.read(self._call("POST", self._in_project(project, "datasets"), json=body))

    def rename(self, dataset: str | Ref, name: str) -> Dataset:
        return Dataset.read(self._call("PATCH", self._dataset(dataset), json={"name": name}))

    def delete(self, dataset: str | Ref) -> None:
        """To the bin; refused while versions are left or something refers to it."""
        self._call("DELETE", self._dataset(dataset))

    def delete_version(self, dataset: str | Ref) -> None:
        """To the bin; refused when something refers to it."""
        if parse_ref(dataset).version is None:
            raise problem(Invalid, "sdk_version_needed", given=str(dataset))
        self._call("DELETE", self._version(dataset))

    def versions(self, dataset: str | Ref) -> Listing[DatasetVersion]:
        """Newest first."""
        return self._listing(self._dataset(dataset, "versions"), DatasetVersion.read)

    def version(self, dataset: str | Ref) -> DatasetVersion:
        """The version named, or the latest."""
        return DatasetVersion.read(self._call("GET", self._version(dataset)))

    def create_version(self, dataset: str | Ref, *, note: str = "") -> DatasetVersion:
        """An empty draft."""
        return DatasetVersion.read(self._call("POST", self._dataset(dataset, "versions"), json={"note": note}))

    def copy_version(self, dataset: str | Ref, *, note: str = "") -> Job:
        """A new draft with everything of the version named, in the background."""
        return Job.read(self._call("POST", self._version(dataset, "copy"), json={"note": note}))

    def publish(self, dataset: str | Ref) -> Job:
        """Fixes a draft for good, in the background."""
        return Job.read(self._call("POST", self._version(dataset, "publish")))

    def formats(self) -> Sequence[Format]:
        return [Format.read(item) for item in self._call("GET", "/dataset-formats")["items"]]

    def sample(self, format: str, target: str | Path) -> Path:
        """A small archive in the format, into a file."""
        return self._client.transport.fetch(address("dataset-formats", format, "sample"), target)

    def import_files(
        self, dataset: str | Ref, files: Sequence[str | Path], *, watch: "Watch | None" = None, **wishes: Any
    ) -> Work:
        """Sends archives, files or folders and imports them; what was sent before is not sent again.

        `wishes`: format, options, existing (keep, replace, merge), folder, video, dry_run.
        """
        project = self._client.project_name(parse_ref(dataset).project)
        with packed([Path(file) for file in files]) as found:
            sent = [
                {
                    "name": name,
                    "sha256": send_file(self._client.transport, project, file, watch),
                    "size_bytes": file.stat().st_size,
                }
                for name, file in found.items()
            ]
        return self.import_from(dataset, {"type": "upload", "files": sent}, **wishes)

    def import_from(self, dataset: str | Ref, source: Mapping[str, Any], **wishes: Any) -> Work:
        """Imports from a source: see the API for what each kind of source is told."""
        return self._begin(dataset, "import", {"source": dict(source), **given(**wishes)})

    def export(
        self,
        dataset: str | Ref,
        format: str,
        *,
        with_data: bool = False,
        states: Sequence[str] | None = None,
        options: Mapping[str, Any] | None = None,
        fresh: bool = False,
    ) -> Work:
        """An export; one of the same that is there is used again while the data is the same, unless `fresh`."""
        body = given(
            format=format,
            with_data=with_data,
            states=None if states is None else [*states],
            options=dict(options or {}),
            fresh=fresh,
        )
        return self._begin(dataset, "export", body)

    def download(self, work: Work, target: str | Path, *, project: str | None = None) -> Path:
        """The file that an export made."""
        return self._client.transport.fetch(self._work(work, "file", project=project), target)

    def preprocess(self, dataset: str | Ref, steps: Mapping[str, Any], *, note: str = "") -> Work:
        """Works on pictures and annotations, into a new draft (`target_version`)."""
        return self._begin(dataset, "preprocess", {"steps": dict(steps), "note": note})

    def scan(self, dataset: str | Ref, **wishes: Any) -> Work:
        """Looks for near duplicates, blurred and broken items."""
        return self._begin(dataset, "scan", given(**wishes))

    def found(self, work: Work, *, project: str | None = None) -> Iterator[Found]:
        """What a scan found."""
        for item in self._pages(self._work(work, "found", project=project)):
            yield Found.read(item)

    def set_aside(self, work: Work, *, project: str | None = None, **which: Any) -> int:
        """Sets aside what a scan found: `near_duplicates`, `blurred` (below `threshold`), `broken`."""
        return int(self._call("POST", self._work(work, "set-aside", project=project), json=given(**which))["changed"])

    def bring_back(self, dataset: str | Ref, seqs: Sequence[int] | None = None) -> int:
        """Items that were set aside take part again; all of them without numbers. How many."""
        total = 0
        while True:
            answer = self._call(
                "POST", self._version(dataset, "bring-back"), json=given(seqs=None if seqs is None else [*seqs])
            )
            total += int(answer["changed"])
            if not answer["more"]:
                return total

    def works(self, dataset: str | Ref, kind: str) -> Listing[Work]:
        """Imports, exports, preprocessings (`preprocess`), scans or auto-annotations of a version, the newest first."""
        return self._listing(self._version(dataset, _PLACES[kind]), Work.read)

    def work(self, dataset: str | Ref, kind: str, work_id: str) -> Work:
        return Work.read(self._call("GET", self._version(dataset, _PLACES[kind], work_id)))

    def stop(self, work: Work, *, project: str | None = None) -> Work:
        return Work.read(self._call("POST", self._work(work, "stop", project=project)))

    def report(self, work: Work, *, project: str | None = None) -> Iterator[ReportLine]:
        """Lines of a report."""
        for item in self._pages(self._work(work, "notes", project=project)):
            yield ReportLine.read(item)

    def save_report(self, work: Work, target: str | Path, *, format: str = "csv", project: str | None = None) -> Path:
        """The whole report of an import, into a file."""
        path = self._work(work, "report", project=project)
        return self._client.transport.fetch(path, target, params={"format": format})

    def wait(self, work: Work, *, watch: Callable[[Work], None] | None = None, project: str | None = None) -> Work:
        """Waits until it is over; raises WorkFailed when it did not do what it was for."""
        while True:
            if watch is not None:
                watch(work)
            if work.is_over:
                break
            time.sleep(LOOK_EVERY_S)
            work = Work.read(self._call("GET", self._work(work, project=project)))
        if work.state in {"done", "ready"}:
            return work
        message = (work.error or {}).get("message", work.state)
        failure = problem(WorkFailed, "sdk_work_failed", name=work.dataset, message=message)
        failure.work = work
        raise failure

    def label_list(self, dataset: str | Ref, target: str | Path, *, format: str = "json") -> Path:
        """The version's labels, into a file: json, csv or txt."""
        return self._client.transport.fetch(self._version(dataset, "label-list"), target, params={"format": format})

    def _begin(self, dataset: str | Ref, kind: str, body: Mapping[str, Any]) -> Work:
        return Work.read(self._call("POST", self._version(dataset, _PLACES[kind]), json=body))

    def _pages(self, path: str) -> Iterator[dict[str, Any]]:
        after: int | None = 0
        while after is not None:
            page = self._call("GET", path, params={"after": after})
            yield from page["items"]
            after = page["next"]

    def _work(self, work: Work, *parts: str, project: str | None = None) -> str:
        return self._in_project(
            project, "datasets", work.dataset, "versions", work.version, _PLACES[work.kind], work.id, *parts
        )
