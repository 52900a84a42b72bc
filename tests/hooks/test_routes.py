"""Webhooks over HTTP: who may, what is refused at which field, secrets that never come back."""

from collections.abc import Iterator
from typing import Any

import pytest
import sqlalchemy as sa

from tests.conftest import Api
from tests.hooks.receiver import Receiver, listening
from tidemill.accounts.tables import AuditRow
from tidemill.hooks.service import WEBHOOKS_MAX
from tidemill.kernel.settings import Settings

HOOKS = "/projects/tides/webhooks"


@pytest.fixture
def settings(settings: Settings) -> Settings:
    return settings.model_copy(update={"outbound_allow": ["127.0.0.0/8"]})


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with listening() as found:
        yield found


@pytest.fixture
def tides(api: Api) -> Api:
    api.project()
    return api


def hook(**fields: Any) -> dict[str, Any]:
    return {"name": "ci", "url": "https://hooks.invalid/x", "events": ["model.*"], **fields}


def test_a_webhook_is_made_listed_changed_and_removed(tides: Api) -> None:
    made = tides.admin.ok("post", HOOKS, json=hook())
    assert (made["name"], made["events"], made["enabled"], made["has_secret"]) == ("ci", ["model.*"], True, False)
    assert tides.admin.ok("get", HOOKS)["items"] == [made]
    assert tides.admin.ok("get", f"{HOOKS}/CI") == made
    changed = tides.admin.ok("patch", f"{HOOKS}/ci", json={"name": "build", "events": ["*", "*"], "enabled": False})
    assert (changed["name"], changed["events"], changed["enabled"]) == ("build", ["*"], False)
    assert tides.admin.ok("delete", f"{HOOKS}/{made['id']}") is None
    assert tides.admin.ok("get", HOOKS)["total"] == 0
    assert tides.admin.get(f"{HOOKS}/build").status_code == 404


def test_a_secret_goes_in_and_never_comes_out(tides: Api) -> None:
    secret = "the-moon-pulls-the-sea"
    made = tides.admin.post(HOOKS, json=hook(secret=secret))
    assert secret not in made.text
    assert made.json()["has_secret"] is True
    kept = tides.admin.patch(f"{HOOKS}/ci", json={"enabled": True})
    assert kept.json()["has_secret"] is True
    removed = tides.admin.patch(f"{HOOKS}/ci", json={"secret": None})
    assert removed.json()["has_secret"] is False
    with tides.app.state.db.read() as session:
        rows = session.scalars(sa.select(AuditRow).where(AuditRow.target_kind == "webhook").order_by(AuditRow.at)).all()
    assert [row.action for row in rows] == ["webhook.create", "webhook.update", "webhook.update"]
    assert not any(secret in f"{row.before}{row.after}" for row in rows)
    assert all(row.after["address"] == "https://hooks.invalid" for row in rows)


@pytest.mark.parametrize(
    ("field", "value", "code"),
    [
        ("url", "http://10.0.0.7/", "address_private"),
        ("url", "http://169.254.169.254/latest/meta-data", "address_private"),
        ("url", "http://[::ffff:10.0.0.1]/", "address_private"),
        ("url", "ftp://example.org/", "address_scheme"),
        ("url", "https://user:secret@example.org/", "address_credentials"),
        ("url", "not an address", "address_malformed"),
    ],
)
def test_an_address_we_must_not_reach_is_refused_at_its_field(tides: Api, field: str, value: str, code: str) -> None:
    for answer in (
        tides.admin.post(HOOKS, json=hook(**{field: value})),
        tides.admin.ok("post", HOOKS, json=hook()) and tides.admin.patch(f"{HOOKS}/ci", json={field: value}),
    ):
        assert answer.status_code == 422
        assert (answer.json()["error"]["code"], answer.json()["error"]["field"]) == (code, field)


@pytest.mark.parametrize(
    ("fields", "where"),
    [
        ({"events": []}, "events"),
        ({"events": ["Model"]}, "events.0"),
        ({"secret": "short"}, "secret"),
        ({"name": " "}, "name"),
        ({"colour": "blue"}, "colour"),
    ],
)
def test_broken_rules_name_their_field(tides: Api, fields: dict[str, Any], where: str) -> None:
    answer = tides.admin.post(HOOKS, json=hook(**fields))
    assert answer.status_code == 422
    assert answer.json()["error"]["field"] == where


def test_two_webhooks_cannot_have_one_name(tides: Api) -> None:
    tides.admin.ok("post", HOOKS, json=hook())
    tides.admin.ok("post", HOOKS, json=hook(name="other"))
    for answer in (
        tides.admin.post(HOOKS, json=hook(name="CI")),
        tides.admin.patch(f"{HOOKS}/other", json={"name": "Ci"}),
    ):
        assert (answer.status_code, answer.json()["error"]["code"]) == (409, "name_taken")
    assert tides.admin.ok("patch", f"{HOOKS}/ci", json={"name": "CI"})["name"] == "CI"


