"""Requirement lines as people write them, checked one by one: they go to pip, and must say nothing else to it."""

import re
from collections.abc import Iterable, Sequence

from tidemill.kernel.errors import Invalid
from tidemill.kernel.outbound import check_url

LINES_MAX = 500
LINE_MAX = 1000
TOTAL_MAX = 60_000

_NAME = r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?"
_EXTRAS = rf"(?:\s*\[\s*{_NAME}(?:\s*,\s*{_NAME})*\s*\])?"
_CLAUSE = r"(?:===|==|~=|!=|<=|>=|<|>)\s*[A-Za-z0-9][A-Za-z0-9.*+!_-]*"
_MARKER = r"(?:\s*;\s*[A-Za-z0-9_ .'\"<>=!~()-]{1,300})?"
_HASHES = r"(?P<hashes>(?:\s+--hash=sha256:[0-9a-f]{64})*)"
_LISTED = re.compile(rf"(?P<name>{_NAME}){_EXTRAS}\s*(?:{_CLAUSE}(?:\s*,\s*{_CLAUSE})*)?{_MARKER}{_HASHES}")
_DIRECT = re.compile(
    rf"(?P<name>{_NAME}){_EXTRAS}\s*@\s*(?P<url>https?://[^\s;#]+)(?:#sha256=[0-9a-f]{{64}})?{_MARKER}"
)
_OWN = "tidemill"


def check_requirements(lines: Iterable[str], allow: Sequence[str]) -> list[str]:
    """The lines that say something; raises Invalid for the first that is no plain requirement.

    Asks the name service where a line names an address, so it is done outside of transactions.
    """
    kept = [text for line in lines if (text := _bare(line))]
    if len(kept) > LINES_MAX or sum(map(len, kept)) > TOTAL_MAX:
        raise Invalid("requirements_too_many", field="requirements", max=LINES_MAX)
    return [line for line in kept if _check(line, allow) != _OWN]


def _bare(line: str) -> str:
    """Without comment; a line pip would go on with on the next one is no plain requirement and stays as it is."""
    return re.sub(r"(^|\s)#.*$", "", line).strip()


def _check(line: str, allow: Sequence[str]) -> str:
    """The package's name."""
    listed = _LISTED.fullmatch(line) if len(line) <= LINE_MAX else None
    if listed is not None:
        return _normal(listed["name"])
    direct = _DIRECT.fullmatch(line) if len(line) <= LINE_MAX else None
    if direct is None:
        raise Invalid("requirement_invalid", field="requirements", line=line[:200])
    check_url(direct["url"], allow, field="requirements")
    return _normal(direct["name"])


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def check_frozen(lines: Iterable[str], allow: Sequence[str]) -> list[str]:
    """What `pip freeze` says of an environment; the platform's own package is in every environment anyway."""
    own = re.compile(rf"(-e .*egg={_OWN}\b.*)|({_OWN}\s*@.*)", re.IGNORECASE)
    return check_requirements([line for line in lines if not own.fullmatch(line.strip())], allow)
