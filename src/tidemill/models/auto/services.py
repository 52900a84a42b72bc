"""A service that speaks the Open Inference Protocol as a source of suggestions.

The service is given the items' bytes as one tensor `content` of BYTES (base64 in JSON) and answers with a tensor
`annotations` of BYTES: for each item a JSON list of annotations that call labels by name and have a score. A tensor
`uncertainty` of floats may come beside it.
"""

import base64
import json
from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

import httpx2

from tidemill.datasets.notes import Refused
from tidemill.runtime.model import Prediction
from tidemill.sdk.data import Item

ANSWER_MAX_BYTES = 256 << 20
TIMEOUT_S = 300.0


class Service:
    """The model behind an address. It looks like one of ours."""

    def __init__(self, url: str, model: str, token: str | None, http: httpx2.Client | None = None) -> None:
        self._address = f"{url.rstrip('/').removesuffix('/v2')}/v2/models/{quote(model, safe='')}/infer"
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        self._http = http or httpx2.Client(timeout=TIMEOUT_S, headers=headers, trust_env=False, follow_redirects=False)

    def predict_each(self, items: Sequence[Item], *, threshold: float | None = None) -> list[Prediction]:
        """What the service says of each; Refused when it does not answer as it should."""
        data = [base64.b64encode(item.read_bytes()).decode() for item in items]
        tensor = {"name": "content", "shape": [len(data)], "datatype": "BYTES", "data": data}
        body: dict[str, Any] = {"inputs": [tensor], "parameters": {"binary": "base64", "threshold": threshold}}
        try:
            answer = self._http.post(self._address, json=body)
        except httpx2.HTTPError as error:
            raise Refused("service_failed", reason=f"{type(error).__name__}: {error}"[:300]) from error
        if answer.is_error:
            raise Refused("service_failed", reason=f"{answer.status_code} {answer.text[:200]}")
        if len(answer.content) > ANSWER_MAX_BYTES:
            raise Refused("service_failed", reason="too large")
        return _read(answer.content, len(items), threshold)


def _read(content: bytes, count: int, threshold: float | None) -> list[Prediction]:
    try:
        outputs = {one["name"]: one["data"] for one in json.loads(content)["outputs"]}
        said = [json.loads(text) for text in outputs["annotations"]]
        doubts = [float(value) for value in outputs.get("uncertainty") or []]
        if len(said) != count or (doubts and len(doubts) != count):
            raise ValueError("another number of answers than of items")
        found = []
        for place, annotations in enumerate(said):
            kept = [one for one in annotations if float(one.get("score", 1.0)) >= (threshold or 0.0)]
            least = min((float(one.get("score", 1.0)) for one in kept), default=0.5)
            found.append(Prediction(kept, uncertainty=doubts[place] if doubts else 1 - least))
        return found
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise Refused("service_failed", reason=f"{type(error).__name__}: {error}"[:300]) from error
