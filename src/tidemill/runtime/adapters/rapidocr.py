"""The PP-OCR models that come inside the Python package `rapidocr`: nothing to fetch, only to install the package."""

from importlib.util import find_spec
from pathlib import Path

from tidemill.runtime.adapters.ppocr import PaddleOcr
from tidemill.runtime.model import Facts, Unfit

PACKAGES = ("rapidocr", "rapidocr_onnxruntime")


class RapidOcr(PaddleOcr):
    """As `PaddleOcr`, with the package's files; those of the model's folder come first where there are any."""

    def __init__(self, folder: Path, facts: Facts) -> None:
        has_files = folder.is_dir() and any(folder.glob("*.onnx"))
        super().__init__(folder if has_files else package_models(), facts)


def package_models() -> Path:
    """Where the installed package keeps its models. Raises `Unfit` where it is not installed."""
    for name in PACKAGES:
        found = find_spec(name)
        for place in found.submodule_search_locations or [] if found is not None else []:
            models = Path(place) / "models"
            if models.is_dir() and any(models.glob("*.onnx")):
                return models
    raise Unfit("the package “rapidocr” is not installed here: pip install 'tidemill[ocr]'")
