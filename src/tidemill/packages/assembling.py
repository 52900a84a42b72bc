"""Putting a package version together: its files by reference, and the Python image it runs in.

Safe to repeat from the start, and to be killed at any moment: nothing is visible before the last transaction, which
commits the version and completes the build at once.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from fastapi import FastAPI
from sqlalchemy.orm import Session

from tidemill.accounts.access import Caller
from tidemill.assets import counters, versions
from tidemill.assets.tables import AssetRow, VersionRow
from tidemill.assets.views import version_name
from tidemill.images import making, wheels
from tidemill.images.depot import Images
from tidemill.images.environments import own_entry
from tidemill.images.schemas import NewImage
from tidemill.images.tables import ImageRow
from tidemill.kernel.db import Database
from tidemill.kernel.errors import Conflict
from tidemill.packages import containers, plans
from tidemill.packages.building import effective_image
from tidemill.packages.files import Content, lay_out
from tidemill.packages.locking import merge, pins_of
from tidemill.packages.plans import MANIFEST, Plan, manifest_of
from tidemill.packages.rows import ENDED, move
from tidemill.packages.schemas import Recipe
from tidemill.packages.starting import FILE, script
from tidemill.packages.tables import PackageImageRow, PackageVersionRow
from tidemill.packages.worker import WHEELS
from tidemill.store import intake, trees
from tidemill.store.depot import Store
from tidemill.workloads import service as workloads
from tidemill.workloads.tables import WorkloadRow

LOCK_FILE = "requirements.lock"
IMAGE_FOLDER = "packages"

Say = Callable[[str], None]
"""Takes a line of the build's log."""


class Ended(Exception):
    """Somebody ended the build, or an earlier attempt did: nothing is left to do."""

    def __init__(self, state: str) -> None:
        super().__init__(state)
        self.state = state


@dataclass(frozen=True, slots=True)
class Build:
    """A build as the server works on it."""

    app: FastAPI
    asset: AssetRow
    version: VersionRow
    row: PackageVersionRow
    workspace: Path
    """Of its workload: what its program gathered."""
    plan: Plan
    recipe: Recipe
    by: Caller

    @property
    def db(self) -> Database:
        database: Database = self.app.state.db
        return database

    @property
    def store(self) -> Store:
        store: Store = self.app.state.store
        return store

    @property
    def images(self) -> Images:
        images: Images = self.app.state.images
        return images

    @property
    def new_image(self) -> NewImage:
        """What the image that is made for the version is called."""
        name = version_name(self.asset, self.version)
        return NewImage(
            name=f"{IMAGE_FOLDER}/{self.asset.id}",
            version=str(self.version.number),
            description=f"Made for the package {name} · 为模型包 {name} 生成",
        )


def open_build(app: FastAPI, version_id: str, *, by: Caller) -> Build:
    """The build the caller's workload is for; raises `Ended` when it is not to be built any more."""
    with app.state.db.read() as session:
        row = session.get(PackageVersionRow, version_id)
        if row is None or row.project_id != by.project.id:
            raise Ended("stopped")
        _check_current(session, row, by)
        version = session.get_one(VersionRow, version_id)
        asset = session.get_one(AssetRow, version.asset_id)
        workload = session.get_one(WorkloadRow, row.workload_id)
    return Build(
        app=app,
        asset=asset,
        version=version,
        row=row,
        workspace=app.state.engine.workspace(workload.workspace),
        plan=plans.from_json(row.plan),
        recipe=Recipe.model_validate(row.recipe),
        by=by,
    )


def assemble(build: Build, say: Say) -> None:
    """Makes the version whole. Raises a TidemillError where that cannot be, `Ended` where it need not be."""
    with build.images.environments.turn(f"package-{build.version.id}"):
        # Another attempt may have done it while this one waited.
        build = open_build(build.app, build.version.id, by=build.by)
        if build.plan.base.kind == "oci":
            _assemble_container(build, say)
        else:
            _assemble_python(build, say)
    say(f"{version_name(build.asset, build.version)} is built; digest {build.row.digest}")


def fail(app: FastAPI, version_id: str, problem: dict[str, Any], *, by: Caller) -> None:
    """The build cannot be done, and trying again would not help."""
    with app.state.db.write() as session:
        row = session.get(PackageVersionRow, version_id, with_for_update=True)
        if row is None or row.project_id != by.project.id or row.state in ENDED or row.workload_id != by.workload_id:
            return
        move(session, row, "failed", now=by.now, problem=problem)
        workloads.end_tries(session, row.workload_id)


def _check_current(session: Session, row: PackageVersionRow, by: Caller) -> None:
    """Only the workload that builds the version now may."""
    if row.state in ENDED:
        raise Ended(row.state)
    if row.workload_id is None or row.workload_id != by.workload_id:
        raise Ended("stopped")
    version = session.get(VersionRow, row.version_id)
    if version is None or version.deleted_at is not None:
        raise Ended("stopped")


