"""How far a long action is: a bar on a terminal, plain lines otherwise, always on stderr."""

import shutil
import time
from typing import TYPE_CHECKING

import click

from tidemill.cli.output import size_text, width_of
from tidemill.cli.run import is_interactive
from tidemill.cli.words import text

if TYPE_CHECKING:
    from tidemill.sdk.transfer.progress import Progress
    from tidemill.sdk.views import Job
    from tidemill.sdk.work_views import Ending

BAR_WIDTH = 24
LINE_EVERY_S = 5.0


class Display:
    """Shows the last word only: a line that is drawn over, or a new line now and then."""

    def __init__(self) -> None:
        self._drawn = 0
        self._stage = ""
        self._lined_at = 0.0
        self._began_at = time.monotonic()

    def transfer(self, now: "Progress") -> None:
        """For push and pull."""
        if now.stage != self._stage:
            self._began_at = time.monotonic()
        self._show(now.stage, self._describe(now), _share(now))

    def job(self, job: "Job") -> None:
        """For background work."""
        counted = f"{job.done}/{job.total} {job.unit or ''}".rstrip() if job.total else ""
        state = text(f"cli_state_{job.state}")
        words = "  ".join(part for part in (job.name, state, counted, job.message or "") if part)
        self._show(job.state, words, job.progress)

    def workload(self, found: "Ending") -> None:
        """For what runs and ends."""
        name = getattr(found, "name", "")
        words = "  ".join(part for part in (name, text(f"cli_work_{found.state}"), found.message or "") if part)
        self._show(found.state, words, None)

    def say(self, stage: str, *words: str | None) -> None:
        """For whatever has a state, in words of its own."""
        self._show(stage, "  ".join(word for word in words if word), None)

    def close(self) -> None:
        """Leaves the terminal as it was."""
        if self._drawn:
            click.echo("\r" + " " * self._drawn + "\r", nl=False, err=True)
            self._drawn = 0

    def _describe(self, now: "Progress") -> str:
        parts = [text(f"cli_stage_{now.stage}")]
        if now.total_files:
            parts.append(f"{now.files}/{now.total_files}")
        if now.total_bytes:
            parts.append(f"{size_text(now.size_bytes)} / {size_text(now.total_bytes)}")
            elapsed = time.monotonic() - self._began_at
            if elapsed > 0.5:
                parts.append(f"{size_text(now.size_bytes / elapsed)}/s")
        return "  ".join(parts)

    def _show(self, stage: str, words: str, share: float | None) -> None:
        if is_interactive():
            self._draw(words, share)
        elif stage != self._stage or time.monotonic() - self._lined_at > LINE_EVERY_S:
            click.echo(words, err=True)
            self._lined_at = time.monotonic()
        self._stage = stage

    def _draw(self, words: str, share: float | None) -> None:
        line = words if share is None else f"[{_bar(share)}] {share:4.0%}  {words}"
        line = _cut(line, shutil.get_terminal_size().columns - 1)
        width = width_of(line)
        click.echo("\r" + line + " " * max(0, self._drawn - width), nl=False, err=True)
        self._drawn = width


def _cut(line: str, columns: int) -> str:
    """A line that wraps could not be drawn over."""
    while width_of(line) > max(columns, 1):
        line = line[:-1]
    return line


def _share(now: "Progress") -> float | None:
    if now.total_bytes:
        return min(1.0, now.size_bytes / now.total_bytes)
    return min(1.0, now.files / now.total_files) if now.total_files else None


def _bar(share: float) -> str:
    full = round(share * BAR_WIDTH)
    return "#" * full + "." * (BAR_WIDTH - full)
