"""The runner of one node: starts the command, keeps its output and its use of resources, ends it, leaves a record.

Records in the node's folder, each written once: `begun.json` before anything is started (what has begun is never begun
again), `started.json` with the process, `exit.json` at the end. `lock` is held as long as the runner lives. `stop.json`
is what others ask of it; a datagram to `control.sock` tells it to look.
"""

import contextlib
import fcntl
import os
import select
import signal
import socket
import time

from tidemill.engines.runner import gang
from tidemill.engines.runner.files import read_record, remove_file, write_record, write_record_once
from tidemill.engines.runner.job import Job, StartFailed, make_job
from tidemill.engines.runner.logs import LogWriter
from tidemill.engines.runner.output import Output, drain
from tidemill.engines.runner.processes import boot_id, reap
from tidemill.engines.runner.usage import FIRST_AFTER_S, SAMPLE_EVERY_S, Sampler

LOOK_EVERY_S = 1.0
"""Datagrams may be lost; the record is what counts."""
PRESS_EVERY_S = 0.05
FOREVER = float("inf")


def main(folder: str) -> int:
    """Runs the node of this folder to its end, unless another runner does or did."""
    os.closerange(3, 1 << 16)
    os.chdir(folder)
    lock = os.open("lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.lockf(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return 0
    if os.path.exists("begun.json") or os.path.exists("exit.json"):
        return 0
    Runner(folder).run()
    return 0


class Runner:
    """One node, from its beginning to its record."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.launch = gang.read_launch(f"{folder}/../..")
        self.node = gang.node_of(self.launch, int(os.path.basename(folder)))
        self.control = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK)
        self.signals, self._signals_in = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        self.why = ""
        """Why it is being ended: `stopped`, `gang`, `time_limit`. Empty as long as it is not."""
        self.kill_at = self.end_at = self.sample_at = self.look_at = FOREVER
        self.was_killed = False
        self.began = time.monotonic()

    def run(self) -> None:
        """To the end, whatever it is."""
        signal.set_wakeup_fd(self._signals_in, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        remove_file("control.sock")
        self.control.bind("control.sock")
        write_record("begun.json", {"at": time.time(), "boot": boot_id(), "runner": os.getpid()})
        self._look()
        if self.why:
            self._end(self.why, None)
            return
        job = make_job(self.folder, self.launch, self.node)
        log = LogWriter("log", int(self.launch["log_bytes"]))
        try:
            self._supervise(job, log)
        except StartFailed as error:
            job.kill()
            log.close()
            self._end("launch_failed", None, str(error))
        finally:
            job.remove()

    def _supervise(self, job: Job, log: LogWriter) -> None:
        job.prepare(self._wait_for_others)
        if self.why:
            log.close()
            self._end(self.why, None)
            return
        job.start()
        remove_file("secrets.json")
        write_record("started.json", job.started())
        gang.wake(self.launch)
        status = self._watch(job, log, Sampler(job, "usage"))
        job.kill()
        drain(job.output, log)
        log.close()
        code = job.exit_code(status)
        self._end(self.why or job.reason(code), code)

    def _wait_for_others(self, is_ready: "Callable[[], bool]", within_s: float) -> None:
        """Until all nodes can be reached, or it is to end."""
        deadline = time.monotonic() + within_s
        while not is_ready() and not self.why:
            if time.monotonic() > deadline:
                raise StartFailed("the nodes of the launch did not find each other in time")
            select.select([self.control], [], [], 0.02)
            self._look()

    def _watch(self, job: Job, log: LogWriter, sampler: Sampler) -> int:
        """Until the command has ended: its wait status."""
        poll = select.poll()
        poll.register(self.control, select.POLLIN)
        poll.register(self.signals, select.POLLIN)
        output = Output(job.output, log, poll)
        now = time.monotonic()
        limit_s = self.launch["time_limit_s"]
        self.end_at = FOREVER if limit_s is None else now + float(limit_s)
        self.sample_at, self.look_at = now + FIRST_AFTER_S, now + LOOK_EVERY_S
        while True:
            ready = {handle for handle, _ in poll.poll(self._rest_s(job, output) * 1000)}
            if job.output in ready:
                output.read()
            if self.signals in ready:
                os.read(self.signals, 4096)
                status = reap().get(job.pid)
                if status is not None:
                    return status
            self._keep_to_time(job, sampler, is_told=self.control.fileno() in ready)

    def _rest_s(self, job: Job, output: Output) -> float:
        """How long nothing needs to be done by itself."""
        now = time.monotonic()
        until = min(self.sample_at, self.look_at, self.kill_at, now + output.throttle())
        if not self.why:
            until = min(until, self.end_at)
        elif job.press():
            until = min(until, now + PRESS_EVERY_S)
        return max(0.0, until - now)

    def _keep_to_time(self, job: Job, sampler: Sampler, *, is_told: bool) -> None:
        now = time.monotonic()
        was_ending = bool(self.why)
        if is_told or now >= self.look_at:
            self.look_at = now + LOOK_EVERY_S
            self._look()
        if now >= self.end_at and not self.why:
            self._begin_end("time_limit", float(self.launch["grace_s"]))
        if self.why and not was_ending:
            job.terminate()
        if now >= self.kill_at:
            self.kill_at = now + LOOK_EVERY_S
            self.was_killed = True
            job.kill()
        if now >= self.sample_at:
            self.sample_at = now + SAMPLE_EVERY_S
            sampler.sample()

    def _look(self) -> None:
        """Reads what others ask."""
        with contextlib.suppress(BlockingIOError):
            while self.control.recv(64):
                continue
        asked = read_record("stop.json")
        if asked is not None:
            self._begin_end(str(asked["reason"]), float(str(asked["grace_s"])))

    def _begin_end(self, why: str, grace_s: float) -> None:
        self.why = self.why or why
        if not self.was_killed:
            self.kill_at = min(self.kill_at, time.monotonic() + grace_s)

    def _end(self, reason: str, code: "int | None", message: str = "") -> None:
        """Leaves the record, ends the rest of the gang where this end is theirs too, tells the engine."""
        remove_file("secrets.json")
        record = {"reason": reason, "exit_code": code, "message": message, "at": time.time()}
        write_record_once("exit.json", record, sync=True)
        gang.end_others(self.launch, int(self.node["index"]), reason)
        gang.wake(self.launch)


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
