"""A Git server on loopback: Git's own `http-backend` behind a small HTTP server."""

import os
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

_WHO = {
    "GIT_AUTHOR_NAME": "Ada", "GIT_AUTHOR_EMAIL": "ada@example.org",
    "GIT_COMMITTER_NAME": "Ada", "GIT_COMMITTER_EMAIL": "ada@example.org",
    "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "PATH": os.environ["PATH"],
}  # fmt: skip


def git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=folder, env=_WHO, check=True, capture_output=True)
    return done.stdout.decode().strip()


@dataclass
class Repository:
    """A repository under construction."""

    folder: Path

    def commit(self, files: dict[str, bytes | str], *, branch: str | None = None) -> str:
        """Writes files and commits them; the commit's id."""
        if branch:
            git(self.folder, "switch", "--quiet", "-C", branch)
        for path, content in files.items():
            file = self.folder / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content.encode() if isinstance(content, str) else content)
        git(self.folder, "add", "--all", "--force")
        git(self.folder, "commit", "--quiet", "--allow-empty", "-m", "work")
        return git(self.folder, "rev-parse", "HEAD")


@dataclass
class GitServer:
    """What is served, and what was asked for."""

    root: Path
    port: int = 0
    asked: list[str] = field(default_factory=list)
    hosts: list[str] = field(default_factory=list)
    redirect_to: str | None = None
    hold: threading.Event | None = None
    """While set to an event, every answer waits for it."""

    def url(self, name: str, host: str = "127.0.0.1") -> str:
        return f"http://{host}:{self.port}/{name}"

    def repository(self, name: str = "code.git") -> Repository:
        folder = self.root / name
        folder.mkdir()
        git(folder, "init", "--quiet", "-b", "main")
        git(folder, "config", "http.uploadpack", "true")
        git(folder, "config", "uploadpack.allowReachableSHA1InWant", "true")
        return Repository(folder)


@contextmanager
def serve_git(root: Path) -> Iterator[GitServer]:
    """Serves all repositories below a folder until the block ends."""
    served = GitServer(root)
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(served))
    served.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield served
    finally:
        if served.hold:
            served.hold.set()
        server.shutdown()
        server.server_close()
        thread.join()


def _handler(served: GitServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._answer(b"")

        def do_POST(self) -> None:
            self._answer(self.rfile.read(int(self.headers.get("Content-Length", "0"))))

        def log_message(self, *arguments: object) -> None:
            del arguments

        def _answer(self, body: bytes) -> None:
            served.asked.append(self.path)
            served.hosts.append(self.headers.get("Host", ""))
            if served.redirect_to:
                self.send_response(302)
                self.send_header("Location", served.redirect_to)
                self.end_headers()
                return
            if served.hold:
                served.hold.wait(30)
            path, _, query = self.path.partition("?")
            done = subprocess.run(
                ["git", "http-backend"],
                input=body,
                capture_output=True,
                check=False,
                env={
                    **_WHO,
                    "GIT_PROJECT_ROOT": str(served.root),
                    "GIT_HTTP_EXPORT_ALL": "1",
                    "PATH_INFO": path,
                    "QUERY_STRING": query,
                    "REQUEST_METHOD": self.command,
                    "CONTENT_TYPE": self.headers.get("Content-Type", ""),
                    "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
                },
            )
            head, _, content = done.stdout.partition(b"\r\n\r\n")
            headers = dict(line.split(": ", 1) for line in head.decode().split("\r\n") if ": " in line)
            self.send_response(int(headers.pop("Status", "200").split()[0]))
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

    return Handler
