"""The programs of works, run here and now with the token of their workload: the same code, without a process."""

import io
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fastapi import FastAPI
from fastapi.testclient import TestClient

from tests.datasets.conftest import Desk
from tidemill.accounts.access import find_project, hash_secret
from tidemill.accounts.tables import TokenRow
from tidemill.datasets.exporting.worker import export_all
from tidemill.datasets.importing.worker import import_all
from tidemill.datasets.notes import Refused
from tidemill.datasets.preprocessing.scanner import scan_all
from tidemill.datasets.preprocessing.worker import preprocess_all
from tidemill.datasets.works.office import Office
from tidemill.datasets.works.service import TOKEN_SCOPES
from tidemill.kernel.clock import utc_now
from tidemill.kernel.ids import new_id
from tidemill.models.auto.worker import annotate_all
from tidemill.workloads.tables import WorkloadRow

Program = Callable[[Office, dict[str, Any], Path], None]
PROGRAMS: dict[str, Program] = {
    "import": import_all,
    "export": export_all,
    "preprocess": preprocess_all,
    "scan": scan_all,
    "auto": annotate_all,
}
PLACES = {"import": "imports", "export": "exports", "preprocess": "preprocess", "scan": "scans", "auto": "auto"}


@dataclass
class Works:
    """Does works of one application."""

    app: FastAPI
    folder: Path

    def office(
        self,
        desk: Desk,
        work: dict[str, Any],
        place: str = "dataset-works",
        scopes: Sequence[str] = TOKEN_SCOPES,
    ) -> Office:
        """The server as the work's program sees it."""
        secret = f"tm_{new_id('tok')}"
        with self.app.state.db.write() as session:
            project = find_project(session, desk.project)
            workload = session.get_one(WorkloadRow, work["workload_id"])
            assert project is not None
            session.add(
                TokenRow(
                    id=new_id("tok"),
                    secret_hash=hash_secret(secret),
                    user_id=workload.created_by_id,
                    name="workload",
                    scopes=list(scopes),
                    project_id=project.id,
                    workload_id=workload.id,
                    created_at=utc_now(),
                    created_by=workload.created_by,
                )
            )
        base = f"http://127.0.0.1/api/v1/projects/{desk.project}"
        http = TestClient(self.app, base_url=base, headers={"Authorization": f"Bearer {secret}"})
        return Office(http, work["id"], place)

    def run(self, desk: Desk, work: dict[str, Any], office: Office | None = None) -> dict[str, Any]:
        """Does a work to its end; how it then is."""
        scratch = self.folder / work["id"] / ".work"
        scratch.mkdir(parents=True, exist_ok=True)
        self.mount(work, scratch.parent)
        office = office or self.office(desk, work)
        try:
            PROGRAMS[work["kind"]](office, office.begin(), scratch)
        except Refused as refused:
            office.fail(refused.note)
        found: dict[str, Any] = desk.ok("get", f"/{PLACES[work['kind']]}/{work['id']}")
        return found

    def do(self, desk: Desk, kind: str, **body: Any) -> dict[str, Any]:
        """Asks for a work and does it."""
        return self.run(desk, desk.ok("post", f"/{PLACES[kind]}", json=body))

    def import_files(self, desk: Desk, files: dict[str, bytes], **body: Any) -> dict[str, Any]:
        """Imports files that were sent."""
        sent = [{"name": name, **desk.keep(data)} for name, data in files.items()]
        return self.do(desk, "import", source={"type": "upload", "files": sent}, **body)

    def download(self, desk: Desk, export: dict[str, Any]) -> zipfile.ZipFile:
        answer = desk.call("get", f"/exports/{export['id']}/file")
        assert answer.status_code == 200, answer.text
        return zipfile.ZipFile(io.BytesIO(answer.content))

    def mount(self, work: dict[str, Any], workspace: Path) -> None:
        """The versions that the engine would place in the workspace."""
        from tidemill.assets.extras import find_extras
        from tidemill.assets.tables import VersionRow
        from tidemill.store import trees

        with self.app.state.db.read() as session:
            inputs = session.get_one(WorkloadRow, work["workload_id"]).inputs
            mounted = [(session.get_one(VersionRow, given["version_id"]).tree_id, given["target"]) for given in inputs]
            extras = find_extras(session, [given["version_id"] for given in inputs])
        beside = [extras.get(given["version_id"], []) for given in inputs]
        for (tree_id, target), more in zip(mounted, beside, strict=True):
            for node in [*trees.stream(self.app.state.db, tree_id), *more]:
                file = workspace / target / node.path
                file.parent.mkdir(parents=True, exist_ok=True)
                with file.open("wb") as out:
                    out.writelines(self.app.state.store.backend.read(node.digest))


def zipped(files: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for path, data in files.items():
            archive.writestr(path, data)
    return out.getvalue()
