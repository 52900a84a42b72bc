"""Models of tables of numbers: LightGBM and XGBoost in their own files, and scikit-learn (or anything) in a pickle.

One input `input`, a row of numbers an item; outputs `predict` and, where the model has them, `probabilities`.
"""

import pickle
from collections.abc import Callable, Sequence
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
        functions: dict[str, Callable[[Any], Any]],
        *,
        width: int | None,
        columns: Sequence[str] = (),
        labels: Sequence[str] = (),
    ) -> None:
        self._functions = functions
        self.columns = tuple(columns)
        more = {"columns": list(columns)} if columns else {}
        self.about = About(platform, labels=tuple(labels), more=more)
        self.inputs = {INPUT: Spec(INPUT, "FP64", (-1, width or -1), _NUMBERS)}
        self.outputs = {}

    def compute(self, tensors: Tensors) -> Tensors:
        rows = np.asarray(tensors[INPUT], np.float64)
        return named({name: function(rows) for name, function in self._functions.items()})

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
        {"predict": booster.predict},
        width=booster.num_feature(),
        columns=booster.feature_name(),
        labels=labels,
    )


def open_xgboost(file: Path, labels: Sequence[str]) -> TableModel:
    try:
        import xgboost
    except ImportError as error:
        raise Unfit(f"{file}: serving XGBoost needs its package: pip install xgboost") from error
    booster = xgboost.Booster(model_file=str(file))
    columns = booster.feature_names or []

    def predict(rows: Any) -> Any:
        return booster.predict(xgboost.DMatrix(rows, feature_names=columns or None))

    return TableModel("xgboost", {"predict": predict}, width=booster.num_features(), columns=columns, labels=labels)


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
    return TableModel("sklearn", functions, width=width, columns=columns, labels=labels or classes)


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
