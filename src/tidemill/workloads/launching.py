"""From `starting` to a launch: image made ready, materials prepared, the engine told. In threads, for it may take long.

One whose image has to be made first leaves its thread, and takes another when the image is there.

An attempt and its plan are in the database before they come here. Whatever dies on the way, the conductor sees a
workload that is starting and a launch that is absent, and sends it here again; the engine never runs one id twice.
"""

import logging
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from functools import partial

from fastapi import FastAPI

from tidemill.accounts.tables import ProjectRow
from tidemill.engines.base import Engine, EngineError, Granted, Image, Launch, NodePlan, Runtime, Seen
from tidemill.images.service import ResolvedImage, find_ready
from tidemill.jobs.texts import Text, error_text, said, text
from tidemill.kernel.clock import Clock
from tidemill.kernel.db import Database
from tidemill.kernel.errors import Conflict, TidemillError
from tidemill.kernel.settings import Settings
from tidemill.workloads import materials, observing
from tidemill.workloads.observing import Held
from tidemill.workloads.progress import note_progress
from tidemill.workloads.readying import ImageMaker
from tidemill.workloads.secrets import TokenMint
from tidemill.workloads.tables import MachineRow, WorkloadRow
from tidemill.workloads.wanted import MLFLOW_URI

log = logging.getLogger("tidemill.workloads")

WORKERS = 16
CLOSE_MAY_TAKE_S = 1.0
"""How long launches under way may take to leave the database alone when the house closes."""


@dataclass(slots=True)
class _Flight:
    """A launch on its way to the engine."""

    workload_id: str
    attempt_id: str
    on_done: Callable[[], None]
    is_abandoned: bool = False
    is_at_engine: bool = False


