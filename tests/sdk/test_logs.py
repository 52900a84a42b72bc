"""Following a log through everything that is tried again."""

from types import SimpleNamespace
from typing import Any

import pytest

from tidemill.sdk.resources.workloads import Workloads
from tidemill.sdk.work_views import LogPage


class Server:
    """A workload that is tried twice; each time somebody waits, something happens."""

    def __init__(self) -> None:
        self.project = "tides"
        self.transport = self
        self.logs: dict[int, str] = {}
        self.ended: set[int] = set()
        self.is_over = False
        self.plot = [self.begin_first, self.write, self.end_first, self.begin_second, self.end_second]

    def call(self, method: str, path: str, params: Any = None) -> Any:
        assert method == "GET"
        if not path.endswith("/logs"):
            return {"attempt": max(self.logs, default=0), "is_over": self.is_over}
        number = params["attempt"] or max(self.logs, default=0)
        text, offset = self.logs.get(number, ""), params["offset"]
        return {
            "text": text[offset:],
            "offset": offset,
            "next_offset": len(text),
            "end_offset": len(text),
            "is_over": number in self.ended,
        }

    def project_name(self, project: str | None) -> str:
        return project or self.project

    def sleep(self, seconds: float) -> None:
        assert seconds > 0
        self.plot.pop(0)()

    def begin_first(self) -> None:
        self.logs[1] = "one "

    def write(self) -> None:
        self.logs[1] += "more "

    def end_first(self) -> None:
        self.ended.add(1)

    def begin_second(self) -> None:
        self.logs[2] = "two"

    def end_second(self) -> None:
        self.ended.add(2)
        self.is_over = True


@pytest.fixture
def workloads(monkeypatch: pytest.MonkeyPatch) -> Workloads:
    made = Workloads(Server())  # type: ignore[arg-type]
    monkeypatch.setattr(made, "get", lambda *_, **__: SimpleNamespace(**made._call("GET", "")))
    return made


def test_a_log_is_followed_from_before_the_first_attempt_to_the_end_of_the_last(workloads: Workloads) -> None:
    assert "".join(workloads.logs("wkl_1", follow=True)) == "one more two"


def test_one_attempt_is_followed_to_its_own_end(workloads: Workloads) -> None:
    server: Any = workloads._client
    server.plot.pop(0)()
    assert "".join(workloads.logs("wkl_1", follow=True, attempt=1)) == "one more "


def test_without_following_what_is_there_is_all(workloads: Workloads) -> None:
    server: Any = workloads._client
    server.plot.pop(0)()
    assert "".join(workloads.logs("wkl_1")) == "one "
    assert isinstance(workloads.log_page("wkl_1"), LogPage)
