"""`python -m tidemill.runtime evaluate|predict|serve|convert`: what can be done with a model. Talks in JSON lines."""

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from tidemill.kernel.errors import TidemillError
from tidemill.runtime import converting, evaluating, predicting
from tidemill.runtime.loading import load
from tidemill.runtime.model import Model, Unfit
from tidemill.runtime.server.command import add_options as add_serve_options
from tidemill.runtime.server.command import read_options
from tidemill.sdk import tracking
from tidemill.sdk.data import Dataset, open_folder


def main(arguments: list[str] | None = None) -> int:
    options = _options(arguments)
    try:
        done: int = options.action(options)
        return done
    except (Unfit, TidemillError, OSError) as error:
        _say({"error": str(error)})
        return 1


def _evaluate(options: argparse.Namespace) -> int:
    model = load(options.model)
    items, part = choose_part(model.labelled(open_folder(options.dataset)), model, options.part)
    if not len(items):
        raise Unfit(f"{options.dataset} has no labelled items to evaluate with")
    judgement = evaluating.evaluate(
        model,
        items,
        options.out,
        part=part,
        name=options.name or options.model.name,
        threshold=options.threshold,
        watch=_watch,
    )
    _say({"metrics": judgement.metrics, "primary": judgement.primary, "items": judgement.items})
    return 0


def _predict(options: argparse.Namespace) -> int:
    model = load(options.model)
    items = open_folder(options.dataset)
    if options.states:
        wanted = frozenset(options.states.split(","))
        items = items.filter(lambda item: item.state in wanted)
    predicting.predict(model, items, options.out, threshold=options.threshold, watch=_watch)
    return 0


def _serve(options: argparse.Namespace) -> int:
    from tidemill.runtime.server.running import run

    return run(read_options(options), _say)


def _convert(options: argparse.Namespace) -> int:
    made = converting.to_int8(options.model, options.out)
    _say({"out": str(made), "size_bytes": sum(file.stat().st_size for file in made.glob("*.onnx"))})
    return 0


def choose_part(items: Dataset, model: Model, part: str) -> tuple[Dataset, str]:
    """The items a training with the model's seed and share had kept apart, or all."""
    if part == "all":
        return items, part
    told: dict[str, Any] = (model.facts.more.get("made_with") or {}).get("parameters") or {}
    _, test = items.split(float(told.get("test_share", 0.2)), int(told.get("seed", 0)))
    return (test, "test") if len(test) else (items, "all")


def _watch(done: int, total: int) -> None:
    _say({"done": done, "total": total})


def _say(what: dict[str, Any]) -> None:
    print(json.dumps(what, ensure_ascii=False), flush=True)  # noqa: T201 — this is what the command is for


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tidemill.runtime", description=__doc__)
    actions = parser.add_subparsers(required=True)
    run = tracking.run()
    # In a run the folders are known: the only model and the only dataset it was given.
    model, dataset = _only(run.workspace / "model"), _only(run.workspace / "dataset")

    def add(name: str, action: Any, out: Path | None = None) -> argparse.ArgumentParser:
        one = actions.add_parser(name)
        one.set_defaults(action=action)
        one.add_argument("--model", type=Path, default=model, required=model is None)
        if out is not None:
            one.add_argument("--out", type=Path, default=out)
        return one

    evaluate = add("evaluate", _evaluate, run.output / "evaluation")
    evaluate.add_argument("--part", choices=["test", "all"], default=run.parameters.get("part", "test"))
    evaluate.add_argument("--name", help="what the model is called in the evaluation")
    predict = add("predict", _predict, run.output / "predictions.jsonl")
    predict.add_argument("--states", help="only items in these states, separated by commas")
    for one in (evaluate, predict):
        one.add_argument("--dataset", type=Path, default=dataset, required=dataset is None)
        one.add_argument("--threshold", type=float, default=run.parameters.get("threshold", 0.5))
    serve = actions.add_parser("serve")
    serve.set_defaults(action=_serve)
    add_serve_options(serve, run.workspace / "model")
    convert = add("convert", _convert, run.output)
    convert.add_argument("--to", choices=["int8"], default="int8")
    return parser.parse_args(arguments)


def _only(folder: Path) -> Path | None:
    found = [one for one in folder.iterdir() if one.is_dir()] if folder.is_dir() else []
    return found[0] if len(found) == 1 else None


if __name__ == "__main__":
    sys.exit(main())