def test_a_project_has_only_so_many_webhooks(tides: Api) -> None:
    for number in range(WEBHOOKS_MAX):
        tides.admin.ok("post", HOOKS, json=hook(name=f"n{number}"))
    answer = tides.admin.post(HOOKS, json=hook(name="one more"))
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "webhook_limit")


def test_only_owners_see_and_change_webhooks(tides: Api) -> None:
    tides.admin.ok("post", HOOKS, json=hook())
    member = tides.user("mira", project="tides", role="member")
    owner = tides.user("olga", project="tides", role="owner")
    assert member.get(HOOKS).status_code == 403
    assert member.post(HOOKS, json=hook(name="x")).status_code == 403
    assert member.post(HOOKS, json=hook(name="x", url="http://10.0.0.1/")).status_code == 403
    assert member.post(f"{HOOKS}/ci/test").status_code == 403
    assert owner.ok("get", HOOKS)["total"] == 1
    assert owner.ok("post", HOOKS, json=hook(name="x"))["created_by"] == "olga"


def test_a_webhook_of_another_project_is_not_there(tides: Api) -> None:
    made = tides.admin.ok("post", HOOKS, json=hook())
    tides.project("other")
    for path in (made["id"], "ci", f"{made['id']}/deliveries"):
        assert tides.admin.get(f"/projects/other/webhooks/{path}").status_code == 404


def test_the_test_button_sends_a_ping_and_says_what_came_of_it(tides: Api, receiver: Receiver) -> None:
    tides.admin.ok("post", HOOKS, json=hook(url=receiver.url, secret="a secret of ours"))
    result = tides.admin.ok("post", f"{HOOKS}/ci/test")
    assert (result["event"], result["state"], result["status_code"]) == ("ping", "delivered", 200)
    assert receiver.received[0].json["target"]["name"] == "ci"
    assert "X-Tidemill-Signature" in receiver.received[0].headers
    assert tides.admin.ok("get", f"{HOOKS}/ci")["last_state"] == "delivered"


def test_a_ping_that_fails_says_why_and_is_not_tried_again(tides: Api, receiver: Receiver) -> None:
    receiver.statuses = [500]
    tides.admin.ok("post", HOOKS, json=hook(url=receiver.url))
    result = tides.admin.ok("post", f"{HOOKS}/ci/test", headers={"Accept-Language": "zh-CN"})
    assert (result["state"], result["status_code"], result["next_at"]) == ("failed", 500, None)
    assert result["error"] == "接收方返回状态 500。"


def test_a_change_made_over_the_api_reaches_the_receiver(tides: Api, receiver: Receiver) -> None:
    tides.admin.ok("post", HOOKS, json=hook(url=receiver.url, events=["project.update"]))
    tides.admin.ok("patch", "/projects/tides", json={"description": "ebb and flow"})
    deliverer = tides.app.state.webhook_deliverer
    while deliverer.deliver_next():
        pass
    (got,) = receiver.received
    assert (got.json["event"], got.json["project"], got.json["actor"]) == ("project.update", "tides", "admin")


def test_deliveries_are_listed_and_sent_again(tides: Api, receiver: Receiver) -> None:
    receiver.statuses = [500, 200]
    tides.admin.ok("post", HOOKS, json=hook(url=receiver.url))
    failed = tides.admin.ok("post", f"{HOOKS}/ci/test")
    listed = tides.admin.ok("get", f"{HOOKS}/ci/deliveries?state=failed")
    assert [row["id"] for row in listed["items"]] == [failed["id"]]
    assert tides.admin.ok("get", f"{HOOKS}/ci/deliveries?state=delivered")["items"] == []
    again = tides.admin.ok("post", f"{HOOKS}/ci/deliveries/{failed['id']}/retry")
    assert (again["state"], again["attempts"]) == ("waiting", 0)
    assert tides.app.state.webhook_deliverer.deliver_next()
    (row,) = tides.admin.ok("get", f"{HOOKS}/ci/deliveries")["items"]
    assert (row["state"], row["attempts"], row["status_code"], row["error"]) == ("delivered", 1, 200, None)
    assert [got.headers["X-Tidemill-Delivery"] for got in receiver.received] == [failed["id"]] * 2
    assert tides.admin.post(f"{HOOKS}/ci/deliveries/dlv_unknown/retry").status_code == 404


def test_nothing_is_sent_again_to_a_webhook_that_is_off(tides: Api, receiver: Receiver) -> None:
    tides.admin.ok("post", HOOKS, json=hook(url=receiver.url))
    sent = tides.admin.ok("post", f"{HOOKS}/ci/test")
    tides.admin.ok("patch", f"{HOOKS}/ci", json={"enabled": False})
    answer = tides.admin.post(f"{HOOKS}/ci/deliveries/{sent['id']}/retry")
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "webhook_disabled")
