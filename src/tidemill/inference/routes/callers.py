"""Who may call, and how entries and runs are named in addresses."""

from typing import Annotated

from fastapi import Path

from tidemill.accounts.access import Caller, needs

Reader = Annotated[Caller, needs("inference.read")]
Writer = Annotated[Caller, needs("inference.write")]
Program = Annotated[Caller, needs("inference.work")]
"""No role has it: only the token of a run's program does."""

InferencePath = Annotated[str, Path(description="An entry's name or id", max_length=400)]
RunPath = Annotated[str, Path(description="A run's number, name or id", max_length=400)]
