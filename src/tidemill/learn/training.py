"""A training as a script sees it: what it was given, where its results go, and how it ends."""

import logging
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tidemill.evaluation import Judgement, report
from tidemill.learn import world as worlds
from tidemill.learn.budget import process_age_s
from tidemill.learn.parameters import Parameters, manifest, parameters
from tidemill.learn.seeding import seed_all
from tidemill.learn.world import World
from tidemill.runtime import evaluating, sessions
from tidemill.runtime.loading import load
from tidemill.runtime.model import FILE
from tidemill.sdk import tracking
from tidemill.sdk.data import Dataset, Item
from tidemill.sdk.data import open as open_dataset

if TYPE_CHECKING:
    from tidemill.learn.plan import Plan

_log = logging.getLogger("tidemill.learn")

MODEL = "model.onnx"
ENOUGH_FOR_VALIDATION = 500


class Unlearnable(ValueError):
    """Data nothing can be learnt from; says what is missing."""


@dataclass
class Training:
    """What a script was given."""

    algorithm: str
    task: str
    parameters: Parameters
    dataset: Dataset
    train: Dataset
    """Labelled items to learn from."""
    test: Dataset
    """Labelled items that are kept apart, to be honest; those of `train` where there are too few to keep any."""
    part: str
    """What `test` is: `test`, or `all`."""
    validation: Dataset
    """What is looked at while it learns. Where that decides when to stop: a part of its own, if there is enough."""
    out: Path
    start: Path | None
    """The folder of the model to start from."""
    resume_from: Path | None
    world: World = field(default_factory=World)
    began: float = field(default_factory=time.monotonic)
    """When its process started, by the monotonic clock."""

    @property
    def spent_s(self) -> float:
        """How long it has been under way: of a time budget this is gone."""
        return time.monotonic() - self.began

    @property
    def checkpoints(self) -> Path:
        return self.out / "checkpoints"

    @cached_property
    def plan(self) -> "Plan":
        from tidemill.learn.plan import Plan

        return Plan.of(self.parameters)

    @cached_property
    def is_several(self) -> bool:
        """Whether items may have several classes at once."""
        return self.dataset.annotation_type == "multi-classification"

    def classes(self) -> list[str]:
        """Names of the classes that can be learnt, in the dataset's order: those that items to learn from have."""
        found = Counter(name for item in self.train for name in item.classes)
        names = [label.name for label in self.dataset.labels if found[label.name]]
        if len(names) < (1 if self.is_several else 2):
            raise Unlearnable(
                f"{self.dataset.name}: labelled items have {len(names)} class(es) ({', '.join(names) or 'none'}); "
                "label items of at least two classes"
            )
        return names

    def having_classes(self, names: Sequence[str]) -> "Training":
        """The same with only the items that have one of these classes."""
        known = frozenset(names)

        def has(item: Item) -> bool:
            return any(name in known for name in item.classes)

        self.train, self.test = self.train.filter(has), self.test.filter(has)
        self.validation = self.validation.filter(has)
        return self

    def finish(
        self,
        *,
        labels: Sequence[Mapping[str, Any]],
        input: Mapping[str, Any],
        task: str | None = None,
        more: Mapping[str, Any] | None = None,
        threshold: float = 0.5,
    ) -> Judgement:
        """Writes `model.json` beside the `model.onnx` that was exported, and evaluates just that, as it will be used.

        Only for the first process.
        """
        facts: dict[str, Any] = {
            "format": "onnx",
            "task": task or self.task,
            "labels": [dict(label) for label in labels],
            "input": dict(input),
            "signature": sessions.signature(self.out / MODEL),
            "made_with": self.made_with(),
            **(more or {}),
        }
        report.write_json(self.out / FILE, facts)
        model = load(self.out)
        judgement = evaluating.evaluate(
            model,
            self.test,
            self.out / "evaluation",
            part=self.part,
            name=tracking.run().name or self.algorithm,
            threshold=threshold,
        )
        facts |= {"metrics": judgement.metrics, "primary": judgement.primary}
        report.write_json(self.out / FILE, facts)
        tracking.log({f"test/{name}": value for name, value in judgement.metrics.items()})
        _log.info("done: %s", ", ".join(f"{name} {value:.4f}" for name, value in judgement.metrics.items()))
        return judgement

    def made_with(self) -> dict[str, Any]:
        return {
            "algorithm": self.algorithm,
            "parameters": {name: self.parameters[name] for name in sorted(self.parameters)},
            "dataset": self.dataset.name,
            "seed": self.parameters.get("seed", 0),
            "items": len(self.train),
        }


def begin(
    script: Path, *, choose: Callable[[Dataset, Parameters], Dataset] | None = None, validates: bool = True
) -> Training:
    """The training of this run: joins the other processes, reads parameters, opens and parts the data.

    `choose` says which items can be learnt from; without it, the labelled ones. Who looks at no items kept apart while
    learning (`validates`) has all of them to learn from.
    """
    began = time.monotonic() - process_age_s(script)
    logging.basicConfig(level=logging.INFO, format="%(message)s", force=True)
    about = manifest(script)
    run, found = tracking.run(), parameters(script)
    opened = open_dataset()
    labelled = choose(opened, found) if choose else opened.labelled()
    if not len(labelled):
        raise Unlearnable(f"{opened.name} has no labelled items; label some, or import them with labels")
    seed_all(int(found.get("seed", 0)))
    train, test = labelled.split(float(found.get("test_share", 0.2)), int(found.get("seed", 0)))
    if validates and float(found.get("early_stopping") or 0) > 0 and len(train) >= ENOUGH_FOR_VALIDATION:
        train, validation = train.split(0.1, int(found.get("seed", 0)) + 1)
    else:
        validation = test if len(test) else labelled
    out = run.output
    (out / "checkpoints").mkdir(parents=True, exist_ok=True)
    return Training(
        algorithm=script.resolve().parent.name,
        task=str(about["task"]),
        parameters=found,
        dataset=opened,
        train=train,
        test=test if len(test) else labelled,
        part="test" if len(test) else "all",
        validation=validation,
        out=out,
        start=_given_model(run.workspace / "model"),
        resume_from=run.resume_from,
        world=worlds.join(),
        began=began,
    )


def _given_model(folder: Path) -> Path | None:
    found = sorted(one for one in folder.iterdir() if one.is_dir()) if folder.is_dir() else []
    return found[0] if found else None
