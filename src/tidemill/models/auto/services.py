"""A service that speaks the Open Inference Protocol as a source of suggestions.

The service is given the items' bytes as one tensor `content` of BYTES (base64 in JSON) and answers with a tensor
`annotations` of BYTES: for each item a JSON list of annotations that call labels by name and have a score. A tensor
`uncertainty` of floats may come beside it.
"""

import base64
import json
import random
import time
from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

import httpx2

from tidemill.datasets.notes import Refused
from tidemill.runtime.model import Prediction
from tidemill.sdk.data import Item

ANSWER_MAX_BYTES = 256 << 20
TIMEOUT_S = 300.0
PATIENCE_S = 600.0
WAIT_MAX_S = 5.0
_BUSY = frozenset({429, 502, 503, 504})
_OF_ITEMS = frozenset({400, 413, 415, 422})
"""Answers that are about what was sent."""


class Service:
    """The model behind an address. It looks like one of ours; several threads may ask."""

    def __init__(
        self,
        url: str,
        model: str | None,
        token: str | None,
        http: httpx2.Client | None = None,
        *,
        is_patient: bool = False,
    ) -> None:
        """Without a model it is the service's first. `is_patient`: one that is busy or away is asked again, and an
        item that it refuses is an error of that item only."""
        self._root = url.rstrip("/").removesuffix("/v2")
        self._is_patient = is_patient
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        self._http = http or httpx2.Client(timeout=TIMEOUT_S, headers=headers, trust_env=False, follow_redirects=False)
        self._address = self._at(model or self._first_model())

    def predict_each(self, items: Sequence[Item], *, threshold: float | None = None) -> list[Prediction]:
        """What the service says of each; Refused when it does not answer as it should."""
        readable: list[tuple[int, bytes]] = []
        found: dict[int, Prediction] = {}
        for place, item in enumerate(items):
            try:
                readable.append((place, item.read_bytes()))
            except OSError as error:
                found[place] = Prediction(uncertainty=1.0, error=f"{type(error).__name__}: {error}"[:500])
        found |= dict(zip([place for place, _ in readable], self._ask(readable, threshold), strict=True))
        return [found[place] for place in range(len(items))]

    def _ask(self, contents: Sequence[tuple[int, bytes]], threshold: float | None) -> list[Prediction]:
        if not contents:
            return []
        data = [base64.b64encode(content).decode() for _, content in contents]
        tensor = {"name": "content", "shape": [len(data)], "datatype": "BYTES", "data": data}
        body: dict[str, Any] = {"inputs": [tensor], "parameters": {"binary": "base64", "threshold": threshold}}
        answer = self._post(self._address, body)
        if self._is_patient and answer.status_code in _OF_ITEMS:
            if len(contents) == 1:
                said = f"{answer.status_code} {answer.text[:200]}"
                return [Prediction(uncertainty=1.0, error=said)]
            return [one for each in contents for one in self._ask([each], threshold)]
        if answer.is_error:
            raise Refused("service_failed", reason=f"{answer.status_code} {answer.text[:200]}")
        if len(answer.content) > ANSWER_MAX_BYTES:
            raise Refused("service_failed", reason="too large")
        return _read(answer.content, len(contents), threshold)

    def _post(self, address: str, body: dict[str, Any]) -> httpx2.Response:
        """The answer; a patient one waits for a service that is busy or away."""
        until_s = time.monotonic() + (PATIENCE_S if self._is_patient else 0.0)
        wait_s = 0.1
        while True:
            answer, reason = None, ""
            try:
                answer = self._http.post(address, json=body)
                if answer.status_code not in _BUSY:
                    return answer
            except httpx2.HTTPError as error:
                reason = f"{type(error).__name__}: {error}"[:300]
            if time.monotonic() >= until_s:
                if answer is not None:
                    return answer
                raise Refused("service_failed", reason=reason)
            # A little chance keeps many from coming back in the same instant.
            time.sleep(max(_told_s(answer), wait_s * random.uniform(0.7, 1.0)))  # noqa: S311
            wait_s = min(wait_s * 2, WAIT_MAX_S)

    def _first_model(self) -> str:
        answer = self._post(f"{self._root}/v2/repository/index", {})
        try:
            return str(json.loads(answer.content)[0]["name"])
        except (ValueError, KeyError, TypeError, IndexError) as error:
            raise Refused("service_failed", reason=f"{answer.status_code} {answer.text[:200]}") from error

    def _at(self, model: str) -> str:
        return f"{self._root}/v2/models/{quote(model, safe='')}/infer"


def _told_s(answer: httpx2.Response | None) -> float:
    """How long the service itself wants to be left alone."""
    told = answer.headers.get("Retry-After", "") if answer is not None else ""
    return min(float(told), WAIT_MAX_S) if told.isdecimal() else 0.0


def _read(content: bytes, count: int, threshold: float | None) -> list[Prediction]:
    try:
        outputs = {one["name"]: one["data"] for one in json.loads(content)["outputs"]}
        said = [json.loads(text) for text in outputs["annotations"]]
        doubts = [float(value) for value in outputs.get("uncertainty") or []]
        errors, values = outputs.get("error") or [], outputs.get("value") or []
        if len(said) != count or any(beside and len(beside) != count for beside in (doubts, errors, values)):
            raise ValueError("another number of answers than of items")
        found = []
        for place, annotations in enumerate(said):
            kept = [one for one in annotations if float(one.get("score", 1.0)) >= (threshold or 0.0)]
            least = min((float(one.get("score", 1.0)) for one in kept), default=0.5)
            one = Prediction(kept, uncertainty=doubts[place] if doubts else 1 - least)
            one.error = str(errors[place])[:500] or None if errors else None
            one.value = float(values[place]) if values and values[place] is not None else None
            found.append(one)
        return found
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise Refused("service_failed", reason=f"{type(error).__name__}: {error}"[:300]) from error
