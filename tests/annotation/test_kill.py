"""SIGKILL while ten annotate, one brings texts, versions are copied and published: nothing acknowledged is lost."""

import hashlib
import random
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.kill.client import KILLED
from tests.live import ADMIN_PASSWORD, LiveServer, free_ports

SEED = 7
ANNOTATORS = 10
ITEMS_EACH = 3
KILLS = 3
PATIENCE_S = 120
BATCH = {"Content-Type": "application/x-tidemill-batch"}
DATASET = "/projects/tides/datasets/boats"
NOTES = "/projects/tides/datasets/notes/versions/1"
AT_ONCE = 20


class Annotator:
    """Saves again and again; what got no answer is sent again with the same key, as the browser's journal does."""

    def __init__(self, url: str, number: int) -> None:
        self.random = random.Random(f"{SEED}/{number}")
        self.seqs = range(1 + number * ITEMS_EACH, 1 + (number + 1) * ITEMS_EACH)
        self.acknowledged: dict[int, list[tuple[int, list[Any]]]] = {seq: [] for seq in self.seqs}
        self.interruptions = 0
        self.http = httpx2.Client(base_url=f"{url}/api/v1", headers={"X-Tidemill": "1"}, timeout=30)

    def sign_in(self) -> None:
        answer = self.http.post("/session", json={"user": "admin", "password": ADMIN_PASSWORD})
        assert answer.status_code == 200, answer.text

    def save(self) -> None:
        seq = self.random.choice(self.seqs)
        base = self.acknowledged[seq][-1][0] if self.acknowledged[seq] else None
        shapes = [
            {"id": str(n), "type": "box", "label": self.random.randint(1, 2), "x": self.random.randint(0, 99), "y": 1,
             "w": self.random.choice([9, 90, 900]), "h": 9}
            for n in range(self.random.randint(0, 3))
        ]  # fmt: skip
        body = {"base": base, "annotations": shapes}
        key = f"{seq}-{len(self.acknowledged[seq])}"
        path = f"{DATASET}/versions/1/items/{seq}/annotations"
        answer = self._patiently("PUT", path, json=body, headers={"Idempotency-Key": key})
        self.acknowledged[seq].append((answer["revision"], shapes))

    def _patiently(self, method: str, path: str, **options: Any) -> Any:
        deadline = time.monotonic() + PATIENCE_S
        while True:
            try:
                answer = self.http.request(method, path, **options)
            except KILLED:
                self.interruptions += 1
                assert time.monotonic() < deadline, "the server did not come back"
                time.sleep(0.05)
                continue
            assert answer.status_code < 300, answer.text
            return answer.json() if answer.content else None

    def get(self, path: str) -> Any:
        return self._patiently("GET", path)

    def post(self, path: str, body: Any) -> Any:
        return self._patiently("POST", path, json=body, headers={"Idempotency-Key": f"{self.random.getrandbits(64):x}"})


class Bringer(Annotator):
    """Adds texts that come inside the calls; a call without an answer is sent again."""

    def __init__(self, url: str) -> None:
        super().__init__(url, ANNOTATORS)
        self.brought: dict[str, str] = {}

    def save(self) -> None:
        number = len(self.brought)
        texts = {f"{n:06d}.txt": f"note {n}" for n in range(number, number + AT_ONCE)}
        items = [{"path": path, "content": text} for path, text in texts.items()]
        found = self.post(f"{NOTES}/items/bulk", {"items": items})
        # The call before the last may have done it all, and only not have said so.
        assert found["added"] + found["unchanged"] == AT_ONCE, found
        self.brought |= texts


def prepare(first: Annotator) -> None:
    """A project with a dataset of a small picture for every item, and one for texts."""
    first.sign_in()
    first.post("/projects", {"name": "tides"})
    first.post(
        "/projects/tides/datasets", {"name": "notes", "data_type": "text", "annotation_type": "text-classification"}
    )
    first.post(f"{NOTES.removesuffix('/1')}", {})
    first.post("/projects/tides/datasets", {"name": "boats", "data_type": "image", "annotation_type": "detection"})
    first.post(f"{DATASET}/versions", {})
    first.post(f"{DATASET}/versions/1/labels", {"labels": [{"name": "boat"}, {"name": "buoy"}]})
    contents = [f"picture {n}".encode() for n in range(ANNOTATORS * ITEMS_EACH)]
    digests = [hashlib.sha256(content).hexdigest() for content in contents]
    frames = b"".join(f"{d} {len(c)}\n".encode() + c for d, c in zip(digests, contents, strict=True))
    sent = first.http.post("/projects/tides/blobs/batch", content=frames, headers=BATCH)
    assert sent.status_code < 300, sent.text
    items = [
        {"path": f"{n:03d}.jpg", "sha256": digest, "size_bytes": len(content)}
        for n, (digest, content) in enumerate(zip(digests, contents, strict=True))
    ]
    first.post(f"{DATASET}/versions/1/items/bulk", {"items": items})


