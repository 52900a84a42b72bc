"""What a file is, by its name and its first bytes: for previews, never for trust."""

import codecs
import mimetypes

SNIFFED_BYTES = 8192
OCTETS = "application/octet-stream"

_EXTRA = {
    ".cfg": "text/plain", ".cu": "text/x-c", ".conf": "text/plain", ".env": "text/plain", ".go": "text/x-go",
    ".ini": "text/plain", ".ipynb": "application/x-ipynb+json", ".java": "text/x-java",
    ".jsonl": "application/x-ndjson",
    ".json": "application/json", ".jsx": "text/javascript", ".lock": "text/plain", ".log": "text/plain",
    ".markdown": "text/markdown", ".md": "text/markdown", ".mjs": "text/javascript", ".ndjson": "application/x-ndjson",
    ".proto": "text/plain", ".rs": "text/x-rust", ".rst": "text/x-rst", ".sh": "text/x-sh", ".sql": "text/x-sql",
    ".toml": "application/toml", ".ts": "text/x-typescript", ".tsx": "text/x-typescript", ".webp": "image/webp",
    ".yaml": "application/yaml", ".yml": "application/yaml",
    ".h5": "application/x-hdf5", ".hdf5": "application/x-hdf5", ".keras": "application/zip",
    ".onnx": "application/onnx",
    ".safetensors": OCTETS, ".tflite": OCTETS, ".pt": OCTETS, ".pth": OCTETS,
}  # fmt: skip

_types = mimetypes.MimeTypes()
for _suffix, _type in _EXTRA.items():
    _types.add_type(_type, _suffix)

# Control characters that text files do hold: tab, line feed, form feed, carriage return, escape (coloured logs).
_TEXT_CONTROLS = frozenset({9, 10, 12, 13, 27})


def media_type(name: str) -> str:
    """By the name alone; the same on every machine."""
    return _types.guess_type(name.lower())[0] or OCTETS


def is_text(start: bytes) -> bool:
    """Whether a file that begins so can be shown and edited as UTF-8 text. `start` may end within a character."""
    if any(byte < 32 and byte not in _TEXT_CONTROLS for byte in start):
        return False
    try:
        codecs.getincrementaldecoder("utf-8")().decode(start, final=False)
    except UnicodeDecodeError:
        return False
    return True
