"""Before and after, for a few pictures. They are decoded in a process of their own: pictures may be hostile."""

import base64
import io
import json
import resource
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tidemill.datasets.media import pictures
from tidemill.datasets.media.pictures import Unreadable
from tidemill.datasets.notes import Note
from tidemill.datasets.preprocessing.steps import work_on
from tidemill.geometry.changes import Flips

if TYPE_CHECKING:
    from PIL.Image import Image

LONGEST = 480
TIME_LIMIT_S = 60
MEMORY_BYTES = 4 << 30


class PreviewFailed(Exception):
    """The process died or took too long."""


def show(items: list[dict[str, Any]], steps: dict[str, Any], flips: Flips) -> list[dict[str, Any]]:
    """What becomes of these items (`file` says where each one's bytes are)."""
    told = json.dumps({"items": items, "steps": steps, "flips": list(flips.items())}).encode()
    try:
        ended = subprocess.run(
            [sys.executable, "-m", "tidemill.datasets.preprocessing.preview"],
            input=told,
            capture_output=True,
            timeout=TIME_LIMIT_S,
            check=True,
        )
    except (subprocess.TimeoutExpired, subprocess.CalledProcessError) as error:
        raise PreviewFailed from error
    found: list[dict[str, Any]] = json.loads(ended.stdout)
    return found


def main() -> int:
    """The process."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CPU, (TIME_LIMIT_S, TIME_LIMIT_S))
    asked = json.load(sys.stdin)
    flips = dict(asked["flips"])
    shown = [_show(item, asked["steps"], flips) for item in asked["items"]]
    json.dump(shown, sys.stdout)
    return 0


def _show(item: dict[str, Any], steps: dict[str, Any], flips: dict[Any, Any]) -> dict[str, Any]:
    shown: dict[str, Any] = {"sharpness": None, "is_blurred": False, "before": None, "after": None, "lost": 0}
    shown["problem"] = None
    try:
        with Path(item["file"]).open("rb") as file:
            done = work_on(file, item["annotations"], steps, flips)
    except Unreadable as error:
        shown["problem"] = {"code": error.code, "params": error.params}
        return shown
    assert done.before is not None
    shown["sharpness"] = round(pictures.sharpness(done.before), 2) if done.sharpness is None else done.sharpness
    shown["is_blurred"], shown["lost"] = done.is_blurred, done.lost
    shown["before"] = _picture(done.before, item["annotations"])
    if done.is_outside:
        shown["problem"] = {"code": "picture_outside", "params": {}}
    elif not done.is_blurred:
        shown["after"] = _picture(done.after or done.before, done.annotations)
    return shown


def _picture(image: "Image", annotations: list[dict[str, Any]]) -> dict[str, Any]:
    small = image.copy()
    small.thumbnail((LONGEST, LONGEST))
    out = io.BytesIO()
    small.save(out, "JPEG", quality=85)
    data = base64.b64encode(out.getvalue()).decode()
    return {
        "width": image.size[0],
        "height": image.size[1],
        "picture": f"data:image/jpeg;base64,{data}",
        "annotations": annotations,
    }


def problem_words(problem: dict[str, Any] | None, language: str) -> str | None:
    return None if problem is None else Note(problem["code"], params=problem["params"]).words(language)


if __name__ == "__main__":
    sys.exit(main())
