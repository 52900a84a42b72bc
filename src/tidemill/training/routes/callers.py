"""Who may call, and how tasks and runs are named in addresses."""

from typing import Annotated

from fastapi import Path

from tidemill.accounts.access import Caller, needs

Reader = Annotated[Caller, needs("training.read")]
Writer = Annotated[Caller, needs("training.write")]
Measurer = Annotated[Caller, needs("metric.write")]

TaskPath = Annotated[str, Path(description="A task's name or id", max_length=400)]
RunPath = Annotated[str, Path(description="A run's name or id", max_length=400)]
