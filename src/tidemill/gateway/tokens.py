"""Project tokens: whether one may call the services of a project, asked of the database and remembered for a moment."""

import asyncio
import hashlib
import logging
import time
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import sqlalchemy as sa

from tidemill.accounts.permissions import effective
from tidemill.accounts.tables import GroupMemberRow, MembershipRow, ProjectRow, RoleRow, TokenRow, UserRow
from tidemill.kernel.clock import Clock, utc_now
from tidemill.kernel.db import Database

log = logging.getLogger(__name__)

PREFIX = b"tm_"
CALL = "service.call"
KEPT_S = 10.0
KEPT_MAX = 20_000
ASKED_MAX = 256
"""Questions that wait for the database at a time; beyond that callers are told to come back."""


class DatabaseAway(Exception):
    """The database does not answer."""


class Tokens:
    """Answers whether a token may call; the database is asked in threads of our own."""

    def __init__(
        self, db: Database, *, clock: Clock = utc_now, monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        self._db = db
        self._clock = clock
        self._monotonic = monotonic
        self._threads = ThreadPoolExecutor(max_workers=2, thread_name_prefix="tokens")
        self._known: OrderedDict[tuple[str, str], tuple[bool, float]] = OrderedDict()
        self._asked: dict[tuple[str, str], asyncio.Future[bool]] = {}

    def find(self, token: bytes, project_id: str) -> bool | None:
        """What is known of the token; None where the database must be asked."""
        known = self._known.get((_digest(token), project_id))
        return known[0] if known is not None and known[1] > self._monotonic() else None

    async def ask(self, token: bytes, project_id: str) -> bool:
        """Whether the token may call this project's services; raises `DatabaseAway`."""
        key = (_digest(token), project_id)
        waiting = self._asked.get(key)
        if waiting is None:
            if len(self._asked) >= ASKED_MAX:
                raise DatabaseAway
            loop = asyncio.get_running_loop()
            waiting = loop.run_in_executor(self._threads, self._look, *key)
            self._asked[key] = waiting
            waiting.add_done_callback(lambda done: self._note(key, done))
        try:
            return await asyncio.shield(waiting)
        except sa.exc.SQLAlchemyError as error:
            raise DatabaseAway from error

    def close(self) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _note(self, key: tuple[str, str], done: "asyncio.Future[bool]") -> None:
        self._asked.pop(key, None)
        if done.cancelled():
            return
        if (error := done.exception()) is not None:
            log.warning("a token could not be looked up: %s", error)
            return
        self._known[key] = (done.result(), self._monotonic() + KEPT_S)
        self._known.move_to_end(key)
        while len(self._known) > KEPT_MAX:
            self._known.popitem(last=False)

    def _look(self, digest: str, project_id: str) -> bool:
        with self._db.read() as session:
            found = session.execute(
                sa.select(TokenRow, UserRow)
                .join(UserRow, UserRow.id == TokenRow.user_id)
                .where(TokenRow.secret_hash == digest)
            ).first()
            if found is None:
                return False
            token, user = found
            if user.is_disabled or user.deleted_at is not None or user.must_change_password:
                return False
            if token.expires_at is not None and token.expires_at <= self._clock():
                return False
            if token.project_id not in {None, project_id}:
                return False
            project = session.get(ProjectRow, project_id)
            if project is None or project.deleted_at is not None:
                return False
            groups = sa.select(GroupMemberRow.group_id).where(GroupMemberRow.user_id == user.id)
            roles = session.scalars(
                sa.select(RoleRow.permissions)
                .join(MembershipRow, MembershipRow.role_id == RoleRow.id)
                .where(
                    MembershipRow.project_id == project_id,
                    sa.or_(MembershipRow.user_id == user.id, MembershipRow.group_id.in_(groups)),
                )
            )
            granted = {permission for permissions in roles for permission in permissions}
            return CALL in effective(
                granted,
                is_administrator=user.kind == "administrator",
                is_annotator=user.kind == "annotator",
                is_public=project.is_public,
                scopes=token.scopes,
            )


def _digest(token: bytes) -> str:
    return hashlib.sha256(token).hexdigest()
