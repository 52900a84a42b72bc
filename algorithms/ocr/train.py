"""Trains a reader of text lines (CTC): from scratch, or from an earlier model whose letters are kept."""

import json
import logging
import shutil
from pathlib import Path
from typing import Any

import finder
import torch
from lines import Lines, MovedLines, collate
from network import STRIDE, Chances, Reader, ReaderAndFinder, keep_letters
from torch import nn

from tidemill import learn
from tidemill.evaluation import Pair, reading
from tidemill.learn.vision.pictures import repeats
from tidemill.learn.vision.segmenter import Segmenter
from tidemill.runtime import load
from tidemill.runtime.adapters.ppocr import find_file
from tidemill.runtime.find_text import PADDLE
from tidemill.runtime.read_text import DETECTOR, read_lines

log = logging.getLogger("tidemill.learn")
LONGEST = 40
"""The longest line, in heights of a line."""
VALIDATED, FOUND = 1000, 100


def main() -> None:
    training = learn.begin(Path(__file__))
    train(training)
    training.world.leave()


def train(training: learn.Training) -> None:
    parameters, plan = training.parameters, training.plan
    height = max(16, round(parameters.image_size / 16) * 16)
    most = LONGEST * height
    lines = Lines(training.train, height, most, ignore_case=parameters.ignore_case)
    if not len(lines):
        raise learn.Unlearnable(f"{training.dataset.name}: no box or polygon has a text; write down what they say")
    letters = sorted({letter for text in lines.texts for letter in text})
    spec: dict[str, Any] = {
        "kind": "line", "height": height, "most": most, "stride": STRIDE, "letters": letters,
        "ignore_case": parameters.ignore_case,
    }  # fmt: skip
    given = given_detector(training.start)
    learns_to_find = given is None and parameters.find_lines
    side = finder.long_side(training.train)
    spec["finder"] = finder.how(side) if learns_to_find else kept_finder(training.start)
    module = build(len(letters), height, parameters.model_size, learns_to_find=learns_to_find)
    if training.start is not None:
        start_from(module, training.start, letters)
    pieces = finder.Pieces(training.train, side, parameters.augmentation) if learns_to_find else None
    held_out = Lines(training.validation, height, most, ignore_case=parameters.ignore_case)
    shown = MovedLines(lines, letters, spec, parameters.augmentation, pieces, repeats(len(lines), plan.batch_size))
    batches = learn.batches(shown, plan.batch_size, training.world, seed=plan.seed, collate=collate)
    learn.fit(ReadingTask(module, held_out, spec), plan, batches, training)
    if training.world.is_first:
        leave(training, module, spec, given)


def build(letters: int, height: int, model: str, *, learns_to_find: bool) -> ReaderAndFinder:
    found = Segmenter(1, model="tiny", width=32) if learns_to_find else None
    return ReaderAndFinder(Reader(letters, height, model=model), found)


class ReadingTask:
    """Connectionist temporal classification; validated by the letters that are read right."""

    primary = "letters_right"

    def __init__(self, module: ReaderAndFinder, held_out: Lines, spec: dict[str, Any]) -> None:
        self.module, self._held_out, self._spec = module, held_out, spec

    def loss(self, module: nn.Module, batch: dict[str, torch.Tensor]) -> torch.Tensor:
        def find(own: nn.Module) -> torch.Tensor:
            return finder.finder_loss(own, batch["pieces"], batch["middles"])

        numbers, missed = module(batch["lines"], find if "pieces" in batch else None)
        chances = numbers.float().log_softmax(-1).transpose(0, 1)
        columns = torch.div(batch["widths"] + STRIDE - 1, STRIDE, rounding_mode="floor").clamp(max=len(chances))
        loss = nn.functional.ctc_loss(chances, batch["letters"], columns, batch["counts"], zero_infinity=True)
        return loss if missed is None else loss + missed

    def validate(self, module: nn.Module) -> dict[str, float]:
        device = next(module.parameters()).device

        def run(batch: Any) -> Any:
            return module(torch.from_numpy(batch).to(device))[0].float().softmax(-1).cpu().numpy()

        count = min(VALIDATED, len(self._held_out))
        read = read_lines([self._held_out.get(place) for place in range(count)], self._spec, run)
        texts = [(self._held_out.texts[place], text) for place, (text, _) in enumerate(read)]
        rates = reading.rates(texts)
        return {"letters_right": 1 - rates["cer"], "cer": rates["cer"], "accuracy": rates["accuracy"]}


def start_from(module: ReaderAndFinder, start: Path, letters: list[str]) -> None:
    """What fits of an earlier model of this algorithm. Of other models only the detector is of use."""
    from safetensors.torch import load_file

    if not (start / "weights.safetensors").is_file():
        return
    learn.load_matching(module, start)
    about = json.loads((start / "model.json").read_bytes())
    weights = load_file(start / "weights.safetensors")
    known = keep_letters(module.reader, weights, about["input"]["letters"], letters)
    log.info("%d of %d letters are known already", known, len(letters))


def given_detector(start: Path | None) -> Path | None:
    """The detector of a catalogue model to start from; those trained here learn further instead."""
    if start is None or (start / "weights.safetensors").is_file():
        return None
    return find_file(start, "det")


def kept_finder(start: Path | None) -> dict[str, Any]:
    """How the detector that goes along is used."""
    about = start / "model.json" if start is not None else None
    told = json.loads(about.read_bytes()).get("input") or {} if about is not None and about.is_file() else {}
    return dict(told.get("finder") or PADDLE)


def leave(training: learn.Training, module: ReaderAndFinder, spec: dict[str, Any], detector: Path | None) -> None:
    """The model's files, and how good it is."""
    labels = [{"name": label.name} for label in training.dataset.labels] or [{"name": "text"}]
    about = {"task": training.task, "labels": labels, "input": spec}
    learn.export_onnx(
        Chances(module.reader),
        (torch.zeros(1, 1, spec["height"], 160),),
        training.out / "model.onnx",
        inputs=["lines"],
        outputs=["chances"],
        about=about,
        dynamic={"lines": {3: "width"}, "chances": {1: "columns"}},
    )
    learn.save_weights(module, training.out / "weights.safetensors")
    if detector is not None:
        shutil.copyfile(detector, training.out / DETECTOR)
    elif module.finder is not None:
        export_finder(module.finder, training.out / DETECTOR)
    training.finish(labels=labels, input=spec)
    log.info("without marks: %s", found_by_itself(training))


def export_finder(own: nn.Module, file: Path) -> None:
    wide = {2: "height", 3: "width"}
    learn.export_onnx(
        finder.Chances(own),
        (torch.zeros(1, 3, 320, 320),),
        file,
        inputs=["pictures"],
        outputs=["chances"],
        about={"task": "text-regions"},
        dynamic={"pictures": wide, "chances": wide},
    )


def found_by_itself(training: learn.Training) -> dict[str, float]:
    """How well pictures are read of which nobody says where the lines are."""
    model = load(training.out)
    pairs = []
    for item in training.test.take(FOUND, seed=0):
        (said,) = model.predict([item.file])
        pairs.append(Pair(item.seq, item.path, item.annotations, said.annotations, item.width, item.height))
    found = reading.judge(pairs, [], threshold=0.0).metrics
    return {name: round(found[name], 4) for name in ("cer", "region_precision", "region_recall", "region_f1")}


if __name__ == "__main__":
    main()
