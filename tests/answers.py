"""What a refusal must look like."""

from typing import Any


def assert_refused(answer: Any, status: int, code: str, *, field: str | None = None) -> dict[str, Any]:
    """The answer is our error envelope with this status and code (and field); gives back the error."""
    assert answer.status_code == status, f"{answer.status_code}: {answer.text}"
    error: dict[str, Any] = answer.json()["error"]
    assert error["code"] == code, error
    if field is not None:
        assert error.get("field") == field, error
    assert error["message"]
    assert error["request_id"] == answer.headers["X-Request-Id"]
    return error
