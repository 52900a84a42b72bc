"""Imports as users have them: a real server, real workloads, and SIGKILL for both."""

import hashlib
import io
import os
import signal
import time
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.datasets.pictures import plain_picture
from tests.datasets.working import zipped
from tests.live import ADMIN_PASSWORD, LiveServer, live_server

ROWS = 8000
LIMIT_S = 90


class Harbour:
    """The server as its users see it."""

    def __init__(self, server: LiveServer) -> None:
        self.server = server
        self.http = httpx2.Client()
        self.sign_in()
        self.ok("post", "/projects", json={"name": "tides"})

    def sign_in(self) -> None:
        self.http.close()
        self.http = httpx2.Client(
            base_url=f"{self.server.url}/api/v1", headers={"X-Tidemill": "1"}, timeout=60, trust_env=False
        )
        self.ok("post", "/session", json={"user": "admin", "password": ADMIN_PASSWORD})

    def ok(self, verb: str, path: str, **options: Any) -> Any:
        answer = getattr(self.http, verb)(path, **options)
        assert answer.is_success, f"{verb} {path}: {answer.status_code} {answer.text}"
        return answer.json() if answer.content else None

    def dataset(self, name: str, data_type: str, annotation_type: str) -> str:
        body = {"name": name, "data_type": data_type, "annotation_type": annotation_type}
        self.ok("post", "/projects/tides/datasets", json=body)
        self.ok("post", f"/projects/tides/datasets/{name}/versions", json={})
        return f"/projects/tides/datasets/{name}/versions/1"

    def send(self, name: str, data: bytes) -> dict[str, Any]:
        digest = hashlib.sha256(data).hexdigest()
        frame = f"{digest} {len(data)}\n".encode() + data
        headers = {"Content-Type": "application/x-tidemill-batch"}
        self.ok("post", "/projects/tides/blobs/batch", content=frame, headers=headers)
        return {"name": name, "sha256": digest, "size_bytes": len(data)}

    def begin_import(self, place: str, name: str, data: bytes, **body: Any) -> str:
        source = {"type": "upload", "files": [self.send(name, data)]}
        begun = self.ok("post", f"{place}/imports", json={"source": source, **body})
        return f"{place}/imports/{begun['id']}"

    def until(self, path: str, is_so: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        deadline = time.monotonic() + LIMIT_S
        while not is_so(found := self.ok("get", path)):
            assert time.monotonic() < deadline, found
            time.sleep(0.05)
        seen: dict[str, Any] = found
        return seen

    def ended(self, path: str) -> dict[str, Any]:
        return self.until(path, lambda found: found["state"] in {"done", "ready", "failed", "stopped"})


@pytest.fixture(scope="module")
def harbour(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Harbour]:
    room = {"TIDEMILL_ENGINE_CPUS": "32", "TIDEMILL_ENGINE_MEMORY_BYTES": str(64 * 2**30)}
    with live_server(tmp_path_factory.mktemp("harbour") / "home", **room) as server:
        opened = Harbour(server)
        yield opened
        opened.http.close()


def _program_of(work_id: str) -> int | None:
    """The process that does a work."""
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                values = (entry / "environ").read_bytes().split(b"\0")
                command = (entry / "cmdline").read_bytes()
            except OSError:
                continue
            if f"TIDEMILL_WORK={work_id}".encode() in values and command.endswith(b".worker\0"):
                found = int(entry.name)
                if b"python" in os.readlink(entry / "exe").encode():
                    return found
    return None


@pytest.mark.slow
def test_an_import_survives_the_death_of_its_program_and_of_the_server(harbour: Harbour) -> None:
    place = harbour.dataset("reviews", "text", "text-classification")
    table = "text,label\n" + "".join(f"review number {n},{'good' if n % 2 else 'bad'}\n" for n in range(ROWS))
    path = harbour.begin_import(place, "reviews.csv", table.encode())
    harbour.until(path, lambda found: found["done"] >= 1000)
    program = _program_of(path.rpartition("/")[2])
    assert program is not None
    os.kill(program, signal.SIGKILL)
    harbour.server.kill()
    harbour.server.start()
    harbour.sign_in()
    done = harbour.ended(path)
    assert done["state"] == "done", done["error"]
    assert done["counts"]["added"] == ROWS
    assert "unchanged" not in done["counts"], "nothing was done twice"
    version = harbour.ok("get", place)
    assert (version["items"], version["annotations"]) == (ROWS, ROWS)
    workload = harbour.ok("get", f"/projects/tides/workloads/{done['workload_id']}")
    assert workload["retries_used"] >= 1


@pytest.mark.slow
def test_a_real_set_goes_in_and_out_and_is_worked_on(harbour: Harbour, real_data: Path) -> None:
    folder = real_data / "coco-tiny"
    files = {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.suffix == ".jpg" or path.name.startswith("instances")
    }
    place = harbour.dataset("coco", "image", "detection")
    done = harbour.ended(harbour.begin_import(place, "coco.zip", zipped(files)))
    assert (done["state"], done["format"], done["counts"]["added"]) == ("done", "coco", 50)
    assert done["counts"]["annotations"] == 470
    made = harbour.ok("post", f"{place}/exports", json={"format": "voc", "with_data": True})
    turned = harbour.ok("post", f"{place}/preprocess", json={"steps": {"rotate": {"degrees": 90}}})
    made = harbour.ended(f"{place}/exports/{made['id']}")
    assert made["state"] == "ready", made["error"]
    archive = zipfile.ZipFile(io.BytesIO(harbour.http.get(f"{place}/exports/{made['id']}/file").content))
    assert sum(name.endswith(".jpg") for name in archive.namelist()) == 50
    turned = harbour.ended(f"{place}/preprocess/{turned['id']}")
    assert turned["state"] == "done", turned["error"]
    new = place.removesuffix("/1") + f"/{turned['target_version']}"
    was, now = (harbour.ok("get", f"{at}/items/1") for at in (place, new))
    assert (was["width"], was["height"]) == (now["height"], now["width"])
    assert harbour.ok("get", new)["annotations"] == 470


@pytest.mark.slow
def test_preprocessing_survives_its_programs_death_and_leaves_nothing_when_stopped(
    harbour: Harbour,
) -> None:
    place = harbour.dataset("large", "image", "none")
    pictures = {f"{n:02d}.png": plain_picture(n, (64, 64)) for n in range(12)}
    assert harbour.ended(harbour.begin_import(place, "large.zip", zipped(pictures)))["state"] == "done"
    steps = {"resize": {"width": 2400, "height": 1800}}

    def begin() -> tuple[str, int]:
        """Preprocessing under way, and its process."""
        path = f"{place}/preprocess/{harbour.ok('post', f'{place}/preprocess', json={'steps': steps})['id']}"
        harbour.until(path, lambda found: found["stage"] == "preprocessing")
        program = _program_of(path.rpartition("/")[2])
        assert program is not None
        return path, program

    path, program = begin()
    os.kill(program, signal.SIGKILL)
    done = harbour.ended(path)
    assert (done["state"], done["counts"]["added"]) == ("done", 12)
    assert harbour.ok("get", f"/projects/tides/workloads/{done['workload_id']}")["retries_used"] == 1
    assert harbour.ok("get", f"{place.removesuffix('/1')}/{done['target_version']}")["items"] == 12
    path, _ = begin()
    target = harbour.ok("get", path)["target_version"]
    harbour.ok("post", f"{path}/stop")
    assert harbour.ended(path)["state"] == "stopped"
    assert harbour.http.get(f"{place.removesuffix('/1')}/{target}").status_code == 404


@pytest.mark.slow
def test_an_impossible_import_fails_with_its_workload(harbour: Harbour) -> None:
    place = harbour.dataset("hostile", "image", "none")
    failed = harbour.ended(harbour.begin_import(place, "evil.zip", zipped({"../../etc/passwd": b"root"})))
    assert (failed["state"], failed["error"]["path"]) == ("failed", "evil.zip")
    workload = harbour.until(
        f"/projects/tides/workloads/{failed['workload_id']}", lambda found: found["state"] in {"completed", "failed"}
    )
    assert (workload["state"], workload["exit_code"], workload["retries_used"]) == ("failed", 1, 0)
    assert workload["message"] == f"evil.zip: {failed['error']['message']}"


@pytest.mark.slow
def test_a_stopped_import_keeps_what_it_has_and_the_same_again_completes_it(harbour: Harbour) -> None:
    place = harbour.dataset("stopped", "text", "text-classification")
    table = "text,label\n" + "".join(f"line {n},x\n" for n in range(ROWS))
    path = harbour.begin_import(place, "lines.csv", table.encode())
    harbour.until(path, lambda found: found["done"] >= 1000)
    harbour.ok("post", f"{path}/stop")
    stopped = harbour.ended(path)
    assert stopped["state"] == "stopped"
    items = harbour.ok("get", place)["items"]
    assert 0 < items < ROWS
    again = harbour.ended(harbour.begin_import(place, "lines.csv", table.encode()))
    assert (again["counts"]["unchanged"], again["counts"]["added"]) == (items, ROWS - items)
