"""Calls the tests of this room make again and again."""

from datetime import datetime, timedelta
from typing import Any

from fastapi import FastAPI
from fastapi.testclient import TestClient

from tests.conftest import USER_PASSWORD, Api
from tidemill.kernel.clock import utc_now


class Hands:
    """A clock whose hands the test turns."""

    def __init__(self, app: FastAPI) -> None:
        self.now = utc_now()
        app.state.clock = lambda: self.now

    def turn(self, **by: float) -> datetime:
        self.now += timedelta(**by)
        return self.now


def sign_in(api: Api, user: str, password: str = USER_PASSWORD, **options: Any) -> Any:
    """The answer to a sign-in from a browser that never signed in before."""
    return browser(api).post("/session", json={"user": user, "password": password}, **options)


def browser(api: Api, address: str = "testclient") -> TestClient:
    """A browser without cookies."""
    return TestClient(
        api.app,
        base_url="http://127.0.0.1/api/v1",
        headers={"X-Tidemill": "1"},
        raise_server_exceptions=False,
        client=(address, 50000),
    )


def with_token(api: Api, token: str) -> TestClient:
    """A script that calls with a token."""
    return TestClient(
        api.app,
        base_url="http://127.0.0.1/api/v1",
        headers={"Authorization": f"Bearer {token}"},
        raise_server_exceptions=False,
    )


def actions(api: Api, **filters: str) -> list[str]:
    """The newest actions in the audit log, newest first."""
    query = "&".join(f"{name}={value}" for name, value in filters.items())
    return [row["action"] for row in api.admin.ok("get", f"/audit?{query}")["items"]]
