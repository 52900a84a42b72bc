"""A write that carries an Idempotency-Key is done once, whatever happens to its answer."""

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Annotated, Any

import pytest
import sqlalchemy as sa
from fastapi import FastAPI, Request
from fastapi.testclient import TestClient
from pydantic import BaseModel
from sqlalchemy.orm import Session

from tidemill.kernel import web
from tidemill.kernel.clock import utc_now
from tidemill.kernel.db import Database
from tidemill.kernel.errors import Conflict
from tidemill.kernel.routing import (
    KEPT_FOR,
    KEY_MAX,
    ReadSession,
    ReplayRow,
    Router,
    WriteSession,
    forget_old_replays,
    never_replayed,
)

KEY = {"Idempotency-Key": "once"}


class Note(BaseModel):
    text: str


class Noted(BaseModel):
    number: int
    text: str


class Shop:
    """A small application whose writes count themselves in the database."""

    def __init__(self, db: Database) -> None:
        self.db = db
        self.app = FastAPI()
        self.app.state.db = db
        self.crash = False
        self.router = Router()
        self._add_routes()
        self.app.middleware("http")(self._sign_in)
        self.app.include_router(self.router)
        web.install(self.app)
        self.http = TestClient(self.app, raise_server_exceptions=False)

    def post(self, path: str, text: str = "a", **headers: str) -> Any:
        return self.http.post(path, json={"text": text}, headers=headers)

    def written(self) -> int:
        """How often a write happened."""
        with self.db.read() as session:
            return session.scalar(sa.select(sa.func.count()).where(ReplayRow.caller == "written")) or 0

    async def _sign_in(self, request: Request, call_next: Any) -> Any:
        request.state.caller_key = request.headers.get("As", "mira")
        return await call_next(request)

    def _write(self, session: Session) -> int:
        number = session.scalar(sa.select(sa.func.count()).where(ReplayRow.caller == "written")) or 0
        session.add(
            ReplayRow(caller="written", key=str(number), fingerprint="", status=0, body=None, created_at=utc_now())
        )
        session.flush()
        return number

    def _add_routes(self) -> None:
        @self.router.post("/notes", status_code=201)
        def create_note(body: Note, session: WriteSession) -> Noted:
            noted = Noted(number=self._write(session), text=body.text)
            if self.crash:
                raise RuntimeError("killed before the commit")
            return noted

        @self.router.post("/tokens")
        @never_replayed
        def create_token(session: WriteSession) -> Noted:
            return Noted(number=self._write(session), text="secret")

        @self.router.delete("/notes", status_code=204)
        def delete_notes(session: WriteSession) -> None:
            self._write(session)

        @self.router.post("/refused")
        def refuse_note(session: WriteSession) -> Noted:
            self._write(session)
            raise Conflict

        @self.router.get("/notes")
        def list_notes(session: ReadSession, q: Annotated[str, "search"] = "") -> int:
            return session.scalar(sa.select(sa.func.count()).where(ReplayRow.key != q)) or 0


@pytest.fixture
def shop(db: Database) -> Shop:
    return Shop(db)


def test_the_same_request_sent_again_gets_the_same_answer_and_is_done_once(shop: Shop) -> None:
    first, second = shop.post("/notes", **KEY), shop.post("/notes", **KEY)
    assert (first.status_code, second.status_code) == (201, 201)
    assert first.json() == second.json() == {"number": 0, "text": "a"}
    assert "Idempotency-Replayed" not in first.headers
    assert second.headers["Idempotency-Replayed"] == "true"
    assert shop.written() == 1


def test_without_a_key_each_request_is_done(shop: Shop) -> None:
    assert [shop.post("/notes").json()["number"] for _ in range(3)] == [0, 1, 2]


def test_a_key_used_for_another_body_is_refused(shop: Shop) -> None:
    shop.post("/notes", "a", **KEY)
    refused = shop.post("/notes", "b", **KEY)
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "idempotency_key_reused")
    assert shop.written() == 1


@pytest.mark.parametrize("path", ["/notes?x=1", "/refused"])
def test_a_key_used_for_another_address_is_refused(shop: Shop, path: str) -> None:
    shop.post("/notes", **KEY)
    assert shop.post(path, **KEY).json()["error"]["code"] == "idempotency_key_reused"
    assert shop.written() == 1


def test_keys_of_different_callers_are_different_keys(shop: Shop) -> None:
    mine, yours = shop.post("/notes", **KEY), shop.post("/notes", **KEY, As="olga")
    assert (mine.json()["number"], yours.json()["number"]) == (0, 1)


def test_an_empty_answer_is_replayed_empty(shop: Shop) -> None:
    for _ in range(2):
        answer = shop.http.delete("/notes", headers=KEY)
        assert (answer.status_code, answer.content) == (204, b"")
    assert answer.headers["Idempotency-Replayed"] == "true"
    assert shop.written() == 1


def test_what_fails_leaves_neither_its_work_nor_its_answer(shop: Shop) -> None:
    shop.crash = True
    assert shop.post("/notes", **KEY).status_code == 500
    assert shop.written() == 0
    shop.crash = False
    assert shop.post("/notes", **KEY).json() == {"number": 0, "text": "a"}
    assert shop.written() == 1


def test_a_refusal_is_not_kept(shop: Shop) -> None:
    for _ in range(2):
        refused = shop.post("/refused", **KEY)
        assert refused.status_code == 409
        assert "Idempotency-Replayed" not in refused.headers
    assert shop.written() == 0


def test_an_answer_that_shows_a_secret_is_never_kept(shop: Shop) -> None:
    numbers = [shop.http.post("/tokens", headers=KEY).json()["number"] for _ in range(2)]
    assert numbers == [0, 1]
    with shop.db.read() as session:
        assert not session.scalar(sa.select(ReplayRow).where(ReplayRow.caller != "written"))


def test_two_at_the_same_moment_are_done_once(shop: Shop) -> None:
    together = threading.Barrier(4)

    def call(_: int) -> Any:
        together.wait(10)
        return shop.post("/notes", **KEY)

    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(call, range(4)))
    assert shop.written() == 1
    assert {answer.status_code for answer in answers} <= {201, 409}
    assert 201 in {answer.status_code for answer in answers}
    assert {answer.json()["error"]["code"] for answer in answers if answer.status_code == 409} <= {"conflict_race"}
    assert shop.post("/notes", **KEY).json() == {"number": 0, "text": "a"}


def test_a_key_that_is_too_long_is_refused(shop: Shop) -> None:
    refused = shop.post("/notes", **{"Idempotency-Key": "k" * (KEY_MAX + 1)})
    assert refused.status_code == 422
    assert refused.json()["error"]["field"] == "Idempotency-Key"
    assert shop.post("/notes", **{"Idempotency-Key": "k" * KEY_MAX}).status_code == 201


def test_kept_answers_are_forgotten_after_their_time(shop: Shop) -> None:
    shop.post("/notes", **KEY)
    with shop.db.write() as session:
        assert forget_old_replays(session, utc_now()) == 0
        assert forget_old_replays(session, utc_now() + KEPT_FOR + timedelta(minutes=1)) == 2
    assert shop.post("/notes", **KEY).status_code == 201


def test_reading_needs_no_key(shop: Shop) -> None:
    assert shop.http.get("/notes", headers=KEY).json() == 0
