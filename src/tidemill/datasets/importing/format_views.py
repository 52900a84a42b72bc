"""Formats as they are told of."""

from tidemill.datasets import formats
from tidemill.datasets.importing.schemas import FormatView
from tidemill.datasets.works.registry import TRAINING, is_readable
from tidemill.kernel.i18n import Language

_TITLES: dict[str, dict[str, tuple[str, str]]] = {
    "tidemill": {
        "en": ("Tidemill JSON", "Everything of a version, nothing lost: annotations.jsonl and dataset.json."),
        "zh-CN": ("Tidemill JSON", "完整无损的版本内容：annotations.jsonl 与 dataset.json。"),
    },
    "coco": {
        "en": ("COCO", "Boxes, polygons, masks and keypoints in one JSON file for each part."),
        "zh-CN": ("COCO", "检测框、多边形、掩码与关键点，每个子集一个 JSON 文件。"),
    },
    "voc": {
        "en": ("Pascal VOC", "An XML file for each picture."),
        "zh-CN": ("Pascal VOC", "每张图片一个 XML 文件。"),
    },
    "yolo": {
        "en": ("YOLO", "A text file for each picture: boxes, outlines or keypoints in shares of it; data.yaml."),
        "zh-CN": ("YOLO", "每张图片一个文本文件：归一化的框、轮廓或关键点；含 data.yaml。"),
    },
    "labelme": {
        "en": ("LabelMe", "A JSON file for each picture, with any shapes."),
        "zh-CN": ("LabelMe", "每张图片一个 JSON 文件，支持所有形状。"),
    },
    "masks": {
        "en": ("Mask pictures", "A PNG for each picture whose values are classes."),
        "zh-CN": ("掩码图", "每张图片对应一张以类别为像素值的 PNG。"),
    },
    "folders": {
        "en": ("Class folders", "A folder for each class."),
        "zh-CN": ("分类文件夹", "每个类别一个文件夹。"),
    },
    "table": {
        "en": ("CSV, TSV, JSON, JSONL", "Rows of texts, of values, or lists of files with their classes."),
        "zh-CN": ("CSV、TSV、JSON、JSONL", "文本或数值的行，或带类别的文件列表。"),
    },
    "csv": {
        "en": ("CSV", "A row for each annotation, or for each item of a classification."),
        "zh-CN": ("CSV", "每个标注一行；分类数据每个样本一行。"),
    },
    "ocr": {
        "en": ("ICDAR, PaddleOCR", "Text with the place it has in the picture."),
        "zh-CN": ("ICDAR、PaddleOCR", "文字及其在图片中的位置。"),
    },
    "paddleocr": {
        "en": ("PaddleOCR", "Label.txt: a line for each picture."),
        "zh-CN": ("PaddleOCR", "Label.txt：每张图片一行。"),
    },
    "icdar": {
        "en": ("ICDAR", "gt_….txt for each picture: corners and text."),
        "zh-CN": ("ICDAR", "每张图片一个 gt_….txt：四点坐标与文字。"),
    },
    "audio-manifest": {
        "en": ("Audio manifest", "manifest.jsonl: file, duration, text or class."),
        "zh-CN": ("音频清单", "manifest.jsonl：文件、时长、文本或类别。"),
    },
    "training": {
        "en": ("Training files", "Parts for training and testing, as the built-in algorithms read them."),
        "zh-CN": ("训练文件", "划分训练与测试集，供内置算法直接读取。"),
    },
    "files": {
        "en": ("Files alone", "Pictures, texts, sounds or films without annotations."),
        "zh-CN": ("仅文件", "无标注的图片、文本、音频或视频。"),
    },
}


def format_views(language: Language) -> list[FormatView]:
    """All formats, those that can be read first."""
    return [_view(name, language) for name in dict.fromkeys([*formats.READERS, *formats.WRITERS, TRAINING])]


def _view(name: str, language: Language) -> FormatView:
    title, description = _TITLES.get(name, {}).get(language, (name, ""))
    writes = name in formats.WRITERS
    return FormatView(
        name=name,
        title=title,
        description=description,
        reads=is_readable(name),
        writes=writes or name == TRAINING,
        types=sorted(formats.writer(name).types) if writes else [],
        has_sample=is_readable(name),
    )