class Launcher:
    """Carries attempts to the engine, each at most once at a time."""

    def __init__(self, app: FastAPI, engine: Engine, mint: TokenMint) -> None:
        self._app = app
        self._db: Database = app.state.db
        self._clock: Clock = app.state.clock
        self._settings: Settings = app.state.settings
        self._engine = engine
        self._mint = mint
        self._lock = threading.Lock()
        self._flights: dict[str, _Flight] = {}
        self._pool = ThreadPoolExecutor(WORKERS, thread_name_prefix="launch")
        self._makers = ImageMaker(lambda: app.state.images)
        self._futures: set[Future[None]] = set()
        self._is_closed = False

    def send(self, workload_id: str, attempt_id: str, on_done: Callable[[], None]) -> None:
        """Begins; does nothing when it is on its way already."""
        with self._lock:
            if attempt_id in self._flights or self._is_closed:
                return
            flight = self._flights[attempt_id] = _Flight(workload_id, attempt_id, on_done)
        self._submit(flight, None)

    def abandon(self, attempt_id: str) -> bool:
        """Whether the attempt surely does not reach the engine any more."""
        with self._lock:
            flight = self._flights.get(attempt_id)
            if flight is None:
                return True
            if flight.is_at_engine:
                return False
            flight.is_abandoned = True
            return True

    def close(self) -> None:
        """What is under way is taken up again at the next start."""
        with self._lock:
            self._is_closed = True
        self._makers.close()
        self._pool.shutdown(wait=False, cancel_futures=True)
        wait(list(self._futures), timeout=CLOSE_MAY_TAKE_S)

    def _submit(self, flight: _Flight, made: "Future[Image] | None") -> None:
        with self._lock:
            if self._is_closed:
                return
            future = self._pool.submit(self._carry, flight, made)
            self._futures.add(future)
        future.add_done_callback(self._futures.discard)

    def _carry(self, flight: _Flight, made: "Future[Image] | None") -> None:
        is_on_its_way = False
        try:
            is_on_its_way = self._launch(flight, made)
        except EngineError as error:
            self._fail(flight, said(str(error)))
        except TidemillError as error:
            self._fail(flight, said(error.message) if error.message else error_text(error))
        except Exception:
            # Whatever broke, here or in an engine that is plugged in: the workload ends and says so.
            if not self._is_closed:
                log.exception("attempt %s of %s could not be launched", flight.attempt_id, flight.workload_id)
                self._fail(flight, text("workload_launch_broke"))
        finally:
            if not is_on_its_way:
                with self._lock:
                    self._flights.pop(flight.attempt_id, None)
                flight.on_done()

    def _launch(self, flight: _Flight, made: "Future[Image] | None") -> bool:
        """Whether it is still on its way: it waits for its image."""
        attempt_id = flight.attempt_id
        with self._db.read() as session:
            row = session.get(WorkloadRow, flight.workload_id)
            if row is None or row.state != "starting" or row.attempt_id != attempt_id:
                return False
            project = session.get_one(ProjectRow, row.project_id).name
            machine = session.get(MachineRow, row.placement[0]["machine"])
            runtimes = [Runtime(name) for name in machine.runtimes] if machine else []
        resolved = ResolvedImage(**row.resolved_image)
        image = made.result() if made else find_ready(self._app.state.images, resolved)
        if image is None:
            self._makers.make(resolved, partial(self._note, row), partial(self._submit, flight))
            return True
        placed = materials.prepare(self._db, self._engine, row.inputs)
        launch = Launch(
            id=attempt_id,
            workspace=row.workspace,
            command=tuple(row.command),
            nodes=tuple(_node(node) for node in row.placement),
            image=image,
            runtime=_runtime(image, runtimes),
            run_on=row.run_on,  # type: ignore[arg-type]
            environment=self._environment(row, project),
            secrets=self._secrets(row, attempt_id),
            materials=placed,
            time_limit_s=row.time_limit_s,
            grace_s=self._settings.engine_grace_s,
            log_bytes=self._settings.engine_log_bytes,
        )
        with self._lock:
            if flight.is_abandoned or self._is_closed:
                return False
            flight.is_at_engine = True
        self._engine.launch(launch)
        return False

    def _note(self, row: WorkloadRow, words: str) -> None:
        note_progress(self._db, row.id, row.attempt_id, words, self._clock())

    def _secrets(self, row: WorkloadRow, attempt_id: str) -> dict[str, str]:
        token = self._mint.token(attempt_id)
        # Who logs to a server of their own has a token of their own for it: ours is not shown to it.
        for_mlflow = {} if MLFLOW_URI in row.environment else {"MLFLOW_TRACKING_TOKEN": token}
        return {**for_mlflow, **row.secrets, "TIDEMILL_TOKEN": token}

    def _environment(self, row: WorkloadRow, project: str) -> dict[str, str]:
        return {
            **({} if MLFLOW_URI in row.environment else {MLFLOW_URI: own_url(self._settings)}),
            **row.environment,
            "TIDEMILL_URL": own_url(self._settings),
            "TIDEMILL_PROJECT": project,
            "TIDEMILL_WORKLOAD_ID": row.id,
            "TIDEMILL_ATTEMPT": str(row.attempt),
        }

    def _fail(self, flight: _Flight, message: Text) -> None:
        """The launch cannot be: the end of the workload, or of this attempt."""
        now = self._clock()
        with self._db.write() as session:
            row = session.get(WorkloadRow, flight.workload_id)
            if row is None or row.attempt_id != flight.attempt_id or row.state not in {"starting", "stopping"}:
                return
            held = Held(
                id=row.id,
                state=row.state,  # type: ignore[arg-type]
                attempt=row.attempt,
                attempt_id=flight.attempt_id,
                stop_reason=row.stop_reason,
                retries=row.retries,
                retries_used=row.retries_used,
                nodes=[],
                has_outputs=bool(row.outputs),
            )
            verdict = observing.end(held, "failed", "launch_failed", message)
            observing.apply(session, [(held, verdict, Seen("absent"))], now)


def own_url(settings: Settings) -> str:
    """Where workloads on this machine reach us."""
    host = "127.0.0.1" if settings.host in {"0.0.0.0", "::", ""} else settings.host  # noqa: S104
    return f"http://{f'[{host}]' if ':' in host else host}:{settings.port}"


def _node(node: dict[str, object]) -> NodePlan:
    devices = tuple(Granted(kind, device_id, share) for kind, device_id, share in node["devices"])  # type: ignore[attr-defined]
    return NodePlan(node["index"], node["machine"], node["cpus"], node["memory_bytes"], devices)  # type: ignore[arg-type]


def _runtime(image: Image, runtimes: list[Runtime]) -> Runtime:
    """The best the machine has for this kind of image."""
    fitting = [runtime for runtime in runtimes if (runtime is Runtime.CONTAINER) == (image.kind == "oci")]
    if not fitting:
        raise Conflict("workload_needs_containers" if image.kind == "oci" else "workload_needs_process", field="image")
    return fitting[0]
