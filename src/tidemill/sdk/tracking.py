"""Inside a run: `tidemill.log(loss=0.3, step=1)` and `tidemill.run()`.

Training is never held up and never broken by its bookkeeping: points go into a bounded buffer, a thread of its own
sends them, and what cannot be sent is kept for later or, at the end, left in a file of the workspace, where the
platform finds it. Outside of a run, `log` does nothing. Needs the standard library only, so that any image with this
package will do.
"""

import atexit
import json
import logging
import math
import os
import signal
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

_log = logging.getLogger("tidemill.tracking")

GATHER_S = 0.05
"""What comes within this time travels together."""
SEND_EVERY_S = 0.5
PAUSE_MAX_S = 10.0
BUFFER_MAX = 100_000
"""Points kept while the server is away; the oldest are dropped first."""
BATCH_MAX = 5_000
FLUSH_AT_EXIT_S = 3.0
TIMEOUT_S = 10.0
LEFT_FOLDER = ".tidemill/metrics"
KEY_MAX = 200


@dataclass(frozen=True)
class Run:
    """The run this process belongs to: where things are and what was set. Outside of one, `id` is None."""

    id: str | None
    name: str | None
    project: str | None
    workspace: Path
    parameters: dict[str, Any] = field(default_factory=dict)
    resume_from: Path | None = None
    """The checkpoint to go on from, when there is one."""
    node: int = 0
    nodes: int = 1

    @property
    def output(self) -> Path:
        """What is written here becomes a version of the model."""
        return self.workspace / "persistent-model"

    @property
    def checkpoints(self) -> Path:
        return self.output / "checkpoints"

    def algorithm(self, name: str) -> Path:
        return self.workspace / "algorithm" / name

    def model(self, name: str) -> Path:
        return self.workspace / "model" / name

    def dataset(self, name: str) -> Path:
        return self.workspace / "dataset" / name


def run() -> Run:
    """The run this process belongs to."""
    environ = os.environ
    resume = environ.get("TIDEMILL_RESUME_FROM")
    return Run(
        id=environ.get("TIDEMILL_RUN_ID"),
        name=environ.get("TIDEMILL_RUN_NAME"),
        project=environ.get("TIDEMILL_PROJECT"),
        workspace=Path(environ.get("TIDEMILL_WORKSPACE") or "."),
        parameters=_parameters(environ.get("TIDEMILL_PARAMETERS")),
        resume_from=Path(resume) if resume else None,
        node=int(environ.get("TIDEMILL_NODE_INDEX") or 0),
        nodes=int(environ.get("TIDEMILL_NODES") or 1),
    )


def log(metrics: Mapping[str, Any] | None = None, /, *, step: int | None = None, **more: Any) -> None:
    """Notes numbers of this step: `log(loss=0.3, step=1)`, or `log({"val/loss": 0.4}, step=1)` for any name.

    Numbers, and whatever can be made one, such as a tensor with one element. Without a step, each call is the next one.
    Of several processes of one run only the first is heard.
    """
    sender = _find_sender()
    if sender is not None:
        sender.put({**(metrics or {}), **more}, step)


def flush(timeout_s: float = FLUSH_AT_EXIT_S) -> bool:
    """Waits until everything noted so far has been sent; False when the time was not enough."""
    return True if _sender is None else _sender.flush(timeout_s)


