"""The endpoints of the protocol. Names are `<project>/<name…>`; the error envelope is the protocol's."""

from typing import Annotated, Any
from urllib.parse import parse_qsl, quote

from fastapi import Query, Request, Response
from fastapi.responses import JSONResponse
from starlette.concurrency import run_in_threadpool

from tidemill.accounts.access import Caller
from tidemill.images.depot import Images
from tidemill.images.names import is_version
from tidemill.images.registry import listing, repositories
from tidemill.images.registry.access import LIFETIME, by_password, identify, in_project, issue, registry
from tidemill.images.registry.answers import RegistryRoute
from tidemill.images.registry.manifests import MANIFEST_BYTES, bare, parse_manifest
from tidemill.images.registry.pushing import Push, upload_headers
from tidemill.images.registry.repositories import Repository
from tidemill.kernel.errors import Invalid, NotFound, TidemillError, TooLarge, Unauthenticated
from tidemill.kernel.routing import ReadSession, Router, WriteSession
from tidemill.store import intake, serving

router = Router(prefix="/v2", route_class=RegistryRoute, include_in_schema=False)

Reader = Annotated[Caller, registry("image.read")]
Writer = Annotated[Caller, registry("image.write")]
Deleter = Annotated[Caller, registry("image.delete")]
SignedIn = Annotated[Caller, registry(None)]

_REPOSITORY = "/{project}/{name:path}"
_UPLOADS = f"{_REPOSITORY}/blobs/uploads"
_FORM_BYTES = 64 * 1024


@router.get("/token")
def get_registry_token(request: Request) -> dict[str, Any]:
    """A short-lived token for an API token; rights are looked at when it is used."""
    images = _images(request)
    with images.db.read() as session:
        return _token(images, identify(session, request, images))


@router.post("/token")
async def post_registry_token(request: Request) -> dict[str, Any]:
    """The same, for clients that send a form."""
    images = _images(request)
    form = await _read_form(request)
    return await run_in_threadpool(_token_by_form, images, request, form)


@router.get("/")
@router.get("")
def check_registry(caller: SignedIn) -> dict[str, Any]:  # noqa: ARG001
    """The protocol is spoken here, and the caller may."""
    return {}


@router.get("/_catalog")
def list_repositories(caller: SignedIn, session: ReadSession, n: int | None = None, last: str = "") -> Response:
    """Repositories the caller may read."""
    limit = _limit(n)
    names = listing.repositories_after(session, caller, last, limit + 1)
    return _page("/v2/_catalog", "repositories", names, limit, {})


@router.get(f"{_REPOSITORY}/tags/list")
def list_tags(
    project: str, name: str, caller: Reader, session: ReadSession, n: int | None = None, last: str = ""
) -> Response:
    """Tags in the order of their names."""
    place, limit = Repository(caller.project.id, name), _limit(n)
    if not repositories.is_known(session, place):
        raise NotFound("registry_name_unknown", name=f"{project}/{name}")
    tags = listing.tags_after(session, place, last, limit + 1)
    return _page(f"/v2/{project}/{name}/tags/list", "tags", tags, limit, {"name": f"{project}/{name}"})


@router.get(f"{_REPOSITORY}/referrers/{{digest}}")
def list_referrers(
    project: str,
    name: str,
    digest: str,
    caller: Reader,
    session: ReadSession,
    artifact_type: Annotated[str | None, Query(alias="artifactType", max_length=255)] = None,
    last: str = "",
) -> Response:
    """Manifests that say something of this one."""
    place = Repository(caller.project.id, name)
    found, following = listing.referrers(session, place, bare(digest), artifact_type, last)
    headers = {} if artifact_type is None else {"OCI-Filters-Applied": "artifactType"}
    if following:
        kept = "" if artifact_type is None else f"artifactType={quote(artifact_type, safe='')}&"
        headers["Link"] = f'</v2/{project}/{name}/referrers/{digest}?{kept}last={following}>; rel="next"'
    return JSONResponse(found, headers=headers, media_type=found["mediaType"])


@router.api_route(f"{_REPOSITORY}/manifests/{{reference}}", methods=["GET", "HEAD"])
def get_manifest(request: Request, name: str, reference: str, caller: Reader, session: ReadSession) -> Response:
    """A manifest as it was pushed."""
    row = repositories.find_manifest(session, Repository(caller.project.id, name), reference)
    if row is None:
        raise NotFound("registry_manifest_unknown", reference=reference[:200])
    headers = {"Docker-Content-Digest": f"sha256:{row.digest}", "ETag": f'"sha256:{row.digest}"'}
    if request.method == "HEAD":
        headers["Content-Length"] = str(row.size_bytes)
        return Response(headers=headers, media_type=row.media_type)
    content = b"".join(_images(request).store.backend.read(row.digest))
    return Response(content, headers=headers, media_type=row.media_type)


