"""Why a service is not serving, in words."""

from collections.abc import Sequence

from tidemill.jobs.texts import Text, said, text
from tidemill.serving.reconciling.judging import TrackJudged
from tidemill.serving.reconciling.loading import Loaded
from tidemill.serving.tables import TrackRow
from tidemill.workloads.waiting import waiting_text


def reason_of(loaded: Loaded, track: TrackRow, judged: TrackJudged) -> Text | None:
    """Of one track; None when there is nothing to say."""
    if not judged.why:
        return None
    deployment = loaded.deployments[track.deployment_id]
    params: dict[str, object] = {"ready": judged.ready, "wanted": track.replicas, "package": deployment.package}
    if judged.why == "service_package_failed":
        package = loaded.packages.get(deployment.package_version_id)
        params["problem"] = (package.problem if package else None) or text("service_package_gone")
    elif judged.why == "service_failing":
        params |= {"failures": track.failures, "failure": track.failure or said("?")}
    elif judged.why == "service_package_waits":
        package = loaded.packages.get(deployment.package_version_id)
        params["waiting"] = waiting_text((package.workload_id if package else None) or "")
    elif judged.why == "service_waits":
        params["waiting"] = _waiting(loaded, track)
    return text(judged.why, **params)


def first_reason(reasons: Sequence[Text | None]) -> Text | None:
    """The service's: production's before the canary's."""
    return next((reason for reason in reasons if reason is not None), None)


def _waiting(loaded: Loaded, track: TrackRow) -> Text:
    """What the first replica that waits is waiting for."""
    for replica in loaded.replicas:
        workload = loaded.workloads.get(replica.workload_id)
        if replica.track_id == track.id and workload is not None and workload.state == "pending":
            return waiting_text(workload.id)
    return text("waiting_soon")
