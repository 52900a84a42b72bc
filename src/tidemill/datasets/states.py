"""The words of datasets: what they hold, how it is annotated, and the states of items and versions."""

from enum import StrEnum

DATA_TYPES = ("image", "text", "audio", "video", "table")
ANNOTATION_TYPES = (
    "classification", "multi-classification", "detection", "segmentation", "keypoints", "ocr", "text-classification",
    "audio-classification", "audio-transcription", "video", "tabular", "none",
)  # fmt: skip
ITEM_STATES = ("unlabelled", "labelled", "suggested", "rework", "reviewed", "aside")
REASONS = ("import", "edit", "restore", "preprocess", "auto", "review")


DataType = StrEnum("DataType", {word.upper(): word for word in DATA_TYPES})  # type: ignore[misc]
AnnotationType = StrEnum(  # type: ignore[misc]
    "AnnotationType", {word.replace("-", "_").upper(): word for word in ANNOTATION_TYPES}
)
ItemState = StrEnum("ItemState", {word.upper(): word for word in ITEM_STATES})  # type: ignore[misc]
Reason = StrEnum("Reason", {word.upper(): word for word in REASONS})  # type: ignore[misc]

FITTING: dict[str, frozenset[str]] = {
    "image": frozenset(
        {"classification", "multi-classification", "detection", "segmentation", "keypoints", "ocr", "none"}
    ),
    "text": frozenset({"text-classification", "none"}),
    "audio": frozenset({"audio-classification", "audio-transcription", "none"}),
    "video": frozenset({"video", "none"}),
    "table": frozenset({"tabular", "none"}),
}
"""How what kind of data can be annotated."""

SCENES = {
    "classification": "image-classification",
    "multi-classification": "image-classification",
    "detection": "object-detection",
    "none": "other",
}
"""The scene that assets of all kinds are found by, where it is not called as the annotation type is."""

# In rows a state is a number: its place here. New ones are added at the end.
STATE_CODES = {word: code for code, word in enumerate(ITEM_STATES)}
UNLABELLED, LABELLED, SUGGESTED, REWORK, REVIEWED, ASIDE = range(len(ITEM_STATES))
DONE = frozenset({LABELLED, REVIEWED})
"""Counted as finished in a version's progress; what is set aside is no part of the work."""

COPYING, DRAFT, PUBLISHING, PUBLISHED = "copying", "draft", "publishing", "published"
