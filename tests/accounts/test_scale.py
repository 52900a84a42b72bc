"""Lists stay quick when there are many: a fixed number of statements a page, each found by an index."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy import event

from tests.conftest import Api
from tidemill.accounts.me import PROJECTS_SHOWN
from tidemill.accounts.tables import MembershipRow, ProjectRow, RoleRow, UserRow
from tidemill.kernel.clock import utc_now
from tidemill.kernel.ids import new_id

MANY = 300
LISTS = [
    "/users?sort=name",
    "/users?sort=-created_at",
    "/users?sort=last_seen_at",
    "/projects?all=true&sort=name",
    "/projects?all=true&sort=-created_at",
    "/projects?all=true&sort=updated_at",
    "/projects?all=true&sort=-storage_used_bytes",
    "/audit?sort=-at",
]


@pytest.fixture
def crowded(api: Api) -> Api:
    """Many users, each the member of a project of their own."""
    start = utc_now()
    quota = {"cpu": None, "memory_bytes": None, "accelerators": {}}
    with api.app.state.db.write() as session:
        role = session.scalars(sa.select(RoleRow.id).where(RoleRow.name == "member")).one()
        for n in range(MANY):
            at = start + timedelta(seconds=n)
            user = UserRow(
                id=new_id("usr"), name=f"user-{n}", name_key=f"user-{n}", search_key=f"user-{n}", kind="member",
                password_hash="", created_at=at, created_by="admin",
            )  # fmt: skip
            project = ProjectRow(
                id=new_id("prj"), name=f"a-project-{n}", name_key=f"a-project-{n}", quota=quota, created_at=at,
                updated_at=at, created_by="admin",
            )  # fmt: skip
            session.add_all([user, project])
            session.flush()
            session.add(
                MembershipRow(
                    id=new_id("mbr"),
                    project_id=project.id,
                    user_id=user.id,
                    subject_key=user.name_key,
                    role_id=role,
                    created_at=at,
                    created_by="admin",
                )
            )
    return api


@contextmanager
def statements(api: Api) -> Iterator[list[tuple[str, Any]]]:
    seen: list[tuple[str, Any]] = []

    def note(_connection: Any, _cursor: Any, statement: str, parameters: Any, _context: Any, _many: bool) -> None:
        if statement.startswith("SELECT"):
            seen.append((statement, parameters))

    engine = api.app.state.db.engine
    event.listen(engine, "before_cursor_execute", note)
    yield seen
    event.remove(engine, "before_cursor_execute", note)


@pytest.mark.parametrize("path", LISTS)
def test_a_long_page_takes_no_more_statements_than_a_short_one(crowded: Api, path: str) -> None:
    with statements(crowded) as short:
        assert len(crowded.admin.ok("get", f"{path}&limit=2")["items"]) == 2
    with statements(crowded) as long:
        crowded.admin.ok("get", f"{path}&limit=200")
    assert len(short) == len(long) <= 10


@pytest.mark.parametrize("path", LISTS)
def test_a_page_is_found_by_an_index_and_nothing_is_sorted(crowded: Api, path: str) -> None:
    with statements(crowded) as seen:
        crowded.admin.ok("get", path)
    (page,) = [each for each in seen if "ORDER BY" in each[0]]
    plan = plan_of(crowded, *page)
    assert "index" in plan.lower(), plan
    assert "TEMP B-TREE" not in plan, plan
    assert "->  Sort" not in plan, plan


def plan_of(api: Api, statement: str, parameters: Any) -> str:
    """How the database would find the rows if the table were large."""
    with api.app.state.db.engine.connect() as connection:
        if connection.dialect.name == "sqlite":
            return str(connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", parameters).all())
        connection.exec_driver_sql("SET LOCAL enable_seqscan = off")
        connection.exec_driver_sql("SET LOCAL enable_sort = off")
        return str(connection.exec_driver_sql(f"EXPLAIN {statement}", parameters).all())


def test_an_administrator_is_shown_the_first_projects_and_always_the_public_one(crowded: Api) -> None:
    names = [project["name"] for project in crowded.admin.ok("get", "/session")["projects"]]
    assert len(names) == PROJECTS_SHOWN
    assert names == sorted(names)
    assert names[-1] == "public"
    assert crowded.admin.ok("get", "/projects?all=true")["total"] == MANY + 1
