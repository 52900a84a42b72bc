"""Formats as users meet them: chosen, told of, shown by a sample."""

import io

from tidemill.datasets import formats
from tidemill.datasets.formats.base import Reader
from tidemill.datasets.formats.targets import ZipTarget
from tidemill.datasets.importing.schemas import FormatView
from tidemill.datasets.notes import Refused
from tidemill.datasets.sources.base import Source
from tidemill.kernel.i18n import Language

SURE_ENOUGH = 0.05
TRAINING = "training"
"""Not a format to be read back: files to train from."""

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


def choose(source: Source, name: str | None) -> Reader:
    """The reader that was asked for, or the one that recognises the source most surely."""
    if name is not None:
        try:
            return formats.reader(name)
        except KeyError:
            raise Refused("format_unknown", format=name, allowed=", ".join(sorted(formats.READERS))) from None
    found = formats.recognise(source)
    if not found or found[0][1] < SURE_ENOUGH:
        raise Refused("format_not_recognised")
    return formats.reader(found[0][0])


def is_readable(name: str) -> bool:
    """Whether something can be imported under that name."""
    try:
        formats.reader(name)
    except KeyError:
        return False
    return True


def views(language: Language) -> list[FormatView]:
    """All formats, those that can be read first."""
    return [_view(name, language) for name in dict.fromkeys([*formats.READERS, *formats.WRITERS, TRAINING])]


def sample(name: str) -> bytes:
    """The format's sample as an archive."""
    out = io.BytesIO()
    with ZipTarget(out) as target:
        for path, data in formats.sample(name).items():
            target.add(path, data)
    return out.getvalue()


def needs_files(format: str, annotation_type: str, *, with_data: bool) -> bool:
    """Whether the version's files are read: because they are exported, or because what is written is made of them."""
    return with_data or (format == TRAINING and annotation_type.endswith("classification"))


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
