"""Trains on rows of tables: classes by the rows' labels or a column's values, or numbers by a column's."""

import logging
import os
import time
from pathlib import Path
from typing import Any

import columns
import lightgbm
import numpy as np
import onnx
import trees

import tidemill
from tidemill import learn
from tidemill.learn.budget import Budget
from tidemill.learn.exporting import set_metadata
from tidemill.runtime import tables
from tidemill.sdk.data import Dataset

_log = logging.getLogger("tidemill.learn")
NUMBERS_FROM = 20
"""A column to be predicted that is all numbers, more different ones than this, is one of numbers, not of classes."""
CHECKPOINT_EVERY = 25
CHECKPOINTS_KEPT = 2
VALIDATION_SHARE = 0.15


def main() -> None:
    training = learn.begin(
        Path(__file__),
        choose=lambda items, given: tables.having_target(items, given.get("target") or None),
        validates=False,
    )
    if training.world.is_first:
        Table(training).train()
    training.world.leave()


class Table:
    """The rows of a training as numbers."""

    def __init__(self, training: learn.Training) -> None:
        self._training = training
        self._column: str = training.parameters.get("target") or ""
        rows = [item.read_row() for item in training.train]
        self._is_number = bool(self._column) and self._is_all_numbers(rows)
        self._names = [] if self._is_number else self._find_names(training.train)
        targets = self._targets(training.train)
        left_out = [self._column, *_listed(training.parameters.get("leave_out"))]
        self._columns = columns.find(rows, targets, left_out)
        if not self._columns:
            raise learn.Unlearnable(f"{training.dataset.name}: no column tells anything about what is to be predicted")
        self._rows, self._known = self._encoded(rows), targets

    def train(self) -> None:
        """Learns as many trees as do good to rows kept apart from those to learn from, then as many from all."""
        training = self._training
        apart = _apart(len(self._rows), training.parameters.seed)
        rounds = self._fit(~apart, apart, "looks for the number of trees") if apart.any() else None
        booster = self._fit_all(rounds or training.parameters.epochs)
        self._export(booster)

    def _fit(self, learnt: np.ndarray, judged: np.ndarray, what: str) -> int:
        parameters = self._training.parameters
        given = lightgbm.Dataset(self._rows[learnt], self._known[learnt], params=self._settings())
        kept = lightgbm.Dataset(self._rows[judged], self._known[judged], reference=given)
        budget = Budget(parameters.epochs, parameters.time_budget_s / 2, self._training.spent_s)
        _log.info("%s: %d rows, %d numbers each", what, int(learnt.sum()), self._rows.shape[1])
        booster = lightgbm.train(
            self._settings(),
            given,
            num_boost_round=parameters.epochs,
            valid_sets=[kept],
            valid_names=["val"],
            callbacks=[
                lightgbm.early_stopping(parameters.early_stopping or 50, verbose=False),
                _watching("val", parameters.epochs, budget),
            ],
        )
        return max(1, int(booster.best_iteration or booster.current_iteration()))

    def _fit_all(self, rounds: int) -> Any:
        training = self._training
        begun = training.resume_from if training.resume_from and training.resume_from.suffix == ".txt" else None
        done = lightgbm.Booster(model_file=str(begun)).current_iteration() if begun else 0
        given = lightgbm.Dataset(self._rows, self._known, params=self._settings(), free_raw_data=False)
        budget = Budget(rounds, training.parameters.time_budget_s, training.spent_s)
        if done >= rounds:
            return lightgbm.Booster(model_file=str(begun))
        _log.info("learns %d trees from all %d rows", rounds, len(self._rows))
        return lightgbm.train(
            self._settings(),
            given,
            num_boost_round=rounds - done,
            init_model=None if begun is None else str(begun),
            callbacks=[_checkpointing(training.checkpoints), _watching("train", rounds, budget)],
            valid_sets=[given],
            valid_names=["train"],
        )

    def _export(self, booster: Any) -> None:
        training, classes = self._training, len(self._names)
        made = trees.to_onnx(booster, features=self._rows.shape[1], classes=classes, rounds=booster.current_iteration())
        kept = [{name: value for name, value in one.items() if name[0] != "_"} for one in self._columns]
        target = {"column": self._column, "kind": "number" if self._is_number else "class"} if self._column else None
        spec: dict[str, Any] = {"kind": "table", "columns": kept, "target": target}
        labels = [{"name": name} for name in self._names]
        set_metadata(made, {"task": training.task, "labels": labels, "input": spec})
        part = training.out / "model.onnx.tmp"
        onnx.save(made, str(part))
        part.rename(training.out / "model.onnx")
        _write(training.out / "trees.txt", booster.model_to_string())
        training.finish(labels=labels, input=spec, more={"importance": self._importance(booster)})

    def _importance(self, booster: Any) -> dict[str, float]:
        """How much each column tells, of 1 in all."""
        gains, at, found = booster.feature_importance("gain"), 0, {}
        for column in self._columns:
            wide = tables.width([column])
            found[column["name"]] = float(gains[at : at + wide].sum())
            at += wide
        total = sum(found.values()) or 1.0
        return {name: round(gain / total, 4) for name, gain in sorted(found.items(), key=lambda pair: -pair[1])}

    def _settings(self) -> dict[str, Any]:
        parameters = self._training.parameters
        objective = {0: "regression", 2: "binary"}.get(len(self._names), "multiclass")
        metric = {"regression": "rmse", "binary": ["binary_error", "binary_logloss"]}
        settings: dict[str, Any] = {
            "objective": objective,
            "metric": metric.get(objective, ["multi_error", "multi_logloss"]),
            "learning_rate": parameters.learning_rate,
            "num_leaves": parameters.leaves,
            "min_data_in_leaf": min(parameters.rows_in_leaf, max(1, len(self._rows) // 50)),
            "feature_fraction": parameters.column_share,
            "bagging_fraction": parameters.row_share,
            "bagging_freq": 1,
            "lambda_l2": parameters.weight_decay,
            "seed": parameters.seed,
            "deterministic": True,
            "force_col_wise": True,
            "num_threads": int(os.environ.get("OMP_NUM_THREADS") or 0),
            "verbosity": -1,
            # Early stopping listens to the last metric: the smooth one.
            "first_metric_only": False,
        }
        if objective == "multiclass":
            settings["num_class"] = len(self._names)
        if parameters.class_weights == "balanced" and objective == "binary":
            settings["is_unbalance"] = True
        return settings

    def _encoded(self, rows: list[dict[str, Any]]) -> np.ndarray:
        return np.array([tables.encoded(row, self._columns) for row in rows], np.float32)

    def _is_all_numbers(self, rows: list[dict[str, Any]]) -> bool:
        values = [tables.number(row.get(self._column)) for row in rows]
        wanted = self._training.parameters.get("kind") or "auto"
        if wanted != "auto":
            return bool(wanted == "number")
        return None not in values and len(set(values)) > NUMBERS_FROM

    def _find_names(self, items: Dataset) -> list[str]:
        if not self._column:
            names = self._training.classes()
            self._training.having_classes(names)
            return names
        return sorted({tables.plain(item.read_row().get(self._column)) or "" for item in items})

    def _targets(self, items: Dataset) -> np.ndarray:
        places = {name: place for place, name in enumerate(self._names)}
        if self._is_number:
            return np.array([tables.number(item.read_row().get(self._column)) for item in items], float)
        if self._column:
            return np.array([places[tables.plain(item.read_row().get(self._column)) or ""] for item in items], float)
        return np.array([places[item.classes[0]] for item in items], float)


def _apart(count: int, seed: int) -> np.ndarray:
    """Rows that say when to stop; none of a small table."""
    chosen = np.zeros(count, bool)
    if count >= 50:
        chosen[np.random.default_rng(seed).permutation(count)[: int(count * VALIDATION_SHARE)]] = True
    return chosen


def _watching(name: str, rounds: int, budget: Budget) -> Any:
    """Curves, and an end when the time is over."""
    began = time.monotonic()

    def after(env: Any) -> None:
        done = env.iteration + 1
        if done % 10 == 0 or done == rounds:
            each_s = (time.monotonic() - began) / (env.iteration - env.begin_iteration + 1)
            numbers = {f"{name}/{metric}": value for _, metric, value, _ in env.evaluation_result_list}
            progress = {"progress": done / rounds, "remaining_s": (rounds - done) * each_s}
            tidemill.log(numbers | progress, step=done)
        if budget.is_over:
            raise lightgbm.callback.EarlyStopException(env.iteration, env.evaluation_result_list)

    after.order = 40  # type: ignore[attr-defined]
    return after


def _checkpointing(folder: Path) -> Any:
    def after(env: Any) -> None:
        done = env.iteration + 1
        if done % CHECKPOINT_EVERY == 0:
            folder.mkdir(parents=True, exist_ok=True)
            _write(folder / f"trees-{done:06d}.txt", env.model.model_to_string(num_iteration=-1))
            for old in sorted(folder.glob("trees-*.txt"))[:-CHECKPOINTS_KEPT]:
                old.unlink()

    after.order = 50  # type: ignore[attr-defined]
    return after


def _write(file: Path, text: str) -> None:
    part = file.with_name(f".{file.name}.tmp")
    with part.open("w") as out:
        out.write(text)
        out.flush()
        os.fsync(out.fileno())
    part.rename(file)


def _listed(text: Any) -> list[str]:
    return [name.strip() for name in str(text or "").split(",") if name.strip()]


if __name__ == "__main__":
    main()
