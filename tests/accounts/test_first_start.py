"""The first start: what is made, once."""

import sqlalchemy as sa
from fastapi import FastAPI
from fastapi.testclient import TestClient

from tidemill.accounts.first_start import first_start
from tidemill.accounts.tables import ProjectRow, RoleRow, UserRow
from tidemill.kernel.settings import Settings
from tidemill.server.app import create_app


def start(settings: Settings) -> FastAPI:
    app = create_app(settings)
    first_start(app)
    return app


def test_a_generated_password_is_told_once_and_must_be_changed(settings: Settings) -> None:
    settings.admin_password = None
    app = start(settings)
    password = app.state.first_admin_password
    assert len(password) >= 20
    client = TestClient(app, headers={"X-Tidemill": "1"})
    answer = client.post("/api/v1/session", json={"user": "admin", "password": password})
    assert answer.json()["must_change_password"]
    assert client.get("/api/v1/projects").status_code == 403
    again = start(settings)
    assert again.state.first_admin_password is None
    for each in (app, again):
        each.state.db.close()


def test_a_password_from_the_settings_is_used_and_not_told(settings: Settings) -> None:
    app = start(settings)
    assert app.state.first_admin_password is None
    assert settings.admin_password is not None
    body = {"user": "admin", "password": settings.admin_password.get_secret_value()}
    assert not TestClient(app).post("/api/v1/session", json=body).json()["must_change_password"]
    app.state.db.close()


def test_starting_again_makes_nothing_twice_and_no_second_administrator(settings: Settings) -> None:
    app = start(settings)
    with app.state.db.write() as session:
        session.execute(sa.update(UserRow).values(name="boss", name_key="boss"))
    first_start(app)
    with app.state.db.read() as session:
        counts = [session.scalar(sa.select(sa.func.count()).select_from(t)) for t in (UserRow, ProjectRow, RoleRow)]
    assert counts == [1, 1, 6]
    app.state.db.close()
