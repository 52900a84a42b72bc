"""Models in programs of ours: loaded, or refused in words."""

from pathlib import Path

from tidemill.datasets.notes import Refused
from tidemill.runtime.loading import load
from tidemill.runtime.model import Model


def load_model(folder: Path) -> Model:
    """The model in the folder; Refused where it cannot be run."""
    try:
        return load(folder)
    except Exception as error:  # readers of models raise anything on hostile bytes
        raise Refused("model_unusable", reason=f"{type(error).__name__}: {error}"[:500]) from error
