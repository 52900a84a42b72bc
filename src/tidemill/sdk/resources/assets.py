"""Algorithms and models: one mechanism, two groups of calls."""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tidemill.kernel.errors import Invalid
from tidemill.sdk.language import problem
from tidemill.sdk.paging import Listing
from tidemill.sdk.refs import Ref, file_address, parse_ref
from tidemill.sdk.resources.base import Resource, given
from tidemill.sdk.views import Asset, Change, Entry, Job, Lineage, ManifestLine, Reference, Version

if TYPE_CHECKING:
    from tidemill.sdk.client import Client
    from tidemill.sdk.transfer.progress import Watch
    from tidemill.sdk.transfer.pull import Pulled
    from tidemill.sdk.transfer.push import Pushed

# Sealing a version writes the list of all its files; a hundred thousand of them take a while.
COMMIT_TIMEOUT_S = 900.0


class Assets(Resource):
    """`client.algorithms`, `client.models`. Wherever an asset is named: `name`, `name@3`, `public/name`."""

    def __init__(self, client: "Client", kind: str) -> None:
        super().__init__(client)
        self.kind = kind

    def list(
        self,
        *,
        project: str | None = None,
        q: str | None = None,
        scene: str | None = None,
        mine: bool | None = None,
        sort: str | None = None,
    ) -> Listing[Asset]:
        params = {"q": q, "scene": scene, "mine": mine, "sort": sort}
        return self._listing(self._in_project(project, f"{self.kind}s"), Asset.read, params)

    def get(self, asset: str | Ref) -> Asset:
        return Asset.read(self._call("GET", self.asset_address(asset)))

    def create(self, name: str, *, scene: str = "other", description: str = "", project: str | None = None) -> Asset:
        body = {"name": name, "scene": scene, "description": description}
        return Asset.read(self._call("POST", self._in_project(project, f"{self.kind}s"), json=body))

    def update(self, asset: str | Ref, *, description: str) -> Asset:
        return Asset.read(self._call("PATCH", self.asset_address(asset), json={"description": description}))

    def delete(self, asset: str | Ref) -> None:
        """To the bin; refused while versions are left or something refers to it."""
        self._call("DELETE", self.asset_address(asset))

    def copy(self, asset: str | Ref, name: str, *, to_project: str | None = None) -> Asset:
        """A new asset with the same content and no new bytes; of one version when `asset` names one."""
        version = parse_ref(asset).version
        body = given(name=name, to_project=to_project, version=_number(version))
        return Asset.read(self._call("POST", self.asset_address(asset, "copy"), json=body))

    def references(self, asset: str | Ref) -> Sequence[Reference]:
        answer = self._call("GET", self.asset_address(asset, "references"))
        return [Reference.read(item) for item in answer["items"]]

    def versions(self, asset: str | Ref) -> Listing[Version]:
        """Newest first."""
        return self._listing(self.asset_address(asset, "versions"), Version.read)

    def version(self, asset: str | Ref) -> Version:
        """The version named, or the latest."""
        return Version.read(self._call("GET", self.version_address(asset)))

    def newest(self, asset: str | Ref) -> Version:
        """The version named; without a number the newest committed one, or else the newest draft."""
        if parse_ref(asset).version is not None:
            return self.version(asset)
        for version in self.versions(asset):
            if version.state == "committed":
                return version
        return self.version(asset)

    def pinned(self, asset: str | Ref) -> Ref:
        """The same asset with the number of its `newest` version."""
        ref = parse_ref(asset)
        return ref if ref.version else Ref(ref.name, ref.project, str(self.newest(ref).number))

    def create_version(self, asset: str | Ref, *, origin: str | None = None, note: str | None = None) -> Version:
        """A draft: empty, or with the files of `origin` (`"3"`, `"name@3"`, `"public/name@3"`)."""
        body = {**given(note=note), **({"from": origin} if origin else {})}
        return Version.read(self._call("POST", self.asset_address(asset, "versions"), json=body))

    def commit(self, asset: str | Ref, *, note: str | None = None) -> Version:
        """Fixes a draft for good."""
        path = self.version_address(asset, "commit")
        return Version.read(self._call("POST", path, json=given(note=note), timeout_s=COMMIT_TIMEOUT_S))

    def update_version(self, asset: str | Ref, **changes: Any) -> Version:
        """Changes `note`, `format`, `metrics`, `signature`."""
        return Version.read(self._call("PATCH", self.version_address(asset), json=changes))

    def delete_version(self, asset: str | Ref) -> None:
        """To the bin; refused when something refers to it."""
        if parse_ref(asset).version is None:
            raise problem(Invalid, "sdk_version_needed", given=str(asset))
        self._call("DELETE", self.version_address(asset))

    def add_sources(self, asset: str | Ref, sources: Sequence[str], *, relation: str = "made_from") -> Any:
        """Records what a version was made from, such as `"model:public/base@1"`."""
        body = {"sources": [*sources], "relation": relation}
        return self._call("POST", self.version_address(asset, "sources"), json=body)

    def files(self, asset: str | Ref, path: str = "", *, q: str | None = None) -> Listing[Entry]:
        """A folder of a version, folders first; with `q` everything below it whose name matches."""
        return self._listing(self.version_address(asset, "tree"), Entry.read, {"path": path, "q": q})

    def entry(self, asset: str | Ref, path: str) -> Entry:
        return Entry.read(self._call("GET", self.version_address(asset, "entry"), params={"path": path}))

    def manifest(self, asset: str | Ref) -> Iterator[ManifestLine]:
        """Every file of a version, sorted by path."""
        with self._client.transport.stream(self.version_address(asset, "manifest")) as response:
            for line in response.iter_lines():
                if line:
                    yield ManifestLine.read(json.loads(line))

    def read_file(self, asset: str | Ref, path: str) -> bytes:
        return b"".join(self.stream_file(asset, path))

    def stream_file(self, asset: str | Ref, path: str) -> Iterator[bytes]:
        with self._client.transport.stream(self.file_address(asset, path)) as response:
            yield from response.iter_raw()

    def write_file(self, asset: str | Ref, path: str, content: bytes, *, expected: str | None = None) -> Entry:
        """Puts a file of up to a few MiB into a draft; with `expected` only if it still has that digest."""
        headers = {"Content-Type": "application/octet-stream"}
        if expected:
            headers["If-Match"] = f'"{expected}"'
        return Entry.read(self._call("PUT", self.file_address(asset, path), content=content, headers=headers))

    def delete_files(self, asset: str | Ref, paths: Sequence[str]) -> Any:
        return self._call("POST", self.version_address(asset, "files", "delete"), json={"paths": [*paths]})

    def move_files(self, asset: str | Ref, moves: Mapping[str, str], *, overwrite: bool = False) -> Any:
        """Moves or renames files and folders: `{"old/path": "new/path"}`."""
        body = {"moves": [{"from": old, "to": new} for old, new in moves.items()], "overwrite": overwrite}
        return self._call("POST", self.version_address(asset, "files", "move"), json=body)

    def make_folder(self, asset: str | Ref, path: str) -> Any:
        return self._call("POST", self.version_address(asset, "files", "folder"), json={"path": path})

    def import_git(self, asset: str | Ref, url: str, *, revision: str | None = None, subdir: str | None = None) -> Job:
        """Fetches a Git repository into a draft, in the background."""
        body = given(url=url, ref=revision, subdir=subdir)
        return Job.read(self._call("POST", self.version_address(asset, "import-git"), json=body))

    def compare(self, asset: str | Ref, other: int | str) -> Listing[Change]:
        """What is different in this version against `other`."""
        return self._listing(self.version_address(asset, "compare"), Change.read, {"with": str(other)})

    def lineage(self, asset: str | Ref, *, depth: int = 3) -> Lineage:
        return Lineage.read(self._call("GET", self.version_address(asset, "lineage"), params={"depth": depth}))

    def push(
        self,
        source: str | Path,
        asset: str | Ref,
        *,
        scene: str = "other",
        description: str = "",
        note: str | None = None,
        draft: bool = False,
        add: bool = False,
        links: str = "inside",
        watch: "Watch | None" = None,
    ) -> "Pushed":
        """Sends a folder or a file as a new version (or into the draft `name@3`), only the bytes the server lacks.

        The asset is made when there is none. The version then holds exactly what the folder holds; with `add` it starts
        from the latest version and nothing is taken out of it. It is committed unless `draft`. Stopped half-way, the
        same call goes on where it was.
        """
        from tidemill.sdk.transfer.push import PushOptions, push

        options = PushOptions(scene, description, note, draft, add, links)
        return push(self._client, self, Path(source), self._located(asset), options, watch)

    def pull(
        self,
        asset: str | Ref,
        target: str | Path,
        *,
        path: str = "",
        delete: bool = False,
        watch: "Watch | None" = None,
    ) -> "Pulled":
        """Makes a folder hold a version's files, fetching only what is not there yet.

        With `path` only that folder of the version; with `delete` files that the version does not have are removed.
        """
        from tidemill.sdk.transfer.pull import pull

        return pull(self._client, self, self._located(asset), Path(target), path=path, delete=delete, watch=watch)

    def asset_address(self, asset: str | Ref, *parts: str | int) -> str:
        ref = parse_ref(asset)
        return self._in_project(ref.project, f"{self.kind}s", ref.name, *parts)

    def version_address(self, asset: str | Ref, *parts: str | int) -> str:
        ref = parse_ref(asset)
        return self.asset_address(ref, "versions", ref.version or "latest", *parts)

    def file_address(self, asset: str | Ref, path: str) -> str:
        return f"{self.version_address(asset, 'files')}/{file_address(path)}"

    def _located(self, asset: str | Ref) -> Ref:
        ref = parse_ref(asset)
        return Ref(ref.name, self._client.project_name(ref.project), ref.version)


def _number(version: str | None) -> int | None:
    return int(version) if version and version.isdigit() else None
