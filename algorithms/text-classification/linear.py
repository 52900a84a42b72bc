"""A weight for every piece of text and class: quick, and the same every time.

Three opinions are added up: two support vector machines, of which one weighs all pieces alike beforehand, the other by
how unevenly the classes have them; and the odds of each piece by itself. How much each counts is found out by texts
they do not know.
"""

import warnings
from dataclasses import dataclass
from typing import Any

import mixing
import numpy as np
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import KFold
from sklearn.svm import LinearSVC

Array = Any
MARGIN, UNEVEN_MARGIN = 1.0, 0.3
"""How much a wrong text counts against large weights, for the two machines. By cross-validation on several sets."""
NEVER_SEEN = 0.05
"""How much of a piece every class is taken to have without it being seen."""
START = np.array([1.5, 0.75, 0.15])
"""How much the opinions count where there is little to find it out by."""
FOLDS, FEW_FOLDS = 5, 2
LARGE = 100_000_000
"""Pieces times classes from which on few folds are judged: that takes minutes."""


@dataclass
class Weights:
    """What is added up: a row a piece, a column a class, in the scale of the logarithms of probabilities."""

    pieces: Array
    bias: Array
    apart: Array
    """What is said of each text to learn from by weights that were learnt from others."""


def rarity(rows: sparse.csr_matrix) -> Array:
    """What is in few texts counts more: a number for every place."""
    counts = np.bincount(rows.indices, minlength=rows.shape[1])
    return (np.log((1 + rows.shape[0]) / (1 + counts)) + 1).astype(np.float32)


def learn_weights(
    rows: sparse.csr_matrix, rare: Array, targets: Array, class_weights: Array | None, seed: int, *, is_several: bool
) -> Weights:
    """`rows` has a text a row with its pieces' weights; `targets` a row with ones for its classes."""
    used = np.unique(rows.indices)
    rows, targets = normalised(rows, rare)[:, used], targets > 0
    said = _apart(rows, targets, class_weights, seed)
    counting = mixing.shares(said, targets, START, is_several=is_several)
    found, bias = _opinions(rows, targets, class_weights)
    pieces = np.zeros((len(rare), targets.shape[1]), np.float32)
    pieces[used] = _sum(counting, found)
    return Weights(pieces, _sum(counting, bias), _sum(counting, said))


def _sum(counting: Array, opinions: Array) -> Array:
    return np.tensordot(counting, opinions, 1).astype(np.float32)


def normalised(rows: sparse.csr_matrix, rare: Array) -> sparse.csr_matrix:
    rows = rows.multiply(rare).tocsr()
    lengths = np.sqrt(np.asarray(rows.multiply(rows).sum(axis=1)).ravel())
    return sparse.diags(1 / (lengths + 1e-6)) @ rows


def _apart(rows: sparse.csr_matrix, targets: Array, class_weights: Array | None, seed: int) -> Array:
    """What each opinion says of each text when it has learnt from others."""
    said = np.zeros((len(START), *targets.shape))
    folds = min(len(targets), FOLDS if rows.nnz * targets.shape[1] < LARGE else FEW_FOLDS)
    if folds < 2:
        return said
    for learnt, judged in KFold(folds, shuffle=True, random_state=seed).split(rows):
        pieces, bias = _opinions(rows[learnt], targets[learnt], class_weights)
        for place in range(len(START)):
            said[place, judged] = rows[judged] @ pieces[place] + bias[place]
    return said


def _opinions(rows: sparse.csr_matrix, targets: Array, class_weights: Array | None) -> tuple[Array, Array]:
    """Weights of pieces and biases for each opinion, each class against the others."""
    pieces = np.zeros((len(START), rows.shape[1], targets.shape[1]), np.float32)
    bias = np.zeros((len(START), targets.shape[1]))
    for place in range(targets.shape[1]):
        is_one = targets[:, place]
        if place == 1 and len(targets.T) == 2 and not (is_one == targets[:, 0]).any():
            # Of two classes one is what the other is not.
            pieces[..., 1], bias[:, 1] = -pieces[..., 0], -bias[:, 0]
            continue
        counting = _counting(targets, place, class_weights)
        for at, (strength, uneven) in enumerate(((MARGIN, None), (UNEVEN_MARGIN, _unevenness(rows, is_one)))):
            pieces[at, :, place], bias[at, place] = _machine(rows, is_one, strength, uneven, counting)
        pieces[2, :, place] = _odds(rows, is_one)
    return pieces, bias


def _odds(rows: sparse.csr_matrix, is_one: Array) -> Array:
    """Of each piece to be of the class, on a logarithmic scale."""
    if is_one.all() or not is_one.any():
        return np.zeros(rows.shape[1])
    inside = np.asarray(rows[is_one].sum(axis=0)).ravel() + NEVER_SEEN
    outside = np.asarray(rows[~is_one].sum(axis=0)).ravel() + NEVER_SEEN
    return _log_ratio(inside, outside)


def _machine(
    rows: sparse.csr_matrix, is_one: Array, strength: float, uneven: Array | None, counting: Array | None
) -> tuple[Array, float]:
    if is_one.all() or not is_one.any() or not rows.shape[1]:
        return np.zeros(rows.shape[1]), 1.0 if is_one.all() else -1.0
    shown = rows if uneven is None else rows.multiply(uneven).tocsr()
    with warnings.catch_warnings():
        # Where it has not quite arrived after so many rounds, it is near enough.
        warnings.simplefilter("ignore", ConvergenceWarning)
        machine = LinearSVC(C=strength, dual=True, random_state=0, max_iter=300).fit(shown, is_one, counting)
    weights = machine.coef_[0] if uneven is None else machine.coef_[0] * uneven
    return weights, float(machine.intercept_[0])


def _unevenness(rows: sparse.csr_matrix, is_one: Array) -> Array:
    """How differently often a piece is in texts of a class and in others, on a logarithmic scale."""
    size = rows.shape[1]
    inside = np.bincount(rows[is_one].indices, minlength=size) + 1.0
    outside = np.bincount(rows[~is_one].indices, minlength=size) + 1.0
    return np.abs(_log_ratio(inside, outside))


def _log_ratio(inside: Array, outside: Array) -> Array:
    return np.log(inside / inside.sum()) - np.log(outside / outside.sum())


def _counting(targets: Array, place: int, class_weights: Array | None) -> Array | None:
    """How much each text counts when this class is learnt."""
    if class_weights is None:
        return None
    own = np.where(targets[:, place], class_weights[place], 1.0)
    is_several = (targets.sum(axis=1) != 1).any()
    return own if is_several else class_weights[targets.argmax(axis=1)]
