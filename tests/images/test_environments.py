"""Python environments on disk: made once, whole or not at all, shared, collected."""

import os
import subprocess
import threading
import time
from pathlib import Path

import pytest

from tidemill.images.environments import Environments, lock_digest, site_packages


@pytest.fixture
def environments(tmp_path: Path) -> Environments:
    return Environments(tmp_path / "environments")


def _nothing(where: Path) -> None:
    del where


def run(folder: Path, code: str) -> str:
    done = subprocess.run(
        [folder / "bin" / "python", "-c", code], capture_output=True, text=True, check=True, env={"PATH": os.defpath}
    )
    return done.stdout.strip()


def test_the_platforms_own_environment_is_made_in_a_second_and_knows_the_sdk(environments: Environments) -> None:
    started = time.monotonic()
    digest, folder = environments.ensure_own()
    assert time.monotonic() - started < 1.0
    assert environments.is_made(digest)
    assert run(folder, "import tidemill.sdk, pip, sys; print(sys.prefix)") == str(folder)
    assert environments.size_bytes(digest) > 0


def test_its_pip_is_a_command_and_installs_for_the_user(environments: Environments, tmp_path: Path) -> None:
    _, folder = environments.ensure_own()
    shown = subprocess.run([folder / "bin" / "pip", "--version"], capture_output=True, text=True, check=True)
    assert shown.stdout.startswith("pip ")
    base = tmp_path / "user"
    user_site = subprocess.run(
        [folder / "bin" / "python", "-c", "import site; print(site.ENABLE_USER_SITE, site.getusersitepackages())"],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONUSERBASE": str(base)},
    )
    assert user_site.stdout.startswith(f"True {base}")


def test_what_a_crash_left_half_made_is_made_again(environments: Environments) -> None:
    folder = environments.path("a" * 64)
    folder.mkdir()
    (folder / "left-over").touch()

    def breaks(where: Path) -> None:
        raise RuntimeError("the machine went down")

    with pytest.raises(RuntimeError):
        environments.ensure("a" * 64, breaks)
    assert not environments.is_made("a" * 64)
    made = environments.ensure("a" * 64, lambda where: (where / "filled").touch())
    assert (made / "filled").exists()
    assert not (made / "left-over").exists()


def test_of_many_who_want_the_same_one_makes_it(environments: Environments) -> None:
    makers: list[int] = []

    def fill(where: Path) -> None:
        makers.append(threading.get_ident())
        (where / "filled").touch()

    threads = [threading.Thread(target=environments.ensure, args=("b" * 64, fill)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(makers) == 1


def test_what_nobody_needs_is_collected_and_what_was_just_used_stays(environments: Environments) -> None:
    kept, used, old = ("c" * 64, "d" * 64, "e" * 64)
    for digest in (kept, used, old):
        folder = environments.ensure(digest, _nothing)
        os.utime(folder / "tidemill.json", (0, 0))
    environments.touch(used)
    assert environments.collect({kept}, before_s=time.time() - 60) == [old]
    assert environments.is_made(kept)
    assert environments.is_made(used)
    assert not environments.path(old).exists()


def test_the_digest_names_the_wheels_in_any_order() -> None:
    one: list[str | int] = ["a-1-py3-none-any.whl", "0" * 64, 1]
    two: list[str | int] = ["b-1-py3-none-any.whl", "1" * 64, 2]
    assert lock_digest([one, two]) == lock_digest([two, one])
    assert lock_digest([one]) != lock_digest([two])


def test_site_packages_is_where_the_interpreter_looks(environments: Environments) -> None:
    _, folder = environments.ensure_own()
    assert str(site_packages(folder)) in run(folder, "import sys; print(sys.path)")
