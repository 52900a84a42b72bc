"""From a folder to a model that can be asked."""

from importlib import import_module
from pathlib import Path

from tidemill.runtime.model import Model, Unfit, read_facts

TASKS: dict[str, str] = {
    "image-classification": "classify_images:ImageClassifier",
    "text-classification": "classify_texts:TextClassifier",
    "audio-classification": "classify_sounds:SoundClassifier",
    "tabular": "tables:TableModel",
    "object-detection": "detect:Detector",
    "segmentation": "segment:Segmenter",
    "keypoints": "keypoints:KeypointFinder",
    "ocr": "read_text:TextReader",
}
"""What runs models of which task."""

ADAPTERS: dict[str, str] = {
    "yolox": "yolox:Yolox",
    "mobilenet": "mobilenet:MobileNet",
    "deeplab": "deeplab:DeepLab",
    "movenet": "movenet:MoveNet",
    "yunet": "yunet:YuNet",
    "ppocr": "ppocr:PaddleOcr",
    "rapidocr": "rapidocr:RapidOcr",
}
"""What runs models of others, by the `adapter` their `model.json` names: `module:Class` below `adapters`."""


def load(folder: Path | str) -> Model:
    """The model whose files are in the folder. Raises `Unfit` where there is none that can be run."""
    folder = Path(folder)
    facts = read_facts(folder)
    if facts.adapter is not None:
        place, known = ADAPTERS.get(facts.adapter), f"adapter {facts.adapter!r}"
        package = "tidemill.runtime.adapters"
    else:
        place, known = TASKS.get(facts.task), f"task {facts.task!r}"
        package = "tidemill.runtime"
    if place is None:
        raise Unfit(f"{folder}: nothing here runs models of {known}")
    module, _, name = place.partition(":")
    made: Model = getattr(import_module(f"{package}.{module}"), name)(folder, facts)
    return made
