"""What everyone may know before signing in."""

import pytest
from fastapi.testclient import TestClient

from tests.conftest import Api
from tidemill import __version__
from tidemill.kernel.settings import Settings


def test_it_names_the_platform_its_languages_and_the_limits_of_forms(api: Api, settings: Settings) -> None:
    meta = api.nobody.get("/meta").json()
    assert (meta["name"], meta["version"]) == ("Tidemill", __version__)
    assert meta["languages"] == ["en", "zh-CN"]
    assert meta["password"] == {"min": settings.password_min, "max": settings.password_max}
    assert (meta["limits"]["name"], meta["limits"]["description"]) == (50, 500)
    assert meta["limits"]["chunk_bytes"] == settings.chunk_bytes


@pytest.mark.parametrize(
    ("asked", "answered"),
    [
        ("http://127.0.0.1:8700", "http://127.0.0.1:8701"),
        ("http://[::1]:8700", "http://[::1]:8701"),
        ("https://tidemill.example.org", "https://tidemill.example.org:8701"),
    ],
)
def test_the_apps_origin_is_the_next_port_of_the_host_that_was_asked(api: Api, asked: str, answered: str) -> None:
    meta = TestClient(api.app, base_url=asked).get("/api/v1/meta").json()
    assert meta["apps_url"] == answered


def test_the_apps_origin_can_be_set(api: Api, settings: Settings) -> None:
    settings.apps_url = "https://apps.example.org/"
    assert api.nobody.get("/meta").json()["apps_url"] == "https://apps.example.org"


def test_an_address_or_query_no_database_can_hold_is_refused(api: Api) -> None:
    assert api.admin.get("/users/a%00b").status_code == 404
    assert api.admin.get("/users?q=a%00b").status_code == 422
