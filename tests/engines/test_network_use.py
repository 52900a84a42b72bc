"""Traffic is a node's own, or it is not told."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tidemill.engines.local.usage import read_usage
from tidemill.engines.runner.usage import network_of


@pytest.fixture
def apart() -> Iterator[int]:
    """A process with a network namespace of its own."""
    if shutil.which("unshare") is None:
        pytest.skip("unshare is not installed")
    command = ["unshare", "--map-root-user", "--net", "sh", "-c", "echo ready; exec sleep 60"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdout
        if process.stdout.readline() != b"ready\n":
            pytest.skip("network namespaces are not allowed here")
        yield process.pid
        process.kill()


def test_a_process_on_the_machines_network_has_no_traffic_to_tell_of() -> None:
    assert network_of([os.getpid()]) is None
    assert network_of([]) is None


def test_a_process_with_a_network_of_its_own_has(apart: int) -> None:
    assert network_of([os.getpid(), apart]) == (0.0, 0.0), "nothing went through yet, which is known"


def test_what_was_not_measured_stays_so_when_samples_are_thinned_out(tmp_path: Path) -> None:
    file = tmp_path / "usage"
    at = datetime(2026, 5, 1, tzinfo=UTC).timestamp()
    file.write_text(f"[{at},1,1,0,0,null,null,{{}}]\n[{at + 2},1,1,0,0,null,null,{{}}]\n[{at + 4},1,1,0,0,8,4,{{}}]\n")
    assert [one.net_read_bytes_s for one in read_usage(file, since=None, points=9)] == [None, None, 8]
    thinned = read_usage(file, since=None, points=1)
    assert [(one.net_read_bytes_s, one.net_write_bytes_s) for one in thinned] == [(8, 4)]
