"""`tidemill service`"""

import json
from pathlib import Path
from typing import Any

import click

from tidemill.cli.output import Column, print_json
from tidemill.cli.run import Run, confirm, connection_options, list_options, with_run, yes_option
from tidemill.cli.running import LogWish, log_options, show_log
from tidemill.cli.shell import Group
from tidemill.cli.waiting import finish, wait_option
from tidemill.cli.words import both, text
from tidemill.sdk.service_views import Service, ServiceEvent, ServiceKey

ROLES = click.Choice(["production", "canary"])

COLUMNS: list[Column[Service]] = [
    (both("NAME", "名称"), lambda s: s.name),
    (both("STATE", "状态"), lambda s: _state(s.state)),
    (both("READY", "就绪"), lambda s: f"{s.ready}/{s.wanted}"),
    (both("PRODUCTION", "生产版本"), lambda s: s.production.package if s.production else None),
    (both("CANARY", "灰度版本"), lambda s: f"{s.canary.package} {s.canary.share:g}%" if s.canary else None),
    (both("ALERTS", "告警"), lambda s: s.open_alerts),
    (both("ADDRESS", "地址"), lambda s: s.url),
    (both("CREATED", "创建时间"), lambda s: s.created_at),
]
KEY_COLUMNS: list[Column[ServiceKey]] = [
    (both("NAME", "名称"), lambda k: k.name),
    (both("BEGINS", "开头"), lambda k: k.prefix),
    (both("RATE", "限速"), lambda k: k.rate_per_s),
    (both("CREATED", "创建时间"), lambda k: k.created_at),
    (both("BY", "创建者"), lambda k: k.created_by),
]
EVENT_COLUMNS: list[Column[ServiceEvent]] = [
    (both("AT", "时间"), lambda e: e.at),
    (both("WHAT", "事件"), lambda e: e.message),
    (both("BY", "操作者"), lambda e: e.by),
]


def what_options(function: Any) -> Any:
    """What is to run, in what, how many times."""
    for option in reversed(
        (
            click.option("--model", metavar="MODEL[@V]", help=both("A model version.", "模型版本。")),
            click.option("--package", metavar="PACKAGE[@V]", help=both("A package version.", "模型包版本。")),
            click.option(
                "--run", "source_run", metavar="RUN", help=both("A finished run's model.", "已完成运行的模型。")
            ),
            click.option("--spec", metavar="SPEC", help=both("Size of each replica.", "每个副本的规格。")),
            click.option(
                "--env",
                "variables",
                multiple=True,
                metavar="NAME=VALUE",
                help=both("May be repeated.", "环境变量，可重复。"),
            ),
        )
    ):
        function = option(function)
    return function


@click.group(cls=Group, help=both("Online services.", "在线服务。"))
def service() -> None:
    """Gathers the commands below."""


@service.command("deploy", help=both("Deploy a model or a package.", "部署模型或模型包。"))
@click.argument("name")
@what_options
@click.option("--replicas", type=click.IntRange(0), default=1, help=both("How many.", "副本数。"))
@click.option("--description", default="", metavar="TEXT", help=both("Description.", "描述。"))
@click.option("--open", "is_open", is_flag=True, help=both("Nobody needs a key.", "无需密钥即可调用。"))
@wait_option
@with_run
def deploy(
    run: Run,
    name: str,
    model: str | None,
    package: str | None,
    source_run: str | None,
    spec: str | None,
    variables: tuple[str, ...],
    replicas: int,
    description: str,
    is_open: bool,
    wait: bool,
) -> None:
    _check_one(model, package, source_run)
    made = run.client.services.deploy(
        name,
        model=model,
        package=package,
        run=source_run,
        spec=spec,
        replicas=replicas,
        environment=_variables(variables),
        description=description,
        access="open" if is_open else "key",
    )
    _finish(run, made, wait=wait, begun="cli_service_begun")


