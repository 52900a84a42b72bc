"""`tidemill dataset import`, `export`, `preprocess`, `clean` and what belongs to them."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tidemill.cli.dataset_sources import import_options, read_options, read_source
from tidemill.cli.output import Column, print_json
from tidemill.cli.progress import Display
from tidemill.cli.run import Run, list_options, with_run
from tidemill.cli.shell import Command
from tidemill.cli.waiting import wait_option
from tidemill.cli.words import both, text

if TYPE_CHECKING:
    from tidemill.sdk.data_views import Format, Work

WORK_COLUMNS: "list[Column[Work]]" = [
    (both("ID", "编号"), lambda w: w.id),
    (both("STATE", "状态"), lambda w: w.state),
    (both("FORMAT", "格式"), lambda w: w.format),
    (both("DONE", "已完成"), lambda w: w.done),
    (both("NOTES", "报告行数"), lambda w: w.notes),
    (both("BY", "创建者"), lambda w: w.created_by),
    (both("CREATED", "创建时间"), lambda w: w.created_at),
    (both("PROBLEM", "问题"), lambda w: (w.error or {}).get("message")),
]
FORMAT_COLUMNS: "list[Column[Format]]" = [
    (both("NAME", "名称"), lambda f: f.name),
    (both("IMPORT", "可导入"), lambda f: both("yes", "是") if f.reads else ""),
    (both("EXPORT", "可导出"), lambda f: both("yes", "是") if f.writes else ""),
    (both("WHAT IT IS", "说明"), lambda f: f"{f.title}: {f.description}"),
]


def add_to(group: click.Group) -> None:
    """The commands of this page."""
    for command in (import_, export, preprocess, clean, bring_back, works, report, formats, labels):
        group.add_command(command)


@click.command("import", cls=Command, help=both("Import into a draft.", "导入到草稿。"))
@click.argument("name", metavar="NAME[@VERSION]")
@click.argument("files", nargs=-1, type=click.Path(exists=True, path_type=Path))
@import_options
@click.option("--format", metavar="NAME", help=both("Recognised where not given.", "不填则自动识别。"))
@click.option(
    "--existing",
    type=click.Choice(["keep", "replace", "merge"]),
    default="keep",
    help=both("What becomes of items that are there.", "如何处理已有样本。"),
)
@click.option("--folder", metavar="PATH", help=both("Put items below this folder.", "放入此文件夹。"))
@click.option("--fps", type=float, help=both("Films: so many frames a second.", "视频：每秒取帧数。"))
@click.option(
    "--every", "every_s", type=float, help=both("Films: a frame in so many seconds.", "视频：每隔几秒取一帧。")
)
@click.option(
    "--scene", type=float, help=both("Films: a frame at each change (0 to 1).", "视频：按场景变化取帧（0–1）。")
)
@click.option(
    "--max-frames", type=click.IntRange(min=1), help=both("Films: at most so many frames.", "视频：最多帧数。")
)
@click.option("--dry-run", is_flag=True, help=both("Only say what would happen.", "仅预演，不写入。"))
@wait_option
@with_run
def import_(run: Run, name: str, files: tuple[Path, ...], wait: bool, **given: Any) -> None:
    video = {field: given.pop(field) for field in ("fps", "every_s", "scene", "max_frames")}
    source = read_source(given)
    wishes = {field: given[field] for field in ("format", "existing", "folder", "dry_run")}
    if "options" in given:
        wishes["options"] = given["options"]
    if any(video.values()):
        wishes["video"] = {field: value for field, value in video.items() if value}
    datasets = run.client.datasets
    if source is not None:
        work = datasets.import_from(name, source, **wishes)
    elif files:
        display = Display()
        try:
            work = datasets.import_files(name, files, watch=display.transfer, **wishes)
        finally:
            display.close()
    else:
        raise click.UsageError(text("cli_import_nothing"), click.get_current_context())
    if not wait:
        run.done(work, "cli_work_begun", name=name, id=work.id)
        return
    work = wait_for_work(run, work)
    counts = work.counts
    shown = {field: counts.get(field, 0) for field in ("added", "unchanged")}
    skipped = counts.get("skipped", 0) + counts.get("refused", 0)
    run.done(work, "cli_import_tried" if work.dry_run else "cli_import_done", name=name, skipped=skipped, **shown)
    _tell_notes(run, work)


@click.command("export", cls=Command, help=both("Export a version into a file.", "将版本导出为文件。"))
@click.argument("name", metavar="NAME[@VERSION]")
@click.argument("target", required=False, type=click.Path(path_type=Path))
@click.option("--format", default="coco", metavar="NAME", help=both("See `dataset formats`.", "见 `dataset formats`。"))
@click.option("--with-data", is_flag=True, help=both("With the files themselves.", "包含数据文件。"))
@click.option("--state", "states", multiple=True, help=both("Only items in this state.", "仅此状态的样本。"))
@click.option(
    "--test-ratio", type=click.FloatRange(0, 0.9), help=both("Training: share for tests.", "训练文件：测试占比。")
)
@click.option("--seed", type=int, help=both("Training: which split.", "训练文件：随机种子。"))
@click.option("--options", metavar="JSON", help=both("Options of the format.", "格式选项（JSON）。"))
@click.option("--fresh", is_flag=True, help=both("Make it anew.", "重新生成。"))
@with_run
def export(
    run: Run,
    name: str,
    target: Path | None,
    format: str,
    with_data: bool,
    states: tuple[str, ...],
    test_ratio: float | None,
    seed: int | None,
    options: str | None,
    fresh: bool,
) -> None:
    chosen = read_options(options) if options else {}
    chosen |= {field: value for field, value in (("test_ratio", test_ratio), ("seed", seed)) if value is not None}
    datasets = run.client.datasets
    work = datasets.export(name, format, with_data=with_data, states=states or None, options=chosen, fresh=fresh)
    work = wait_for_work(run, work)
    file = target or Path(work.file_name)
    if file.is_dir():
        file = file / work.file_name
    datasets.download(work, file)
    run.done(work, "cli_export_ready", name=name, file=file)
    _tell_notes(run, work)


@click.command("preprocess", cls=Command, help=both("Work on pictures, into a new draft.", "预处理图片，生成新草稿。"))
@click.argument("name", metavar="NAME[@VERSION]")
@click.option("--drop-blurred", type=click.FloatRange(0, 5000), help=both("Least sharpness.", "最低清晰度。"))
@click.option("--crop", metavar="X,Y,W,H", help=both("In pixels, or with % in shares.", "像素，或带 % 的比例。"))
@click.option("--rotate", type=click.Choice(["90", "180", "270"]), help=both("Clockwise.", "顺时针角度。"))
@click.option("--mirror", type=click.Choice(["horizontal", "vertical", "both"]), help=both("Mirror.", "镜像。"))
@click.option("--resize", metavar="WxH", help=both("One side may be left out.", "可省略一边。"))
@click.option("--note", default="", metavar="TEXT", help=both("Of the new version.", "新版本备注。"))
@wait_option
@with_run
def preprocess(run: Run, name: str, wait: bool, note: str, **given: Any) -> None:
    work = run.client.datasets.preprocess(name, _steps(given), note=note)
    if not wait:
        run.done(work, "cli_work_begun", name=name, id=work.id)
        return
    work = wait_for_work(run, work)
    run.done(work, "cli_preprocess_done", name=name, version=work.target_version)
    _tell_notes(run, work)


@click.command("clean", cls=Command, help=both("Find bad items, and set them aside.", "查找不良样本并移出。"))
@click.argument("name", metavar="NAME[@VERSION]")
@click.option(
    "--threshold", type=click.FloatRange(0, 5000), default=50.0, help=both("Least sharpness.", "最低清晰度。")
)
@click.option(
    "--distance",
    type=click.IntRange(0, 10),
    default=4,
    help=both("How alike (bits of 64).", "相似程度（64 位中的差异）。"),
)
@click.option(
    "--set-aside",
    "aside",
    multiple=True,
    type=click.Choice(["duplicates", "blurred", "broken"]),
    help=both("Set these aside; only told otherwise.", "移出这些样本；否则仅列出。"),
)
@with_run
def clean(run: Run, name: str, threshold: float, distance: int, aside: tuple[str, ...]) -> None:
    datasets = run.client.datasets
    work = wait_for_work(run, datasets.scan(name, threshold=threshold, distance=distance))
    counts = {field: work.counts.get(field, 0) for field in ("blurred", "broken", "duplicates")}
    if run.as_json:
        print_json({**work.raw, "found": [one.raw for one in datasets.found(work)]})
    else:
        for one in datasets.found(work):
            click.echo(f"{one.path}: {one.message}")
        click.echo(text("cli_scan_done", name=name, **counts))
    if aside:
        which: dict[str, Any] = {"near_duplicates" if one == "duplicates" else one: True for one in aside}
        changed = datasets.set_aside(work, **which)
        click.echo(text("cli_set_aside", count=changed), err=True)


@click.command("bring-back", cls=Command, help=both("Items that were set aside take part again.", "恢复已移出的样本。"))
@click.argument("name", metavar="NAME[@VERSION]")
@with_run
def bring_back(run: Run, name: str) -> None:
    count = run.client.datasets.bring_back(name)
    run.done({"changed": count}, "cli_brought_back", count=count)


@click.command("works", cls=Command, help=both("Imports and other work on a version.", "版本的导入等任务。"))
@click.argument("name", metavar="NAME[@VERSION]")
@click.option(
    "--kind",
    type=click.Choice(["import", "export", "preprocess", "scan", "auto"]),
    default="import",
    help=both("Which work (default import).", "任务类型（默认 import）。"),
)
@list_options("created_at", search=False)
@with_run
def works(run: Run, name: str, kind: str, sort: str | None, options: Any) -> None:
    del sort
    run.show_list(run.client.datasets.works(name, kind), WORK_COLUMNS, options)


@click.command("report", cls=Command, help=both("The report of an import, into a file.", "将导入报告保存为文件。"))
@click.argument("name", metavar="NAME[@VERSION]")
@click.argument("work_id", metavar="ID")
@click.argument("target", type=click.Path(path_type=Path, dir_okay=False))
@with_run
def report(run: Run, name: str, work_id: str, target: Path) -> None:
    datasets = run.client.datasets
    work = datasets.work(name, "import", work_id)
    datasets.save_report(work, target, format="jsonl" if target.suffix == ".jsonl" else "csv")
    run.done(work, "cli_saved", file=target)


@click.command("formats", cls=Command, help=both("Formats, or a sample of one.", "格式列表，或下载示例。"))
@click.argument("name", required=False)
@click.argument("target", required=False, type=click.Path(path_type=Path))
@with_run
def formats(run: Run, name: str | None, target: Path | None) -> None:
    datasets = run.client.datasets
    if name is None:
        run.show_rows(datasets.formats(), FORMAT_COLUMNS)
        return
    file = datasets.sample(name, target or Path(f"tidemill-sample-{name}.zip"))
    run.done({"file": str(file)}, "cli_saved", file=file)


@click.command("labels", cls=Command, help=both("Save the labels of a version.", "保存版本的标签列表。"))
@click.argument("name", metavar="NAME[@VERSION]")
@click.argument("target", type=click.Path(path_type=Path, dir_okay=False))
@with_run
def labels(run: Run, name: str, target: Path) -> None:
    format = target.suffix.lstrip(".") if target.suffix in {".csv", ".txt"} else "json"
    run.client.datasets.label_list(name, target, format=format)
    run.done({"file": str(target)}, "cli_saved", file=target)


def wait_for_work(run: Run, work: "Work") -> "Work":
    """The work when it is done, shown while it goes on."""
    from tidemill.sdk.resources.datasets import WorkFailed

    display = Display()
    try:
        return run.client.datasets.wait(
            work, watch=lambda now: display.say(now.state, now.dataset, now.stage, _share(now))
        )
    except WorkFailed as failure:
        if run.as_json:
            print_json(failure.work.raw)
        raise
    finally:
        display.close()


def _share(work: "Work") -> str | None:
    return None if work.progress is None else f"{work.progress:.0f} %"


def _tell_notes(run: Run, work: "Work") -> None:
    """The first lines of the report, where somebody reads them."""
    if run.as_json or not work.notes:
        return
    for place, line in enumerate(run.client.datasets.report(work)):
        if place >= 20:
            click.echo(text("cli_more", shown=place, total=work.notes), err=True)
            return
        click.echo(f"  {line.path or '-'}: {line.message}", err=True)


def _steps(given: dict[str, Any]) -> dict[str, Any]:
    steps: dict[str, Any] = {}
    if given["drop_blurred"] is not None:
        steps["drop_blurred"] = {"threshold": given["drop_blurred"]}
    if given["crop"]:
        steps["crop"] = _window(given["crop"])
    if given["rotate"]:
        steps["rotate"] = {"degrees": int(given["rotate"])}
    if given["mirror"]:
        axes = ("horizontal", "vertical")
        steps["mirror"] = {axis: given["mirror"] in (axis, "both") for axis in axes}
    if given["resize"]:
        steps["resize"] = _size(given["resize"])
    return steps


def _window(told: str) -> dict[str, Any]:
    parts = told.split(",")
    is_share = all(part.strip().endswith("%") for part in parts)
    try:
        x, y, w, h = (float(part.strip().rstrip("%")) / (100 if is_share else 1) for part in parts)
    except ValueError:
        raise click.BadParameter(text("cli_crop_invalid", given=told), param_hint="--crop") from None
    return {"x": x, "y": y, "w": w, "h": h, "unit": "share" if is_share else "pixels"}


def _size(told: str) -> dict[str, int]:
    width, times, height = told.lower().partition("x")
    sides = {"width": width.strip(), "height": height.strip()}
    if not times or not any(sides.values()) or not all(side.isdecimal() for side in sides.values() if side):
        raise click.BadParameter(text("cli_size_pair_invalid", given=told), param_hint="--resize")
    return {name: int(side) for name, side in sides.items() if side}
