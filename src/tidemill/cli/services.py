"""`tidemill service`"""

import json
from pathlib import Path
from typing import Any

import click

from tidemill.cli.output import Column, Size, print_json
from tidemill.cli.run import Run, confirm, connection_options, list_options, with_run, yes_option
from tidemill.cli.running import LogWish, log_options, show_log
from tidemill.cli.service_keys import keys
from tidemill.cli.service_options import limit_options, replicas_option, require_one, role_option, what_options
from tidemill.cli.shell import Group
from tidemill.cli.waiting import finish, wait_option
from tidemill.cli.words import both, text
from tidemill.sdk.service_views import Service, ServiceEvent

COLUMNS: list[Column[Service]] = [
    (both("NAME", "名称"), lambda s: s.name),
    (both("STATE", "状态"), lambda s: _state(s.state)),
    (both("READY", "就绪"), lambda s: f"{s.ready}/{s.wanted}"),
    (both("PRODUCTION", "生产版本"), lambda s: s.production.package if s.production else None),
    (both("CANARY", "灰度版本"), lambda s: f"{s.canary.package} {s.canary.share:g}%" if s.canary else None),
    (both("REQUESTS/S", "请求/秒"), lambda s: f"{s.traffic.get('requests_per_s', 0):.3g}"),
    (both("ERRORS", "错误"), lambda s: s.traffic.get("errors")),
    (both("ALERTS", "告警"), lambda s: s.open_alerts),
    (both("ADDRESS", "地址"), lambda s: s.url),
    (both("CREATED", "创建时间"), lambda s: s.created_at),
]
EVENT_COLUMNS: list[Column[ServiceEvent]] = [
    (both("AT", "时间"), lambda e: e.at),
    (both("WHAT", "事件"), lambda e: e.message),
    (both("BY", "操作者"), lambda e: e.by),
]


@click.group(cls=Group, help=both("Online services.", "在线服务。"))
def service() -> None:
    """Gathers the commands below."""


service.add_command(keys)


@service.command("deploy", help=both("Deploy a model or a package.", "部署模型或模型包。"))
@click.argument("name")
@what_options
@replicas_option
@click.option("--open", "is_open", is_flag=True, help=both("Nobody needs a key.", "无需密钥即可调用。"))
@limit_options
@wait_option
@with_run
def deploy(
    run: Run, name: str, what: dict[str, Any], replicas: int, is_open: bool, limits: dict[str, Any], wait: bool
) -> None:
    require_one(what)
    access = "open" if is_open else "key"
    made = run.client.services.deploy(name, replicas=replicas, access=access, **what, **limits)
    _finish(run, made, wait=wait, begun="cli_service_begun")


@service.command("edit", help=both("Change who may call it, and how.", "修改调用权限与限制。"))
@click.argument("name")
@click.option(
    "--open/--with-key", "is_open", default=None, help=both("Whether callers need a key.", "调用是否需要密钥。")
)
@limit_options
@with_run
def edit(run: Run, name: str, is_open: bool | None, limits: dict[str, Any]) -> None:
    if is_open is not None:
        limits["access"] = "open" if is_open else "key"
    if not limits:
        raise click.UsageError(text("cli_nothing_to_change"), click.get_current_context())
    run.done(run.client.services.update(name, **limits), "cli_changed", name=name)


@service.command("update", help=both("Roll out another model or package.", "滚动更新到另一个模型或模型包。"))
@click.argument("name")
@what_options
@click.option(
    "--no-secret", "forgotten", multiple=True, metavar="NAME",
    help=both("Take a secret away; may be repeated.", "移除机密变量，可重复。"),
)  # fmt: skip
@role_option()
@wait_option
@with_run
def update(run: Run, name: str, what: dict[str, Any], forgotten: tuple[str, ...], role: str, wait: bool) -> None:
    if forgotten:
        what["secrets"] = {**dict.fromkeys(forgotten), **what.get("secrets", {})}
    _finish(run, run.client.services.update_track(name, role, **what), wait=wait, begun="cli_service_changing")


