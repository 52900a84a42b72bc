"""Background work that one may wait for."""

from typing import TYPE_CHECKING, Any

import click

from tidemill.cli.output import print_json
from tidemill.cli.progress import Display
from tidemill.cli.run import Run
from tidemill.cli.words import both, text

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tidemill.sdk.views import Job


def wait_option(function: Any) -> Any:
    return click.option("--wait", is_flag=True, help=both("Wait until it is done.", "等待完成。"))(function)


def finish_job(run: Run, job: "Job", *, wait: bool) -> None:
    """Says where to look, or waits and says how it ended; fails when the job did."""
    if wait:
        job = wait_for(run, job)
    if run.as_json:
        print_json(job.raw)
    elif wait:
        click.echo(text("cli_job_done", name=job.name))
    else:
        click.echo(text("cli_job_started", name=job.name, id=job.id))


def finish(
    run: Run,
    found: Any,
    wait: "Callable[..., Any] | None",
    *,
    describe: "Callable[[Any], Sequence[str | None]]",
    begun: str,
    done: str,
    name: str,
) -> Any:
    """Says that it was begun, or waits until it is there and says so; fails when it does not come to be."""
    if wait is None:
        run.done(found, begun, name=name)
        return found
    from tidemill.sdk.resources.workloads import WorkloadFailed

    display = Display()
    try:
        found = wait(found, watch=lambda now: display.say(now.state, *describe(now)))
    except WorkloadFailed as failure:
        if run.as_json:
            print_json(failure.ended.raw)
        raise
    finally:
        display.close()
    run.done(found, done, name=name)
    return found


def wait_for(run: Run, job: "Job") -> "Job":
    """The job when it is over, shown while it goes on."""
    from tidemill.sdk import JobFailed

    display = Display()
    try:
        return run.client.jobs.wait(job, watch=display.job)
    except JobFailed as failure:
        if run.as_json:
            print_json(failure.job.raw)
        raise
    finally:
        display.close()
