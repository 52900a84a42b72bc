"""The program of an evaluation: a model on a published version, and what came of it sent to the server."""

import sys
from pathlib import Path
from typing import Any

from tidemill.datasets.notes import Refused
from tidemill.datasets.works.office import SMALL_BYTES, Office, digest_file
from tidemill.datasets.works.program import run
from tidemill.evaluation.report import FILE, PREDICTIONS
from tidemill.kernel.errors import TidemillError
from tidemill.models.using import load_model
from tidemill.runtime import evaluating
from tidemill.runtime.__main__ import choose_part
from tidemill.runtime.model import Unfit
from tidemill.sdk.data import open_folder


def evaluate_all(office: Office, task: dict[str, Any], scratch: Path) -> None:
    """Evaluates, and has the files kept."""
    workspace, out = scratch.parent, scratch / "evaluation"
    office.progress("loading")
    model = load_model(workspace / task["model_folder"])
    try:
        items, part = choose_part(open_folder(workspace / task["dataset_folder"]).labelled(), model, task["part"])
        if not len(items):
            raise Unfit("no labelled items")

        def watch(done: int, total: int) -> None:
            office.progress("predicting", now=done == total, done=done, total=total)

        office.progress("predicting", done=0, total=len(items))
        evaluating.evaluate(model, items, out, part=part, name=task["model"], threshold=task["threshold"], watch=watch)
    except (Unfit, TidemillError, KeyError, ImportError) as error:
        raise Refused("model_unusable", reason=str(error)[:500]) from error
    office.progress("sending")
    files = {name: _send(office, out / name) for name in (FILE, PREDICTIONS) if (out / name).is_file()}
    office.finish(evaluation=files[FILE], predictions=files.get(PREDICTIONS))


def _send(office: Office, file: Path) -> dict[str, Any] | None:
    size = file.stat().st_size
    if not size:
        return None
    digest = digest_file(file)
    if office.missing({digest: size}):
        if size <= SMALL_BYTES:
            office.send({digest: file.read_bytes()})
        else:
            office.send_file(file, digest)
    return {"sha256": digest, "size_bytes": size}


if __name__ == "__main__":
    sys.exit(run(evaluate_all))
