"""Who may use the registry: every endpoint refuses strangers, cookies count for nothing, projects stay apart."""

import base64
from datetime import timedelta
from typing import Any

from fastapi.testclient import TestClient

from tests.conftest import USER_PASSWORD, Api
from tests.images.registry import Docker, digest_of, docker_of, error_of
from tidemill.accounts.access import hash_secret
from tidemill.images.registry.access import RegistryNeeds
from tidemill.images.registry.routes import router

DIGEST = digest_of(b"")
FILLED_IN = {"{project}": "tides", "{name:path}": "base", "{digest}": DIGEST, "{reference}": "1", "{upload}": "upl_x"}
NEEDS = {
    "get_registry_token": None,
    "post_registry_token": None,
    "check_registry": "",
    "list_repositories": "",
    "refuse_unknown": "",
    "list_tags": "image.read",
    "list_referrers": "image.read",
    "get_manifest": "image.read",
    "get_blob": "image.read",
    "put_manifest": "image.write",
    "begin_push": "image.write",
    "get_push": "image.write",
    "continue_push": "image.write",
    "finish_push": "image.write",
    "cancel_push": "image.write",
    "delete_manifest": "image.delete",
    "delete_blob": "image.delete",
}


def calls() -> list[tuple[str, str, str]]:
    found = []
    routes: list[Any] = list(router.routes)
    for route in routes:
        path = route.path
        for filled, value in FILLED_IN.items():
            path = path.replace(filled, value)
        path = path.replace("{rest:path}", "something/else")
        found += [(method, path, route.name) for method in sorted(route.methods)]
    return found


CALLS = calls()
IN_PROJECT = [(method, path, name) for method, path, name in CALLS if (NEEDS[name] or "").startswith("image.")]


def declared(name: str) -> str | None:
    routes: list[Any] = list(router.routes)
    route = next(route for route in routes if route.name == name)
    needs = [each.call for each in route.dependant.dependencies if isinstance(each.call, RegistryNeeds)]
    return (needs[0].permission or "") if needs else None


def test_every_endpoint_declares_what_it_needs() -> None:
    assert {name: declared(name) for _, _, name in CALLS} == NEEDS


def test_nobody_and_a_browsers_session_get_nowhere(api: Api) -> None:
    api.project("tides")
    nobody = TestClient(api.app, base_url="http://127.0.0.1", raise_server_exceptions=False)
    for client in (nobody, api.admin.http):
        for method, path, name in CALLS:
            answer = client.request(method, path)
            assert answer.status_code == 401, (method, path)
            scheme = "Basic" if name.endswith("registry_token") else "Bearer"
            assert answer.headers["WWW-Authenticate"].startswith(f"{scheme} realm=")
            if method != "HEAD":
                assert error_of(answer) == "UNAUTHORIZED"


def test_a_stranger_does_not_learn_that_a_project_exists(api: Api) -> None:
    api.project("tides")
    stranger = docker_of(api, api.user("eve"))
    for method, path, _ in IN_PROJECT:
        answer = stranger.http.request(method, path)
        missing = stranger.http.request(method, path.replace("/tides/", "/nowhere/"))
        assert (answer.status_code, missing.status_code) == (404, 404), (method, path)
        assert answer.text.replace("tides", "nowhere") == missing.text


def test_a_viewer_reads_and_changes_nothing(api: Api) -> None:
    api.project("tides")
    docker_of(api, api.user("ann", project="tides")).push("tides/base", "1")
    viewer = docker_of(api, api.user("vic", project="tides", role="viewer"))
    assert viewer.call("GET", "/tides/base/manifests/1").status_code == 200
    for method, path, name in IN_PROJECT:
        if NEEDS[name] != "image.read":
            answer = viewer.http.request(method, path)
            assert (answer.status_code, error_of(answer)) == (403, "DENIED"), (method, path)


def test_everyone_signed_in_reads_public_images_and_only_administrators_push_them(api: Api) -> None:
    docker_of(api, api.admin).push("public/base", "1")
    ann = docker_of(api, api.user("ann"))
    assert ann.call("GET", "/public/base/manifests/1").status_code == 200
    assert ann.call("POST", "/public/base/blobs/uploads/").status_code == 403


