"""Background work that one may wait for."""

from typing import TYPE_CHECKING, Any

import click

from tidemill.cli.output import print_json
from tidemill.cli.progress import Display
from tidemill.cli.run import Run
from tidemill.cli.words import both, text

if TYPE_CHECKING:
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