@service.command("canary", help=both("Try something with a part of the traffic.", "用部分流量灰度试运行。"))
@click.argument("name")
@what_options
@replicas_option
@click.option("--share", type=click.FloatRange(0, 100), default=10.0, help=both("Percent of traffic.", "流量百分比。"))
@click.option("--delete", "is_deleted", is_flag=True, help=both("Delete the canary.", "删除灰度版本。"))
@wait_option
@with_run
def canary(
    run: Run, name: str, what: dict[str, Any], replicas: int, share: float, is_deleted: bool, wait: bool
) -> None:
    if is_deleted:
        run.done(run.client.services.delete_canary(name), "cli_deleted", name=name)
        return
    require_one(what)
    made = run.client.services.canary(name, replicas=replicas, share=share, **what)
    _finish(run, made, wait=wait, begun="cli_service_changing")


@service.command("share", help=both("Change the canary's share.", "修改灰度流量。"))
@click.argument("name")
@click.argument("share", type=click.FloatRange(0, 100))
@with_run
def share(run: Run, name: str, share: float) -> None:
    run.done(run.client.services.share(name, share), "cli_changed", name=name)


@service.command("promote", help=both("Swap canary and production.", "将灰度版本升级为生产版本（互换）。"))
@click.argument("name")
@with_run
def promote(run: Run, name: str) -> None:
    run.done(run.client.services.promote(name), "cli_changed", name=name)


@service.command("scale", help=both("Change how many replicas there are.", "修改副本数。"))
@click.argument("name")
@click.argument("replicas", type=click.IntRange(0))
@role_option()
@wait_option
@with_run
def scale(run: Run, name: str, replicas: int, role: str, wait: bool) -> None:
    changed = run.client.services.scale(name, replicas, role=role)
    _finish(run, changed, wait=wait and replicas > 0, begun="cli_service_changing")


@service.command("restart", help=both("Replace every replica, one after the other.", "逐个重启所有副本。"))
@click.argument("name")
@role_option(None)
@wait_option
@with_run
def restart(run: Run, name: str, role: str | None, wait: bool) -> None:
    _finish(run, run.client.services.restart(name, role=role), wait=wait, begun="cli_service_changing")


@service.command("stop", help=both("End all replicas; keep the rest.", "停止所有副本，保留配置。"))
@click.argument("name")
@with_run
def stop(run: Run, name: str) -> None:
    run.done(run.client.services.stop(name), "cli_changed", name=name)


@service.command("start", help=both("Start a stopped service.", "启动已停止的服务。"))
@click.argument("name")
@wait_option
@with_run
def start(run: Run, name: str, wait: bool) -> None:
    _finish(run, run.client.services.start(name), wait=wait, begun="cli_service_begun")


@service.command("list", help=both("Services of the project.", "项目的服务。"))
@click.option("--state", metavar="STATE", help=both("Only those in this state.", "按状态筛选。"))
@list_options("name, created_at, updated_at")
@with_run
def list_services(run: Run, state: str | None, q: str | None, sort: str | None, options: Any) -> None:
    run.show_list(run.client.services.list(q=q, state=state, sort=sort), COLUMNS, options)


@service.command("show", help=both("One service.", "查看服务。"))
@click.argument("name")
@with_run
def show(run: Run, name: str) -> None:
    found = run.client.services.get(name)
    replicas = [one for track in (found.production, found.canary) if track for one in track.replicas]
    run.show(
        found,
        [
            *((heading.capitalize(), get(found)) for heading, get in COLUMNS),
            (both("Reason", "原因"), found.reason),
            (both("gRPC", "gRPC"), found.grpc.get("address")),
            (both("Callers", "调用方"), text(f"cli_service_access_{found.access}")),
            (both("Origins", "跨域来源"), found.cors),
            (both("Largest request", "请求大小上限"), Size(found.body_max_bytes)),
            (both("Time limit", "请求时限"), f"{found.timeout_s:g} s"),
            (both("Rate limit", "限速"), f"{found.rate_per_s:g}/s" if found.rate_per_s else None),
            (
                both("Secrets", "机密变量"),
                [name for track in (found.production, found.canary) if track for name in track.secret_names],
            ),
            (both("Replicas", "副本"), [f"{one.name} ({one.state})" for one in replicas]),
            (both("Description", "描述"), found.description),
        ],
    )


@service.command("events", help=both("What happened to it, newest first.", "事件列表。"))
@click.argument("name")
@list_options("", search=False)
@with_run
def events(run: Run, name: str, options: Any) -> None:
    run.show_list(run.client.services.events(name), EVENT_COLUMNS, options)


