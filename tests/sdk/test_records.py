from datetime import UTC, datetime

from tidemill.sdk.views import Me, Project


def test_unknown_fields_are_kept_raw_and_missing_ones_take_their_default() -> None:
    project = Project.read({"id": "prj_1", "name": "tides", "surprise": 1, "quota": {"cpu": 4, "more": 2}})
    assert project.quota.cpu == 4
    assert project.members_count == 0
    assert project.raw["surprise"] == 1


def test_times_are_aware_and_null_is_the_default() -> None:
    project = Project.read({"name": "x", "created_at": "2026-11-15T10:00:00Z", "description": None})
    assert project.created_at == datetime(2026, 11, 15, 10, tzinfo=UTC)
    assert project.description == ""


def test_lists_of_records_are_read() -> None:
    me = Me.read({"name": "ann", "projects": [{"id": "prj_1", "name": "tides", "is_public": False}]})
    assert [project.name for project in me.projects] == ["tides"]