@service.command("update", help=both("Roll out another model or package.", "滚动更新到另一个模型或模型包。"))
@click.argument("name")
@what_options
@click.option("--role", type=ROLES, default="production", help=both("Which track.", "更新哪个版本。"))
@wait_option
@with_run
def update(
    run: Run,
    name: str,
    model: str | None,
    package: str | None,
    source_run: str | None,
    spec: str | None,
    variables: tuple[str, ...],
    role: str,
    wait: bool,
) -> None:
    given: dict[str, Any] = {"model": model, "package": package, "run": source_run, "spec": spec}
    given["environment"] = _variables(variables) or None
    fields = {field: value for field, value in given.items() if value is not None}
    _finish(run, run.client.services.update_track(name, role, **fields), wait=wait, begun="cli_service_changing")


@service.command("canary", help=both("Try something with a part of the traffic.", "用部分流量灰度试运行。"))
@click.argument("name")
@what_options
@click.option("--replicas", type=click.IntRange(0), default=1, help=both("How many.", "副本数。"))
@click.option("--share", type=click.FloatRange(0, 100), default=10.0, help=both("Percent of traffic.", "流量百分比。"))
@click.option("--delete", "is_deleted", is_flag=True, help=both("Delete the canary.", "删除灰度版本。"))
@wait_option
@with_run
def canary(
    run: Run,
    name: str,
    model: str | None,
    package: str | None,
    source_run: str | None,
    spec: str | None,
    variables: tuple[str, ...],
    replicas: int,
    share: float,
    is_deleted: bool,
    wait: bool,
) -> None:
    if is_deleted:
        run.done(run.client.services.delete_canary(name), "cli_deleted", name=name)
        return
    _check_one(model, package, source_run)
    made = run.client.services.canary(
        name,
        model=model,
        package=package,
        run=source_run,
        spec=spec,
        replicas=replicas,
        share=share,
        environment=_variables(variables),
    )
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
@click.option("--role", type=ROLES, default="production", help=both("Which track.", "哪个版本。"))
@wait_option
@with_run
def scale(run: Run, name: str, replicas: int, role: str, wait: bool) -> None:
    changed = run.client.services.scale(name, replicas, role=role)
    _finish(run, changed, wait=wait and replicas > 0, begun="cli_service_changing")


@service.command("restart", help=both("Replace every replica, one after the other.", "逐个重启所有副本。"))
@click.argument("name")
@click.option("--role", type=ROLES, help=both("Only this track.", "只重启此版本。"))
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
                one["replica"] or (f"{one['role'] or ''} {one['package']}".strip() if one["number"] else name),
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


@service.group("keys", cls=Group, help=both("Keys that open a service.", "服务密钥。"))
def keys() -> None:
    """Gathers the commands below."""


@keys.command("list", help=both("Keys of a service.", "服务的密钥。"))
@click.argument("name")
@list_options("", search=False)
@with_run
def list_keys(run: Run, name: str, options: Any) -> None:
    run.show_list(run.client.services.keys(name), KEY_COLUMNS, options)


@keys.command("create", help=both("Make a key; it is shown this once.", "创建密钥（仅显示一次）。"))
@click.argument("name")
@click.argument("key")
@click.option("--rate", type=float, metavar="N", help=both("Requests a second at most.", "每秒请求上限。"))
@with_run
def create_key(run: Run, name: str, key: str, rate: float | None) -> None:
    made = run.client.services.create_key(name, key, rate_per_s=rate)
    run.done(made, "cli_service_key", key=made.key)


@keys.command("delete", help=both("Delete a key.", "删除密钥。"))
@click.argument("name")
@click.argument("key")
@yes_option
@with_run
def delete_key(run: Run, name: str, key: str, yes: bool) -> None:
    confirm(yes, "cli_confirm_delete", name=key)
    run.client.services.delete_key(name, key)
    run.done(None, "cli_deleted", name=key)


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


def _check_one(*given: str | None) -> None:
    if sum(one is not None for one in given) != 1:
        raise click.UsageError(text("cli_service_one_of"), click.get_current_context())


def _variables(given: tuple[str, ...]) -> dict[str, str]:
    found = {}
    for one in given:
        name, equals, value = one.partition("=")
        if not equals:
            raise click.UsageError(text("cli_package_variable", given=one), click.get_current_context())
        found[name] = value
    return found


def _state(state: str) -> str:
    return text(f"cli_service_{state}")


def _ms(value: float | None) -> str:
    return "-" if value is None else f"{value:.3g} ms"
