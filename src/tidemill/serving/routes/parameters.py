"""What the routes of services have in common."""

from typing import Annotated

from fastapi import Path

from tidemill.accounts.access import Caller, needs

PREFIX = "/projects/{project}/services"
Reader = Annotated[Caller, needs("service.read")]
Writer = Annotated[Caller, needs("service.write")]
Whose = Annotated[Caller, needs("service.call")]
ServicePath = Annotated[str, Path(max_length=400, description="A service's name or id")]
