"""Who may do what: the permissions there are, the roles we ship, and the one function that decides."""

from collections.abc import Iterable

PLATFORM_PERMISSIONS = (
    "user.read", "user.write", "group.read", "group.write", "role.read", "role.write",
    "project.create", "project.manage", "audit.read", "system.read", "system.write",
    "spec.write", "machine.read",
)  # fmt: skip

ASSET_KINDS = ("algorithm", "model", "dataset", "package")
"""Kinds of asset that have permissions of their own; a new kind is added here."""

ASSET_PERMISSIONS = tuple(f"{kind}.{action}" for kind in ASSET_KINDS for action in ("read", "write", "delete"))

WORK_PERMISSIONS = (
    "dataset.annotate",
    "workload.read", "workload.write", "training.read", "training.write", "metric.write", "environment.read",
    "environment.write", "inference.read", "inference.write", "service.read", "service.write", "service.call",
    "image.read", "image.write", "image.delete",
)  # fmt: skip
"""What people do with what runs, and with what it runs in."""

PROJECT_PERMISSIONS = (
    "project.read", "project.update", "project.delete", "member.read", "member.write", "audit.read",
    "webhook.read", "webhook.write", "bin.read", "bin.write", "job.read", "job.write", "upload.write",
    *ASSET_PERMISSIONS, *WORK_PERMISSIONS,
)  # fmt: skip

PROGRAM_PERMISSIONS = {
    "dataset.work": "dataset.write",
    "evaluation.work": "training.write",
    "inference.work": "inference.write",
    "package.work": "package.write",
}
"""What no role gives: only tokens of workloads have it as a scope, for users who hold the permission beside it."""

_READS = frozenset(p for p in PROJECT_PERMISSIONS if p.endswith(".read"))
_ASSET_READS = frozenset(p for p in ASSET_PERMISSIONS if p.endswith(".read"))
_WORK = _READS | set(ASSET_PERMISSIONS) | set(WORK_PERMISSIONS) | {"bin.write", "job.write", "upload.write"}
_OWNERS_ONLY = frozenset({"audit.read", "webhook.read"})

PUBLIC_READER = _ASSET_READS | {"project.read", "image.read"}
"""What everyone who is signed in may do in the public project."""

BUILTIN_ROLES: dict[str, frozenset[str]] = {
    "owner": frozenset(PROJECT_PERMISSIONS),
    "member": frozenset(_WORK - _OWNERS_ONLY),
    "viewer": frozenset(_READS - _OWNERS_ONLY),
    "annotator": frozenset({"project.read", "job.read", "dataset.read", "dataset.annotate"}),
    "reviewer": frozenset({"project.read", "member.read", "job.read", "dataset.read", "dataset.annotate"}),
}
"""Roles in a project. The administrator's role is of the platform: `ADMINISTRATOR`."""

ANNOTATOR_CEILING = BUILTIN_ROLES["annotator"] | BUILTIN_ROLES["reviewer"]
"""The most a user of the kind `annotator` may do in a project, whatever role they were given."""

ADMINISTRATOR = frozenset(PLATFORM_PERMISSIONS) | frozenset(PROJECT_PERMISSIONS)


def effective(
    granted: Iterable[str],
    *,
    is_administrator: bool,
    is_annotator: bool = False,
    is_public: bool,
    scopes: Iterable[str] = (),
) -> frozenset[str]:
    """What a caller may do in one scope (a project, or the platform), after the limits of the token they came with."""
    held = ADMINISTRATOR if is_administrator else frozenset(granted)
    if is_annotator:
        held &= ANNOTATOR_CEILING
    if is_public:
        held |= PUBLIC_READER
    limits = frozenset(scopes)
    if not limits:
        return held
    of_programs = {own for own, other in PROGRAM_PERMISSIONS.items() if own in limits and other in held}
    return (held & limits) | of_programs


def within(wanted: Iterable[str], limits: Iterable[str]) -> frozenset[str]:
    """Those of the scopes that a token with these limits may hand on; without limits all."""
    asked, allowed = frozenset(wanted), frozenset(limits)
    if not allowed:
        return asked
    return frozenset(one for one in asked if PROGRAM_PERMISSIONS.get(one, one) in allowed)
