"""What this room gives to the house."""

from collections.abc import Sequence

from fastapi import FastAPI

from tidemill.assets import uses
from tidemill.assets.kinds import PACKAGE
from tidemill.kernel.loops import Loop
from tidemill.kernel.rooms import Room
from tidemill.packages import image_links, routes, sweeping, versions
from tidemill.packages.building import KIND, BuildWatcher
from tidemill.packages.live import changed_packages
from tidemill.packages.rows import TOPIC
from tidemill.workloads.lifecycle import register


def _install(app: FastAPI) -> None:
    register(KIND, BuildWatcher())
    app.state.live.join(changed_packages, TOPIC)
    app.state.images.users.append(image_links.PackageUsers())
    uses.register_sources(image_links.KIND, image_links.find_images)
    uses.register_guard(PACKAGE.name, versions.refuse_unbuilt)


def _loops(app: FastAPI) -> Sequence[Loop]:
    return [Loop("package-images", lambda: sweeping.sweep(app), every_s=sweeping.EVERY_S)]


room = Room(
    name="packages",
    routers=(routes.router, routes.settings, routes.programs),
    install=_install,
    loops=_loops,
)
