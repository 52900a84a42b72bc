"""Code that calls a service, to be copied: it runs as it is, once the key is filled in."""

from typing import Any
from urllib.parse import urlsplit

from fastapi import Request
from sqlalchemy.orm import Session

from tidemill.accounts.access import Caller
from tidemill.packages.tables import PackageVersionRow
from tidemill.serving.addresses import METADATA, grpc_view, service_url
from tidemill.serving.lookup import find_track, get_deployment
from tidemill.serving.schemas import SnippetsView, SnippetView
from tidemill.serving.tables import ServiceRow

_INPUTS = {
    "text-classification": ("text/plain", "text.txt"),
    "audio-classification": ("audio/wav", "sound.wav"),
    "audio-transcription": ("audio/wav", "sound.wav"),
    "tabular": ("application/json", "row.json"),
    "": ("application/json", "inputs.json"),
}
_PICTURE = ("image/jpeg", "picture.jpg")

PLACEHOLDER = "$TIDEMILL_KEY"
"""Stands for the key: a shell puts the variable's value there, a program reads it."""

_PYTHON = """{imports}

import requests

file = sys.argv[1] if len(sys.argv) > 1 else {file!r}
with open(file, "rb") as content:
    answer = requests.post({url!r}, data=content, headers={headers}, timeout=60)
answer.raise_for_status()
print(answer.json())
"""

_TRITON = """{imports}

import numpy as np
import tritonclient.{module} as triton
from tritonclient.utils import triton_to_np_dtype

file = sys.argv[1] if len(sys.argv) > 1 else {file!r}
headers = {headers}
client = triton.InferenceServerClient({address!r})
metadata = client.get_model_metadata({model!r}, headers=headers{as_json})
inputs = []
for one in metadata["inputs"]:
    if one["datatype"] == "BYTES":
        with open(file, "rb") as content:
            data = np.array([content.read()], dtype=object)
    else:
        shape = [max(1, int(size)) for size in one["shape"]]
        data = np.zeros(shape, dtype=triton_to_np_dtype(one["datatype"]))
    tensor = triton.InferInput(one["name"], list(data.shape), one["datatype"])
    tensor.set_data_from_numpy(data)
    inputs.append(tensor)
answer = client.infer({model!r}, inputs, headers=headers)
for one in metadata["outputs"]:
    print(one["name"], answer.as_numpy(one["name"]))
"""


def snippets_view(session: Session, request: Request, row: ServiceRow, *, key: str, by: Caller) -> SnippetsView:
    """How to call production: with curl and Python, and, where it speaks the inference protocol, with tritonclient."""
    settings = request.app.state.settings
    host = request.url.hostname
    url = service_url(settings, by.project.name, row.name, host)
    plan = _plan(session, row)
    is_open = row.access == "open"
    kind, file = _INPUTS.get(plan.get("task", ""), _PICTURE)
    headers = {"Content-Type": kind} | ({} if is_open else {"X-API-Key": key})
    is_inference = plan.get("protocol") == "v2"
    target = f"{url}/predict" if is_inference else f"{url}/"
    items = [
        SnippetView(name="curl", language="shell", code=_curl(target, headers, file)),
        SnippetView(name="python", language="python", code=_python(_PYTHON, headers, url=target, file=file)),
    ]
    model = next((one["folder"].partition("/")[2] for one in plan.get("sources", ()) if one["kind"] == "model"), None)
    if is_inference and model is not None:
        parts = urlsplit(url)
        secret = {} if is_open else {"X-API-Key": key}
        items.append(_triton("http", f"{parts.netloc}{parts.path}", model, secret, file))
        if plan.get("has_grpc"):
            grpc = grpc_view(settings, by.project.name, row.name, host)
            metadata = {METADATA: grpc.metadata[METADATA]} | ({} if is_open else {"authorization": f"Bearer {key}"})
            items.append(_triton("grpc", grpc.address, model, metadata, file))
    return SnippetsView(items=items)


def _curl(url: str, headers: dict[str, str], file: str) -> str:
    # In double quotes, so that a shell variable may stand for the key.
    given = " ".join(f'-H "{name}: {value}"' for name, value in headers.items())
    return f'curl -sS {given} --data-binary "@{file}" "{url}"\n'


def _python(template: str, headers: dict[str, str], **given: str) -> str:
    values = [f"{name!r}: {_value(value)}" for name, value in headers.items()]
    imports = "import os\nimport sys" if any(PLACEHOLDER in value for value in headers.values()) else "import sys"
    return template.format(imports=imports, headers="{" + ", ".join(values) + "}", **given)


def _value(text: str) -> str:
    """The text as Python writes it; the placeholder is read from the environment."""
    before, placeholder, _ = text.partition(PLACEHOLDER)
    if not placeholder:
        return repr(text)
    variable = f'os.environ["{PLACEHOLDER[1:]}"]'
    return f"{before!r} + {variable}" if before else variable


def _triton(module: str, address: str, model: str, headers: dict[str, str], file: str) -> SnippetView:
    as_json = ", as_json=True" if module == "grpc" else ""
    code = _python(_TRITON, headers, module=module, address=address, model=model, file=file, as_json=as_json)
    return SnippetView(name=f"tritonclient-{module}", language="python", code=code)


def _plan(session: Session, row: ServiceRow) -> dict[str, Any]:
    track = find_track(session, row.id, "production")
    if track is None:
        return {}
    package = session.get(PackageVersionRow, get_deployment(session, track).package_version_id)
    return dict(package.plan) if package else {}
