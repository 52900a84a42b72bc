"""Requests that wait for a model, joined and run in the threads of its instances.

All of it but `_work` happens on the event loop, so that nothing needs a lock. Whoever finds an instance idle is run at
the end of the same turn of the loop, together with what came in beside it; while all are busy, requests pile up and go
in together. `max_delay_ms` only holds back requests that had to wait anyway.
"""

import asyncio
import threading
from collections import deque
from collections.abc import Sequence
from queue import SimpleQueue
from time import monotonic
from typing import Any

from tidemill.runtime.server.errors import Busy, Failed, NotReady, Refusal, TimedOut
from tidemill.runtime.server.metrics import ModelMetrics
from tidemill.runtime.server.options import ModelOptions
from tidemill.runtime.server.served import Served, Work


class _Job:
    __slots__ = ("arrived", "future", "given", "is_waiting", "rows")

    def __init__(self, work: Work, future: "asyncio.Future[Any]", arrived: float) -> None:
        self.given = work.given
        self.rows = work.rows
        self.future = future
        self.arrived = arrived
        self.is_waiting = True


class _Instance:
    """A model with a thread of its own. It takes batches until it is given None."""

    __slots__ = ("inbox", "served")

    def __init__(self, served: Served) -> None:
        self.served = served
        self.inbox: SimpleQueue[list[_Job] | None] = SimpleQueue()


class Batcher:
    """The queue before one model. Made and used on a running event loop."""

    def __init__(self, name: str, instances: Sequence[Served], options: ModelOptions, metrics: ModelMetrics) -> None:
        self._loop = asyncio.get_running_loop()
        self._options = options
        self._metrics = metrics
        self._served = instances[0]
        self._most = (options.max_batch_size or instances[0].batch_size) if instances[0].joins else 1
        self._delay_s = options.max_delay_ms / 1000
        self._waiting: dict[Any, deque[_Job]] = {}
        self._unanswered: deque[_Job] = deque()
        self._is_planned = False
        self._is_watching = False
        self._is_closed = False
        self._timer: asyncio.TimerHandle | None = None
        self._idle = [_Instance(served) for served in instances]
        self._instances = tuple(self._idle)
        for instance in self._instances:
            threading.Thread(name=f"model {name}", daemon=True, target=self._work, args=[instance]).start()

    @property
    def unanswered(self) -> int:
        """Requests that were taken and have no answer yet."""
        return sum(not job.future.done() for job in self._unanswered)

    def submit(self, work: Work) -> "asyncio.Future[Any]":
        """The answer to come. Raises `Busy` when as many wait as may, `NotReady` after `close`."""
        if self._is_closed:
            raise NotReady("the server is about to end")
        metrics = self._metrics
        if metrics.queue_length >= self._options.max_queue:
            metrics.refused += 1
            raise Busy(f"{metrics.queue_length} requests wait already")
        job = _Job(work, self._loop.create_future(), monotonic())
        waiting = self._waiting.get(work.key)
        if waiting is None:
            waiting = self._waiting[work.key] = deque()
        waiting.append(job)
        self._unanswered.append(job)
        metrics.queue_length += 1
        if self._idle and not self._is_planned:
            if self._timer is None:
                self._is_planned = True
                self._loop.call_soon(self._plan)
            elif metrics.queue_length >= self._most:
                self._plan_now()
        if not self._is_watching:
            self._is_watching = True
            self._loop.call_later(self._watch_s, self._watch)
        return job.future

    def close(self) -> None:
        """Takes nothing more. What was taken is still answered; then the threads end."""
        self._is_closed = True
        if not self._waiting and len(self._idle) == len(self._instances):
            self._end()

    def _plan(self) -> None:
        """Gives idle instances what waits."""
        self._is_planned = False
        while self._idle and self._waiting:
            batch = self._take()
            if batch:
                self._idle.pop().inbox.put(batch)

    def _plan_now(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._plan()

    def _plan_after(self) -> None:
        """An instance is idle again: what waits goes in at once, or waits for more as long as the first may."""
        if not self._waiting:
            return
        left = 0.0
        if self._delay_s and not self._is_closed and self._metrics.queue_length < self._most:
            oldest = min(jobs[0].arrived for jobs in self._waiting.values())
            left = oldest + self._delay_s - monotonic()
        if left <= 0:
            self._plan_now()
        elif self._timer is None:
            self._timer = self._loop.call_later(left, self._plan_now)

    def _take(self) -> list[_Job]:
        """The oldest that waits and whatever may join it."""
        key = next(iter(self._waiting))
        if len(self._waiting) > 1:
            key = min(self._waiting, key=lambda one: self._waiting[one][0].arrived)
        jobs = self._waiting[key]
        batch: list[_Job] = []
        rows = 0
        while jobs:
            job = jobs[0]
            if batch and rows + job.rows > self._most:
                break
            jobs.popleft()
            self._leave(job)
            if job.future.done():
                continue
            rows += job.rows
            batch.append(job)
            if not self._served.joins:
                break
        if not jobs:
            del self._waiting[key]
        if batch:
            self._metrics.batch(rows)
        return batch

    def _work(self, instance: _Instance) -> None:
        """The thread of an instance."""
        while (batch := instance.inbox.get()) is not None:
            answers = _answered(instance.served, [job.given for job in batch])
            try:
                self._loop.call_soon_threadsafe(self._done, instance, batch, answers)
            except RuntimeError:  # the loop is closed: nobody waits any more
                return

    def _done(self, instance: _Instance, batch: list[_Job], answers: list[Any]) -> None:
        self._idle.append(instance)
        self._plan_after()
        for job, answer in zip(batch, answers, strict=True):
            future = job.future
            if future.done():
                continue
            if isinstance(answer, Exception):
                future.set_exception(answer)
            else:
                future.set_result(answer)
        answered = self._unanswered
        while answered and answered[0].future.done():
            answered.popleft()
        if self._is_closed and not self._waiting and len(self._idle) == len(self._instances):
            self._end()

    @property
    def _watch_s(self) -> float:
        return min(0.5, self._options.timeout_s / 8)

    def _watch(self) -> None:
        """Answers those whose time is over; all have the same time, so that the oldest come first."""
        jobs = self._unanswered
        until = monotonic() - self._options.timeout_s
        while jobs and (jobs[0].future.done() or jobs[0].arrived <= until):
            job = jobs.popleft()
            if not job.future.done():
                if job.is_waiting:
                    self._leave(job)
                    job.given = None
                job.future.set_exception(TimedOut(f"no answer within {self._options.timeout_s:g} s"))
        if jobs:
            self._loop.call_later(self._watch_s, self._watch)
        else:
            self._is_watching = False

    def _leave(self, job: _Job) -> None:
        if job.is_waiting:
            job.is_waiting = False
            self._metrics.queue_length -= 1

    def _end(self) -> None:
        for instance in self._instances:
            instance.inbox.put(None)


def _answered(served: Served, given: list[Any]) -> list[Any]:
    try:
        answers = served.run(given)
        if len(answers) != len(given):
            raise ValueError(f"{len(answers)} answers to {len(given)} requests")
        return answers
    except Refusal as error:
        return [error] * len(given)
    except Exception as error:  # noqa: BLE001 — models raise anything
        return [Failed(f"the model failed: {type(error).__name__}: {error}"[:1000])] * len(given)
