"""A small HTTP application, as a user might bring one: it starts at once and says who it is."""

import json
import os
import signal
import socketserver
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler
from pathlib import Path

ABOUT = {name: os.environ.get(name, "") for name in ("COLOUR", "SECRET", "TIDEMILL_REPLICA")}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    timeout = 60

    def do_GET(self) -> None:
        path = self.path.partition("?")[0]
        status = 200
        if path == "/broken" or os.environ.get("BROKEN"):
            status = 500
        if path == "/slow":
            time.sleep(1)
        self.answer(status, {**ABOUT, "path": self.path, "pid": os.getpid()})

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        self.answer(500 if os.environ.get("BROKEN") else 200, {**ABOUT, "bytes": len(body), "pid": os.getpid()})

    def answer(self, status: int, content: dict[str, object]) -> None:
        data = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *arguments: object) -> None:
        del arguments


class Server(socketserver.ThreadingTCPServer):
    daemon_threads = True
    allow_reuse_address = True
    request_queue_size = 128


if os.environ.get("DIES") and not Path(os.environ["DIES"]).exists():
    print("the moon is missing", file=sys.stderr, flush=True)
    sys.exit(3)
server = Server(("127.0.0.1", int(os.environ["PORT"])), Handler)
signal.signal(signal.SIGTERM, lambda *_: threading.Thread(target=server.shutdown).start())
print("listening", flush=True)
server.serve_forever(poll_interval=0.05)
