"""Routes whose transaction is theirs.

An endpoint that declares `session: ReadSession` or `session: WriteSession` gets one opened and closed around it, in the
thread it runs in, and committed before the answer goes out. (A session from a dependency would be held across threads:
enough waiting writers could then starve the one that holds the lock.)

A write that carries an `Idempotency-Key` is done once: its answer is kept in the same transaction, and the same request
sent again gets that answer. A route whose answer holds a secret is marked with `@never_replayed`.
"""

import hashlib
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import wraps
from typing import Annotated, Any, TypeVar, get_args, get_origin

import sqlalchemy as sa
from fastapi import APIRouter, Request, Response
from fastapi.encoders import jsonable_encoder
from fastapi.responses import JSONResponse
from sqlalchemy.orm import Mapped, Session, mapped_column

from tidemill.kernel.clock import utc_now
from tidemill.kernel.db import Base, Database, Json
from tidemill.kernel.errors import Conflict, Invalid

KEY_MAX = 200
KEPT_FOR = timedelta(hours=24)


@dataclass(frozen=True, slots=True)
class _Wants:
    writes: bool


ReadSession = Annotated[Session, _Wants(writes=False)]
WriteSession = Annotated[Session, _Wants(writes=True)]

Endpoint = TypeVar("Endpoint", bound=Callable[..., Any])


class ReplayRow(Base):
    """The answer to a write that carried a key."""

    __tablename__ = "replays"

    caller: Mapped[str] = mapped_column(primary_key=True)
    key: Mapped[str] = mapped_column(primary_key=True)
    fingerprint: Mapped[str]
    status: Mapped[int]
    body: Mapped[Any] = mapped_column(Json)
    created_at: Mapped[datetime] = mapped_column(index=True)


def never_replayed(endpoint: Endpoint) -> Endpoint:
    """Marks a route whose answer must not be kept, because it shows a secret once."""
    endpoint.never_replayed = True  # type: ignore[attr-defined]
    return endpoint


class Router(APIRouter):
    """An APIRouter that gives endpoints their session."""

    def add_api_route(self, path: str, endpoint: Callable[..., Any], **options: Any) -> None:
        options["operation_id"] = options.get("operation_id") or endpoint.__name__
        super().add_api_route(path, _with_session(endpoint, options.get("status_code") or 200), **options)


def forget_old_replays(session: Session, now: datetime) -> int:
    """Drops kept answers past their time; how many."""
    found = session.execute(sa.delete(ReplayRow).where(ReplayRow.created_at < now - KEPT_FOR))
    return int(getattr(found, "rowcount", 0))


def _with_session(endpoint: Callable[..., Any], status: int) -> Callable[..., Any]:
    signature = inspect.signature(endpoint, eval_str=True)
    wanted = {name: wants for name, p in signature.parameters.items() if (wants := _find_wants(p.annotation))}
    if not wanted:
        return endpoint
    if inspect.iscoroutinefunction(endpoint):
        raise TypeError(f"{endpoint.__name__} is async: it opens its own sessions in a thread")
    ((name, wants),) = wanted.items()
    own_request = next((n for n, p in signature.parameters.items() if p.annotation is Request), None)
    kept = [p.replace(kind=p.KEYWORD_ONLY) for n, p in signature.parameters.items() if n != name]
    if own_request is None:
        kept.append(inspect.Parameter("http_request", inspect.Parameter.KEYWORD_ONLY, annotation=Request))

    @wraps(endpoint)
    def run(**arguments: Any) -> Any:
        request: Request = arguments[own_request] if own_request else arguments.pop("http_request")
        db: Database = request.app.state.db
        if not wants.writes:
            with db.read() as session:
                return endpoint(**arguments, **{name: session})
        key = _replay_key(request) if not getattr(endpoint, "never_replayed", False) else None
        with db.write() as session:
            if key and (kept_answer := _find_answer(session, request, key)):
                return kept_answer
            result = endpoint(**arguments, **{name: session})
            if key:
                _keep_answer(session, request, key, status, result)
            return result

    run.__signature__ = signature.replace(parameters=kept)  # type: ignore[attr-defined]
    return run


def _find_wants(annotation: Any) -> _Wants | None:
    if get_origin(annotation) is not Annotated:
        return None
    return next((a for a in get_args(annotation)[1:] if isinstance(a, _Wants)), None)


def _replay_key(request: Request) -> str | None:
    key = request.headers.get("Idempotency-Key")
    if key and len(key) > KEY_MAX:
        raise Invalid("idempotency_key_too_long", field="Idempotency-Key", max=KEY_MAX)
    return key


def _find_answer(session: Session, request: Request, key: str) -> Response | None:
    row = session.get(ReplayRow, (_caller(request), key))
    if row is None:
        return None
    if row.fingerprint != _fingerprint(request):
        raise Conflict("idempotency_key_reused", field="Idempotency-Key")
    headers = {"Idempotency-Replayed": "true"}
    if row.status == 204:
        return Response(status_code=204, headers=headers)
    return JSONResponse(row.body, status_code=row.status, headers=headers)


def _keep_answer(session: Session, request: Request, key: str, status: int, result: Any) -> None:
    if isinstance(result, Response):
        return
    session.add(
        ReplayRow(
            caller=_caller(request),
            key=key,
            fingerprint=_fingerprint(request),
            status=status,
            body=jsonable_encoder(result),
            created_at=utc_now(),
        )
    )


def _caller(request: Request) -> str:
    return str(getattr(request.state, "caller_key", "nobody"))


def _fingerprint(request: Request) -> str:
    body: bytes = getattr(request, "_body", b"")
    return hashlib.sha256(f"{request.method} {request.url.path}?{request.url.query}\n".encode() + body).hexdigest()