@router.put(f"{_REPOSITORY}/manifests/{{reference}}")
async def put_manifest(request: Request, name: str, reference: str, caller: Writer) -> Response:
    """A manifest, by a tag or by its digest; what it names must be here already."""
    data = await _read_manifest(request)
    place = Repository(caller.project.id, name)
    return await run_in_threadpool(_put_manifest, request, place, reference, data, caller)


@router.delete(f"{_REPOSITORY}/manifests/{{reference}}", status_code=202)
def delete_manifest(name: str, reference: str, caller: Deleter, session: WriteSession) -> Response:
    """A tag, or a manifest with all its tags."""
    place = Repository(caller.project.id, name)
    if reference.startswith("sha256:"):
        repositories.delete_manifest(session, place, bare(reference), by=caller)
    else:
        repositories.delete_tag(session, place, reference, by=caller)
    return Response(status_code=202)


@router.post(f"{_UPLOADS}/")
@router.post(_UPLOADS)
async def begin_push(
    request: Request,
    project: str,
    name: str,
    caller: Writer,
    mount: str | None = None,
    source: Annotated[str | None, Query(alias="from")] = None,
    digest: str | None = None,
) -> Response:
    """Begins an upload; takes content over from elsewhere, or takes it whole at once, where the client asks so."""
    push = _push(request, name, caller)
    if mount is not None and await run_in_threadpool(_mount, push, bare(mount), source):
        return _created(project, name, bare(mount))
    wanted = bare(digest) if digest is not None else None
    upload = await run_in_threadpool(_begin, push)
    if wanted is None:
        return Response(status_code=202, headers=upload_headers(request, upload.id, 0))
    await push.append(request, upload, wanted)
    return _created(project, name, wanted)


@router.get(f"{_UPLOADS}/{{upload}}")
def get_push(request: Request, name: str, upload: str, caller: Writer) -> Response:
    """How far the upload is."""
    push = _push(request, name, caller)
    row = push.get(upload)
    return Response(status_code=204, headers=upload_headers(request, row.id, push.offset(row)))


@router.patch(f"{_UPLOADS}/{{upload}}")
async def continue_push(request: Request, name: str, upload: str, caller: Writer) -> Response:
    """The next bytes."""
    push = _push(request, name, caller)
    row = await run_in_threadpool(push.get, upload)
    offset = await push.append(request, row)
    return Response(status_code=202, headers=upload_headers(request, row.id, offset))


@router.put(f"{_UPLOADS}/{{upload}}")
async def finish_push(
    request: Request, project: str, name: str, upload: str, caller: Writer, digest: str = ""
) -> Response:
    """The last bytes, if any, and the digest of all."""
    push = _push(request, name, caller)
    wanted = bare(digest)
    row = await run_in_threadpool(push.get, upload)
    await push.append(request, row, wanted)
    return _created(project, name, wanted)


@router.delete(f"{_UPLOADS}/{{upload}}", status_code=204)
def cancel_push(request: Request, name: str, upload: str, caller: Writer) -> Response:
    """Gives an upload up."""
    push = _push(request, name, caller)
    push.cancel(push.get(upload))
    return Response(status_code=204)


@router.api_route(f"{_REPOSITORY}/blobs/{{digest}}", methods=["GET", "HEAD"])
def get_blob(request: Request, name: str, digest: str, caller: Reader) -> Response:
    """Content, whole or in part."""
    images, place, wanted = _images(request), Repository(caller.project.id, name), bare(digest)
    with images.db.read() as session:
        found = repositories.find_blob(session, place, wanted)
    if found is None:
        raise NotFound("registry_blob_unknown", digest=digest)
    if request.method == "HEAD" and caller.may("image.write") and not repositories.is_promised(found, caller.now):
        with images.db.write() as session:
            repositories.promise_blob(session, place, wanted, caller.now)
    backend = images.store.backend
    answer = serving.blob_response(
        request, backend, wanted, found.size_bytes, media_type="application/octet-stream", filename=wanted
    )
    answer.headers["Docker-Content-Digest"] = digest
    return answer


@router.delete(f"{_REPOSITORY}/blobs/{{digest}}", status_code=202)
def delete_blob(name: str, digest: str, caller: Deleter, session: WriteSession) -> Response:
    """Content that no manifest needs."""
    repositories.delete_blob(session, Repository(caller.project.id, name), bare(digest))
    return Response(status_code=202)


