"""Requests are joined, bounded, timed, and each gets its own answer."""

import asyncio
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from tests.runtime.server.servers import Running
from tidemill.runtime.server.batching import Batcher
from tidemill.runtime.server.errors import Busy, Failed, NotReady, TimedOut
from tidemill.runtime.server.metrics import ModelMetrics
from tidemill.runtime.server.options import ModelOptions
from tidemill.runtime.server.served import About, TensorModel, Tensors, Work
from tidemill.runtime.server.tensors import Spec


class Gate(TensorModel):
    """Doubles rows once the gate is open, and keeps how many came together."""

    joins = True
    batch_size = 4

    def __init__(self) -> None:
        self.about = About("test")
        self.inputs = {"x": Spec("x", "FP32", (-1, -1))}
        self.outputs: dict[str, Spec] = {}
        self.gate = threading.Event()
        self.began = threading.Semaphore(0)
        self.sizes: list[int] = []

    def compute(self, tensors: Tensors) -> Tensors:
        self.sizes.append(len(tensors["x"]))
        self.began.release()
        assert self.gate.wait(20)
        if (tensors["x"] < 0).any():
            raise RuntimeError("below nothing")
        return {"y": tensors["x"] * 2}

    def work(self, *rows: float, width: int = 1) -> Work:
        return self.take({"x": np.array([[row] * width for row in rows], np.float32)}, {})


def _batcher(model: Gate, **options: Any) -> tuple[Batcher, ModelMetrics]:
    metrics = ModelMetrics()
    return Batcher("test", [model], ModelOptions(**options), metrics), metrics


async def _began(model: Gate) -> None:
    assert await asyncio.to_thread(model.began.acquire, timeout=20)


async def _answers(futures: Sequence["asyncio.Future[Mapping[str, Any]]"]) -> list[list[float]]:
    return [answer["y"][:, 0].tolist() for answer in await asyncio.gather(*futures)]


def test_what_waits_goes_in_together_and_each_gets_its_own() -> None:
    async def body() -> None:
        model = Gate()
        batcher, metrics = _batcher(model)
        first = batcher.submit(model.work(1))
        await _began(model)
        others = [batcher.submit(model.work(*rows)) for rows in ([2], [3, 4], [5], [6], [7, 8, 9, 10, 11, 12])]
        assert metrics.queue_length == 5
        model.gate.set()
        assert await _answers([first, *others]) == [[2], [4], [6, 8], [10], [12], [14, 16, 18, 20, 22, 24]]
        assert model.sizes == [1, 4, 1, 6]
        assert (metrics.queue_length, sum(metrics.batches.counts)) == (0, 4)
        batcher.close()

    asyncio.run(body())


def test_what_comes_in_the_same_turn_goes_in_together() -> None:
    async def body() -> None:
        model = Gate()
        model.gate.set()
        batcher, _ = _batcher(model)
        await _answers([batcher.submit(model.work(at)) for at in range(4)])
        assert model.sizes == [4]
        batcher.close()

    asyncio.run(body())


def test_other_shapes_wait_for_their_own_turn() -> None:
    async def body() -> None:
        model = Gate()
        batcher, _ = _batcher(model)
        futures = [batcher.submit(model.work(0))]
        await _began(model)
        futures += [batcher.submit(model.work(at, width=1 + at % 2)) for at in range(1, 7)]
        model.gate.set()
        assert await _answers(futures) == [[at * 2] for at in range(7)]
        assert sorted(model.sizes) == [1, 3, 3]
        batcher.close()

    asyncio.run(body())


def test_who_finds_nothing_before_him_does_not_wait_for_others() -> None:
    async def body() -> None:
        model = Gate()
        model.gate.set()
        batcher, _ = _batcher(model, max_delay_ms=60_000)
        for at in range(3):
            assert await asyncio.wait_for(_answers([batcher.submit(model.work(at))]), 10) == [[at * 2]]
        batcher.close()

    asyncio.run(body())


def test_who_had_to_wait_may_wait_for_more_until_the_batch_is_full() -> None:
    async def body() -> None:
        model = Gate()
        batcher, _ = _batcher(model, max_delay_ms=60_000)
        futures = [batcher.submit(model.work(0))]
        await _began(model)
        futures.append(batcher.submit(model.work(1)))
        model.gate.set()
        await futures[0]
        await asyncio.sleep(0)
        assert not futures[1].done()
        futures += [batcher.submit(model.work(at)) for at in (2, 3, 4)]
        assert await asyncio.wait_for(_answers(futures), 10) == [[0], [2], [4], [6], [8]]
        assert model.sizes == [1, 4]
        batcher.close()

    asyncio.run(body())


