"""How versions are called in a project: `name@3`, with the project before it where it is another one's."""

from tidemill.accounts.access import Caller
from tidemill.assets.lookup import Found


def name_for(found: Found, by: Caller) -> str:
    own = f"{found.asset.name}@{found.version.number}"
    return own if found.project.id == by.project.id else f"{found.project.name}/{own}"
