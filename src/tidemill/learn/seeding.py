"""Chance that can be repeated."""

import random
import sys

import numpy as np


def seed_all(seed: int) -> None:
    """Everything that draws by chance begins here: an epoch is the same whether the run was interrupted or not."""
    random.seed(seed)
    np.random.seed(seed % 2**32)
    torch = sys.modules.get("torch")
    # Where nobody has loaded it there is nothing to seed, and loading it takes seconds.
    if torch is not None:
        torch.manual_seed(seed)
