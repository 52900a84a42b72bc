"""What a dense detector is to learn: to be as sure as it is right, where the sides are, where the points are."""

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from tidemill.learn.vision.assignment import area, assign, generous_overlap
from tidemill.learn.vision.dense import Dense

BOX, POINTS, VISIBLE = 2.5, 4.0, 0.5


@dataclass
class Objects:
    """What is in a batch of pictures: padded to the fullest; `there` says which are real."""

    labels: Tensor
    boxes: Tensor
    there: Tensor
    points: Tensor | None = None
    """x, y, v."""

    def to(self, device: torch.device) -> "Objects":
        points = None if self.points is None else self.points.to(device)
        return Objects(self.labels.to(device), self.boxes.to(device), self.there.to(device), points)


def dense_loss(
    found: Dense, objects: Objects, *, label_weights: Tensor | None = None, sigmas: Tensor | None = None
) -> Tensor:
    """One number for a batch. `sigmas`: how far off each keypoint may be, in sizes of its object."""
    probabilities = found.scores.detach().sigmoid()
    boxes = found.boxes.detach()
    assigned = assign(probabilities, boxes, found.centres, found.strides, objects.labels, objects.boxes, objects.there)
    total = assigned.weights.sum().clamp(min=1.0)
    answers = assigned.answers
    sureness = _sureness(found.scores, probabilities, assigned.targets, assigned.weights, label_weights)
    loss = sureness.sum() / total
    if not answers.any():
        return loss
    weights = assigned.weights[answers]
    row = torch.arange(len(answers), device=answers.device)[:, None].expand_as(answers)[answers]
    place = assigned.objects[answers]
    truths = objects.boxes[row, place]
    loss = loss + BOX * ((1 - generous_overlap(found.boxes[answers], truths)) * weights).sum() / total
    if found.points is not None and objects.points is not None and sigmas is not None:
        loss = loss + _points_loss(found.points[answers], objects.points[row, place], truths, sigmas)
    return loss


def _sureness(
    logits: Tensor, probabilities: Tensor, targets: Tensor, answering: Tensor, label_weights: Tensor | None
) -> Tensor:
    """Varifocal loss: cells that answer count as their place among the others says, the rest the more the surer."""
    weights = torch.where(targets > 0, answering[..., None], 0.75 * probabilities.pow(2))
    if label_weights is not None:
        weights = weights * label_weights
    return nn.functional.binary_cross_entropy_with_logits(logits, targets, weights, reduction="none")


def _points_loss(found: Tensor, truths: Tensor, boxes: Tensor, sigmas: Tensor) -> Tensor:
    """One less the similarity of points (OKS), and whether a point is visible at all."""
    seen = (truths[..., 2] > 0).float()
    far = (found[..., :2] - truths[..., :2]).pow(2).sum(-1)
    size = area(boxes).clamp(min=1.0)[:, None]
    error = far / (2 * size * (2 * sigmas) ** 2)
    # Of far points the similarity says nothing: the distance itself draws them near.
    pulled = 1 - torch.exp(-error) + 0.1 * torch.log1p(error)
    where = (pulled * seen).sum() / seen.sum().clamp(min=1.0)
    whether = nn.functional.binary_cross_entropy_with_logits(found[..., 2], seen)
    return POINTS * where + VISIBLE * whether
