"""Files, as MLflow's client sends and fetches them: `mlflow-artifacts:/…` leads here."""

import hashlib
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

from fastapi import Request, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.routing import APIRoute

from tidemill.accounts.access import Caller, Needs
from tidemill.assets.media import media_type
from tidemill.kernel.db import Database
from tidemill.kernel.errors import Invalid, TidemillError, TooLarge
from tidemill.kernel.web import take_any_length
from tidemill.store import blobs, intake
from tidemill.store.backends import Staged
from tidemill.store.depot import Store
from tidemill.store.paths import check_path, name_of
from tidemill.store.serving import blob_response
from tidemill.store.trees import Entry
from tidemill.tracking import files, targets
from tidemill.tracking.files import Spot, find_spot
from tidemill.tracking.wire.calls import Call, WireNeeds, add_route, as_answer, endpoint, refusal
from tidemill.tracking.wire.runs import run_id_of
from tidemill.tracking.wire.runs_out import artifact_uri

BLOCK_BYTES = 1 << 20
PATH_MAX = 4096


@endpoint("GET", "/mlflow/artifacts/list", "training.read")
def list_artifacts(call: Call) -> Any:
    path = call.values.text("path", most=PATH_MAX, default="").strip("/")
    with call.db.read() as session:
        target = targets.find_target(session, run_id_of(call.values), by=call.by)
        listed = files.list_folder(session, files.tree_of(session, Spot(run_id=target.id), by=call.by), path)
    return {"root_uri": artifact_uri(target.experiment_id, target.id), "files": listed}


@endpoint("GET", "/mlflow-artifacts/artifacts", "training.read")
def list_stored_artifacts(call: Call) -> Any:
    """Names within the folder, not whole paths: so the client puts them together."""
    spot = find_spot(call.values.text("path", most=PATH_MAX))
    with call.db.read() as session:
        listed = files.list_folder(session, files.tree_of(session, spot, by=call.by), spot.path.strip("/"))
    return {"files": [{**one, "path": name_of(one["path"])} for one in listed]}


@endpoint("GET", "/mlflow-artifacts/artifacts/{path:path}", "training.read")
def download_artifact(call: Call) -> Response:
    spot = find_spot(call.path["path"])
    with call.db.read() as session:
        node = files.get_file(session, spot, by=call.by)
    assert node.digest is not None
    store: Store = call.request.app.state.store
    name = name_of(node.path)
    return blob_response(
        call.request, store.backend, node.digest, node.size_bytes,
        media_type=media_type(name), filename=name, download=True,
    )  # fmt: skip


@endpoint("DELETE", "/mlflow-artifacts/artifacts/{path:path}", "metric.write")
def delete_artifacts(call: Call) -> Any:
    with call.db.write() as session:
        files.remove_files(session, find_spot(call.path["path"]), by=call.by)


@endpoint("POST", "/mlflow-artifacts/mpu/create/{path:path}", "metric.write")
def begin_multipart_upload(call: Call) -> Any:
    """Said in the words after which the client sends the file in one piece."""
    del call
    raise Invalid("mlflow_no_multipart", field="path")


@endpoint("GET", "/mlflow/server-info", "training.read")
def get_server_info(call: Call) -> Any:
    del call
    return {
        "store_type": "SqlAlchemyStore",
        "workspaces_enabled": False,
        "trace_archival_enabled": False,
        "multipart_uploads_enabled": False,
        "multipart_downloads_enabled": False,
    }


def _upload(needs: Needs) -> type[APIRoute]:
    """A file's bytes go to disk as they come; the event loop never waits for it."""

    async def put(request: Request) -> Response:
        store: Store = request.app.state.store
        file = store.temporary_file()
        try:
            caller, spot, room = await run_in_threadpool(_prepare, request, needs)
            digest, size_bytes = await _receive(request, file, room)
            staged = Staged(digest, size_bytes, str(file))
            await run_in_threadpool(_keep, request.app.state.db, store, spot, staged, caller)
            return as_answer({})
        except TidemillError as error:
            return refusal(request, error)
        finally:
            file.unlink(missing_ok=True)

    class UploadRoute(APIRoute):
        def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
            return put

    return UploadRoute


def _prepare(request: Request, needs: Needs) -> tuple[Caller, Spot, int | None]:
    """Who may not write, or has no room left, is told before anything is sent."""
    caller = needs(request)
    spot = find_spot(str(request.path_params["path"]))
    db: Database = request.app.state.db
    with db.read() as session:
        files.check_writable(session, spot, by=caller)
        room = blobs.room_left(session, caller.project.id)
    announced = request.headers.get("Content-Length", "")
    if room is not None and announced.isdecimal() and int(announced) > room:
        raise TooLarge("storage_limit", needed_bytes=int(announced), left_bytes=max(room, 0))
    return caller, Spot(spot.run_id, spot.model_id, spot.version, check_path(spot.path)), room


async def _receive(request: Request, file: Path, room: int | None) -> tuple[str, int]:
    hasher, size_bytes = hashlib.sha256(), 0
    block = bytearray()
    take_any_length(request)
    opened = await run_in_threadpool(file.open, "wb")
    try:
        async for piece in request.stream():
            block += piece
            if len(block) >= BLOCK_BYTES:
                size_bytes += await run_in_threadpool(_write, opened, hasher, bytes(block))
                block.clear()
                if room is not None and size_bytes > room:
                    raise TooLarge("storage_limit", needed_bytes=size_bytes, left_bytes=max(room, 0))
        size_bytes += await run_in_threadpool(_write, opened, hasher, bytes(block))
    finally:
        await run_in_threadpool(opened.close)
    return hasher.hexdigest(), size_bytes


def _write(opened: Any, hasher: Any, block: bytes) -> int:
    hasher.update(block)
    return int(opened.write(block))


def _keep(db: Database, store: Store, spot: Spot, staged: Staged, by: Caller) -> None:
    """Into the store first, where it is part of nothing; then the file is there."""
    intake.keep_files(db, store.backend, by.project.id, [staged], by.now)
    with db.write() as session:
        files.put_file(session, spot, Entry(spot.path, staged.digest, staged.size_bytes), by=by)


_may_log = WireNeeds("metric.write")
add_route("PUT", "/mlflow-artifacts/artifacts/{path:path}", _may_log, "upload_artifact", _upload(_may_log))
