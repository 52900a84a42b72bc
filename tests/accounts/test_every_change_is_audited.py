"""Every route of this room that changes something leaves a row in the audit log."""

from typing import Any

from tests.conftest import USER_PASSWORD, Api, Person
from tidemill.accounts.room import room

UNSAFE = {"POST", "PUT", "PATCH", "DELETE"}


class Ledger:
    """Makes changes and notes which operation left which action behind."""

    def __init__(self, api: Api) -> None:
        self.admin = api.admin
        self.noted: dict[str, str] = {}
        self.routes = {
            (method, route.path): route.operation_id  # type: ignore[attr-defined]
            for router in room.routers
            for route in router.routes
            for method in route.methods  # type: ignore[attr-defined]
        }

    def change(self, person: Person, verb: str, path: str, route: str | None = None, **body: Any) -> Any:
        before = self.newest()
        options = {"json": body} if body else {}
        answer = person.ok(verb, path, **options)
        row = self.newest()
        assert row["id"] != before["id"], f"{verb} {path} left no row"
        self.noted[self.routes[verb.upper(), route or path]] = row["action"]
        return answer

    def newest(self) -> Any:
        return self.admin.ok("get", "/audit?limit=1")["items"][0]


def test_every_change_is_in_the_audit_log(api: Api) -> None:
    ledger = Ledger(api)
    admin, change = api.admin, ledger.change
    change(admin, "post", "/users", name="ann", password=USER_PASSWORD, must_change_password=False)
    ann = Person(api.app, "ann", USER_PASSWORD)
    ledger.noted["sign_in"] = ledger.newest()["action"]
    change(ann, "patch", "/me", display_name="Ann")
    token = change(ann, "post", "/me/tokens", name="script")["id"]
    change(ann, "delete", f"/me/tokens/{token}", "/me/tokens/{token}")
    Person(api.app, "ann", USER_PASSWORD)
    other = next(row["id"] for row in ann.ok("get", "/me/sessions")["items"] if not row["current"])
    change(ann, "delete", f"/me/sessions/{other}", "/me/sessions/{session_id}")
    change(ann, "post", "/me/password", old_password=USER_PASSWORD, new_password=USER_PASSWORD + "2")
    ann = Person(api.app, "ann", USER_PASSWORD + "2")
    change(ann, "delete", "/session")
    change(admin, "patch", "/users/ann", "/users/{user}", mail="ann@example.org")
    change(admin, "post", "/users/ann/password", "/users/{user}/password", new_password=USER_PASSWORD)
    change(admin, "delete", "/users/ann/sessions", "/users/{user}/sessions")
    change(admin, "post", "/groups", name="crew")
    change(admin, "patch", "/groups/crew", "/groups/{group}", description="d")
    change(admin, "put", "/groups/crew/members/ann", "/groups/{group}/members/{user}")
    change(admin, "delete", "/groups/crew/members/ann", "/groups/{group}/members/{user}")
    change(admin, "delete", "/groups/crew", "/groups/{group}")
    change(admin, "post", "/roles", name="guest", permissions=["job.read"])
    change(admin, "patch", "/roles/guest", "/roles/{role}", description="d")
    change(admin, "delete", "/roles/guest", "/roles/{role}")
    change(admin, "post", "/projects", name="tides")
    inside = "/projects/{project}"
    change(admin, "patch", "/projects/tides", inside, description="d")
    added = change(admin, "post", "/projects/tides/members", f"{inside}/members", user="ann", role="viewer")
    member, route = f"/projects/tides/members/{added['id']}", f"{inside}/members/{{membership}}"
    change(admin, "patch", member, route, role="member")
    change(admin, "delete", member, route)
    change(admin, "delete", "/projects/tides", inside)
    change(admin, "post", "/projects/tides/restore", f"{inside}/restore")
    change(admin, "delete", "/users/ann", "/users/{user}")

    changing = {operation for (method, _), operation in ledger.routes.items() if method in UNSAFE}
    assert set(ledger.noted) == changing
    assert len(set(ledger.noted.values())) >= len(changing) - 1, (
        "actions tell changes apart (user.update is two routes')"
    )
