"""The one function that decides."""

from hypothesis import given
from hypothesis import strategies as st

from tidemill.accounts.permissions import (
    ADMINISTRATOR,
    ANNOTATOR_CEILING,
    BUILTIN_ROLES,
    PLATFORM_PERMISSIONS,
    PROJECT_PERMISSIONS,
    PUBLIC_READER,
    effective,
)

some = st.frozensets(st.sampled_from(PROJECT_PERMISSIONS))


@given(some, some)
def test_scopes_only_take_away(granted: frozenset[str], scopes: frozenset[str]) -> None:
    whole = effective(granted, is_administrator=False, is_public=False)
    limited = effective(granted, is_administrator=False, is_public=False, scopes=scopes)
    assert limited <= whole == granted
    if scopes:
        assert limited <= scopes


@given(some)
def test_the_public_project_adds_reading_and_nothing_else(granted: frozenset[str]) -> None:
    found = effective(granted, is_administrator=False, is_public=True)
    assert found == granted | PUBLIC_READER
    assert all(permission.endswith(".read") for permission in PUBLIC_READER)


@given(some)
def test_an_annotator_never_passes_the_ceiling(granted: frozenset[str]) -> None:
    assert effective(granted, is_administrator=False, is_annotator=True, is_public=False) <= ANNOTATOR_CEILING


def test_administrators_may_everything() -> None:
    assert effective((), is_administrator=True, is_public=False) == ADMINISTRATOR
    assert set(PLATFORM_PERMISSIONS) | set(PROJECT_PERMISSIONS) == ADMINISTRATOR


def test_the_roles_of_a_project_hold_project_permissions_and_read_the_project() -> None:
    for name, permissions in BUILTIN_ROLES.items():
        assert permissions <= set(PROJECT_PERMISSIONS), name
        assert "project.read" in permissions, name


def test_a_viewer_only_reads() -> None:
    assert all(permission.endswith(".read") for permission in BUILTIN_ROLES["viewer"])


def test_only_owners_see_audit_and_webhooks_and_change_members() -> None:
    for name in ("member", "viewer", "annotator", "reviewer"):
        guarded = {"audit.read", "webhook.read", "webhook.write", "member.write", "project.update", "project.delete"}
        assert not BUILTIN_ROLES[name] & guarded, name
