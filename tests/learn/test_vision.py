"""Pictures and what is marked in them move together; cells answer for what they see."""

import random

import numpy as np
import pytest
from PIL import Image

torch = pytest.importorskip("torch")

from tidemill.learn.vision import moving  # noqa: E402
from tidemill.learn.vision.assignment import assign, generous_overlap, overlap  # noqa: E402
from tidemill.learn.vision.backbone import places  # noqa: E402
from tidemill.learn.vision.dense import STRIDES, DenseDetector, Exported  # noqa: E402
from tidemill.learn.vision.dense_loss import Objects, dense_loss  # noqa: E402
from tidemill.runtime import pictures  # noqa: E402

SIZE = (64, 96)
# Threads that wait for each other on busy processors make small steps slow.
torch.set_num_threads(1)


@pytest.mark.parametrize("seed", range(6))
def test_a_marked_spot_stays_on_its_spot(seed: int) -> None:
    """A white spot on black, its point, its box and its class end where the spot is seen."""
    random.seed(seed)
    pixels = np.zeros((80, 120, 3), np.uint8)
    pixels[30:42, 50:62] = 255
    motion = moving.draw(120, 80, SIZE, strength="strong", mirror="both", turn=20.0)
    seen = np.asarray(motion.picture(Image.fromarray(pixels)))[..., 0] > 200
    classes = motion.classes((pixels[..., 0] > 0).astype(np.uint8), 7) == 1
    assert (seen == classes).mean() > 0.97
    if not seen.any():
        return
    rows, columns = np.nonzero(classes)
    x, y = motion.points(np.array([[56.0, 36.0]]))[0]
    ((left, top, right, bottom),) = motion.boxes(np.array([[50.0, 30.0, 62.0, 42.0]]))
    assert left - 1 <= columns.min()
    assert columns.max() <= right
    assert top - 1 <= rows.min()
    assert rows.max() <= bottom
    if len(rows) > 60:
        assert np.hypot(columns.mean() + 0.5 - x, rows.mean() + 0.5 - y) < 4


def test_a_still_picture_is_what_the_runtime_sees() -> None:
    picture = Image.effect_noise((120, 80), 60).convert("RGB")
    spec = {"size": list(SIZE), "fit": "pad", "fill": moving.FILL}
    motion = moving.still(120, 80, SIZE)
    ours = np.asarray(motion.picture(picture), dtype=float)
    theirs = np.asarray(pictures.fitted(picture, spec), dtype=float)
    assert motion.points(np.array([[120.0, 80.0]]))[0].tolist() == [96.0, 64.0]
    assert np.abs(ours.mean() - theirs.mean()) < 3


def test_mirrored_keypoints_change_their_names() -> None:
    points = np.array([[1.0, 1, 2], [2, 2, 2], [3, 3, 2]])
    assert moving.swapped(points, [[1, 2]])[:, 0].tolist() == [1, 3, 2]


def test_boxes_that_are_cut_too_much_go() -> None:
    cut, stays = moving.kept(np.array([[-10.0, 0, 10, 20], [-30, 0, 5, 20], [90, 10, 100, 20]]), SIZE)
    assert stays.tolist() == [True, False, True]
    assert cut[0].tolist() == [0, 0, 10, 20]


def test_cells_inside_a_thing_answer_for_it_and_the_best_is_asked_to_be_sure() -> None:
    centres, strides = places([(8, 12), (4, 6), (2, 3)], STRIDES)
    truths = torch.tensor([[[8.0, 8, 40, 40], [60, 10, 64, 14], [0, 0, 0, 0]]])
    boxes = torch.cat([centres - 16, centres + 16], 1)[None]
    found = assign(
        torch.full((1, len(centres), 2), 0.1), boxes, centres, strides,
        torch.tensor([[0, 1, 0]]), truths, torch.tensor([[True, True, False]]),
    )  # fmt: skip
    answering = centres[found.answers[0] & (found.objects[0] == 0)]
    assert len(answering) > 4
    assert ((answering > 8) & (answering < 40)).all()
    # Smaller than a cell, and yet somebody answers for it.
    assert (found.answers[0] & (found.objects[0] == 1)).any()
    assert 0.5 < float(found.targets[0, :, 0].max()) <= 1.0
    assert float(found.weights.max()) == pytest.approx(1.0)


def test_generous_overlap_tells_near_from_far() -> None:
    box, near, far = torch.tensor([0.0, 0, 10, 10]), torch.tensor([12.0, 0, 22, 10]), torch.tensor([90.0, 0, 99, 10])
    assert float(overlap(box, near)) == float(overlap(box, far)) == 0
    assert float(generous_overlap(box, near)) > float(generous_overlap(box, far))
    assert float(generous_overlap(box, box)) == pytest.approx(1, abs=1e-5)


def test_a_few_steps_make_the_loss_smaller_and_an_empty_picture_is_no_trouble() -> None:
    torch.manual_seed(0)
    module = DenseDetector(2, points=3, model="tiny", width=32)
    shown = torch.randn(2, 3, 64, 64)
    boxes = torch.tensor([[[8.0, 8, 40, 40]], [[0, 0, 0, 0]]])
    points = torch.tensor([[[[10.0, 10, 2], [20, 20, 2], [30, 30, 0]]], [[[0, 0, 0]] * 3]])
    objects = Objects(torch.zeros(2, 1, dtype=torch.long), boxes, torch.tensor([[True], [False]]), points)
    steps = torch.optim.Adam(module.parameters(), 3e-3)
    losses = []
    for _ in range(6):
        loss = dense_loss(module(shown), objects, sigmas=torch.full((3,), 0.05))
        steps.zero_grad()
        loss.backward()
        steps.step()
        losses.append(float(loss.detach()))
    assert losses[-1] < losses[0]
    assert Exported(module.eval())(shown).shape == (2, 64 + 16 + 4, 4 + 2 + 9)
