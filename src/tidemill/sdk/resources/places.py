"""Images, environments, SSH keys: what runs things, places to work in, and the way there."""

from collections.abc import Callable, Sequence, Set
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tidemill.kernel.errors import NotFound
from tidemill.sdk.language import problem
from tidemill.sdk.paging import Listing
from tidemill.sdk.refs import address
from tidemill.sdk.resources.base import Resource, given
from tidemill.sdk.resources.workloads import work_failed
from tidemill.sdk.transfer.single import send_file
from tidemill.sdk.views import Job
from tidemill.sdk.work_views import Environment, Image, SshKey

if TYPE_CHECKING:
    from tidemill.sdk.transfer.progress import Watch


ENDED = frozenset({"completed", "failed", "stopped"})


class Images(Resource):
    """`client.images`. An image is named by its id or as `name:version`."""

    def list(
        self,
        *,
        project: str | None = None,
        q: str | None = None,
        kind: str | None = None,
        sort: str | None = None,
    ) -> Listing[Image]:
        params = {"q": q, "kind": kind, "sort": sort}
        return self._listing(self._in_project(project, "images"), Image.read, params)

    def get(self, image: str, *, project: str | None = None) -> Image:
        return Image.read(self._call("GET", self._in_project(project, "images", self._id(image, project))))

    def create(
        self,
        name: str,
        version: str,
        requirements: Sequence[str],
        *,
        description: str = "",
        specs: Sequence[str] = (),
        project: str | None = None,
        **more: Any,
    ) -> Image:
        """A Python environment with these packages."""
        body = given(
            name=name,
            version=version,
            requirements=[*requirements],
            description=description,
            specs=[*specs],
            **more,
        )
        return Image.read(self._call("POST", self._in_project(project, "images"), json=body))

    def update(self, image: str, *, project: str | None = None, **changes: Any) -> Image:
        path = self._in_project(project, "images", self._id(image, project))
        return Image.read(self._call("PATCH", path, json=changes))

    def delete(self, image: str, *, force: bool = False, project: str | None = None) -> None:
        """With `force` also when workloads run in it."""
        path = self._in_project(project, "images", self._id(image, project))
        self._call("DELETE", path, params={"force": force or None})

    def build(self, image: str, *, project: str | None = None) -> Image:
        """Builds a Python environment again; its `workload_id` has the log."""
        path = self._in_project(project, "images", self._id(image, project), "build")
        return Image.read(self._call("POST", path))

    def wait(
        self, image: Image | str, *, project: str | None = None, watch: Callable[[Image], None] | None = None
    ) -> Image:
        """The image when it is made; raises WorkloadFailed when it could not be."""
        found = self.get(image, project=project) if isinstance(image, str) else image
        found = self._until(
            found,
            lambda: self.get(found.id, project=project),
            lambda now: now.state != "building",
            watch,
        )
        if found.state == "failed":
            cause = (found.error or {}).get("message") or "?"
            raise work_failed("sdk_workload_failed", found, f"{found.name}:{found.version}", cause)
        return found

    def pull(self, reference: str, name: str, version: str, *, project: str | None = None, **more: Any) -> Job:
        """Fetches an image from another registry."""
        body = given(reference=reference, name=name, version=version, **more)
        return Job.read(self._call("POST", self._in_project(project, "images", "pull"), json=body))

    def load(
        self,
        file: str | Path,
        name: str,
        version: str,
        *,
        description: str = "",
        project: str | None = None,
        watch: "Watch | None" = None,
    ) -> Job:
        """Sends an archive made with `docker save` and has it taken apart; a broken-off sending goes on."""
        place = self._client.project_name(project)
        digest = send_file(self._client.transport, place, Path(file), watch)
        body = given(sha256=digest, name=name, version=version, description=description)
        return Job.read(self._call("POST", self._in_project(project, "images", "import"), json=body))

    def _id(self, image: str, project: str | None) -> str:
        """The id behind `name:version`, or behind a name alone, which means its newest version."""
        if image.startswith("img_"):
            return image
        name, colon, version = image.rpartition(":")
        for found in self.list(project=project, q=name or image, sort="-created_at"):
            if (found.name, found.version) == (name, version) or (not colon and found.name == image):
                return found.id
        raise problem(NotFound, "sdk_image_unknown", name=image)


