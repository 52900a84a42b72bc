"""A client that works while its server is killed under it, and trusts only what it was told."""

import hashlib
import json
import random
import time
from collections.abc import Callable
from typing import Any

import httpx2

from tests.kill.ledger import Ledger, Sight, Version, find_difference
from tests.live import ADMIN_PASSWORD

KILLED = (httpx2.ConnectError, httpx2.ReadError, httpx2.WriteError, httpx2.RemoteProtocolError)
"""How a dead server looks. A timeout is not among them: that would be a server that hangs."""
PATIENCE_S = 60
LARGE_BYTES = 700_000


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


class Client:
    """One user of one project, doing one thing after the other."""

    def __init__(self, url: str, number: int, seed: int) -> None:
        self.random = random.Random(f"{seed}/{number}")
        self.project = f"project-{number}"
        self.contents: dict[str, bytes] = {}
        self.ledger = Ledger()
        self.jobs: list[str] = []
        self.uploads = 0
        self.interruptions = 0
        self.http = httpx2.Client(base_url=f"{url}/api/v1", headers={"X-Tidemill": "1"}, timeout=30)

    def prepare(self) -> None:
        """Signs in and makes a project with a model in it, before anything is killed."""
        self._call("POST", "/session", json={"user": "admin", "password": ADMIN_PASSWORD})
        self._call("POST", "/projects", json={"name": self.project})
        self._call("POST", self._in("models"), json={"name": "net", "scene": "other"})

    def work(self) -> None:
        """One upload, and something else now and then."""
        self._upload_batch() if self.random.random() < 0.5 else self._upload_large()
        self.uploads += 1
        for _ in range(self.random.randrange(3)):
            self.random.choice(
                [self._save_text, self._save_text, self._delete_files, self._move_file, self._commit, self._commit,
                 self._delete_version, self._restore_version, self._empty_bin]
            )()  # fmt: skip

    def check(self, *, settled: bool = False) -> None:
        """What is there is what we were told."""
        difference = find_difference(self.ledger, self.look(), settled=settled)
        assert difference is None, f"{self.project}: {difference}"

    def look(self) -> Sight:
        """What is there now, as the API shows it."""
        return self._patiently(self._look)

    def check_contents(self) -> None:
        """Some live files, byte for byte; that all bytes are what their digests say is the store's own check."""
        files = [(n, path, digest) for n, v in self.ledger.live.items() for path, digest in v.files.items()]
        for number, path, digest in self.random.sample(files, min(len(files), 25)):
            got = self._call("GET", self._net(f"versions/{number}/files/{path}"))
            assert got.content == self.contents[digest], f"{self.project} {number} {path}"

    def unfinished_jobs(self) -> list[str]:
        """Acknowledged background work that has not come to its end."""
        states = {job: self._get(self._in(f"jobs/{job}"))["state"] for job in self.jobs}
        assert set(states.values()) <= {"waiting", "running", "completed"}, states
        return [job for job, state in states.items() if state != "completed"]

    def close(self) -> None:
        self.http.close()

    # What it does.

    def _upload_batch(self) -> None:
        made = [self._new_content(self.random.randrange(1, 3000)) for _ in range(self.random.randrange(1, 25))]
        folder = f"batch-{self.random.randrange(6)}"
        files = {f"{folder}/{self.random.randrange(40)}.txt": digest for digest in made}
        self._patiently(lambda: self._send_batch(sorted(set(files.values()))))
        blobs = [{"sha256": digest, "size_bytes": len(self.contents[digest])} for digest in files.values()]
        missing = self._patiently(lambda: self._send("POST", self._in("blobs/missing"), json={"blobs": blobs}))
        assert missing["missing"] == [], "bytes that were acknowledged are not there"
        self._attach(files)

    def _upload_large(self) -> None:
        digest = self._new_content(LARGE_BYTES + self.random.randrange(LARGE_BYTES))
        acknowledged = 0
        upload: dict[str, Any] = {"state": "none"}
        while upload["state"] != "complete":
            try:
                if upload["state"] == "none":
                    upload = self._begin_upload(digest)
                    assert upload["offset"] >= acknowledged, "bytes that were acknowledged are not there"
                    continue
                upload = self._send_chunk(upload, self.contents[digest])
                acknowledged = upload["offset"]
            except KILLED:
                self._wait()
                upload = {"state": "none"}
        self._attach({f"large-{self.random.randrange(5)}.bin": digest})

    def _save_text(self) -> None:
        number = self._draft()
        path = f"text/{self.random.randrange(5)}.md"
        digest = self._new_content(self.random.randrange(1, 5000))
        self._change(
            lambda ledger: ledger.live[number].files.update({path: digest}),
            lambda: self._call("PUT", self._net(f"versions/{number}/files/{path}"), content=self.contents[digest]),
        )

    def _delete_files(self) -> None:
        number = self._draft()
        paths = sorted(self.ledger.live[number].files)
        gone = self.random.sample(paths, min(len(paths), 3))
        if not gone:
            return

        def change(ledger: Ledger) -> None:
            for path in gone:
                del ledger.live[number].files[path]

        self._change(
            change, lambda: self._call("POST", self._net(f"versions/{number}/files/delete"), json={"paths": gone})
        )

    def _move_file(self) -> None:
        number = self._draft()
        if not (paths := sorted(self.ledger.live[number].files)):
            return
        before, after = self.random.choice(paths), f"moved/{self.random.randrange(10**9)}"

        def change(ledger: Ledger) -> None:
            files = ledger.live[number].files
            files[after] = files.pop(before)

        moves = [{"from": before, "to": after}]
        self._change(
            change, lambda: self._call("POST", self._net(f"versions/{number}/files/move"), json={"moves": moves})
        )

    def _commit(self) -> None:
        number = self._draft()
        if not self.ledger.live[number].files:
            return
        self._change(
            lambda ledger: setattr(ledger.live[number], "is_committed", True),
            lambda: self._call("POST", self._net(f"versions/{number}/commit"), json={}),
        )

    def _delete_version(self) -> None:
        if not self.ledger.live:
            return
        number = self.random.choice(sorted(self.ledger.live))

        def change(ledger: Ledger) -> None:
            ledger.binned[number] = ledger.live.pop(number)

        self._change(change, lambda: self._call("DELETE", self._net(f"versions/{number}")))

    def _restore_version(self) -> None:
        kept = sorted(self.ledger.binned.keys() - self.ledger.doomed)
        if not kept:
            return
        number = self.random.choice(kept)
        entries = self._patiently(self._bin)

        def change(ledger: Ledger) -> None:
            ledger.live[number] = ledger.binned.pop(number)

        self._change(change, lambda: self._call("POST", self._in(f"bin/{entries[number]}/restore"), json={}))

    def _empty_bin(self) -> None:
        """Removes in the background: from the moment it is asked for, what is in the bin may go at any time."""
        self.ledger.doomed |= self.ledger.binned.keys()
        while True:
            try:
                self.jobs.append(self._send("POST", self._in("bin/empty"))["id"])
            except KILLED:
                self._wait()
            else:
                return

    def _attach(self, files: dict[str, str]) -> None:
        number = self._draft()
        entries = [
            {"path": path, "sha256": digest, "size_bytes": len(self.contents[digest])} for path, digest in files.items()
        ]
        self._change(
            lambda ledger: ledger.live[number].files.update(files),
            lambda: self._call("POST", self._net(f"versions/{number}/files/attach"), json={"entries": entries}),
        )

    def _draft(self) -> int:
        """A draft to work on; a new one, empty or from another version, where there is none."""
        drafts = [number for number, version in self.ledger.live.items() if not version.is_committed]
        while not drafts:
            source = self.random.choice([None, *sorted(self.ledger.live)])
            number = self.ledger.last_number + 1
            files = dict(self.ledger.live[source].files) if source else {}

            def change(ledger: Ledger, number: int = number, files: dict[str, str] = files) -> None:
                ledger.live[number] = Version(files)
                ledger.last_number = number

            body = {"from": str(source)} if source else {}
            self._change(change, lambda body=body: self._call("POST", self._net("versions"), json=body))
            drafts = [number for number, version in self.ledger.live.items() if not version.is_committed]
        return drafts[0]

    # How it speaks.

    def _change(self, change: Callable[[Ledger], None], call: Callable[[], Any]) -> None:
        """Makes a change. When the answer is lost, it must have happened as a whole or not at all."""
        after = self.ledger.copy()
        change(after)
        try:
            call()
        except KILLED:
            self._wait()
            sight = self.look()
            if find_difference(after, sight) is not None:
                self.check()
                return
        self.ledger = after

    def _begin_upload(self, digest: str) -> dict[str, Any]:
        body = {"sha256": digest, "size_bytes": len(self.contents[digest])}
        found: dict[str, Any] = self._send("POST", self._in("uploads"), json=body)
        return found

    def _send_chunk(self, upload: dict[str, Any], content: bytes) -> dict[str, Any]:
        start = upload["offset"]
        chunk = content[start : start + upload["chunk_bytes"]]
        sent: dict[str, Any] = self._send(
            "PUT", self._in(f"uploads/{upload['id']}/chunk?offset={start}"), content=chunk
        )
        return sent

    def _send_batch(self, digests: list[str]) -> None:
        frames = [f"{digest} {len(self.contents[digest])}\n".encode() + self.contents[digest] for digest in digests]
        headers = {"Content-Type": "application/x-tidemill-batch"}
        self._call("POST", self._in("blobs/batch"), content=b"".join(frames), headers=headers)

    def _look(self) -> Sight:
        rows = self._get(self._net("versions?limit=200"))
        assert rows["next"] is None
        live = {}
        for row in rows["items"]:
            lines = self._call("GET", self._net(f"versions/{row['number']}/manifest")).text.splitlines()
            entries = [json.loads(line) for line in lines]
            assert row["files"] == len(entries)
            assert row["size_bytes"] == sum(entry["size_bytes"] for entry in entries)
            files = {entry["path"]: entry["sha256"] for entry in entries}
            live[row["number"]] = Version(files, row["state"] == "committed")
        return Sight(live, set(self._bin()))

    def _bin(self) -> dict[int, str]:
        """Version number → entry."""
        rows = self._get(self._in("bin?limit=200"))
        assert rows["next"] is None
        return {int(row["name"].rpartition("@")[2]): row["id"] for row in rows["items"]}

    def _patiently(self, call: Callable[[], Any]) -> Any:
        """For what is safe to repeat."""
        while True:
            try:
                return call()
            except KILLED:
                self._wait()

    def _wait(self) -> None:
        """Until the server is back."""
        self.interruptions += 1
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline:
            try:
                self._call("GET", "/meta")
            except KILLED:
                time.sleep(0.05)
            else:
                return
        raise AssertionError("the server did not come back")

    def _new_content(self, size: int) -> str:
        content = self.random.randbytes(size)
        digest = sha256(content)
        self.contents[digest] = content
        return digest

    def _get(self, path: str) -> Any:
        return self._send("GET", path)

    def _send(self, method: str, path: str, **options: Any) -> Any:
        return self._call(method, path, **options).json()

    def _call(self, method: str, path: str, **options: Any) -> Any:
        answer = self.http.request(method, path, **options)
        assert answer.is_success, f"{method} {path}: {answer.status_code} {answer.text}"
        return answer

    def _in(self, path: str) -> str:
        return f"/projects/{self.project}/{path}"

    def _net(self, path: str) -> str:
        return self._in(f"models/net/{path}")
