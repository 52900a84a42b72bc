"""Exports done here and now."""

from pathlib import Path

import pytest
from fastapi import FastAPI

from tests.datasets.working import Works


@pytest.fixture
def works(app: FastAPI, tmp_path: Path) -> Works:
    return Works(app, tmp_path / "works")