def _assemble_python(build: Build, say: Say) -> None:
    lock, is_derived = _lock(build, say)
    pins = pins_of(lock, build.plan, build.store.backend)
    files = [
        Content(MANIFEST, manifest_of(build.plan, build.recipe)),
        Content(FILE, _script(build, with_shell_commands=True)),
        Content(LOCK_FILE, "".join(f"{line}\n" for line in pins).encode()),
    ]
    tree_id = _write_tree(build, files, say)

    def image(session: Session) -> tuple[str | None, str | None]:
        if not is_derived:
            return None, effective_image(build.plan)
        body = build.new_image
        made = making.add_made(
            session,
            build.images,
            body,
            lock,
            build.plan.requirements,
            project_id=build.asset.project_id,
            by=build.by,
        )
        return made.id, f"{body.name}:{body.version}"

    _finish(build, tree_id, image)


def _assemble_container(build: Build, say: Say) -> None:
    files = [
        Content(MANIFEST, manifest_of(build.plan, build.recipe)),
        Content(FILE, _script(build, with_shell_commands=False)),
    ]
    tree_id = _write_tree(build, files, say)
    body = build.new_image
    image_id = containers.build_image(
        build.images, tree_id, build.plan, build.recipe, body, project_id=build.asset.project_id, say=say, by=build.by
    )
    _finish(build, tree_id, lambda _: (image_id, f"{body.name}:{body.version}"))


def _lock(build: Build, say: Say) -> tuple[list[list[str | int]], bool]:
    """The wheels of the environment it runs in, and whether an image of its own has to be made of them."""
    with build.db.read() as session:
        base = session.get(ImageRow, build.plan.base.id)
    if base is None or (base.digest != build.plan.base.digest and not base.is_builtin):
        raise Conflict("package_base_changed", image=build.plan.base.name)
    is_own = effective_image(build.plan) is None
    lock = [own_entry()] if is_own else [list(one) for one in base.lock]
    folder = build.workspace / WHEELS
    gathered = sorted(folder.glob("*.whl")) if folder.is_dir() else []
    if not gathered:
        # The environment of an image that people make may become another one: the version keeps this one.
        return lock, not base.is_builtin
    say(f"installing {len(gathered)} packages: {', '.join(path.name.split('-')[0] for path in gathered)}")
    new = wheels.take_in(build.db, build.store, build.asset.project_id, folder, build.app.state.clock())
    merged = merge(lock, new)
    making.materialise(build.images, merged, say)
    return merged, True


def _script(build: Build, *, with_shell_commands: bool) -> bytes:
    return script(
        build.plan.start,
        build.recipe,
        is_code=build.plan.code is not None,
        with_shell_commands=with_shell_commands,
    )


def _write_tree(build: Build, files: Sequence[Content], say: Say) -> str:
    """The version's files: a few of our own, everything else by reference to what is in the store already."""
    for file in files:
        intake.keep_bytes(build.db, build.store.backend, build.asset.project_id, file.data, build.by.now)
    with build.db.write() as session:
        version = session.get_one(VersionRow, build.version.id, with_for_update=True)
        tree = lay_out(session, version, build.plan.sources, files, project_id=build.asset.project_id, now=build.by.now)
        version.tree_id = tree.id
        told = f"{tree.files} files, {tree.size_bytes / 2**20:.1f} MiB, by reference"
    trees.seal(build.db, build.store, tree.id, build.by.now)
    say(told)
    return tree.id


def _finish(build: Build, tree_id: str, image: Callable[[Session], tuple[str | None, str | None]]) -> None:
    """Everything becomes visible at once."""
    now = build.app.state.clock()
    with build.db.write() as session:
        asset = session.get_one(AssetRow, build.asset.id, with_for_update={"key_share": True}, populate_existing=True)
        row = session.get_one(PackageVersionRow, build.version.id, with_for_update=True, populate_existing=True)
        _check_current(session, row, build.by)
        version = session.get_one(VersionRow, build.version.id)
        if version.tree_id != tree_id:
            raise Conflict("package_base_changed", image=build.plan.base.name)
        image_id, name = image(session)
        if image_id is not None:
            session.merge(
                PackageImageRow(image_id=image_id, project_id=asset.project_id, version_id=version.id),
            )
        version.state, version.committed_at = "committed", now
        asset.updated_at = now
        counters.refresh_asset(session, asset)
        row.image_id, row.plan = image_id, replace(build.plan, image=name).to_json()
        move(session, row, "completed", now=now)
        versions.record(session, "commit", asset, version, by=build.by, after={"digest": row.digest, "image": name})