@pytest.mark.slow
def test_no_acknowledged_annotation_is_lost_when_the_server_is_killed(tmp_path: Path) -> None:
    server = LiveServer(tmp_path / "home", free_ports(), {"TIDEMILL_SSH_ENABLED": "false"})
    people = [Annotator(server.url, number) for number in range(ANNOTATORS)]
    bringer = Bringer(server.url)
    try:
        server.start()
        prepare(people[0])
        for person in [*people[1:], bringer]:
            person.sign_in()
        annotate_while_killing(server, [*people, bringer])
        check_annotations(people)
        check_notes(bringer)
        check_versions(people[0])
        publish_while_killing(server, people[0])
        report = people[0].post("/system/verify", None)
        assert settled(people[0], report)["state"] == "completed"
        assert server.stop() == 0
    finally:
        for person in [*people, bringer]:
            person.http.close()
        if server.process is not None and server.process.poll() is None:
            server.kill()
    assert sum(person.interruptions for person in people) >= KILLS


def annotate_while_killing(server: LiveServer, people: list[Annotator]) -> None:
    over = threading.Event()

    def work(person: Annotator) -> None:
        while not over.is_set():
            person.save()

    moments = random.Random(SEED)
    with ThreadPoolExecutor(len(people)) as pool:
        working = [pool.submit(work, person) for person in people]
        try:
            for _ in range(KILLS):
                copy = people[0].post(f"{DATASET}/versions/1/copy", {})
                time.sleep(moments.uniform(0.05, 0.6))
                server.kill()
                server.start()
                assert settled(people[0], copy)["state"] == "completed"
        finally:
            over.set()
        for one in working:
            one.result()


def check_annotations(people: list[Annotator]) -> None:
    """Every acknowledged save is in its item's history, the last one is what the item has; counters agree."""
    shapes = 0
    for person in people:
        for seq, saves in person.acknowledged.items():
            item = person.get(f"{DATASET}/versions/1/items/{seq}")
            shapes += item["annotations_count"]
            history = person.get(f"{DATASET}/versions/1/items/{seq}/history?limit=100")["items"]
            assert [one["id"] for one in history] == [revision for revision, _ in reversed(saves)][:100]
            if saves:
                assert (item["revision"], item["annotations"]) == saves[-1]
    statistics = people[0].get(f"{DATASET}/versions/1/statistics")
    assert (statistics["items"], statistics["annotations"]) == (ANNOTATORS * ITEMS_EACH, shapes)


def check_notes(bringer: Bringer) -> None:
    """Every text is there once, with its content."""
    assert bringer.brought
    found: list[dict[str, Any]] = []
    cursor = ""
    while not found or cursor:
        page = bringer.get(f"{NOTES}/items?limit=200{cursor and f'&cursor={cursor}'}")
        found += page["items"]
        cursor = page["next"]
    assert sorted(item["path"] for item in found) == sorted(bringer.brought)
    for item in found[:: max(1, len(found) // AT_ONCE)]:
        assert bringer.http.get(f"{NOTES}/items/{item['seq']}/content").text == bringer.brought[item["path"]]


def check_versions(person: Annotator) -> None:
    """The copies that were asked for are there, each of them whole."""
    deadline = time.monotonic() + PATIENCE_S
    while True:
        jobs = [job for job in person.get("/me/jobs")["items"] if job["kind"] == "dataset_version"]
        if all(job["state"] == "completed" for job in jobs):
            break
        assert time.monotonic() < deadline, jobs
        time.sleep(0.1)
    versions = person.get(f"{DATASET}/versions")["items"]
    assert len(versions) == 1 + len(jobs)
    for version in versions:
        at = f"{DATASET}/versions/{version['number']}"
        items = person.get(f"{at}/items?limit=200&with=annotations")["items"]
        statistics = person.get(f"{at}/statistics")
        assert len(items) == version["items"] == statistics["items"] == ANNOTATORS * ITEMS_EACH
        assert statistics["annotations"] == sum(len(item["annotations"]) for item in items)


def publish_while_killing(server: LiveServer, person: Annotator) -> None:
    job = person.post(f"{DATASET}/versions/1/publish", {})
    server.kill()
    server.start()
    assert settled(person, job)["state"] == "completed"
    version = person.get(f"{DATASET}/versions/1")
    assert (version["state"], version["work"]) == ("committed", "published")


def settled(person: Annotator, job: dict[str, Any]) -> dict[str, Any]:
    deadline = time.monotonic() + PATIENCE_S
    while True:
        found: dict[str, Any] = person.get(f"/me/jobs/{job['id']}")
        if found["state"] in {"completed", "failed", "cancelled"}:
            return found
        assert time.monotonic() < deadline, found
        time.sleep(0.1)
