"""Trains a reader of text lines (CTC): from scratch, or from an earlier model whose letters are kept."""

import json
import logging
import shutil
from pathlib import Path
from typing import Any

import torch
from lines import Lines, MovedLines, collate
from network import STRIDE, Chances, Reader, keep_letters
from torch import nn

from tidemill import learn
from tidemill.evaluation import reading
from tidemill.learn.vision.pictures import repeats
from tidemill.runtime.adapters.ppocr import find_file
from tidemill.runtime.read_text import DETECTOR, read_lines

log = logging.getLogger("tidemill.learn")
LONGEST = 40
"""The longest line, in heights of a line."""
VALIDATED = 1000


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
    spec = {"kind": "line", "height": height, "most": most, "stride": STRIDE, "letters": letters}
    spec["ignore_case"] = parameters.ignore_case
    module = Reader(len(letters), height, model=parameters.model_size)
    if training.start is not None:
        start_from(module, training.start, letters)
    held_out = Lines(training.test, height, most, ignore_case=parameters.ignore_case)
    repeat = repeats(len(lines), plan.batch_size)
    shown = MovedLines(lines, letters, height, most, parameters.augmentation, repeat)
    batches = learn.batches(shown, plan.batch_size, training.world, seed=plan.seed, collate=collate)
    learn.fit(ReadingTask(module, held_out, spec), plan, batches, training)
    if training.world.is_first:
        leave(training, module, spec)


class ReadingTask:
    """Connectionist temporal classification; validated by the letters that are read right."""

    primary = "letters_right"

    def __init__(self, module: Reader, held_out: Lines, spec: dict[str, Any]) -> None:
        self.module, self._held_out, self._spec = module, held_out, spec

    def loss(self, module: nn.Module, batch: tuple[torch.Tensor, ...]) -> torch.Tensor:
        lines, widths, letters, counts = batch
        chances = module(lines).float().log_softmax(-1).transpose(0, 1)
        columns = torch.div(widths + STRIDE - 1, STRIDE, rounding_mode="floor").clamp(max=len(chances))
        return nn.functional.ctc_loss(chances, letters, columns, counts, zero_infinity=True)

    def validate(self, module: nn.Module) -> dict[str, float]:
        device = next(module.parameters()).device

        def run(batch: Any) -> Any:
            return module(torch.from_numpy(batch).to(device)).float().softmax(-1).cpu().numpy()

        count = min(VALIDATED, len(self._held_out))
        read = read_lines([self._held_out.get(place) for place in range(count)], self._spec, run)
        texts = [(self._held_out.texts[place], text) for place, (text, _) in enumerate(read)]
        rates = reading.rates(texts)
        return {"letters_right": 1 - rates["cer"], "cer": rates["cer"], "accuracy": rates["accuracy"]}


def start_from(module: Reader, start: Path, letters: list[str]) -> None:
    """What fits of an earlier model of this algorithm. Of other models only the detector is of use."""
    from safetensors.torch import load_file

    if not (start / "weights.safetensors").is_file():
        return
    learn.load_matching(module, start)
    about = json.loads((start / "model.json").read_bytes())
    known = keep_letters(module, load_file(start / "weights.safetensors"), about["input"]["letters"], letters)
    log.info("%d of %d letters are known already", known, len(letters))


def leave(training: learn.Training, module: Reader, spec: dict[str, Any]) -> None:
    """The model's files, and how good it is."""
    labels = [{"name": label.name} for label in training.dataset.labels] or [{"name": "text"}]
    about = {"task": training.task, "labels": labels, "input": spec}
    learn.export_onnx(
        Chances(module),
        (torch.zeros(1, 1, spec["height"], 160),),
        training.out / "model.onnx",
        inputs=["lines"],
        outputs=["chances"],
        about=about,
        dynamic={"lines": {3: "width"}, "chances": {1: "columns"}},
    )
    learn.save_weights(module, training.out / "weights.safetensors")
    keep_detector(training.start, training.out)
    training.finish(labels=labels, input=spec)


def keep_detector(start: Path | None, out: Path) -> None:
    """The detector of the model that was started from goes along: it finds the lines in pictures without marks."""
    if start is None:
        return
    given = start / DETECTOR if (start / DETECTOR).is_file() else find_file(start, "det")
    if given is not None:
        shutil.copyfile(given, out / DETECTOR)


if __name__ == "__main__":
    main()
