"""Models of tables of numbers: LightGBM and XGBoost in their own files, and scikit-learn (or anything) in a pickle.

One input `input`, a row of numbers an item; outputs `predict` and, where the model has them, `probabilities`.
"""

import json
import pickle
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tidemill.runtime.model import Unfit
from tidemill.runtime.server.served import About, TensorModel, Tensors, named
from tidemill.runtime.server.tensors import TYPES, Spec

INPUT = "input"
_NUMBERS = frozenset(TYPES) - {"BYTES", "FP64"}


class TableModel(TensorModel):
    """A function from rows to a number or to classes' probabilities."""

    joins = True

    def __init__(
        self,
        platform: str,
        function: Callable[[Any], Mapping[str, Any]],
        *,
        width: int | None,
        columns: Sequence[str] = (),
        labels: Sequence[str] = (),
    ) -> None:
        self._function = function
        self.columns = tuple(columns)
        more = {"columns": list(columns)} if columns else {}
        self.about = About(platform, labels=tuple(labels), more=more)
        self.inputs = {INPUT: Spec(INPUT, "FP64", (-1, width or -1), _NUMBERS)}
        self.outputs = {}

    def compute(self, tensors: Tensors) -> Tensors:
        rows = np.asarray(tensors[INPUT], np.float64)
        return named(self._function(rows))

    def warm_up(self) -> None:
        if self.inputs[INPUT].shape[1] > 0:
            super().warm_up()


def open_lightgbm(file: Path, labels: Sequence[str]) -> TableModel:
    try:
        import lightgbm
    except ImportError as error:
        raise Unfit(f"{file}: serving LightGBM needs its package: pip install lightgbm") from error
    booster = lightgbm.Booster(model_file=str(file))
    return TableModel(
        "lightgbm",
        lambda rows: {"predict": booster.predict(rows)},
        width=booster.num_feature(),
        columns=booster.feature_name(),
        labels=labels,
    )


def open_xgboost(file: Path, labels: Sequence[str]) -> TableModel:
    try:
        import xgboost
    except ImportError as error:
        raise Unfit(f"{file}: serving XGBoost needs its package: pip install xgboost") from error
    try:
        booster = xgboost.Booster(model_file=str(file))
    except xgboost.core.XGBoostError as error:
        raise Unfit(f"{file} cannot be read: {str(error).strip().splitlines()[-1]}") from error
    columns, kinds = booster.feature_names or [], booster.feature_types or []
    # Training that stops early leaves more rounds than it found to be good.
    best = booster.attr("best_iteration")
    rounds = (0, int(best) + 1) if best else (0, 0)

    objective = str(json.loads(booster.save_config())["learner"]["objective"]["name"])

    def predict(rows: Any) -> dict[str, Any]:
        matrix = xgboost.DMatrix(
            rows, feature_names=columns or None, feature_types=kinds or None, enable_categorical="c" in kinds
        )
        found = booster.predict(matrix, iteration_range=rounds)
        if objective == "multi:softprob":
            return {"predict": found, "probabilities": found}
        if objective == "binary:logistic" and found.ndim == 1:
            return {"predict": found, "probabilities": np.stack([1 - found, found], axis=1)}
        return {"predict": found}

    return TableModel("xgboost", predict, width=booster.num_features(), columns=columns, labels=labels)


def open_pickle(file: Path, labels: Sequence[str]) -> TableModel:
    """A pickle runs whatever its author put into it: only for those who said that they trust it."""
    model = _unpickled(file)
    if not callable(getattr(model, "predict", None)):
        raise Unfit(f"{file} holds a {type(model).__name__}, which has no predict")
    functions: dict[str, Callable[[Any], Any]] = {"predict": model.predict}
    if callable(getattr(model, "predict_proba", None)):
        functions["probabilities"] = model.predict_proba
    classes = [str(one) for one in getattr(model, "classes_", [])]
    columns = [str(one) for one in getattr(model, "feature_names_in_", [])]
    width = getattr(model, "n_features_in_", None)

    def predict(rows: Any) -> dict[str, Any]:
        return {name: function(rows) for name, function in functions.items()}

    return TableModel("sklearn", predict, width=width, columns=columns, labels=labels or classes)


def _unpickled(file: Path) -> Any:
    try:
        if file.suffix == ".joblib":
            import joblib

            return joblib.load(file)
        with file.open("rb") as content:
            return pickle.load(content)  # noqa: S301 — the owner of the project allowed it
    except ImportError as error:
        raise Unfit(f"{file} needs a package that is not here: {error}") from error
    except Exception as error:
        raise Unfit(f"{file} cannot be read: {type(error).__name__}: {error}") from error
