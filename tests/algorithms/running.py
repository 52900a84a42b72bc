"""Algorithms run as a run would: in a workspace of their own, in this process (torch is loaded once) or another."""

import json
import logging
import os
import runpy
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

ALGORITHMS = Path(__file__).parents[2] / "algorithms"


class Workspace:
    """`dataset`, `model`, `algorithm` and `persistent-model` of one run."""

    def __init__(self, folder: Path, task: str) -> None:
        self.folder, self.task = folder, task
        self.algorithm = folder / "algorithm" / task
        shutil.copytree(ALGORITHMS / task, self.algorithm, ignore=shutil.ignore_patterns("__pycache__"))

    @property
    def dataset(self) -> Path:
        return self.folder / "dataset" / "small"

    @property
    def out(self) -> Path:
        return self.folder / "persistent-model"

    @property
    def evaluation(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads((self.out / "evaluation" / "evaluation.json").read_bytes())
        return found

    def environ(self, parameters: Mapping[str, Any], resume_from: Path | None = None) -> dict[str, str]:
        told = {"TIDEMILL_WORKSPACE": str(self.folder), "TIDEMILL_PARAMETERS": json.dumps(dict(parameters))}
        return told | ({} if resume_from is None else {"TIDEMILL_RESUME_FROM": str(resume_from)})

    def train(self, monkeypatch: pytest.MonkeyPatch, **parameters: Any) -> None:
        """Trains in this process."""
        for name, value in self.environ(parameters).items():
            monkeypatch.setenv(name, value)
        with self.importing():
            runpy.run_path(str(self.algorithm / "train.py"), run_name="__main__")

    def begin(self, parameters: Mapping[str, Any], resume_from: Path | None = None) -> "subprocess.Popen[str]":
        """Trains in a process of its own."""
        return self.start([sys.executable, "train.py"], parameters, resume_from)

    def start(
        self, command: list[str], parameters: Mapping[str, Any], resume_from: Path | None = None
    ) -> "subprocess.Popen[str]":
        environ = os.environ | self.environ(parameters, resume_from) | {"OMP_NUM_THREADS": "1"}
        return subprocess.Popen(
            command, cwd=self.algorithm, env=environ, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )

    @contextmanager
    def importing(self) -> Iterator[None]:
        """Modules of the algorithm can be imported; those of another one that are called the same are forgotten."""
        own = {file.stem for file in self.algorithm.glob("*.py")}
        handlers, level = logging.root.handlers[:], logging.root.level
        sys.path.insert(0, str(self.algorithm))
        try:
            yield
        finally:
            sys.path.remove(str(self.algorithm))
            for name in own & set(sys.modules):
                del sys.modules[name]
            logging.root.handlers[:] = handlers
            logging.root.setLevel(level)
