"""Models at work: one runtime for every task, on onnxruntime and numpy, without torch and without the server.

    model = tidemill.runtime.load("models/flowers")
    for prediction in model.predict([Path("rose.jpg")]):
        print(prediction.annotations, prediction.uncertainty)

`python -m tidemill.runtime evaluate` and `predict` do it for whole datasets.
"""

from tidemill.runtime.loading import TASKS, load
from tidemill.runtime.model import Facts, Input, Model, OnnxModel, Prediction, Unfit

__all__ = ["TASKS", "Facts", "Input", "Model", "OnnxModel", "Prediction", "Unfit", "load"]