@router.api_route("/{rest:path}", methods=["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"])
def refuse_unknown(caller: SignedIn) -> Response:  # noqa: ARG001
    """Nothing else is spoken here."""
    raise Invalid("registry_unsupported")


def _images(request: Request) -> Images:
    images: Images = request.app.state.images
    return images


def _push(request: Request, name: str, caller: Caller) -> Push:
    return Push(_images(request), Repository(caller.project.id, name), caller)


def _begin(push: Push) -> Any:
    with push.images.db.write() as session:
        return push.begin(session)


def _mount(push: Push, digest: str, source: str | None) -> bool:
    """Where the caller may not read, or there is nothing, the client is to send the bytes: no error, and no hint."""
    with push.images.db.write() as session:
        place = None
        if source is not None:
            project_name, _, name = source.partition("/")
            try:
                reader = in_project(session, push.by, project_name)
            except NotFound:
                return False
            if not reader.may("image.read"):
                return False
            place = Repository(reader.project.id, name)
        return repositories.mount_blob(session, push.place, digest, place, push.by.now)


def _put_manifest(request: Request, place: Repository, reference: str, data: bytes, caller: Caller) -> Response:
    images = _images(request)
    manifest = parse_manifest(data, request.headers.get("Content-Type"))
    tag = None if reference.startswith("sha256:") else reference
    if tag is not None and not is_version(tag):
        raise Invalid("registry_tag_invalid", field="tag", tag=tag[:200])
    if tag is None:
        bare(reference)
    digest, size_bytes = intake.keep_bytes(images.db, images.store.backend, place.project_id, data, caller.now)
    if tag is None and reference != f"sha256:{digest}":
        raise Invalid("registry_digest_mismatch", field="digest", digest=reference)
    with images.db.write() as session:
        repositories.put_manifest(session, place, digest, size_bytes, manifest, tag=tag, by=caller)
    project = request.path_params["project"]
    headers = {"Location": f"/v2/{project}/{place.name}/manifests/sha256:{digest}"}
    headers["Docker-Content-Digest"] = f"sha256:{digest}"
    if manifest.subject is not None:
        headers["OCI-Subject"] = f"sha256:{manifest.subject}"
    return Response(status_code=201, headers=headers)


async def _read_manifest(request: Request) -> bytes:
    return await _read(request, MANIFEST_BYTES, TooLarge("registry_manifest_too_large", max=MANIFEST_BYTES))


async def _read(request: Request, limit: int, too_large: TidemillError) -> bytes:
    data = bytearray()
    async for piece in request.stream():
        data += piece
        if len(data) > limit:
            raise too_large
    return bytes(data)


async def _read_form(request: Request) -> dict[str, str]:
    data = await _read(request, _FORM_BYTES, Invalid("registry_request_invalid"))
    return dict(parse_qsl(data.decode("utf-8", "replace")))


def _token_by_form(images: Images, request: Request, form: dict[str, str]) -> dict[str, Any]:
    with images.db.read() as session:
        if form.get("grant_type") == "password":
            caller = by_password(session, request, form.get("username", ""), form.get("password", ""))
        elif form.get("grant_type") == "refresh_token":
            caller = by_password(session, request, "token", form.get("refresh_token", ""))
        else:
            caller = identify(session, request, images)
    return _token(images, caller)


def _token(images: Images, caller: Caller) -> dict[str, Any]:
    if caller.token_id is None:
        raise Unauthenticated
    token = issue(images, caller.token_id, caller.now)
    issued_at = caller.now.replace(microsecond=0).isoformat().replace("+00:00", "Z")
    return {"token": token, "access_token": token, "expires_in": int(LIFETIME.total_seconds()), "issued_at": issued_at}


def _created(project: str, name: str, digest: str) -> Response:
    location = f"/v2/{project}/{name}/blobs/sha256:{digest}"
    return Response(status_code=201, headers={"Location": location, "Docker-Content-Digest": f"sha256:{digest}"})


def _limit(n: int | None) -> int:
    if n is not None and n < 0:
        raise Invalid("registry_page_invalid", field="n")
    return listing.PAGE if n is None else min(n, listing.PAGE)


def _page(path: str, key: str, found: list[str], limit: int, rest: dict[str, Any]) -> Response:
    shown = found[:limit]
    headers = {}
    if len(found) > limit and shown:
        headers["Link"] = f'<{path}?n={limit}&last={quote(shown[-1], safe="")}>; rel="next"'
    return JSONResponse({**rest, key: shown}, headers=headers)
