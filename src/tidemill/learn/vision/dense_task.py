"""What a dense detector learns and how it is validated: as the runtime will use it."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from tidemill.evaluation import Judgement, Pair, report
from tidemill.evaluation.average_precision import Compared, summarise
from tidemill.learn.vision.dense import DenseDetector, Exported
from tidemill.learn.vision.dense_loss import dense_loss
from tidemill.learn.vision.objects import Batch, normalised, objects_of
from tidemill.runtime import pictures
from tidemill.runtime.model import FILE, Prediction
from tidemill.sdk.data import Dataset, Item

VALIDATED = 400
"""No more than so many items are looked at after each epoch; in the end it is all of them."""
AT_ONCE = 16

Decode = Callable[[Any, Any], Prediction]
"""The runtime's own reading of one picture's rows."""
Compare = Callable[[Sequence[Pair]], Mapping[str, Sequence[Compared]]]


class DenseTask:
    """Boxes, or boxes with keypoints."""

    def __init__(
        self,
        module: DenseDetector,
        held_out: Dataset,
        spec: Mapping[str, Any],
        decode: Decode,
        compare: Compare,
        *,
        primary: str = "map_50",
        label_weights: Tensor | None = None,
        sigmas: Tensor | None = None,
    ) -> None:
        self.module, self.primary = module, primary
        self._held_out, self._spec = held_out.take(VALIDATED, seed=0), spec
        self._decode, self._compare = decode, compare
        self._weights, self._sigmas = label_weights, sigmas
        self._seen: list[tuple[Item, Any, np.ndarray]] = []

    def loss(self, module: nn.Module, batch: Batch) -> Tensor:
        shown = normalised(batch[0]).contiguous(memory_format=torch.channels_last)
        found = module(shown)
        weights = None if self._weights is None else self._weights.to(shown.device)
        sigmas = None if self._sigmas is None else self._sigmas.to(shown.device)
        with torch.autocast(shown.device.type, enabled=False):
            return dense_loss(found, objects_of(batch), label_weights=weights, sigmas=sigmas)

    def validate(self, module: nn.Module) -> dict[str, float]:
        assert isinstance(module, DenseDetector)
        network, pairs = Exported(module), []
        device = next(module.parameters()).device
        for group in self._groups():
            shown = torch.from_numpy(np.stack([pixels for _, _, pixels in group])).to(device)
            rows = network(normalised(shown)).float().cpu().numpy()
            for (item, picture, _), own in zip(group, rows, strict=True):
                found = self._decode(own, picture).annotations
                pairs.append(Pair(item.seq, item.path, item.annotations, found, item.width, item.height))
        table = summarise(self._compare(pairs), areas=("all",))
        return {name: table[name] or 0.0 for name in ("map_50", "map")}

    def _groups(self) -> Iterator[list[tuple[Item, Any, np.ndarray]]]:
        """Pictures fitted as the runtime fits them; they are few, so that they are kept."""
        if not self._seen:
            for item in self._held_out:
                picture = pictures.read(item)
                pixels = np.asarray(pictures.fitted(picture, self._spec)).transpose(2, 0, 1)
                self._seen.append((item, _Size(*picture.size), np.ascontiguousarray(pixels)))
        left = iter(self._seen)
        while group := list(islice(left, AT_ONCE)):
            yield group


def keep_threshold(out: Path, judgement: Judgement) -> float:
    """Notes in `model.json` from where on what is found is rather right than wrong: where F1 is best."""
    best = max(judgement.thresholds, key=lambda row: row["f1"])
    threshold = min(0.9, max(0.1, best["threshold"]))
    about = json.loads((out / FILE).read_bytes())
    about["input"]["threshold"] = threshold
    report.write_json(out / FILE, about)
    return threshold


class _Size:
    """What reading a network's rows needs to know of a picture."""

    def __init__(self, width: int, height: int) -> None:
        self.width, self.height = width, height
