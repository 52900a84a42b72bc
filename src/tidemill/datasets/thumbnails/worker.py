"""The process that decodes: one request a line (JSON), one answer a line. It ends with its input.

{"file": …, "size": 256, "target": …}  →  {"problem": null} or {"problem": "picture_broken"}
"""

import json
import resource
import sys
from pathlib import Path

from tidemill.datasets.media import pictures
from tidemill.datasets.media.pictures import Unreadable

MEMORY_BYTES = 3 << 30
QUALITY = 82


def main() -> int:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for line in sys.stdin:
        asked = json.loads(line)
        sys.stdout.write(json.dumps({"problem": _draw(asked["file"], asked["size"], asked["target"])}) + "\n")
        sys.stdout.flush()
    return 0


def _draw(file: str, size: int, target: str) -> str | None:
    try:
        with Path(file).open("rb") as opened:
            picture = pictures.load(opened, longest=size)
        picture.save(target, "JPEG", quality=QUALITY)
    except Unreadable as error:
        return error.code
    except MemoryError:
        return "picture_too_large"
    return None


if __name__ == "__main__":
    sys.exit(main())
