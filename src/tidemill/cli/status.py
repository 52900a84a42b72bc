"""`tidemill status` and `tidemill search`: the view from above."""

from typing import Any

import click

from tidemill.cli.output import Column, Size
from tidemill.cli.run import Run, with_run
from tidemill.cli.shell import Command
from tidemill.cli.words import both, text
from tidemill.sdk.views import Found, Project

FOUND_COLUMNS: list[Column[Found]] = [
    (both("KIND", "类型"), lambda f: f.kind),
    (both("NAME", "名称"), lambda f: f.name),
    (both("PROJECT", "项目"), lambda f: f.project),
    (both("DESCRIPTION", "描述"), lambda f: f.description),
]


@click.command(cls=Command, help=both("Overview: counts and storage of the project.", "概览：项目的数量与存储。"))
@with_run
def status(run: Run) -> None:
    client = run.client
    meta, me = client.meta(), client.me.get()
    project = client.projects.get(client.project) if client.project else None
    counts = _counts(run, project)
    document = {
        "url": client.url,
        "version": meta.version,
        "user": me.name,
        "projects": len(me.projects),
        "project": None if project is None else project.raw,
        **counts,
    }
    fields: list[tuple[str, Any]] = [
        (both("Server", "服务器"), f"{client.url} ({meta.version})"),
        (both("User", "用户"), me.name),
        (both("Project", "项目"), None if project is None else project.name),
    ]
    run.show(document, fields if project is None else fields + _project_fields(project, counts))


@click.command(
    cls=Command,
    help=both("Search names of projects, algorithms, models and users.", "搜索项目、算法、模型与用户的名称。"),
)
@click.argument("text")
@click.option("--limit", type=click.IntRange(1, 100), default=20, help=both("Rows to show.", "显示的行数。"))
@with_run
def search(run: Run, text: str, limit: int) -> None:
    run.show_rows(run.client.search(text, limit=limit), FOUND_COLUMNS)


def _counts(run: Run, project: Project | None) -> dict[str, Any]:
    if project is None:
        return {"algorithms": None, "models": None, "jobs": None, "workloads": None, "resources": None}
    held, client = set(project.permissions), run.client
    overview = client.overview.get() if "workload.read" in held else {}
    return {
        "workloads": overview.get("workloads"),
        "resources": overview.get("resources"),
        "algorithms": client.algorithms.list().total if "algorithm.read" in held else None,
        "models": client.models.list().total if "model.read" in held else None,
        "jobs": {state: client.jobs.list(state=state).total for state in ("waiting", "running")}
        if "job.read" in held
        else None,
    }


def _project_fields(project: Project, counts: dict[str, Any]) -> list[tuple[str, Any]]:
    limit, jobs = project.storage_limit_bytes, counts["jobs"] or {}
    return [
        (both("Algorithms", "算法"), counts["algorithms"]),
        (both("Models", "模型"), counts["models"]),
        (both("Members", "成员"), project.members_count),
        (both("Storage", "存储"), f"{Size(project.storage_used_bytes)} / {'∞' if limit is None else Size(limit)}"),
        (both("Jobs", "任务"), text("cli_jobs_count", **jobs) if jobs else None),
        (both("Workloads", "工作负载"), _by_state(counts["workloads"] or {})),
        *((_resource_name(one["name"]), _use(one)) for one in counts["resources"] or ()),
    ]


def _by_state(counts: dict[str, int]) -> list[str]:
    return [f"{text(f'cli_work_{state}')} {count}" for state, count in counts.items() if count]


def _resource_name(name: str) -> str:
    return {"cpu": "CPU", "memory": both("Memory", "内存")}.get(name, name)


def _use(resource: dict[str, Any]) -> str:
    used, capacity = resource["used"], resource["capacity"]
    if resource["name"] == "memory":
        return f"{Size(int(used))} / {Size(int(capacity))}"
    return f"{used:g} / {capacity:g}"
