"""Who may call the routes of assets; `{kind}` is the kind in the address."""

from typing import Annotated

from tidemill.accounts.access import Caller, needs

Reader = Annotated[Caller, needs("{kind}.read")]
Writer = Annotated[Caller, needs("{kind}.write")]
Deleter = Annotated[Caller, needs("{kind}.delete")]
