"""Asking an environment's JupyterLab whether a kernel works. What answers there is the user's: it is not trusted."""

import http.client
import json
import time
from typing import Any

ASK_S = 2.0
ANSWER_BYTES = 1_000_000


def has_busy_kernel(address: tuple[str, int], base_path: str, *, token: str) -> bool:
    """What JupyterLab says; where there is none, no kernel is busy."""
    connection = http.client.HTTPConnection(*address, timeout=ASK_S)
    try:
        connection.request("GET", f"{base_path}api/kernels", headers={"Authorization": f"token {token}"})
        kernels: Any = json.loads(_read(connection.getresponse()))
    except (OSError, ValueError, RecursionError, http.client.HTTPException):
        return False
    finally:
        connection.close()
    if not isinstance(kernels, list):
        return False
    return any(isinstance(kernel, dict) and kernel.get("execution_state") == "busy" for kernel in kernels)


def _read(answer: http.client.HTTPResponse) -> bytes:
    """All of a short answer; one that drips or does not end is no answer."""
    deadline = time.monotonic() + ASK_S
    found = b""
    while piece := answer.read1(65536):
        found += piece
        if len(found) > ANSWER_BYTES or time.monotonic() > deadline:
            raise ValueError("too long")
    return found
