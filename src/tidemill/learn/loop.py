"""The loop: epochs of steps, validation after each; it goes on where it was interrupted."""

import copy
import logging
import math
import time
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import Any, Protocol

import torch

from tidemill.learn import checkpoints
from tidemill.learn.budget import Budget
from tidemill.learn.feeding import Batches
from tidemill.learn.plan import Plan, rate_at
from tidemill.learn.seeding import seed_all
from tidemill.learn.training import Training
from tidemill.sdk import tracking

_log = logging.getLogger("tidemill.learn")
MEASURED_STEPS = 4
LOOK_EVERY = 10
"""Steps between two looks at the clock."""


class Task(Protocol):
    """What is learnt. `module` is on the CPU when it is handed over."""

    module: torch.nn.Module
    primary: str
    """The metric of `validate` that says which state is best; higher is better."""

    def loss(self, module: torch.nn.Module, batch: Any) -> torch.Tensor:
        """The loss of a batch. `module` is `self.module`, perhaps wrapped: call it, so that gradients are shared."""

    def validate(self, module: torch.nn.Module) -> Mapping[str, float]:
        """Metrics on the items kept apart; `loss` among them where there is one. Called in evaluation mode."""


@dataclass
class Fitted:
    """How it went."""

    epochs: int
    best_epoch: int
    best: float
    metrics: dict[str, float] = field(default_factory=dict)
    """Of the best epoch."""
    seconds: float = 0.0


def fit(task: Task, plan: Plan, train: Batches, training: Training) -> Fitted:
    """Learns, and leaves the best state in `task.module` (on the CPU, in evaluation mode) in every process."""
    return _Loop(task, plan, train, training).run()


class _Loop:
    def __init__(self, task: Task, plan: Plan, train: Batches, training: Training) -> None:
        self._task, self._plan, self._train, self._world = task, plan, train, training.world
        self._device = self._world.device
        seed_all(plan.seed)
        self._module = task.module.to(self._device)
        self._wrapped = self._world.wrap(self._module)
        self._optimiser = optimiser(self._module, plan)
        self._precision, scale = precision(plan.precision, self._device)
        self._scaler = torch.amp.GradScaler(self._device.type, enabled=scale)
        self._average = copy.deepcopy(self._module).eval() if plan.average else None
        self._writer = checkpoints.Checkpoints(training.checkpoints)
        self._epoch, self._stale = 0, 0
        self._best: dict[str, Any] = {"value": -math.inf, "epoch": 0, "state": None, "metrics": {}}
        self._budget = Budget(plan.epochs, plan.time_budget_s, training.spent_s)
        self._restore(checkpoints.read(training.resume_from, self._device))

    def run(self) -> Fitted:
        while self._epoch < self._budget.planned and not self._is_stale() and not self._is_late():
            began = time.monotonic()
            seed_all(self._plan.seed + 7919 * (self._epoch + 1) + self._world.rank)
            loss = self._learn()
            looked = time.monotonic()
            metrics = self._world.agree(self._validate())
            self._budget.look_s = time.monotonic() - looked
            self._epoch += 1
            self._note(metrics)
            epoch_s = time.monotonic() - began
            self._budget.planned = self._world.agree(self._budget.plan(self._epoch, epoch_s))
            self._report(loss, metrics, epoch_s)
            if self._world.is_first:
                self._writer.write(self._epoch, self._state(), must=self._epoch >= self._budget.planned)
        return self._end()

    def _learn(self) -> float:
        """One epoch; the mean of its losses."""
        self._wrapped.train()
        total, count, began = 0.0, 0, time.monotonic()
        steps = max(1, len(self._train))
        for batch in self._train.epoch(self._epoch):
            done = self._epoch + count / steps
            self._set_rate(done / max(1, self._budget.planned))
            total += self._step(batch, self._epoch * steps + count)
            count += 1
            if self._epoch == 0 and count == MEASURED_STEPS:
                epoch_s = (time.monotonic() - began) / count * steps * 1.2
                self._budget.planned = self._world.agree(self._budget.plan(0, epoch_s))
            if count % LOOK_EVERY == 0 and self._is_late():
                break
        return self._world.mean(total / max(1, count))

    def _step(self, batch: Any, number: int) -> float:
        self._optimiser.zero_grad(set_to_none=True)
        with self._autocast():
            loss = self._task.loss(self._wrapped, to_device(batch, self._device))
        value = float(loss.detach())
        if not math.isfinite(value):
            raise FloatingPointError(
                f"the loss is {value} in epoch {self._epoch + 1}; a smaller learning_rate may help "
                f"(it is {self._plan.learning_rate})"
            )
        self._scaler.scale(loss).backward()  # type: ignore[no-untyped-call]
        if self._plan.clip_norm:
            self._scaler.unscale_(self._optimiser)
            torch.nn.utils.clip_grad_norm_(self._module.parameters(), self._plan.clip_norm)
        self._scaler.step(self._optimiser)
        self._scaler.update()
        if self._average is not None:
            follow(self._average, self._module, self._plan.average, number)
        return value

    @torch.no_grad()
    def _validate(self) -> dict[str, float]:
        """By the first process; the others are told."""
        if not self._world.is_first:
            return {}
        module = self._kept()
        module.eval()
        with self._autocast():
            return {name: float(value) for name, value in self._task.validate(module).items()}

    def _note(self, metrics: Mapping[str, float]) -> None:
        """The state to keep: the last, or with early stopping the best. Else the test part would choose it, and not be
        one any more."""
        value = metrics[self._task.primary]
        if not self._plan.early_stopping or self._best["state"] is None or value > self._best["value"]:
            state = {name: tensor.detach().clone() for name, tensor in self._kept().state_dict().items()}
            self._best = {"value": value, "epoch": self._epoch, "state": state, "metrics": dict(metrics)}
            self._stale = 0
        else:
            self._stale += 1

    def _report(self, loss: float, metrics: Mapping[str, float], epoch_s: float) -> None:
        planned, remaining = self._budget.planned, self._budget.remaining_s(self._epoch, epoch_s)
        numbers = {"train/loss": loss, **{f"val/{name}": value for name, value in metrics.items()}}
        rate = self._optimiser.param_groups[0]["lr"]
        progress = {"learning_rate": rate, "progress": self._epoch / planned, "remaining_s": remaining}
        tracking.log(numbers | progress, step=self._epoch)
        if self._world.is_first:
            shown = "  ".join(f"{name} {value:.4f}" for name, value in numbers.items())
            _log.info("epoch %d/%d  %s  %.0f s left", self._epoch, planned, shown, remaining)

    def _state(self) -> dict[str, Any]:
        return {
            "epoch": self._epoch,
            "module": self._module.state_dict(),
            "optimiser": self._optimiser.state_dict(),
            "scaler": self._scaler.state_dict(),
            "average": None if self._average is None else self._average.state_dict(),
            "best": self._best,
            "stale": self._stale,
            "spent_s": self._budget.spent_s,
            "planned": self._budget.planned,
        }

    def _restore(self, state: dict[str, Any] | None) -> None:
        if state is None:
            return
        self._module.load_state_dict(state["module"])
        self._optimiser.load_state_dict(state["optimiser"])
        if state["scaler"]:
            self._scaler.load_state_dict(state["scaler"])
        if self._average is not None and state["average"] is not None:
            self._average.load_state_dict(state["average"])
        self._epoch, self._stale, self._best = state["epoch"], state["stale"], state["best"]
        self._budget.spent_before_s += state["spent_s"]
        self._budget.planned = min(self._plan.epochs, max(state["planned"], self._epoch))
        if self._world.is_first:
            _log.info("goes on after epoch %d", self._epoch)

    def _end(self) -> Fitted:
        if self._best["state"] is not None:
            self._module.load_state_dict(self._best["state"])
        self._module.cpu().eval()
        best = self._best
        return Fitted(self._epoch, best["epoch"], best["value"], best["metrics"], self._budget.spent_s)

    def _kept(self) -> torch.nn.Module:
        return self._average if self._average is not None else self._module

    def _set_rate(self, progress: float) -> None:
        for group in self._optimiser.param_groups:
            group["lr"] = self._plan.learning_rate * group.get("share", 1.0) * rate_at(self._plan, progress)

    def _is_stale(self) -> bool:
        return 0 < self._plan.early_stopping <= self._stale

    def _is_late(self) -> bool:
        """Whether the time is up. All processes hear the same."""
        if not self._plan.time_budget_s:
            return False
        return bool(self._world.agree(self._budget.is_over))

    def _autocast(self) -> Any:
        if self._precision is None:
            return nullcontext()
        return torch.autocast(self._device.type, dtype=self._precision)


