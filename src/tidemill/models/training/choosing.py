"""Values for an algorithm's parameters: by task, size, hardware and time, each with its reason. Pure functions.

An algorithm's defaults are good on a small machine; something else is chosen only where there is a reason, and never
outside of what the manifest allows.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tidemill.models.manifests import TIME_BUDGET, Manifest, Parameter, Value, find_fault
from tidemill.models.training.situation import Situation

BUDGETS_S = {"tabular": 120, "text-classification": 300, "audio-classification": 300, "image-classification": 600}
BUDGET_S, BUDGET_MAX_S = 1200, 4 * 3600
MANY, VERY_MANY, FEW, VERY_FEW = 5_000, 20_000, 200, 50
UNEVEN = 20
"""So many times more of one class than of another is a reason to weigh them."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A parameter's value and why."""

    name: str
    value: Value
    is_default: bool
    reason: str
    """A message's code."""
    params: dict[str, Any] = field(default_factory=dict)


Rule = Callable[[Parameter, Situation], tuple[Value, str, dict[str, Any]] | None]


def choose(
    manifest: Manifest, situation: Situation, *, given: dict[str, Value], time_budget_s: float | None = None
) -> list[Choice]:
    """One for each parameter, in the manifest's order. What was given was checked before."""
    budget = time_budget_s if time_budget_s is not None else budget_for(situation)
    return [_choose_one(one, situation, given, budget, asked=time_budget_s is not None) for one in manifest.parameters]


def budget_for(situation: Situation) -> int:
    """Seconds that training may take when nobody says."""
    usual = BUDGETS_S.get(situation.task, BUDGET_S)
    if situation.labelled <= MANY or situation.accelerators:
        return usual
    return int(min(BUDGET_MAX_S, usual * (situation.labelled / MANY) ** 0.5))


def _choose_one(
    parameter: Parameter, situation: Situation, given: dict[str, Value], budget: float, *, asked: bool
) -> Choice:
    name, default = parameter.name, parameter.default
    if name in given:
        return Choice(name, given[name], given[name] == default, "choice_given")
    if name == TIME_BUDGET:
        value: Value = int(budget) if parameter.type == "int" else float(budget)
        code = "choice_budget_asked" if asked else "choice_budget"
        found: tuple[Value, str, dict[str, Any]] | None = (value, code, {"minutes": _minutes(budget)})
    else:
        rule = _RULES.get(name)
        found = rule(parameter, situation) if rule else None
    if found is None or find_fault(parameter, found[0]):
        return Choice(name, default, True, "choice_default")
    return Choice(name, found[0], found[0] == default, found[1], found[2])


def _batch_size(parameter: Parameter, now: Situation) -> tuple[Value, str, dict[str, Any]] | None:
    default = int(parameter.default or 0)
    if not default:
        return None
    if now.labelled and now.labelled < 8 * default:
        small = max(4, 1 << max(0, (now.labelled // 8).bit_length() - 1))
        if small < default:
            return small, "choice_batch_small", {"items": now.labelled}
    if now.accelerators:
        return default * 4, "choice_batch_accelerator", {"accelerator": now.accelerator or ""}
    return default, "choice_batch", {"cpus": f"{now.cpus:g}"}


def _class_weights(parameter: Parameter, now: Situation) -> tuple[Value, str, dict[str, Any]] | None:
    if not now.smallest_class or now.largest_class < UNEVEN * now.smallest_class:
        return parameter.default, "choice_classes_even", {"small": now.smallest_class, "large": now.largest_class}
    wanted: Value = True if parameter.type == "bool" else "root" if "root" in (parameter.choices or ()) else "balanced"
    return wanted, "choice_classes_uneven", {"small": now.smallest_class, "large": now.largest_class}


def _augmentation(parameter: Parameter, now: Situation) -> tuple[Value, str, dict[str, Any]] | None:
    if now.labelled >= VERY_MANY and parameter.default == "strong":
        return "light", "choice_augmentation_many", {"items": now.labelled}
    if now.labelled < FEW:
        return parameter.default, "choice_augmentation_few", {"items": now.labelled}
    return None


def _epochs(parameter: Parameter, now: Situation) -> tuple[Value, str, dict[str, Any]] | None:
    default = int(parameter.default or 1)
    if now.labelled >= VERY_MANY and now.task != "tabular":
        fewer = max(3, round(default * (VERY_MANY / now.labelled) ** 0.5))
        return min(fewer, default), "choice_epochs_many", {"items": now.labelled}
    return default, "choice_epochs", {"items": now.labelled}


def _test_share(parameter: Parameter, now: Situation) -> tuple[Value, str, dict[str, Any]] | None:
    if now.labelled < VERY_FEW:
        return 0.3, "choice_test_few", {"items": now.labelled}
    if now.labelled >= 5 * VERY_MANY:
        return 0.1, "choice_test_many", {"items": now.labelled}
    return parameter.default, "choice_test", {}


def _precision(parameter: Parameter, now: Situation) -> tuple[Value, str, dict[str, Any]] | None:
    code = "choice_precision_accelerator" if now.accelerators else "choice_precision"
    return parameter.default, code, {}


def _seed(parameter: Parameter, now: Situation) -> tuple[Value, str, dict[str, Any]] | None:
    del now
    return parameter.default, "choice_seed", {}


_RULES: dict[str, Rule] = {
    "batch_size": _batch_size,
    "class_weights": _class_weights,
    "augmentation": _augmentation,
    "epochs": _epochs,
    "test_share": _test_share,
    "precision": _precision,
    "seed": _seed,
}


def _minutes(seconds: float) -> str:
    return f"{seconds / 60:.3g}"
