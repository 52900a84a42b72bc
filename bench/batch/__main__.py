"""`python -m bench.batch`: items a second of a run beside a bare loop; fails below the bar. See README.md."""

import argparse
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench.batch.material import write_model, write_pictures
from bench.store.server import running_server
from tidemill.sdk import Client
from tidemill.sdk.inference_views import InferenceRun

BAR = 0.9


def main() -> int:
    options = _options()
    # What was started is ended too when this is told to end.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    os.environ.setdefault("TIDEMILL_ENGINE_RUNTIME", "process")
    os.environ.setdefault("TIDEMILL_SSH_ENABLED", "false")
    with tempfile.TemporaryDirectory(prefix="tidemill-bench-", dir=options.folder) as place:
        folder = Path(place)
        write_pictures(folder / "pictures", options.count)
        write_model(folder / "model", options.width)
        with running_server(folder) as server:
            ratio = _compare(server.client, folder, options)
    print(f"ratio {ratio:.2f} (at least {BAR})")
    return 0 if ratio >= BAR else 1


def _compare(client: Client, folder: Path, options: argparse.Namespace) -> float:
    client.project = client.projects.create("batch").name
    client.datasets.create("pictures", data_type="image", annotation_type="classification")
    client.datasets.create_version("pictures")
    client.datasets.wait(client.datasets.import_files("pictures", [folder / "pictures"], format="files"))
    client.models.push(folder / "model", "model")
    settings = {
        "form": "model",
        "source": {"type": "model", "model": "model"},
        "dataset": "pictures",
        "threshold": 0.0,
        "spec": options.spec,
    }
    if options.workers:
        settings["workers"] = options.workers
    client.inferences.create("looking", settings)
    ratios = []
    for number in range(options.rounds):
        bare = _bare(folder)
        run = client.inferences.wait(client.inferences.start("looking"))
        ours = run.done / _seconds(run)
        assert (run.done, run.errors) == (options.count, 0)
        print(f"round {number + 1}: bare {bare:.0f} items/s, run {ours:.0f} items/s, {ours / bare:.2f}", flush=True)
        ratios.append(ours / bare)
    return statistics.median(ratios)


def _bare(folder: Path) -> float:
    """Items a second of the whole process, its start included, as the run's is."""
    begun_s = time.perf_counter()
    command = [sys.executable, "-m", "bench.batch.bare", str(folder / "model"), str(folder / "pictures")]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return int(done.stdout.split()[0]) / (time.perf_counter() - begun_s)


def _seconds(run: InferenceRun) -> float:
    """From the process's start to its end: all results are kept by then."""
    assert run.started_at is not None
    assert run.ended_at is not None
    return (run.ended_at - run.started_at).total_seconds()


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1500, help="pictures")
    parser.add_argument("--width", type=int, default=16, help="channels of the model's first layer")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--workers", type=int, help="processes; as the spec suggests when not given")
    parser.add_argument("--spec", default="whole", help="by default all of the machine, as the bare loop has it")
    parser.add_argument("--folder", help="where scratch files go")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