class Sender:
    """The buffer, and the thread that empties it."""

    def __init__(self, url: str, token: str, left: Path, *, send_every_s: float = SEND_EVERY_S) -> None:
        self.url = url
        self._token = token
        self._left = left
        self._every_s = send_every_s
        self._id = uuid.uuid4().hex
        self._batch = 0
        self._points: deque[dict[str, Any]] = deque(maxlen=BUFFER_MAX)
        self._sending: list[dict[str, Any]] = []
        self._lock = threading.Lock()
        self._news = threading.Event()
        self._hurry = threading.Event()
        self._idle = threading.Condition(self._lock)
        self._refused = False
        self._thread = threading.Thread(target=self._work, name="tidemill-metrics", daemon=True)
        self._thread.start()

    def put(self, metrics: Mapping[str, Any], step: int | None) -> None:
        at = int(time.time() * 1000)
        points = [
            {"key": key[:KEY_MAX], "value": value, "at": at} | ({} if step is None else {"step": int(step)})
            for key, given in metrics.items()
            if (value := _number(key, given)) is not None
        ]
        with self._lock:
            if self._refused:
                return
            self._points.extend(points)
        self._news.set()

    def flush(self, timeout_s: float) -> bool:
        self._hurry.set()
        self._news.set()
        with self._idle:
            return self._idle.wait_for(lambda: not self._points and not self._sending, timeout_s)

    def close(self) -> None:
        """Sends what is left, or leaves it in the workspace."""
        if not self.flush(FLUSH_AT_EXIT_S):
            self._leave()

    def _work(self) -> None:
        """The first points of a while leave almost at once, those of a steady stream twice a second."""
        failures = 0
        while True:
            self._news.wait()
            self._news.clear()
            self._hurry.wait(GATHER_S)
            while self._take():
                if not self._try_to_send():
                    failures += 1
                    self._hurry.wait(min(self._every_s * 2**failures, PAUSE_MAX_S))
                    self._pause_in_hurry()
                    continue
                failures = 0
                self._hurry.wait(self._every_s)
            self._hurry.clear()

    def _pause_in_hurry(self) -> None:
        """Somebody waits for the end, and the server is away: tried often, but not without a breath."""
        if self._hurry.is_set():
            time.sleep(0.1)

    def _take(self) -> bool:
        """Gets a batch ready; one that failed before goes first, as it was, so that it is never counted twice."""
        with self._lock:
            if not self._sending and self._points:
                count = min(BATCH_MAX, len(self._points))
                self._sending = [self._points.popleft() for _ in range(count)]
                self._batch += 1
            return bool(self._sending)

    def _try_to_send(self) -> bool:
        try:
            self._post()
        except urllib.error.HTTPError as error:
            if error.code in (408, 425, 429) or error.code >= 500:
                return False
            self._give_up(error)
        except (OSError, ValueError):
            return False
        with self._idle:
            self._sending = []
            self._idle.notify_all()
        return True

    def _post(self) -> None:
        body = {"points": self._sending, "sender": self._id, "batch": self._batch}
        request = urllib.request.Request(  # noqa: S310
            self.url,
            data=json.dumps(body).encode(),
            headers={"Authorization": f"Bearer {self._token}", "Content-Type": "application/json"},
            method="POST",
        )
        with opener.open(request, timeout=TIMEOUT_S) as answer:
            answer.read()

    def _give_up(self, error: urllib.error.HTTPError) -> None:
        """The server says no, and would say so again: metrics end here, training goes on."""
        _log.warning("metrics are no longer sent: %s %s", error.code, error.read(500).decode("utf-8", "replace"))
        with self._lock:
            self._refused = True
            self._points.clear()

    def _leave(self) -> None:
        with self._lock:
            points, number = list(self._points), self._batch
            batches = [self._sending] + [points[at : at + BATCH_MAX] for at in range(0, len(points), BATCH_MAX)]
        lines = [
            json.dumps({"sender": self._id, "batch": number + more, "points": batch})
            for more, batch in enumerate(batches)
            if batch
        ]
        try:
            self._left.mkdir(parents=True, exist_ok=True)
            (self._left / f"{self._id}.jsonl").write_text("".join(f"{line}\n" for line in lines))
        except OSError as error:
            _log.warning("%d metrics could not be sent or kept: %s", sum(map(len, batches)), error)


_sender: Sender | None = None
_sender_lock = threading.Lock()
# No proxy between a run and its platform.
opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def _find_sender() -> Sender | None:
    global _sender
    if _sender is not None:
        return _sender
    environ = os.environ
    url, token, run_id = (environ.get(name) for name in ("TIDEMILL_URL", "TIDEMILL_TOKEN", "TIDEMILL_RUN_ID"))
    project = environ.get("TIDEMILL_PROJECT")
    if not (url and token and run_id and project) or not _is_first():
        return None
    with _sender_lock:
        if _sender is None:
            place = f"/api/v1/projects/{urllib.parse.quote(project, safe='')}/runs/{run_id}/metrics"
            _sender = Sender(
                url.rstrip("/") + place, token, Path(environ.get("TIDEMILL_WORKSPACE") or ".") / LEFT_FOLDER
            )
            atexit.register(_sender.close)
            _flush_when_told_to_end()
    return _sender


def send_to(url: str, token: str, left: Path) -> None:
    """From now on what is logged goes there: to a run that was started by hand."""
    global _sender
    with _sender_lock:
        before, _sender = _sender, Sender(url, token, left)
        atexit.register(_sender.close)
        _flush_when_told_to_end()
    if before is not None:
        atexit.unregister(before.close)
        before.close()


def send_nowhere(url: str) -> None:
    """That run has ended: what is logged now is nobody's, unless another one was started meanwhile."""
    global _sender
    with _sender_lock:
        if _sender is not None and _sender.url == url:
            atexit.unregister(_sender.close)
            _sender.close()
            _sender = None


def _flush_when_told_to_end() -> None:
    """SIGTERM ends Python without further ado; unless the script handles it itself, what was noted is sent first."""
    is_main = threading.current_thread() is threading.main_thread()
    if is_main and signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, _flush_and_end)


def _flush_and_end(number: int, _frame: Any) -> None:
    signal.signal(number, signal.SIG_DFL)
    if _sender is not None:
        _sender.close()
    os.kill(os.getpid(), number)


def _is_first() -> bool:
    rank = os.environ.get("RANK") or os.environ.get("OMPI_COMM_WORLD_RANK") or os.environ.get("TIDEMILL_NODE_INDEX")
    return rank in (None, "", "0")


def _forget_sender() -> None:
    """A forked child has the parent's buffer but not its thread: it begins anew when it logs something itself."""
    global _sender, _sender_lock
    if _sender is not None:
        atexit.unregister(_sender.close)
    _sender, _sender_lock = None, threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_sender)


def _number(key: str, given: Any) -> float | str | None:
    """A number as JSON can say it; None, with a word in the log, for what is none."""
    try:
        value = float(given)
    except (TypeError, ValueError, RuntimeError, OverflowError):
        _log.warning("%s is not a number: %r", key, type(given).__name__)
        return None
    return value if math.isfinite(value) else str(value)


def _parameters(text: str | None) -> dict[str, Any]:
    found = json.loads(text) if text else {}
    return found if isinstance(found, dict) else {}
