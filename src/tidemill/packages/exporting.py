"""A package version as one file that runs where the platform is not, with one command."""

import gzip
import io
import os
import sysconfig
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass

from fastapi import FastAPI

from tidemill.accounts.access import Caller
from tidemill.assets.lookup import Place
from tidemill.assets.views import version_name
from tidemill.images.loading import archive_of
from tidemill.images.registry.repositories import Repository
from tidemill.images.tables import ImageRow
from tidemill.kernel.errors import Conflict
from tidemill.packages import plans, sources
from tidemill.packages.assembling import LOCK_FILE
from tidemill.packages.lookup import get_package_version
from tidemill.packages.schemas import Recipe
from tidemill.packages.wheelhouse import Wheel, wheels_of
from tidemill.store import trees

_BLOCK = 1 << 20
_RUN = """\
#!/bin/sh
# Runs the package: makes a Python environment beside it (once), then serves.
#   ./run.sh [--port 8080] [--host 127.0.0.1] [--grpc-port N] [--python python3] [--allow-pickles]
set -eu
here=$(cd "$(dirname "$0")" && pwd)
port=${PORT:-@PORT@}
host=${TIDEMILL_HOST:-127.0.0.1}
version=@VERSION@
python=${PYTHON:-$(command -v "python$version" || echo python3)}
while [ $# -gt 0 ]; do
  case "$1" in
    --port) port=$2; shift 2 ;;
    --host) host=$2; shift 2 ;;
    --grpc-port) export TIDEMILL_GRPC_PORT="$2"; shift 2 ;;
    --python) python=$2; shift 2 ;;
    --allow-pickles) export TIDEMILL_ALLOW_PICKLES=1; shift ;;
    *) echo "usage: run.sh [--port N] [--host H] [--grpc-port N] [--python PYTHON] [--allow-pickles]" >&2; exit 2 ;;
  esac
done
if [ ! -f "$here/.venv/.ready" ]; then
  if ! "$python" -c "import sys; sys.exit('%d.%d' % sys.version_info[:2] != '$version')"; then
    echo "this package needs Python $version: name one with --python" >&2
    exit 1
  fi
  if [ -d "$here/wheels" ] && [ "$(uname -sm)" != "@MACHINE@" ]; then
    echo "the wheels of this package are for @MACHINE@, and this is $(uname -sm): export it without them" >&2
    exit 1
  fi
  "$python" -m venv ${TIDEMILL_VENV_OPTIONS:-} "$here/.venv"
  if [ -d "$here/wheels" ]; then
    set -- --no-index --find-links "$here/wheels"
  fi
  "$here/.venv/bin/python" -m pip install --no-input --no-compile --disable-pip-version-check "$@" \\
    -r "$here/requirements.txt"
  : > "$here/.venv/.ready"
fi
export PATH="$here/.venv/bin:$PATH"
export PYTHONPATH="$here/lib${PYTHONPATH:+:$PYTHONPATH}"
export PORT="$port" TIDEMILL_HOST="$host"
exec sh "$here/package/start.sh"
"""


@dataclass(frozen=True, slots=True)
class Export:
    """A file on its way out."""

    name: str
    media_type: str
    blocks: Iterator[bytes]


def open_export(app: FastAPI, place: Place, *, with_wheels: bool, by: Caller) -> Export:
    """The version as a file; raises Conflict while it is not built."""
    state = app.state
    with state.db.read() as session:
        asset, version, row = get_package_version(session, place, project_id=by.project.id)
        image = session.get(ImageRow, row.image_id) if row.image_id else None
    if row.state != "completed":
        raise Conflict("package_not_built", field="package", name=version_name(asset, version), state=row.state)
    plan, recipe = plans.from_json(row.plan), Recipe.model_validate(row.recipe)
    stem = f"{asset.name}-{version.number}"
    if plan.base.kind == "oci":
        if image is None:
            raise Conflict("image_gone")
        place_of = Repository(image.project_id, image.name)
        blocks = archive_of(state.images, place_of, image.digest, f"{image.name}:{image.version}")
        return Export(f"{stem}.tar", "application/x-tar", blocks)
    requirements = _locked(app, version.tree_id)
    # Before the first byte is sent: what is wrong with them is said in words.
    wheels = wheels_of(state.images, plan, image, requirements.decode().split()) if with_wheels else iter(())
    archive = _archive(app, version.tree_id, recipe, stem, requirements, wheels)
    return Export(f"{stem}.tar.gz", "application/gzip", _gzipped(archive))


def _locked(app: FastAPI, tree_id: str) -> bytes:
    with app.state.db.read() as session:
        lock = trees.get_entry(session, tree_id, LOCK_FILE)
    assert lock.digest is not None
    return b"".join(app.state.store.backend.read(lock.digest))


def _archive(
    app: FastAPI, tree_id: str, recipe: Recipe, stem: str, requirements: bytes, wheels: Iterator[Wheel]
) -> Iterator[bytes]:
    state = app.state
    own = [
        ("run.sh", _run_script(recipe), 0o755),
        ("requirements.txt", requirements, 0o644),
        *((f"lib/{one.path}", one.data, 0o644) for one in sources.runtime()),
    ]
    for path, data, mode in own:
        yield from _file(f"{stem}/{path}", len(data), iter([data]), mode)
    for name, size, blocks in wheels:
        yield from _file(f"{stem}/wheels/{name}", size, blocks)
    for node in trees.stream(state.db, tree_id):
        assert node.digest is not None
        yield from _file(f"{stem}/package/{node.path}", node.size_bytes, state.store.backend.read(node.digest))
    yield b"\0" * (2 * tarfile.BLOCKSIZE)


def _run_script(recipe: Recipe) -> bytes:
    machine = os.uname()
    told = {
        "@PORT@": str(recipe.port),
        "@VERSION@": sysconfig.get_python_version(),
        "@MACHINE@": f"{machine.sysname} {machine.machine}",
    }
    text = _RUN
    for name, value in told.items():
        text = text.replace(name, value)
    return text.encode()


def _file(path: str, size_bytes: int, blocks: Iterator[bytes], mode: int = 0o644) -> Iterator[bytes]:
    header = tarfile.TarInfo(path)
    header.size, header.mode = size_bytes, mode
    yield header.tobuf(tarfile.PAX_FORMAT, "utf-8")
    yield from blocks
    yield b"\0" * (-size_bytes % tarfile.BLOCKSIZE)


def _gzipped(blocks: Iterator[bytes]) -> Iterator[bytes]:
    """Compressed as it goes: weights hardly get smaller, so little effort is made."""
    sink = io.BytesIO()
    with gzip.GzipFile(fileobj=sink, mode="wb", compresslevel=1, mtime=0) as file:
        for block in blocks:
            file.write(block)
            if sink.tell() >= _BLOCK:
                yield sink.getvalue()
                sink.seek(0)
                sink.truncate()
    yield sink.getvalue()
