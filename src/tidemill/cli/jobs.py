"""`tidemill job`"""

from typing import Any

import click

from tidemill.cli.output import Column
from tidemill.cli.run import Run, list_options, with_run
from tidemill.cli.shell import Group
from tidemill.cli.waiting import finish_job
from tidemill.cli.words import both, text
from tidemill.sdk.views import Job

STATES = click.Choice(["waiting", "running", "completed", "failed", "cancelled"])
COLUMNS: list[Column[Job]] = [
    (both("ID", "编号"), lambda j: j.id),
    (both("NAME", "名称"), lambda j: j.name),
    (both("STATE", "状态"), lambda j: text(f"cli_state_{j.state}")),
    (both("PROGRESS", "进度"), lambda j: None if j.progress is None else f"{j.progress:.0%}"),
    (both("BY", "创建者"), lambda j: j.created_by),
    (both("CREATED", "创建时间"), lambda j: j.created_at),
]


@click.group(cls=Group, help=both("Background jobs.", "后台任务。"))
def job() -> None:
    """Gathers the commands below."""


@job.command("list", help=both("Jobs of the project, or yours everywhere.", "项目的任务，或您的全部任务。"))
@click.option("--mine", is_flag=True, help=both("Yours, in every project.", "您在所有项目中的任务。"))
@click.option("--state", type=STATES, help=both("Only this state.", "按状态筛选。"))
@list_options("", search=False)
@with_run
def list_jobs(run: Run, mine: bool, state: str | None, options: Any) -> None:
    jobs = run.client.jobs
    run.show_list(jobs.mine(state=state) if mine else jobs.list(state=state), COLUMNS, options)


@job.command("show", help=both("One job.", "查看任务。"))
@click.argument("job_id", metavar="ID")
@with_run
def show(run: Run, job_id: str) -> None:
    found = run.client.jobs.get(job_id)
    failed = found.error.get("message") if isinstance(found.error, dict) else found.error
    run.show(
        found,
        [
            (both("Id", "编号"), found.id),
            (both("Name", "名称"), found.name),
            (both("State", "状态"), text(f"cli_state_{found.state}")),
            (both("Progress", "进度"), None if found.progress is None else f"{found.progress:.0%}"),
            (both("Message", "信息"), found.message),
            (both("Error", "错误"), failed),
            (both("Result", "结果"), [f"{name}={value}" for name, value in found.result.items()]),
            (both("Created", "创建"), found.created_at),
            (both("By", "创建者"), found.created_by),
            (both("Finished", "结束"), found.finished_at),
        ],
    )


@job.command("wait", help=both("Wait until a job is over.", "等待任务结束。"))
@click.argument("job_id", metavar="ID")
@with_run
def wait(run: Run, job_id: str) -> None:
    finish_job(run, run.client.jobs.get(job_id), wait=True)


@job.command("cancel", help=both("Stop a job.", "取消任务。"))
@click.argument("job_id", metavar="ID")
@with_run
def cancel(run: Run, job_id: str) -> None:
    found = run.client.jobs.cancel(run.client.jobs.get(job_id))
    run.done(found, "cli_job_cancelled", name=found.name)
