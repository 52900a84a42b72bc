"""An HTTP application that finds a boat in every picture, or fails where FAIL is set, as a package for tests."""

import time
from typing import Any

from tests.browser.conftest import Rest

APP = b"""
import json, os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

BOAT = {"type": "box", "label": os.environ.get("LABEL", "boat"), "x": 200, "y": 160, "w": 180, "h": 150, "score": 0.93}

class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.say({"ready": True})

    def do_POST(self):
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.say({"annotations": [BOAT]}, 500 if os.environ.get("FAIL") else 200)

    def say(self, what, status=200):
        data = json.dumps(what).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

print("listening", flush=True)
ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), Handler).serve_forever()
"""


def make_package(rest: Rest, project: str, name: str = "finder", labels: tuple[str, ...] = ("boat",)) -> None:
    """A package with a version for each label, built."""
    rest.version(project, "algorithms", name, {"app.py": APP})
    rest.call("post", f"/projects/{project}/packages", {"name": name, "scene": "object-detection"})
    recipe: dict[str, Any] = {"algorithm": f"{name}@1", "command": "python app.py"}
    for label in labels:
        rest.call("post", f"/projects/{project}/packages/{name}/versions", {**recipe, "environment": {"LABEL": label}})
    for number in range(1, len(labels) + 1):
        _wait_for_build(rest, f"/projects/{project}/packages/{name}/versions/{number}")


def end_services(rest: Rest, project: str) -> None:
    for one in rest.call("get", f"/projects/{project}/services")["items"]:
        rest.call("delete", f"/projects/{project}/services/{one['id']}", params={"confirm": one["name"]})


def _wait_for_build(rest: Rest, path: str) -> None:
    deadline = time.monotonic() + 60
    while (seen := rest.call("get", path))["state"] != "completed":
        assert seen["state"] in {"pending", "building"}, seen
        assert time.monotonic() < deadline, seen
        time.sleep(0.05)
