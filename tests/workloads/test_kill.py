"""SIGKILL of a real control plane over the real local engine: all is found again, nothing twice, nothing lost."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa

from tests.workloads.stage import Stage, open_stage
from tidemill.workloads.lifecycle import FINAL
from tidemill.workloads.service import Wanted
from tidemill.workloads.tables import WorkloadAttemptRow, WorkloadRow

# Writes down that it began, ends when it is let go (and not before, whatever it is told), and says how.
SCRIPT = """
trap 'echo told' TERM
echo began >> "$MARKS/$NAME"
echo begin $NAME
while [ ! -e "$MARKS/go" ]; do sleep 0.1; done
echo end $NAME
exit $CODE
"""


@pytest.fixture
def marks(tmp_path: Path) -> Iterator[Path]:
    """A folder where workloads leave their marks; at the end they are let go."""
    folder = tmp_path / "marks"
    folder.mkdir()
    yield folder
    (folder / "go").touch()


@pytest.fixture
def stage(tmp_path: Path, marks: Path) -> Iterator[Stage]:
    with open_stage(tmp_path / "home", TIDEMILL_ENGINE_RUNTIME="process", TIDEMILL_ENGINE_GRACE_S="600") as made:
        yield made


def jobs(marks: Path, numbers: range) -> list[Wanted]:
    return [
        Wanted(
            kind="test",
            owner_id="own",
            name=f"job-{number}",
            command=("sh", "-c", SCRIPT),
            spec="tiny",
            environment={"MARKS": str(marks), "NAME": f"job-{number}", "CODE": str(number % 3)},
        )
        for number in numbers
    ]


def have_begun(marks: Path, numbers: range) -> bool:
    return all((marks / f"job-{number}").exists() for number in numbers)


@pytest.mark.slow
def test_a_killed_control_plane_finds_everything_again(stage: Stage, marks: Path) -> None:
    first = stage.submit(jobs(marks, range(12)))
    stage.until(lambda: have_begun(marks, range(12)))
    stage.until(lambda: all(row.state == "running" for row in stage.rows(first)))
    stopped = first[:4]
    for workload in stopped:
        stage.http.post(f"projects/tides/workloads/{workload}/stop").raise_for_status()
    second = stage.submit(jobs(marks, range(12, 20)))
    stage.until(lambda: any(row.state != "pending" for row in stage.rows(second)))
    stage.server.kill()
    assert {"running", "stopping"} <= {row.state for row in stage.rows(first + second)}
    stage.restart()
    stage.until(lambda: have_begun(marks, range(12, 20)))
    (marks / "go").touch()
    stage.until(lambda: all(row.state in FINAL for row in stage.rows(first + second)))
    for row in stage.rows(first + second):
        _is_whole(stage, marks, row, was_stopped=row.id in stopped)
    with stage.db.read() as session:
        assert session.scalar(sa.select(sa.func.count()).select_from(WorkloadAttemptRow)) == 20


def _is_whole(stage: Stage, marks: Path, row: WorkloadRow, *, was_stopped: bool) -> None:
    """It ran once, its end is told as it was, and its log is complete."""
    code = int(row.environment["CODE"])
    assert (marks / row.name).read_text() == "began\n", row.name
    expected = ("stopped", "user") if was_stopped else ("failed", "exit_code") if code else ("completed", "finished")
    assert (row.state, row.stop_reason) == expected, row.name
    assert row.exit_code == code
    log = stage.http.get(f"projects/tides/workloads/{row.id}/logs").json()
    assert log["text"].startswith(f"begin {row.name}\n")
    assert log["text"].endswith(f"end {row.name}\n")
    assert log["is_over"]
