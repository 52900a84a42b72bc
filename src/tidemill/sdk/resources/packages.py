"""Packages: models with what serves them."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tidemill.sdk.package_views import Package, PackageVersion
from tidemill.sdk.paging import Listing
from tidemill.sdk.refs import Ref, parse_ref
from tidemill.sdk.resources.assets import Assets
from tidemill.sdk.resources.workloads import work_failed

if TYPE_CHECKING:
    from tidemill.sdk.client import Client


class Packages(Assets):
    """`client.packages`. Wherever one is named: `name`, `name@3`, `public/name`.

    version = client.packages.build("digits", models=["digits@2"], requirements=["shapely>=2"])
    client.packages.wait(version)
    client.packages.export("digits@1", "digits.tar.gz")
    """

    def __init__(self, client: "Client") -> None:
        super().__init__(client, "package")

    def list(  # type: ignore[override]
        self,
        *,
        project: str | None = None,
        q: str | None = None,
        scene: str | None = None,
        state: str | None = None,
        mine: bool | None = None,
        sort: str | None = None,
    ) -> Listing[Package]:
        """`state` is that of the newest version."""
        params = {"q": q, "scene": scene, "state": state, "mine": mine, "sort": sort}
        return self._listing(self._in_project(project, "packages"), Package.read, params)

    def get(self, asset: str | Ref) -> Package:
        return Package.read(self._call("GET", self.asset_address(asset)))

    def create(self, name: str, *, scene: str = "other", description: str = "", project: str | None = None) -> Package:
        body = {"name": name, "scene": scene, "description": description}
        return Package.read(self._call("POST", self._in_project(project, "packages"), json=body))

    def check(self, package: str | Ref, **recipe: Any) -> Any:
        """What a recipe would come to: its digest, and which versions are the same."""
        return self._call("POST", self.asset_address(package, "check"), json=recipe)

    def build(self, package: str | Ref, *, note: str = "", **recipe: Any) -> PackageVersion:
        """A new version, being built. `models`, `algorithm`, `image`, `port`, `command`, `arguments`, `requirements`,
        `environment`, `shell_commands`: see docs/packages.md."""
        body = {"note": note, **recipe}
        return PackageVersion.read(self._call("POST", self.asset_address(package, "versions"), json=body))

    def rebuild(self, package: str | Ref) -> PackageVersion:
        """Builds a version again whose build failed or was stopped."""
        return PackageVersion.read(self._call("POST", self.version_address(package, "build")))

    def copy_version(self, package: str | Ref, *, note: str = "") -> PackageVersion:
        """Another version from the same recipe."""
        path = self.version_address(package, "copy")
        return PackageVersion.read(self._call("POST", path, json={"note": note}))

    def stop(self, package: str | Ref) -> PackageVersion:
        return PackageVersion.read(self._call("POST", self.version_address(package, "stop")))

    def versions(self, asset: str | Ref) -> Listing[PackageVersion]:  # type: ignore[override]
        """Newest first."""
        return self._listing(self.asset_address(asset, "versions"), PackageVersion.read)

    def version(self, asset: str | Ref) -> PackageVersion:  # type: ignore[override]
        """The version named, or the latest."""
        return PackageVersion.read(self._call("GET", self.version_address(asset)))

    def wait(
        self, version: PackageVersion | str | Ref, *, watch: Callable[[PackageVersion], None] | None = None
    ) -> PackageVersion:
        """The version when it is built; raises WorkloadFailed when it could not be."""
        found = version if isinstance(version, PackageVersion) else self.version(version)
        place = Ref(found.package, found.project, str(found.number))
        found = self._until(found, lambda: self.version(place), lambda now: now.is_over, watch)
        if found.state != "completed":
            cause = (found.error or {}).get("message") or found.state
            raise work_failed("sdk_workload_failed", found, found.name, cause)
        return found

    def logs(self, package: str | Ref, *, follow: bool = False) -> Iterator[str]:
        """What the build of a version wrote."""
        found = self.version(package)
        if found.workload_id is None:
            return iter(())
        return self._client.workloads.logs(found.workload_id, follow=follow, project=found.project)

    def export(self, package: str | Ref, target: str | Path, *, with_wheels: bool = False) -> Path:
        """Saves a built version as one file that runs elsewhere; of a name alone the newest that is built."""
        ref = parse_ref(package)
        if ref.version is None and (ready := self.get(ref).ready):
            ref = Ref(ref.name, ref.project, str(ready["number"]))
        params = {"wheels": with_wheels or None}
        return self._client.transport.fetch(self.version_address(ref, "export"), target, params=params)

    def settings(self, *, project: str | None = None) -> Any:
        """What the project allows."""
        return self._call("GET", self._in_project(project, "package-settings"))

    def allow_pickles(self, allowed: bool, *, project: str | None = None) -> Any:
        """Whether models may be read from pickle files; for those who look after the project."""
        body = {"allow_pickles": allowed}
        return self._call("PUT", self._in_project(project, "package-settings"), json=body)
