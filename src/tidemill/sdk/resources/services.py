"""Online services."""

import json as json_module
import mimetypes
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from tidemill.sdk.paging import Listing
from tidemill.sdk.resources.base import Resource
from tidemill.sdk.resources.workloads import work_failed
from tidemill.sdk.service_views import Replica, Service, ServiceAlert, ServiceEvent, ServiceKey

_HOPELESS = frozenset({"failed", "stopped"})


class Services(Resource):
    """`client.services`

    service = client.services.deploy("digits", model="digits@2")
    client.services.wait(service)
    client.services.predict("digits", file="three.png")
    """

    def deploy(
        self,
        name: str,
        *,
        package: str | None = None,
        model: str | None = None,
        run: str | None = None,
        replicas: int = 1,
        spec: str | None = None,
        environment: Mapping[str, str] | None = None,
        project: str | None = None,
        **more: Any,
    ) -> Service:
        """A new service. `more`: description, access, cors, secrets, alerts, rollback, …: see docs/serving.md."""
        body = {
            "name": name, "package": package, "model": model, "run": run, "replicas": replicas, "spec": spec,
            "environment": dict(environment or {}), **more,
        }  # fmt: skip
        given = {field: value for field, value in body.items() if value is not None}
        return Service.read(self._call("POST", self._in_project(project, "services"), json=given))

    def deploy_model(self, model: str, *, project: str | None = None, **fields: Any) -> Service:
        """One click from a model version (`name@3`) to a service."""
        name, _, number = model.partition("@")
        path = self._in_project(project, "models", name, "versions", number or "latest", "deploy")
        return Service.read(self._call("POST", path, json=fields))

    def list(
        self, *, q: str | None = None, state: str | None = None, sort: str | None = None, project: str | None = None
    ) -> Listing[Service]:
        params = {"q": q, "state": state, "sort": sort}
        return self._listing(self._in_project(project, "services"), Service.read, params)

    def get(self, name: str, *, project: str | None = None) -> Service:
        return Service.read(self._call("GET", self._at(name, project=project)))

    def update(self, name: str, *, project: str | None = None, **fields: Any) -> Service:
        return Service.read(self._call("PATCH", self._at(name, project=project), json=fields))

    def delete(self, name: str, *, project: str | None = None) -> None:
        found = self.get(name, project=project)
        self._call("DELETE", self._at(found.id, project=project), params={"confirm": found.name})

    def stop(self, name: str, *, project: str | None = None) -> Service:
        return Service.read(self._call("POST", self._at(name, "stop", project=project)))

    def start(self, name: str, *, project: str | None = None) -> Service:
        return Service.read(self._call("POST", self._at(name, "start", project=project)))

    def restart(self, name: str, *, role: str | None = None, project: str | None = None) -> Service:
        path = self._at(name, "restart", project=project)
        return Service.read(self._call("POST", path, params={"role": role}))

    def update_track(
        self, name: str, role: str = "production", *, project: str | None = None, **fields: Any
    ) -> Service:
        """Scales, or rolls out another `package`, `model`, `spec` or `environment`."""
        return Service.read(self._call("PATCH", self._at(name, "tracks", role, project=project), json=fields))

    def scale(self, name: str, replicas: int, *, role: str = "production", project: str | None = None) -> Service:
        return self.update_track(name, role, replicas=replicas, project=project)

    def canary(self, name: str, *, share: float = 10.0, project: str | None = None, **fields: Any) -> Service:
        """Tries a `package`, `model` or `run` with a part of the traffic."""
        body = {"share": share, **{field: value for field, value in fields.items() if value is not None}}
        return Service.read(self._call("PUT", self._at(name, "canary", project=project), json=body))

    def delete_canary(self, name: str, *, project: str | None = None) -> Service:
        return Service.read(self._call("DELETE", self._at(name, "canary", project=project)))

    def share(self, name: str, share: float, *, project: str | None = None) -> Service:
        path = self._at(name, "canary", "share", project=project)
        return Service.read(self._call("POST", path, json={"share": share}))

    def promote(self, name: str, *, project: str | None = None) -> Service:
        """Swaps canary and production."""
        return Service.read(self._call("POST", self._at(name, "promote", project=project)))

    def start_shadow(self, name: str, percent: float = 100.0, *, project: str | None = None) -> Service:
        return Service.read(self._call("PUT", self._at(name, "shadow", project=project), json={"percent": percent}))

    def stop_shadow(self, name: str, *, project: str | None = None) -> Service:
        return Service.read(self._call("DELETE", self._at(name, "shadow", project=project)))

    def shadow_reports(self, name: str, *, project: str | None = None) -> Any:
        return self._call("GET", self._at(name, "shadows", project=project))["items"]

    def wait(
        self,
        service: Service | str,
        *,
        watch: Callable[[Service], None] | None = None,
        project: str | None = None,
    ) -> Service:
        """The service when it serves; raises WorkloadFailed when it fails, or is stopped."""
        found = service if isinstance(service, Service) else self.get(service, project=project)
        place = found.project or project

        def look() -> Service:
            return self.get(found.id, project=place)

        ended = self._until(found, look, lambda now: now.state == "serving" or now.state in _HOPELESS, watch)
        if ended.state != "serving":
            raise work_failed("sdk_workload_failed", ended, ended.name, ended.reason or ended.state)
        return ended

    def replicas(self, name: str, *, ended: bool = False, project: str | None = None) -> Listing[Replica]:
        return self._listing(self._at(name, "replicas", project=project), Replica.read, {"ended": ended or None})

    def logs(
        self, name: str, *, replica: str | None = None, follow: bool = False, project: str | None = None
    ) -> Iterator[str]:
        """What a replica wrote: the named one (by name or id), or the newest."""
        found = self.find_replica(name, replica, project=project)
        if found is None:
            return iter(())
        return self._client.workloads.logs(found.workload_id, follow=follow, project=project)

    def find_replica(self, name: str, replica: str | None = None, *, project: str | None = None) -> Replica | None:
        """A replica by name or id; the newest one when none is named."""
        for one in self.replicas(name, ended=True, project=project):
            if replica is None or replica in (one.id, one.name):
                return one
        return None

    def events(self, name: str, *, project: str | None = None) -> Listing[ServiceEvent]:
        return self._listing(self._at(name, "events", project=project), ServiceEvent.read)

    def alerts(
        self, *, service: str | None = None, state: str | None = None, project: str | None = None
    ) -> Listing[ServiceAlert]:
        params = {"service": service, "state": state}
        return self._listing(self._in_project(project, "services", "alerts"), ServiceAlert.read, params)

    def metrics(
        self,
        name: str,
        *,
        since: str | None = None,
        until: str | None = None,
        step_s: int | None = None,
        replicas: bool = False,
        project: str | None = None,
    ) -> Any:
        params = {"since": since, "until": until, "step_s": step_s, "replicas": replicas or None}
        return self._call("GET", self._at(name, "metrics", project=project), params=params)

    def keys(self, name: str, *, project: str | None = None) -> Listing[ServiceKey]:
        return self._listing(self._at(name, "keys", project=project), ServiceKey.read)

    def create_key(
        self, name: str, key: str, *, rate_per_s: float | None = None, project: str | None = None
    ) -> ServiceKey:
        """A new key; `key` of the answer is shown this once."""
        body = {"name": key, "rate_per_s": rate_per_s}
        path = self._at(name, "keys", project=project)
        return ServiceKey.read(self._call("POST", path, json=body, is_repeatable=False))

    def update_key(self, name: str, key: str, *, project: str | None = None, **fields: Any) -> ServiceKey:
        return ServiceKey.read(self._call("PATCH", self._at(name, "keys", key, project=project), json=fields))

    def delete_key(self, name: str, key: str, *, project: str | None = None) -> None:
        self._call("DELETE", self._at(name, "keys", key, project=project))

    def snippets(self, name: str, *, project: str | None = None) -> Any:
        """How to call it, as code."""
        return self._call("GET", self._at(name, "snippets", project=project))["items"]

    def test(
        self,
        name: str,
        path: str,
        content: bytes | None = None,
        *,
        content_type: str = "application/octet-stream",
        project: str | None = None,
    ) -> Any:
        """One request passed on to the service: status, headers, latency, which deployment answered, the body."""
        place = f"{self._at(name, 'test', project=project)}/{path.lstrip('/')}"
        if content is None:
            return self._call("GET", place)
        headers = {"Content-Type": content_type}
        return self._call("POST", place, content=content, headers=headers, is_repeatable=False, timeout_s=300)

    def predict(
        self,
        name: str,
        *,
        file: str | Path | None = None,
        json: Any = None,
        threshold: float | None = None,
        project: str | None = None,
    ) -> dict[str, Any]:
        """What the service says of a file or of JSON, with `latency_ms` and the `version` that answered."""
        if file is not None:
            content, kind = Path(file).read_bytes(), mimetypes.guess_type(str(file))[0] or "application/octet-stream"
        else:
            content, kind = json_module.dumps(json).encode(), "application/json"
        path = "predict" if threshold is None else f"predict?threshold={threshold}"
        answer = self.test(name, path, content, content_type=kind, project=project)
        told = {"latency_ms": answer["latency_ms"], "version": answer["version"], "status": answer["status"]}
        try:
            said = json_module.loads(answer["text"] or "null")
        except ValueError:
            said = answer["text"]
        if answer["status"] >= 400:
            cause = f"{answer['status']} {answer['text'] or ''}".strip()
            raise work_failed("sdk_workload_failed", Service(raw={**told, "error": said}), name, cause)
        if isinstance(said, dict):
            # The model's own version is not which deployment answered.
            model_version = {"model_version": said.pop("version")} if "version" in said else {}
            return {**said, **model_version, **told}
        return {"outputs": said, **told}

    def _at(self, name: str, *parts: str, project: str | None = None) -> str:
        return self._in_project(project, "services", name, *parts)
