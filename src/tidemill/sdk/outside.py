"""`tidemill.start_run(experiment="…")`: a run that goes on anywhere and is logged to the platform.

    with tidemill.start_run(experiment="learning-rates", parameters={"lr": 0.1}) as run:
        tidemill.log(loss=0.3, step=1)
        run.log_file("model.pt")

In a run of the platform it is that run: the same script works in both places. Needs the standard library only.
"""

import json
import logging
import os
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from tidemill.kernel.errors import Invalid, TidemillError
from tidemill.sdk import tracking
from tidemill.sdk.config import Connection, resolve
from tidemill.sdk.language import problem

_log = logging.getLogger("tidemill.tracking")

TIMEOUT_S = 30.0
FILE_TIMEOUT_S = 600.0
STATES = ("completed", "failed", "stopped")


def start_run(
    experiment: str = "Default",
    *,
    name: str | None = None,
    parameters: Mapping[str, Any] | None = None,
    tags: Mapping[str, str] | None = None,
    url: str | None = None,
    token: str | None = None,
    project: str | None = None,
) -> "LoggedRun":
    """A run of that experiment, which is made when there is none. `tidemill.log` goes to it until it ends.

    What is not given comes from `TIDEMILL_URL`, `TIDEMILL_TOKEN` and `TIDEMILL_PROJECT`, then from `tidemill login`.
    """
    place = resolve(url, token, project)
    if place.project is None:
        raise problem(Invalid, "sdk_project_needed", field="project")
    own = os.environ.get("TIDEMILL_RUN_ID")
    if own is not None:
        run = LoggedRun(place, _call(place, "GET", f"runs/{own}"), is_own=True)
        if parameters or tags:
            _call(place, "PATCH", f"runs/{own}", {"parameters": dict(parameters or {}), "tags": dict(tags or {})})
        return run
    body: dict[str, Any] = {"experiment": experiment, "parameters": dict(parameters or {}), "tags": dict(tags or {})}
    if name is not None:
        body["name"] = name
    run = LoggedRun(place, _call(place, "POST", "runs", body), is_own=False)
    tracking.send_to(run.metrics_url, place.token or "", Path(".tidemill") / "metrics" / run.id)
    return run


class LoggedRun:
    """A run that is being logged to. As a `with` block it ends with the block: failed when that raised."""

    def __init__(self, place: Connection, told: Mapping[str, Any], *, is_own: bool) -> None:
        self.id: str = told["id"]
        self.name: str = told["name"]
        self.experiment: str = told["experiment"]
        self._experiment_id: str = told["experiment_id"]
        self._place = place
        self._is_own = is_own
        self._has_ended = False

    @property
    def url(self) -> str:
        """Its page."""
        return f"{self._place.url}/p/{urllib.parse.quote(self._place.project or '', safe='')}/runs/{self.id}"

    @property
    def metrics_url(self) -> str:
        return _address(self._place, f"runs/{self.id}/metrics")

    def log(self, metrics: Mapping[str, Any] | None = None, /, *, step: int | None = None, **more: Any) -> None:
        """The same as `tidemill.log`."""
        tracking.log(metrics, step=step, **more)

    def set_tags(self, tags: Mapping[str, str | None]) -> None:
        """A tag set to None goes."""
        _call(self._place, "PATCH", f"runs/{self.id}", {"tags": dict(tags)})

    def add_parameters(self, parameters: Mapping[str, Any]) -> None:
        """What was said before cannot change."""
        _call(self._place, "PATCH", f"runs/{self.id}", {"parameters": dict(parameters)})

    def log_file(self, source: str | Path, path: str | None = None) -> None:
        """Keeps a file with the run, under its own name or at that path."""
        file = Path(source)
        target = urllib.parse.quote((path or file.name).strip("/"))
        place = f"mlflow/api/2.0/mlflow-artifacts/artifacts/{self._experiment_id}/{self.id}/artifacts/{target}"
        with file.open("rb") as opened:
            _send(self._place, "PUT", place, opened, size_bytes=file.stat().st_size)

    def log_folder(self, source: str | Path, path: str = "") -> None:
        """Keeps all files of a folder with the run."""
        top = Path(source)
        for file in sorted(found for found in top.rglob("*") if found.is_file()):
            self.log_file(file, "/".join(filter(None, (path.strip("/"), file.relative_to(top).as_posix()))))

    def end(self, state: str = "completed") -> None:
        """Sends what is left, and says how it ended. A run of the platform ends with its program."""
        if self._has_ended:
            return
        self._has_ended = True
        tracking.flush()
        if not self._is_own:
            tracking.send_nowhere(self.metrics_url)
            _call(self._place, "PATCH", f"runs/{self.id}", {"state": state})

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        state = "completed" if kind is None else "stopped" if kind is KeyboardInterrupt else "failed"
        try:
            self.end(state)
        except TidemillError as problem_at_end:
            # What the script has to say counts more than that it could not be told.
            if error is None:
                raise
            _log.warning("%s could not be ended: %s", self.name, problem_at_end.message or problem_at_end.code)


def _address(place: Connection, path: str) -> str:
    return f"{place.url}/api/v1/projects/{urllib.parse.quote(place.project or '', safe='')}/{path}"


def _call(place: Connection, method: str, path: str, body: Mapping[str, Any] | None = None) -> Any:
    content = None if body is None else json.dumps(body).encode()
    return json.loads(_send(place, method, path, content) or b"{}")


def _send(place: Connection, method: str, path: str, content: Any, *, size_bytes: int | None = None) -> bytes:
    headers = {"Authorization": f"Bearer {place.token or ''}", "Content-Type": "application/json"}
    if size_bytes is not None:
        headers |= {"Content-Type": "application/octet-stream", "Content-Length": str(size_bytes)}
    request = urllib.request.Request(_address(place, path), data=content, headers=headers, method=method)  # noqa: S310
    timeout_s = TIMEOUT_S if size_bytes is None else FILE_TIMEOUT_S
    try:
        with tracking.opener.open(request, timeout=timeout_s) as answer:
            found: bytes = answer.read()
            return found
    except urllib.error.HTTPError as error:
        raise _as_ours(error) from error
    except OSError as error:
        raise problem(Invalid, "sdk_server_away", url=place.url, cause=error) from error


def _as_ours(error: urllib.error.HTTPError) -> TidemillError:
    try:
        told = json.loads(error.read())["error"]
        return Invalid(told["code"], field=told.get("field"), message=told["message"], hint=told.get("hint"))
    except (ValueError, KeyError, TypeError):
        return problem(Invalid, "sdk_unknown_answer", url=error.url, status=error.code)
