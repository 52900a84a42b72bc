"""The loop that all trainings share."""

import itertools
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.algorithms import sets
from tidemill.learn.budget import Budget, process_age_s
from tidemill.learn.parameters import Parameters
from tidemill.learn.training import Training
from tidemill.sdk.data import open_folder

torch = pytest.importorskip("torch")


from tidemill import learn  # noqa: E402
from tidemill.learn import loop  # noqa: E402
from tidemill.learn.plan import Plan, rate_at  # noqa: E402
from tidemill.learn.world import World  # noqa: E402


@pytest.fixture
def training(tmp_path: Path) -> Training:
    items = open_folder(sets.texts(tmp_path / "small", 10))
    return Training(
        algorithm="a",
        task="t",
        parameters=Parameters({}),
        dataset=items,
        train=items,
        test=items,
        part="test",
        validation=items,
        out=tmp_path / "out",
        start=None,
        resume_from=None,
    )


class Line:
    """Learns to double numbers; its validation is told beforehand."""

    primary = "good"

    def __init__(self, told: list[float]) -> None:
        self.module = torch.nn.Linear(1, 1)
        self.states: list[Any] = []
        self._told = iter(told)

    def loss(self, module: Any, batch: Any) -> Any:
        return ((module(batch[0]) - 2 * batch[0]) ** 2).mean()

    def validate(self, module: Any) -> dict[str, float]:
        self.states.append({name: tensor.clone() for name, tensor in module.state_dict().items()})
        return {"good": next(self._told)}


def _batches(plan: Plan) -> Any:
    numbers = torch.linspace(-1, 1, 32)[:, None]
    return learn.batches(torch.utils.data.TensorDataset(numbers), plan.batch_size, World(), seed=plan.seed)


def test_without_early_stopping_the_last_state_is_kept(training: Training) -> None:
    plan = Plan(epochs=4, batch_size=8, learning_rate=0.05)
    task = Line([0.9, 0.1, 0.2, 0.3])
    fitted = learn.fit(task, plan, _batches(plan), training)
    assert (fitted.epochs, fitted.best_epoch) == (4, 4)
    assert torch.equal(task.module.weight, task.states[3]["weight"])


def test_early_stopping_ends_and_keeps_the_best(training: Training) -> None:
    plan = Plan(epochs=50, batch_size=8, early_stopping=2)
    task = Line([0.1, 0.5, 0.4, 0.5, 0.9])
    fitted = learn.fit(task, plan, _batches(plan), training)
    assert (fitted.epochs, fitted.best_epoch, fitted.best) == (4, 2, 0.5)
    assert torch.equal(task.module.weight, task.states[1]["weight"])


def test_a_time_budget_ends_the_training_in_time(training: Training, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = Plan(epochs=1000, batch_size=8, time_budget_s=60)
    clock = _Clock(step_s=0.5)
    training.began = clock()
    monkeypatch.setattr(loop.time, "monotonic", clock)
    monkeypatch.setattr("tidemill.learn.loop.Budget", lambda *told: Budget(*told, clock=clock))
    fitted = learn.fit(Line([0.5] * 1000), plan, _batches(plan), training)
    assert 2 < fitted.epochs < 40
    assert fitted.seconds <= 60


def test_a_time_budget_covers_what_was_before_and_what_comes_after() -> None:
    budget = Budget(100, 60, 20, clock=lambda: 0.0)
    assert budget.plan(0, 1.0) == int(60 * 0.88 - 20)
    budget.look_s = 5
    assert budget.plan(0, 1.0) == 60 - 3 * 5 - 20
    budget.look_s = 500
    assert budget.plan(0, 1.0) == 60 / 2 - 20
    assert not budget.is_over


def test_a_script_knows_how_long_its_process_has_been_there(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text(
        "from tidemill.learn.budget import process_age_s; print(process_age_s(__import__('pathlib').Path(__file__)))"
    )
    began = time.monotonic()
    said = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=60, check=True).stdout
    assert 0 < float(said) <= time.monotonic() - began + 0.02
    assert process_age_s(script) == 0, "pytest is not the script"


class _Clock:
    """Every look takes time."""

    def __init__(self, step_s: float) -> None:
        self._at, self._step_s = 0.0, step_s

    def __call__(self) -> float:
        self._at += self._step_s
        return self._at


def test_a_loss_that_is_no_number_says_what_may_help(training: Training) -> None:
    plan = Plan(epochs=2, batch_size=8)
    task = Line([0.5])
    task.loss = lambda module, batch: module(batch[0]).sum() * float("nan")  # type: ignore[method-assign]
    with pytest.raises(FloatingPointError, match="smaller learning_rate"):
        learn.fit(task, plan, _batches(plan), training)


def test_sixteen_bits_and_a_mean_of_the_weights_learn_too(training: Training) -> None:
    plan = Plan(epochs=40, batch_size=8, learning_rate=0.2, precision="16", average=0.9, weight_decay=0)
    task = Line([0.5] * 40)
    learn.fit(task, plan, _batches(plan), training)
    assert task.module.weight.item() == pytest.approx(2, abs=0.2)


def test_processes_share_items_evenly_and_differently_each_epoch() -> None:
    def seen(rank: int, epoch: int) -> Iterator[int]:
        given = learn.batches(list(range(11)), 3, World(rank, 2), seed=1)
        return iter([int(number) for batch in given.epoch(epoch) for number in batch])

    first, second = list(seen(0, 0)), list(seen(1, 0))
    assert len(first) == len(second) == 6
    assert set(first) | set(second) == set(range(11))
    assert list(seen(0, 1)) != first
    assert list(seen(0, 0)) == first


@pytest.mark.parametrize("schedule", ["cosine", "linear", "step", "constant"])
def test_the_rate_rises_shortly_and_never_ends_above_where_it_was(schedule: str) -> None:
    plan = Plan(schedule=schedule, warmup=0.1)
    rates = [rate_at(plan, at / 100) for at in range(101)]
    assert rates[0] < rates[5] < rates[10] == pytest.approx(1, abs=0.01)
    assert all(later <= earlier + 1e-9 for earlier, later in itertools.pairwise(rates[10:]))
    assert rates[-1] == 1 if schedule == "constant" else rates[-1] < 0.05


def test_rare_classes_count_more() -> None:
    assert learn.class_weights([90, 10], "none") is None
    balanced = learn.class_weights([90, 10], "balanced")
    root = learn.class_weights([90, 10], "root")
    assert balanced is not None
    assert root is not None
    assert float(balanced[1] / balanced[0]) == pytest.approx(9)
    assert float(root[1] / root[0]) == pytest.approx(3)
    assert float(balanced[0] * 90 + balanced[1] * 10) == pytest.approx(100)
