"""A package version as a container image: built by the container engine of this machine, kept in our registry.

The base image comes from our registry, so nothing is pulled. Its dependencies are one layer, the package's files the
next, shell commands one each: what did not change since another build is taken from the engine's cache, and packages
are not fetched again because a model changed.
"""

import json
import tarfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from urllib.parse import quote, urlencode

from tidemill.accounts.access import Caller
from tidemill.engines.local.containers import container_socket
from tidemill.engines.runner.docker import ApiError, Docker
from tidemill.images import archives
from tidemill.images.depot import Images
from tidemill.images.entering import enter
from tidemill.images.importing import SIZE_MAX, scratch
from tidemill.images.loading import is_loaded
from tidemill.images.registry.repositories import Repository, find_tag
from tidemill.images.schemas import NewImage
from tidemill.images.service import describe, make_ready
from tidemill.images.service import image_tag as tag_of
from tidemill.images.tables import ImageRow
from tidemill.kernel.errors import Conflict, Invalid, Unavailable
from tidemill.kernel.settings import Settings
from tidemill.packages import pip_settings, sources
from tidemill.packages.files import Content
from tidemill.packages.plans import Plan
from tidemill.packages.schemas import Recipe
from tidemill.store import trees
from tidemill.store.backends import BLOCK_BYTES

FOLDER = "/package"
GRPC_PORT = 8081
_LIBRARY = "lib"
_REQUIREMENTS = "requirements.txt"
_INSTALL = f"""\
if ! command -v python >/dev/null; then
  found=$(command -v python3) || {{ echo "the base image has no Python, which this package needs" >&2; exit 1; }}
  mkdir -p /usr/local/bin && ln -s "$found" /usr/local/bin/python
fi
if [ -f {pip_settings.PLACE} ]; then export PIP_CONFIG_FILE={pip_settings.PLACE}; fi
export PIP_BREAK_SYSTEM_PACKAGES=1 PIP_ROOT_USER_ACTION=ignore PIP_DISABLE_PIP_VERSION_CHECK=1
exec python -m pip install --no-input --no-cache-dir -r {FOLDER}/{_REQUIREMENTS}"""
"""Distributions call their Python `python3` and keep pip from it: in an image that is ours alone there is no harm."""


def require_engine(settings: Settings) -> str:
    """The engine's socket; raises Invalid, at once and in words, where there is none."""
    socket = container_socket(settings.container_socket)
    if socket is None:
        raise Invalid("package_needs_containers", field="image")
    return socket


def dockerfile(base: str, plan: Plan, recipe: Recipe, *, with_secrets: bool = False) -> bytes:
    """How the image is made. Forms that need no shell of ours, so that names and values may hold anything.

    It is run as root, as services run it, and by nothing that the base says of starting. `with_secrets`: the engine
    shows pip's settings to pip and leaves them out of the image.
    """
    lines = [f"FROM {base}", "USER 0:0"]
    if sources.needed_by(plan):
        mounts = "".join(f"--mount=type=secret,id={name} " for name in pip_settings.NAMES) if with_secrets else ""
        lines += [
            f"COPY {_REQUIREMENTS} {FOLDER}/{_REQUIREMENTS}",
            f"RUN {mounts}{json.dumps(['sh', '-ec', _INSTALL])}",
        ]
    grpc = f" TIDEMILL_GRPC_PORT={GRPC_PORT}" if plan.has_grpc else ""
    lines += [
        f"ENV TIDEMILL_HOST=0.0.0.0 PORT={recipe.port} TIDEMILL_PORT={recipe.port}{grpc}",
        f"EXPOSE {recipe.port}",
        "ENTRYPOINT []",
        f'CMD ["sh", "{FOLDER}/start.sh"]',
        f"WORKDIR {FOLDER}",
        f"COPY package {FOLDER}/",
        *(f"RUN {json.dumps(['sh', '-ec', command], ensure_ascii=False)}" for command in recipe.shell_commands),
    ]
    return "".join(f"{line}\n" for line in lines).encode()


def build_image(
    images: Images,
    tree_id: str,
    plan: Plan,
    recipe: Recipe,
    body: NewImage,
    *,
    project_id: str,
    say: Callable[[str], None],
    by: Caller,
) -> str:
    """Builds the image and enters it into the registry; its id. One that an attempt before entered is taken."""
    docker = Docker(require_engine(images.settings), timeout_s=None)
    if (entered := _find_entered(images, body, project_id)) is not None:
        return entered
    with images.db.read() as session:
        row = session.get(ImageRow, plan.base.id)
        base = describe(session, row) if row is not None else None
    if base is None or base.digest != plan.base.digest:
        raise Conflict("package_base_changed", image=plan.base.name)
    reference = make_ready(images, base, say).reference
    built = f"localhost/tidemill-build:{tree_id.replace('_', '-')}"
    try:
        _build(docker, images, tree_id, reference, plan, recipe, built, say)
        image_id = _enter(docker, images, built, project_id, body, by)
        with images.db.read() as session:
            made = describe(session, session.get_one(ImageRow, image_id))
        _tag(docker, built, tag_of(images, made))
    finally:
        _untag(docker, built)
    return image_id


