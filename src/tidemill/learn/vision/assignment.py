"""Which cells answer for which object while training: those that already answer best (task-aligned learning).

Of the cells whose middle is in an object, or next to its middle, those with the best product of score and overlap take
it on. What a cell should say is then as sure as it is right.
"""

from dataclasses import dataclass

import torch
from torch import Tensor

TAKE = 10
SCORE_POWER, OVERLAP_POWER = 0.5, 4.0
NEAR = 1.0
"""Cells within so many strides of the middle may answer even for things smaller than themselves."""
_TINY, _NO_AREA = 1e-12, 1e-7


@dataclass
class Assigned:
    """For every cell: whether it answers, for which object of its picture, and how sure of each label it should be."""

    answers: Tensor
    objects: Tensor
    weights: Tensor
    """How much its answer counts: 1 for the best of an object's cells, however far off all of them still are."""
    targets: Tensor


@torch.no_grad()
def assign(
    scores: Tensor, boxes: Tensor, centres: Tensor, strides: Tensor, labels: Tensor, truths: Tensor, there: Tensor
) -> Assigned:
    """`scores` are probabilities. Objects are padded to the fullest picture; `there` says which are real."""
    inside = _inside(centres, strides, truths) & there[..., None]
    overlaps = overlap(truths[:, :, None], boxes[:, None]) * inside
    wanted = scores.transpose(1, 2).gather(1, labels[..., None].expand(-1, -1, scores.shape[1]))
    fitness = wanted.pow(SCORE_POWER) * overlaps.pow(OVERLAP_POWER) * inside
    chosen = _best(fitness, inside)
    chosen = _undisputed(chosen, overlaps)
    answers = chosen.any(1)
    objects = chosen.float().argmax(1)
    fitness = fitness * chosen
    # The best of an object's cells should be as sure as its overlap, the others less.
    shares = fitness / fitness.amax(-1, keepdim=True).clamp(min=_TINY)
    most = overlaps.mul(chosen).amax(-1, keepdim=True)
    named = labels.gather(1, objects)
    targets = torch.zeros_like(scores)
    targets.scatter_(2, named[..., None], ((shares * most).amax(1) * answers)[..., None])
    return Assigned(answers, objects, shares.amax(1) * answers, targets)


def overlap(a: Tensor, b: Tensor) -> Tensor:
    """Intersection over union of boxes left, top, right, bottom; shapes broadcast."""
    common = _common(a, b)
    return common / (area(a) + area(b) - common + _NO_AREA)


def generous_overlap(a: Tensor, b: Tensor) -> Tensor:
    """GIoU: also tells apart boxes that have nothing in common, by what lies between them."""
    common = _common(a, b)
    union = area(a) + area(b) - common + _NO_AREA
    around = torch.maximum(a[..., 2:], b[..., 2:]) - torch.minimum(a[..., :2], b[..., :2])
    hull = around.clamp(min=0).prod(-1) + _NO_AREA
    return common / union - (hull - union) / hull


def area(boxes: Tensor) -> Tensor:
    return (boxes[..., 2:] - boxes[..., :2]).clamp(min=0).prod(-1)


def _common(a: Tensor, b: Tensor) -> Tensor:
    sides = torch.minimum(a[..., 2:], b[..., 2:]) - torch.maximum(a[..., :2], b[..., :2])
    return sides.clamp(min=0).prod(-1)


def _inside(centres: Tensor, strides: Tensor, truths: Tensor) -> Tensor:
    """Batch, object, cell."""
    to_sides = torch.cat(
        [centres[None, None] - truths[:, :, None, :2], truths[:, :, None, 2:] - centres[None, None]], -1
    )
    middles = (truths[..., :2] + truths[..., 2:]) / 2
    near = (centres[None, None] - middles[:, :, None]).abs().amax(-1) < strides * NEAR
    small = (truths[..., 2:] - truths[..., :2]).amin(-1)[..., None] < strides * 2
    return (to_sides.amin(-1) > 0) | (near & small)


def _best(fitness: Tensor, inside: Tensor) -> Tensor:
    count = min(TAKE, fitness.shape[-1])
    values, places = fitness.topk(count, dim=-1)
    chosen = torch.zeros_like(inside)
    chosen.scatter_(-1, places, values > 0)
    # Before anything is learned nothing may overlap: then any cell inside will do.
    none = inside.any(-1) & ~chosen.any(-1)
    first = inside & (inside.cumsum(-1) <= count)
    return torch.where(none[..., None], first, chosen)


def _undisputed(chosen: Tensor, overlaps: Tensor) -> Tensor:
    """A cell that several objects want goes to the one it overlaps most."""
    disputed = chosen.sum(1, keepdim=True) > 1
    best = torch.zeros_like(chosen).scatter_(1, overlaps.masked_fill(~chosen, -1).argmax(1, keepdim=True), True)
    return torch.where(disputed, best & chosen, chosen)