def optimiser(module: torch.nn.Module, plan: Plan) -> torch.optim.Optimizer:
    """Weight decay is for weights alone: neither for biases nor for what normalises.

    A module may have `learning_rate_shares()`, which gives (prefix of parameters' names, share of the rate).
    """
    shares: dict[str, float] = getattr(module, "learning_rate_shares", dict)()
    groups: dict[tuple[float, float], list[torch.nn.Parameter]] = {}
    for name, parameter in module.named_parameters():
        if parameter.requires_grad:
            decay = plan.weight_decay if parameter.ndim > 1 else 0.0
            share = next((value for prefix, value in shares.items() if name.startswith(prefix)), 1.0)
            groups.setdefault((decay, share), []).append(parameter)
    listed = [{"params": kept, "weight_decay": decay, "share": share} for (decay, share), kept in groups.items()]
    if plan.optimiser == "sgd":
        return torch.optim.SGD(listed, lr=plan.learning_rate, momentum=0.9, nesterov=True)
    return torch.optim.AdamW(listed, lr=plan.learning_rate)


def precision(wanted: str, device: torch.device) -> tuple[torch.dtype | None, bool]:
    """What is computed with (None: 32 bits), and whether the loss must be scaled for it."""
    if str(wanted) == "32" or (wanted == "auto" and device.type == "cpu"):
        return None, False
    if device.type != "cuda" or torch.cuda.is_bf16_supported():
        return torch.bfloat16, False
    return torch.float16, True


@torch.no_grad()
def follow(average: torch.nn.Module, module: torch.nn.Module, slowness: float, step: int) -> None:
    """Moves the mean of the weights a little; quickly at first, when they are far from where they will be."""
    keep = min(slowness, (1 + step) / (10 + step))
    new = module.state_dict()
    for name, mean in average.state_dict().items():
        if mean.dtype.is_floating_point:
            mean.lerp_(new[name], 1 - keep)
        else:
            mean.copy_(new[name])


def to_device(batch: Any, device: torch.device) -> Any:
    """All tensors of a batch, however it is made up."""
    if isinstance(batch, torch.Tensor):
        return batch.to(device, non_blocking=True)
    if isinstance(batch, dict):
        return {key: to_device(value, device) for key, value in batch.items()}
    if isinstance(batch, list | tuple):
        return type(batch)(to_device(value, device) for value in batch)
    return batch