def _find_entered(images: Images, body: NewImage, project_id: str) -> str | None:
    """The image, where an attempt before this one had entered it: it is entered whole, or not at all."""
    with images.db.read() as session:
        row = find_tag(session, Repository(project_id, body.name), body.version)
    return row.id if row is not None else None


def _build(
    docker: Docker,
    images: Images,
    tree_id: str,
    base: str,
    plan: Plan,
    recipe: Recipe,
    tag: str,
    say: Callable[[str], None],
) -> None:
    secrets = pip_settings.secrets() if sources.needed_by(plan) and docker.is_podman() else ()
    text = dockerfile(base, plan, recipe, with_secrets=bool(secrets))
    entries = list(_context(images, tree_id, text, plan, secrets))
    size_bytes = sum(_padded(size) + len(header) for header, size, _ in entries) + 2 * tarfile.BLOCKSIZE
    # Whatever is needed is here: nothing is pulled. The network is the machine's, as in containers of workloads.
    options = {"t": tag, "dockerfile": "Dockerfile", "pull": "false", "rm": "true", "forcerm": "true"}
    options |= {"networkmode": "host", "buildargs": json.dumps(pip_settings.proxies())}
    if secrets:
        options["secrets"] = json.dumps([f"id={one.path},src={one.path}" for one in secrets])
    asked = urlencode(options)
    try:
        answer = docker.post(f"/build?{asked}", _tar(images, entries), size_bytes)
        for line in answer:
            _tell(line, say)
    except (ApiError, OSError) as error:
        raise Unavailable("package_image_failed", reason=str(error)[:500]) from None
    if not is_loaded(docker, tag):
        raise Conflict("package_image_failed", reason="-")


def _tell(line: bytes, say: Callable[[str], None]) -> None:
    try:
        told = json.loads(line)
    except ValueError:
        return
    if "error" in told:
        raise Conflict("package_image_failed", reason=str(told["error"])[:500])
    for text in str(told.get("stream", "")).splitlines():
        if text.strip():
            say(text.rstrip())


_Entry = tuple[bytes, int, bytes | str]
"""A header, a size, and bytes or the digest of a blob."""


def _context(images: Images, tree_id: str, recipe: bytes, plan: Plan, secrets: Sequence[Content]) -> Iterator[_Entry]:
    own = [Content("Dockerfile", recipe), *secrets]
    if listed := sources.needed_by(plan):
        own.append(Content(_REQUIREMENTS, "".join(f"{line}\n" for line in listed).encode()))
    if plan.protocol == "v2":
        own += [Content(f"package/{_LIBRARY}/{one.path}", one.data) for one in sources.runtime()]
    for file in own:
        yield _header(file.path, len(file.data)), len(file.data), file.data
    for node in trees.stream(images.db, tree_id):
        assert node.digest is not None
        yield _header(f"package/{node.path}", node.size_bytes), node.size_bytes, node.digest


def _header(path: str, size_bytes: int) -> bytes:
    header = tarfile.TarInfo(path)
    header.size, header.mode = size_bytes, 0o644
    return header.tobuf(tarfile.PAX_FORMAT, "utf-8")


def _tar(images: Images, entries: list[_Entry]) -> Iterator[bytes]:
    for header, size, data in entries:
        yield header
        if isinstance(data, bytes):
            yield data
        else:
            yield from images.store.backend.read(data)
        yield b"\0" * (_padded(size) - size)
    yield b"\0" * (2 * tarfile.BLOCKSIZE)


def _padded(size_bytes: int) -> int:
    return -(-size_bytes // tarfile.BLOCKSIZE) * tarfile.BLOCKSIZE


def _enter(docker: Docker, images: Images, tag: str, project_id: str, body: NewImage, by: Caller) -> str:
    """The built image from the engine into the registry; layers the store has already are kept once."""
    with scratch(images) as folder:
        answer = docker.call("GET", f"/images/{quote(tag, safe='/:')}/get")
        blocks = iter(lambda: answer.read(BLOCK_BYTES), b"")
        contents = archives.unpack(blocks, Path(folder), limit_bytes=SIZE_MAX, check=_unchecked)
        return enter(images, archives.read_image(contents), project_id, body, by=by)


def _unchecked(done: int) -> None:
    del done


def _tag(docker: Docker, tag: str, other: str) -> None:
    """The engine knows the image by its digest's name too: it need not be loaded when it is first run."""
    repository, _, version = other.rpartition(":")
    asked = urlencode({"repo": repository, "tag": version})
    docker.call("POST", f"/images/{quote(tag, safe='/:')}/tag?{asked}").read()


def _untag(docker: Docker, tag: str) -> None:
    try:
        docker.call("DELETE", f"/images/{quote(tag, safe='/:')}?noprune=true").read()
    except (ApiError, OSError):
        # Not there, or the engine is away: a build of the same version uses the tag again.
        return