class Environments(Resource):
    """`client.environments`. An environment is named by its name or id."""

    def list(
        self, *, project: str | None = None, state: str | None = None, q: str | None = None, sort: str | None = None
    ) -> Listing[Environment]:
        wish = {"state": state, "q": q, "sort": sort}
        return self._listing(self._in_project(project, "environments"), Environment.read, wish)

    def get(self, environment: str, *, project: str | None = None) -> Environment:
        return Environment.read(self._call("GET", self._in_project(project, "environments", environment)))

    def create(self, name: str, *, project: str | None = None, **settings: Any) -> Environment:
        """`image`, `spec`, `nodes`, `algorithms`, `datasets`, `models`, `time_limit_s`, `password`, …: see the API."""
        body = given(name=name, **settings)
        return Environment.read(self._call("POST", self._in_project(project, "environments"), json=body))

    def update(self, environment: str, *, project: str | None = None, **changes: Any) -> Environment:
        path = self._in_project(project, "environments", environment)
        return Environment.read(self._call("PATCH", path, json=changes))

    def delete(self, environment: str, *, project: str | None = None) -> None:
        """With all of its files. The server wants its name once more; here that is looked up."""
        name = self.get(environment, project=project).name
        self._call("DELETE", self._in_project(project, "environments", environment), params={"confirm": name})

    def set_password(self, environment: str, password: str | None = None, *, project: str | None = None) -> Environment:
        """A new password for SSH; one is made, and told once, when none is given."""
        path = self._in_project(project, "environments", environment, "password")
        return Environment.read(self._call("POST", path, json=given(password=password)))

    def start(self, environment: str, *, project: str | None = None) -> Environment:
        return self._do("start", environment, project)

    def stop(self, environment: str, *, project: str | None = None) -> Environment:
        return self._do("stop", environment, project)

    def wait_running(
        self,
        environment: Environment | str,
        *,
        project: str | None = None,
        watch: Callable[[Environment], None] | None = None,
    ) -> Environment:
        """The environment when it runs; raises WorkloadFailed when it ended instead."""
        found = self._wait(environment, project, {"running", *ENDED}, watch)
        if found.state != "running":
            work = found.workload
            cause = (work and (work.message or work.stop_reason)) or "?"
            stopped = "sdk_workload_stopped" if found.state == "stopped" else "sdk_workload_failed"
            raise work_failed(stopped, found, found.name, cause)
        return found

    def wait_stopped(
        self,
        environment: Environment | str,
        *,
        project: str | None = None,
        watch: Callable[[Environment], None] | None = None,
    ) -> Environment:
        """The environment when nothing of it runs any more."""
        return self._wait(environment, project, ENDED, watch)

    def _wait(
        self,
        environment: Environment | str,
        project: str | None,
        states: Set[str],
        watch: Callable[[Environment], None] | None,
    ) -> Environment:
        found = self.get(environment, project=project) if isinstance(environment, str) else environment
        return self._until(found, lambda: self.get(found.id, project=project), lambda now: now.state in states, watch)

    def keep_alive(self, environment: str, *, project: str | None = None) -> Environment:
        """Puts off the end of an idle environment."""
        return self._do("keep-alive", environment, project)

    def copy(self, environment: str, name: str, *, project: str | None = None) -> Environment:
        path = self._in_project(project, "environments", environment, "copy")
        return Environment.read(self._call("POST", path, json={"name": name}))

    def save_image(
        self, environment: str, name: str, version: str, *, project: str | None = None, **more: Any
    ) -> Image:
        """Freezes a running environment's software as an image, which is then made: `client.images.wait`."""
        path = self._in_project(project, "environments", environment, "save-image")
        made = self._call("POST", path, json=given(name=name, version=version, **more))
        return self._client.images.get(made["id"], project=project)

    def open(self, environment: str, app: str = "jupyter", *, project: str | None = None, **more: Any) -> str:
        """An address at which JupyterLab, TensorBoard or a port is open for a while."""
        path = self._in_project(project, "environments", environment, "open")
        answer = self._call("POST", path, params={"app": app, **more})
        return str(answer["url"])

    def _do(self, verb: str, environment: str, project: str | None) -> Environment:
        return Environment.read(self._call("POST", self._in_project(project, "environments", environment, verb)))


class SshKeys(Resource):
    """`client.ssh_keys`: the public keys the caller comes in over SSH with."""

    def list(self) -> Listing[SshKey]:
        return self._listing("/me/ssh-keys", SshKey.read)

    def create(self, public_key: str, name: str | None = None) -> SshKey:
        return SshKey.read(self._call("POST", "/me/ssh-keys", json=given(public_key=public_key, name=name)))

    def delete(self, key: str) -> None:
        """A key by its id or its name."""
        named = next((found.id for found in self.list() if found.name == key), key)
        self._call("DELETE", address("me", "ssh-keys", named))