@service.command("logs", help=both("What a replica wrote.", "副本日志。"))
@click.argument("name")
@click.option("--replica", metavar="NAME", help=both("Which one; the newest unless said.", "副本名称；默认最新的。"))
@log_options
@with_run
def logs(run: Run, name: str, replica: str | None, wish: LogWish) -> None:
    found = run.client.services.find_replica(name, replica)
    if found is None:
        raise click.UsageError(text("cli_service_no_replica", name=name), click.get_current_context())
    show_log(run, found.workload_id, wish)


@service.command("metrics", help=both("Requests, latency, errors.", "请求数、延迟与错误。"))
@click.argument("name")
@click.option("--since", metavar="TIME", help=both("ISO 8601; an hour ago unless said.", "ISO 8601；默认一小时前。"))
@click.option("--step", "step_s", type=int, metavar="SECONDS", help=both("Seconds a point.", "每点秒数。"))
@click.option("--replicas", "by_replica", is_flag=True, help=both("Each replica, too.", "包含每个副本。"))
@with_run
def metrics(run: Run, name: str, since: str | None, step_s: int | None, by_replica: bool) -> None:
    found = run.client.services.metrics(name, since=since, step_s=step_s, replicas=by_replica)
    run.show(
        found,
        [
            (
                _whose(one) or name,
                text(
                    "cli_service_figures",
                    rate=f"{one['total']['requests_per_s']:.3g}",
                    p50=_ms(one["total"]["p50_ms"]),
                    p99=_ms(one["total"]["p99_ms"]),
                    errors=one["total"]["errors"],
                ),
            )
            for one in found["series"]
        ],
    )


@service.command("delete", help=both("Delete a service.", "删除服务。"))
@click.argument("name")
@yes_option
@with_run
def delete(run: Run, name: str, yes: bool) -> None:
    confirm(yes, "cli_confirm_delete", name=name)
    run.client.services.delete(name)
    run.done(None, "cli_deleted", name=name)


@service.command("predict", help=both("Ask the service.", "调用服务。"))
@click.argument("name")
@click.option(
    "--file", "file", type=click.Path(exists=True, dir_okay=False, path_type=Path), help=both("A file.", "文件。")
)
@click.option(
    "--json",
    "told",
    is_flag=False,
    flag_value="",
    default=None,
    metavar="JSON",
    help=both("JSON to send; without a value: print one JSON document.", "要发送的 JSON；不带值时输出一个 JSON 文档。"),
)
@click.option("--threshold", type=click.FloatRange(0, 1), help=both("The least certain.", "最低置信度。"))
def predict(
    name: str,
    file: Path | None,
    told: str | None,
    threshold: float | None,
    project: str | None,
    url: str | None,
    token: str | None,
) -> None:
    above = click.get_current_context().find_root().obj or {}
    if file is not None and told:
        raise click.UsageError(text("cli_service_one_input"), click.get_current_context())
    if file is None and not told:
        raise click.UsageError(text("cli_service_no_input"), click.get_current_context())
    try:
        body = json.loads(told) if told else None
    except ValueError as error:
        raise click.UsageError(text("cli_service_bad_json", reason=error), click.get_current_context()) from error
    run = Run(
        url or above.get("url"), token or above.get("token"), project or above.get("project"), as_json=told is not None
    )
    try:
        found = run.client.services.predict(name, file=file, json=body, threshold=threshold)
    finally:
        run.client.close()
    if run.as_json:
        print_json(found)
        return
    for one in found.get("labels") or found.get("annotations") or ():
        click.echo(f"{one.get('score', ''):<8.4}  {one.get('label', one.get('text', ''))}")
    if "outputs" in found:
        click.echo(json.dumps(found["outputs"], ensure_ascii=False))
    click.echo(text("cli_service_answered", version=found["version"], ms=f"{found['latency_ms']:.1f}"), err=True)


for _option in reversed(connection_options()):
    _option(predict)


def _finish(run: Run, made: Service, *, wait: bool, begun: str) -> None:
    finish(
        run,
        made,
        run.client.services.wait if wait else None,
        describe=lambda now: (f"{now.ready}/{now.wanted}", now.reason),
        begun=begun,
        done="cli_service_is_serving",
        name=made.name,
    )


def _state(state: str) -> str:
    return text(f"cli_service_{state}")


def _whose(series: dict[str, Any]) -> str:
    """Whose figures they are; nothing for the whole service's."""
    if series["number"] is None:
        return ""
    whose = series["replica"] or f"{series['role'] or ''} {series['package']}".strip()
    return f"{whose} (shadow)" if series["is_shadow"] else whose


def _ms(value: float | None) -> str:
    return "-" if value is None else f"{value:.3g} ms"
