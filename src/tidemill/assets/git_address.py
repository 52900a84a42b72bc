"""Git addresses people write, checked as every address the server connects to."""

import re
from collections.abc import Sequence

from tidemill.kernel.errors import Invalid
from tidemill.kernel.outbound import Resolver, Target, check_url, resolve_host

ALWAYS = ("https", "ssh")
WHERE_LISTED = ("http", "git")
"""Not encrypted, so only to hosts that settings name."""

_SHORT_SSH = re.compile(r"([A-Za-z0-9_][A-Za-z0-9_.-]*)@([A-Za-z0-9][A-Za-z0-9.-]*):(?!//)(.+)")
_USER = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")
_REF_FORBIDDEN = re.compile(r"[\x00-\x20\x7f~^:?*\[\\]|\.\.|@\{|//|\.lock(/|$)|(^|/)\.|[./]$")


def check_git_url(url: str, allow: Sequence[str], *, resolve: Resolver = resolve_host) -> Target:
    """Where a Git address leads; `user@host:path` is understood as Git does."""
    short = _SHORT_SSH.fullmatch(url)
    if short:
        user, host, path = short.groups()
        url = f"ssh://{user}@{host}/{path.lstrip('/')}"
    target = check_url(url, allow, schemes=(*ALWAYS, *WHERE_LISTED), resolve=resolve)
    if target.scheme in WHERE_LISTED and not target.is_listed:
        raise Invalid("address_scheme", field="url", allowed=", ".join(ALWAYS))
    if target.user is not None and not _USER.fullmatch(target.user):
        raise Invalid("address_malformed", field="url")
    if not target.path.strip("/"):
        raise Invalid("address_malformed", field="url")
    return target


def check_ref(ref: str | None) -> str:
    """A branch, tag or commit to fetch; the default branch when none is named."""
    wanted = (ref or "").strip()
    if not wanted:
        return "HEAD"
    if wanted.startswith("-") or _REF_FORBIDDEN.search(wanted) or len(wanted) > 255:
        raise Invalid("git_ref_malformed", field="ref")
    return wanted
