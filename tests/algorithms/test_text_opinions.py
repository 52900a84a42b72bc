"""Opinions about texts: how much each counts, and that none learns from the part it is judged by."""

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from tests.algorithms.running import Workspace

torch = pytest.importorskip("torch")


@pytest.fixture(autouse=True)
def _scripts(tmp_path: Path) -> Iterator[None]:
    with Workspace(tmp_path, "text-classification").importing():
        yield


@pytest.mark.parametrize("is_several", [False, True])
def test_who_is_right_counts_and_who_guesses_does_not(is_several: bool) -> None:
    import mixing

    chance = np.random.default_rng(0)
    targets = np.eye(3)[chance.integers(3, size=600)]
    knows = 2 * targets - 1 + chance.normal(size=targets.shape)
    guesses = chance.normal(size=targets.shape)
    found = mixing.shares([knows, guesses], targets, np.array([0.5, 0.5]), is_several=is_several)
    assert found[0] > 1
    assert found[1] < 0.15


def test_of_two_texts_the_usual_shares_are_kept() -> None:
    import mixing

    said = [np.array([[9.0, -9.0], [9.0, -9.0]]), np.zeros((2, 2))]
    found = mixing.shares(said, np.eye(2), np.array([0.5, 0.5]), is_several=False)
    assert np.all(np.abs(found - 0.5) <= 0.5)


def test_words_of_the_texts_are_learnt_and_others_say_nothing() -> None:
    import network

    wide = network.Looks(2, 50, 0.0).eval()
    used = torch.tensor([0, 7, 11])
    narrow = wide.narrowed(used)
    order = torch.tensor([[7, 11, 7, 0, 0, 0, 0, 0]])
    assert narrow.opinions[0].words.num_embeddings == 3
    expected = narrow(order)
    wide.take_over(narrow, used)
    assert torch.equal(wide(order), expected)
    assert torch.equal(wide(order), wide(torch.where(order == 0, 30, order)))
    again = wide.narrowed(torch.tensor([0, 7, 30]))
    assert torch.equal(again.opinions[0].words.weight[1], wide.opinions[0].words.weight[7])
    assert again.opinions[0].words.weight[2].any()


def test_no_opinion_learns_from_the_part_it_is_judged_by() -> None:
    import network
    import train

    module = network.TextNet(2, 16, 50, 0.0)
    looks = module.looks.narrowed(torch.arange(50))
    classes = SimpleNamespace(is_several=False, weights=lambda: None, target=None)
    task = train.LooksTask(SimpleNamespace(validation=[]), classes, module, looks, {})
    batch = (torch.randint(1, 50, (6, 8)), torch.zeros(6, 2), torch.full((6,), 1)), torch.eye(2)[[0, 1, 0, 1, 0, 1]]
    task.loss(looks, batch).backward()
    learns = [bool(opinion.last.weight.grad.any()) for opinion in looks.opinions]
    assert learns == [part != 1 for _ in range(network.KINDS) for part in range(network.PARTS)]


def test_the_same_text_is_always_of_one_part() -> None:
    import network
    import texts

    parts = [texts.part_of(f"text {number}") for number in range(100)]
    assert parts == [texts.part_of(f"text {number}") for number in range(100)]
    assert set(parts) == set(range(network.PARTS))