def test_the_delay_ends() -> None:
    async def body() -> None:
        model = Gate()
        batcher, _ = _batcher(model, max_delay_ms=20)
        futures = [batcher.submit(model.work(0))]
        await _began(model)
        futures.append(batcher.submit(model.work(1)))
        model.gate.set()
        assert await asyncio.wait_for(_answers(futures), 10) == [[0], [2]]
        batcher.close()

    asyncio.run(body())


def test_one_that_fails_spoils_no_other() -> None:
    async def body() -> None:
        model = Gate()
        batcher, _ = _batcher(model)
        first = batcher.submit(model.work(0))
        await _began(model)
        futures = [batcher.submit(model.work(at)) for at in (1, -1, 2)]
        model.gate.set()
        await first
        found = await asyncio.gather(*futures, return_exceptions=True)
        assert isinstance(found[1], Failed)
        assert [found[at]["y"].tolist() for at in (0, 2)] == [[[2]], [[4]]]  # type: ignore[index, call-overload]
        batcher.close()

    asyncio.run(body())


def test_the_queue_is_bounded_and_empties_again() -> None:
    async def body() -> None:
        model = Gate()
        batcher, metrics = _batcher(model, max_queue=2)
        futures = [batcher.submit(model.work(0))]
        await _began(model)
        futures += [batcher.submit(model.work(at)) for at in (1, 2)]
        with pytest.raises(Busy):
            batcher.submit(model.work(3))
        assert metrics.refused == 1
        model.gate.set()
        assert await _answers(futures) == [[0], [2], [4]]
        assert await _answers([batcher.submit(model.work(3))]) == [[6]]
        batcher.close()

    asyncio.run(body())


def test_time_runs_out_while_waiting_and_while_running() -> None:
    async def body() -> None:
        model = Gate()
        batcher, metrics = _batcher(model, timeout_s=0.05)
        running = batcher.submit(model.work(0))
        await _began(model)
        waiting = batcher.submit(model.work(1))
        found = await asyncio.gather(running, waiting, return_exceptions=True)
        assert [type(one) for one in found] == [TimedOut, TimedOut]
        assert metrics.queue_length == 0
        model.gate.set()
        assert await _answers([batcher.submit(model.work(2))]) == [[4]]
        assert model.sizes == [1, 1]
        batcher.close()

    asyncio.run(body())


def test_callers_that_gave_up_are_not_counted_as_waiting() -> None:
    async def body() -> None:
        model = Gate()
        batcher, metrics = _batcher(model)
        first = batcher.submit(model.work(0))
        await _began(model)
        gone = [batcher.submit(model.work(1)) for _ in range(3)]
        for future in gone:
            future.cancel()
        last = batcher.submit(model.work(2))
        model.gate.set()
        assert await _answers([first, last]) == [[0], [4]]
        assert (metrics.queue_length, model.sizes) == (0, [1, 1])
        batcher.close()

    asyncio.run(body())


def test_after_the_end_nothing_is_taken_but_what_waits_is_answered() -> None:
    async def body() -> None:
        model = Gate()
        batcher, _ = _batcher(model)
        futures = [batcher.submit(model.work(0))]
        await _began(model)
        futures.append(batcher.submit(model.work(1)))
        batcher.close()
        with pytest.raises(NotReady):
            batcher.submit(model.work(2))
        model.gate.set()
        assert await _answers(futures) == [[0], [2]]

    asyncio.run(body())


def test_many_callers_at_once_are_joined_and_get_their_own(server: Running) -> None:
    def asked(at: int) -> bool:
        tensor = {"name": "x", "shape": [1, 4], "datatype": "FP32", "data": [at, 0, 0, 0]}
        status, found, _ = server.ask("/v2/models/linear/infer", {"inputs": [tensor], "id": str(at)})
        return status == 200 and found["id"] == str(at) and found["outputs"][1]["data"] == [at]

    before = server.metric("tidemill_model_batch_size_count"), server.metric("tidemill_model_batch_size_sum")
    with ThreadPoolExecutor(24) as callers:
        assert all(callers.map(asked, range(600)))
    batches = server.metric("tidemill_model_batch_size_count") - before[0]
    rows = server.metric("tidemill_model_batch_size_sum") - before[1]
    assert rows == 600
    assert batches < rows
