"""What the documentation tells receivers to do works."""

import re
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tidemill.hooks.sending import Letter, headers_for

PAGE = Path(__file__).parent.parent.parent / "docs" / "webhooks.md"


@pytest.fixture
def is_genuine() -> Any:
    (example,) = re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    names: dict[str, Any] = {}
    exec(example, names)
    return names["is_genuine"]


def test_the_documented_check_takes_what_we_sign_and_nothing_else(is_genuine: Any) -> None:
    now = datetime.now(UTC)
    body = '{"event":"model.commit","name":"潮汐"}'.encode()
    headers = headers_for(Letter("dlv_1", "https://x.invalid/", "model.commit", {}, "a secret of ours"), body, now)
    assert is_genuine("a secret of ours", headers, body)
    assert not is_genuine("another secret", headers, body)
    assert not is_genuine("a secret of ours", headers, body + b" ")
    old = str(int(time.time()) - 3600)
    assert not is_genuine("a secret of ours", {**headers, "X-Tidemill-Timestamp": old}, body)
