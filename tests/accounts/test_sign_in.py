"""Signing in and out with a password."""

import threading

import pytest
import sqlalchemy as sa
from fastapi.testclient import TestClient

from tests.accounts.people import Hands, actions, browser, sign_in
from tests.answers import assert_refused
from tests.conftest import USER_PASSWORD, Api
from tidemill.accounts.access import hash_secret
from tidemill.accounts.tables import AttemptRow, SessionRow, UserRow
from tidemill.kernel.settings import Settings
from tidemill.server.app import create_app


def test_a_session_cookie_is_out_of_the_reach_of_scripts_and_other_sites(api: Api) -> None:
    api.user("ann")
    cookie = sign_in(api, "ann").headers["Set-Cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie
    assert "Path=/" in cookie
    assert "Secure" not in cookie


def test_the_cookie_is_secure_when_browsers_come_by_https(api: Api, settings: Settings) -> None:
    api.user("ann")
    settings.public_url = "https://tidemill.example.org"
    assert "Secure" in sign_in(api, "ann").headers["Set-Cookie"]


def test_only_a_hash_of_the_session_is_kept(api: Api) -> None:
    api.user("ann")
    client = browser(api)
    client.post("/session", json={"user": "ann", "password": USER_PASSWORD})
    secret = client.cookies["tidemill_session"]
    with api.app.state.db.read() as session:
        kept = session.scalars(sa.select(SessionRow.secret_hash)).all()
    assert hash_secret(secret) in kept
    assert secret not in kept


def test_the_name_may_be_written_in_any_case(api: Api) -> None:
    api.user("Ann")
    assert sign_in(api, "  aNN ").json()["name"] == "Ann"


def test_an_unknown_name_and_a_wrong_password_get_the_same_answer(api: Api) -> None:
    api.user("ann")
    wrong, unknown = sign_in(api, "ann", "not-the-password"), sign_in(api, "nobody-here", "not-the-password")
    first, second = assert_refused(wrong, 401, "sign_in_failed"), assert_refused(unknown, 401, "sign_in_failed")
    assert first["message"] == second["message"]
    assert "Set-Cookie" not in wrong.headers


def test_an_unknown_name_takes_as_many_hashes_as_a_known_one(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    api.user("ann")
    hasher = api.app.state.passwords._hasher
    verified: list[str] = []
    real = type(hasher).verify

    def counted(self: object, stored: str, password: str) -> bool:
        verified.append(stored)
        return bool(real(self, stored, password))

    monkeypatch.setattr(type(hasher), "verify", counted)
    sign_in(api, "ann", "not-the-password")
    sign_in(api, "nobody-here", "not-the-password")
    assert len(verified) == 2
    parameters = [stored.rsplit("$", 2)[0] for stored in verified]
    assert parameters[0] == parameters[1]


def test_a_refused_sign_in_is_in_the_audit_log_without_what_was_typed_as_an_unknown_name(api: Api) -> None:
    api.user("ann")
    sign_in(api, "ann", "not-the-password")
    sign_in(api, "my-secret-typed-in-the-wrong-field", "x")
    rows = api.admin.ok("get", "/audit?action=session.refuse")["items"]
    assert [row["target_name"] for row in rows] == ["", "ann"]
    assert [row["after"]["reason"] for row in rows] == ["unknown_user", "wrong_password"]
    assert "my-secret" not in str(rows)
    assert rows[0]["address"] == "testclient"


def test_a_form_of_another_site_cannot_sign_anybody_in(api: Api) -> None:
    api.user("ann")
    body = '{"user": "ann", "password": "' + USER_PASSWORD + '"}'
    answer = TestClient(api.app).post("/api/v1/session", content=body, headers={"Content-Type": "text/plain"})
    assert answer.status_code == 422
    assert "Set-Cookie" not in answer.headers


def test_a_call_with_the_cookie_but_without_our_header_changes_nothing(api: Api) -> None:
    ann = api.user("ann")
    del ann.http.headers["X-Tidemill"]
    assert_refused(ann.patch("/me", json={"display_name": "Eve"}), 403, "csrf")
    assert ann.ok("get", "/session")["display_name"] == ""


def test_signing_out_ends_the_session_on_the_server(api: Api) -> None:
    ann = api.user("ann")
    secret = ann.http.cookies["tidemill_session"]
    assert ann.delete("/session").status_code == 204
    client = browser(api)
    client.cookies.set("tidemill_session", secret)
    assert_refused(client.get("/session"), 401, "unauthenticated")
    assert "session.end" in actions(api, actor="ann")


def test_signing_in_again_ends_the_browsers_old_session(api: Api) -> None:
    client = browser(api)
    api.user("ann")
    client.post("/session", json={"user": "ann", "password": USER_PASSWORD})
    old = client.cookies["tidemill_session"]
    client.post("/session", json={"user": "ann", "password": USER_PASSWORD})
    other = browser(api)
    other.cookies.set("tidemill_session", old)
    assert_refused(other.get("/session"), 401, "unauthenticated")


def test_a_session_ends_after_its_days(api: Api, settings: Settings) -> None:
    ann = api.user("ann")
    hands = Hands(api.app)
    hands.turn(days=settings.session_days - 0.1)
    assert ann.get("/session").status_code == 200
    hands.turn(days=0.2)
    assert_refused(ann.get("/session"), 401, "unauthenticated")


def test_a_disabled_user_who_knows_the_password_is_told_why(api: Api) -> None:
    api.user("ann")
    api.admin.ok("patch", "/users/ann", json={"disabled": True})
    assert_refused(sign_in(api, "ann", "not-the-password"), 401, "sign_in_failed")
    assert_refused(sign_in(api, "ann"), 403, "user_disabled")


def test_a_hash_made_with_other_parameters_is_made_anew_at_sign_in(api: Api, settings: Settings) -> None:
    api.user("ann")
    stronger = settings.model_copy(update={"argon2_time_cost": 2})
    app = create_app(stronger, db=api.app.state.db)
    assert TestClient(app).post("/api/v1/session", json={"user": "ann", "password": USER_PASSWORD}).status_code == 200
    with api.app.state.db.read() as session:
        stored = session.scalars(sa.select(UserRow.password_hash).where(UserRow.name == "ann")).one()
    assert ",t=2," in stored
    assert sign_in(api, "ann").status_code == 200


def test_attempts_on_one_account_from_one_address_are_limited(api: Api, settings: Settings) -> None:
    api.user("ann")
    hands = Hands(api.app)
    for _ in range(settings.attempts_per_account_and_address):
        assert_refused(sign_in(api, "ann", "wrong-password"), 401, "sign_in_failed")
    refused = sign_in(api, "ann")
    assert_refused(refused, 429, "too_many_attempts")
    wait = int(refused.headers["Retry-After"])
    assert 0 < wait <= settings.attempts_window_s + 1
    assert sign_in(api, "admin", "wrong").status_code == 401, "another account is not held up"
    hands.turn(seconds=wait)
    assert sign_in(api, "ann").status_code == 200


def test_attempts_on_one_account_from_many_addresses_are_limited(api: Api, settings: Settings) -> None:
    api.user("ann")
    settings.attempts_per_account = 7
    body = {"user": "ann", "password": "wrong-password"}
    statuses = [browser(api, f"10.0.0.{n}").post("/session", json=body).status_code for n in range(8)]
    assert statuses == [401] * 7 + [429]


def test_attempts_from_one_address_on_many_accounts_are_limited(api: Api, settings: Settings) -> None:
    settings.attempts_per_address = 6
    wrong = [{"user": f"user-{n}", "password": "wrong-password"} for n in range(8)]
    statuses = [browser(api, "10.0.0.9").post("/session", json=body).status_code for body in wrong]
    assert statuses == [401] * 6 + [429] * 2


def test_a_success_wipes_the_slate(api: Api, settings: Settings) -> None:
    api.user("ann")
    for _ in range(3):
        for _ in range(settings.attempts_per_account_and_address - 1):
            assert sign_in(api, "ann", "wrong-password").status_code == 401
        assert sign_in(api, "ann").status_code == 200


def test_many_attempts_at_once_do_not_slip_past_the_limit(api: Api, settings: Settings) -> None:
    api.user("ann")
    statuses: list[int] = []
    start = threading.Barrier(12)

    def attempt() -> None:
        client = browser(api)
        start.wait()
        statuses.append(client.post("/session", json={"user": "ann", "password": "wrong-password"}).status_code)

    threads = [threading.Thread(target=attempt) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(statuses) == [401] * settings.attempts_per_account_and_address + [429] * (
        12 - settings.attempts_per_account_and_address
    )


def test_attempts_survive_a_restart(api: Api, settings: Settings) -> None:
    api.user("ann")
    for _ in range(settings.attempts_per_account_and_address):
        sign_in(api, "ann", "wrong-password")
    restarted = create_app(settings)
    answer = TestClient(restarted).post("/api/v1/session", json={"user": "ann", "password": USER_PASSWORD})
    restarted.state.db.close()
    assert_refused(answer, 429, "too_many_attempts")


def test_what_was_typed_as_a_name_is_not_kept_with_the_attempts(api: Api) -> None:
    sign_in(api, "typed-in-the-wrong-field", "x")
    with api.app.state.db.read() as session:
        keys = session.scalars(sa.select(AttemptRow.account_key)).all()
    assert keys
    assert not any("typed" in key for key in keys)


def test_a_password_changed_while_it_is_being_verified_signs_nobody_in(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    api.user("ann")
    passwords = api.app.state.passwords
    real = passwords.verify

    def verify_slowly(stored: str | None, password: str) -> bool:
        found = real(stored, password)
        monkeypatch.setattr(passwords, "verify", real)
        api.admin.ok("post", "/users/ann/password", json={"new_password": "another-password"})
        return bool(found)

    monkeypatch.setattr(passwords, "verify", verify_slowly)
    assert_refused(sign_in(api, "ann"), 401, "sign_in_failed")
    with api.app.state.db.read() as session:
        of_ann = sa.select(SessionRow).join(UserRow, UserRow.id == SessionRow.user_id).where(UserRow.name == "ann")
        assert session.scalars(of_ann).all() == []