def test_a_token_is_limited_to_its_scopes_and_its_project(api: Api) -> None:
    api.project("tides")
    api.project("moon")
    ann = api.user("ann", project="tides")
    api.admin.ok("post", "/projects/moon/members", json={"user": "ann", "role": "member"})
    reader = docker_of(api, ann, scopes=["image.read"])
    assert reader.call("POST", "/tides/base/blobs/uploads/").status_code == 403
    narrow = docker_of(api, ann, project="tides")
    assert narrow.call("POST", "/tides/base/blobs/uploads/").status_code == 202
    assert narrow.call("POST", "/moon/base/blobs/uploads/").status_code == 404


def test_the_password_is_an_api_token_of_that_user(api: Api) -> None:
    ann = docker_of(api, api.user("ann"))
    assert Docker(api.app, "ANN", ann.token).call("GET", "/").status_code == 200
    assert Docker(api.app, "token", ann.token).call("GET", "/").status_code == 200
    for user, secret in (("ben", ann.token), ("ann", USER_PASSWORD), ("ann", ""), ("ann", "tm_wrong")):
        assert Docker(api.app, user, secret).call("GET", "/").status_code == 401
    bearer = {"Authorization": f"Bearer {ann.token}"}
    colonless = f"Basic {base64.b64encode(b'no-colon').decode()}"
    assert ann.http.get("/v2/", headers=bearer).status_code == 200
    for header in (
        "Basic !!!",
        "Basic",
        "Digest x",
        colonless,
        "Bearer tmr_x.y",
    ):
        assert ann.http.get("/v2/", headers={"Authorization": header}).status_code == 401, header


def test_a_short_lived_token_is_got_for_an_api_token_and_ends_with_it(api: Api) -> None:
    api.project("tides")
    person = api.user("ann", project="tides")
    ann = docker_of(api, person)
    refused = TestClient(api.app, base_url="http://127.0.0.1").get("/v2/tides/base/manifests/1")
    assert refused.headers["WWW-Authenticate"] == (
        'Bearer realm="http://127.0.0.1/v2/token",service="tidemill",scope="repository:tides/base:pull"'
    )
    got = ann.call("GET", "/token?service=tidemill&scope=repository:tides/base:pull").json()
    form = {"grant_type": "password", "username": "ann", "password": ann.token, "service": "tidemill"}
    nobody = TestClient(api.app, base_url="http://127.0.0.1", raise_server_exceptions=False)
    posted = nobody.post("/v2/token", data=form).json()
    for token in (got["token"], got["access_token"], posted["access_token"]):
        headers = {"Authorization": f"Bearer {token}"}
        assert nobody.post("/v2/tides/base/blobs/uploads/", headers=headers).status_code == 202
    (row,) = person.ok("get", "/me/tokens")["items"]
    person.ok("delete", f"/me/tokens/{row['id']}")
    assert nobody.get("/v2/", headers={"Authorization": f"Bearer {got['token']}"}).status_code == 401
    assert hash_secret(got["token"]) != hash_secret(ann.token)


def test_a_short_lived_token_is_over_when_its_time_is_and_cannot_be_forged(api: Api) -> None:
    ann = docker_of(api, api.user("ann"))
    token = ann.call("GET", "/token").json()["token"]
    body, _, mark = token.partition(".")
    for forged in (f"{body}x.{mark}", f"{body}.{mark[:-2]}AA", body, f"{body}."):
        assert ann.http.get("/v2/", headers={"Authorization": f"Bearer {forged}"}).status_code == 401
    now = api.app.state.clock()
    object.__setattr__(api.app.state.images, "clock", lambda: now + timedelta(hours=1))
    assert ann.http.get("/v2/", headers={"Authorization": f"Bearer {token}"}).status_code == 401


def test_errors_speak_the_callers_language(api: Api) -> None:
    docker = docker_of(api, api.user("ann"))
    answer = docker.call("GET", "/nowhere/base/manifests/1", headers={"Accept-Language": "zh-CN"})
    assert answer.headers["Content-Language"] == "zh-CN"
    assert not answer.json()["errors"][0]["message"].isascii()


def test_names_the_protocol_forbids_are_refused(api: Api) -> None:
    docker = docker_of(api, api.admin)
    api.project("tides")
    for name in ("Upper", "-x", "a//b", "a..b", "x" * 201, "public/x"):
        assert error_of(docker.call("POST", f"/tides/{name}/blobs/uploads/")) == "NAME_INVALID", name
