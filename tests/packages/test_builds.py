"""Builds: real workloads of a server of its own, without network."""

import tarfile
import time
from dataclasses import replace

import pytest

from tests.images.wheels import write_wheel
from tests.packages.conftest import Site, write
from tidemill.kernel.errors import Conflict
from tidemill.models.pythons import RUNTIME
from tidemill.packages.building import needed
from tidemill.packages.plans import BaseImage, Plan, Source
from tidemill.sdk.package_views import PackageVersion
from tidemill.sdk.resources.workloads import WorkloadFailed

PATIENCE_S = 60


def test_a_model_becomes_a_package_of_files_by_reference(site: Site) -> None:
    begun = time.monotonic()
    version = site.client.packages.wait(site.package("plain", models=["colours"]))
    took_s = time.monotonic() - begun
    assert (version.state, version.server, version.protocol, version.image) == ("completed", "builtin", "v2", None)
    assert took_s < 10
    paths = {line.path for line in site.client.packages.manifest("plain@1")}
    assert {"package.json", "start.sh", "requirements.lock", "model/colours/model.json"} <= paths
    assert "is built" in site.log(version)


def test_dependencies_are_put_over_the_base(site: Site) -> None:
    version = site.client.packages.wait(site.package("deps", models=["colours"], requirements=["tide"]))
    assert version.image is not None
    image = site.client.images.get(version.image)
    assert {"tide==1.0", "moon==2.0"} <= set(image.packages)
    lock = site.client.packages.read_file("deps@1", "requirements.lock").decode()
    assert "tide==1.0" in lock
    assert "onnxruntime==" in lock


def test_an_image_of_ones_own_is_given_what_the_model_server_needs() -> None:
    ours, theirs = (BaseImage("img", "python", name, "", name == RUNTIME) for name in (RUNTIME, "own:1"))
    plan = Plan((), ours, "builtin", "v2", True, "", "", ("tide",), own_python=False)
    assert needed(plan) == ["tide"]
    found = needed(replace(plan, base=theirs))
    assert found[0] == "tide"
    assert {"onnxruntime>=1.23", "uvicorn>=0.35", "click>=8.5"} <= set(found)
    assert needed(replace(plan, base=theirs, protocol="http")) == ["tide"]


def test_what_reads_a_model_of_xgboost_comes_along_unless_it_is_named() -> None:
    base = BaseImage("img", "python", RUNTIME, "", True)
    model = Source("model", "ver", "flood@1", "model/flood", "", format="xgboost")
    plan = Plan((model,), base, "builtin", "v2", True, "", "")
    assert needed(plan) == ["xgboost-cpu>=2.1"]
    assert needed(replace(plan, requirements=("XGBoost==3.2",))) == ["XGBoost==3.2"]
    assert needed(replace(plan, server="class")) == []
    assert needed(replace(plan, sources=(replace(model, format="onnx"),))) == []


def test_what_pip_cannot_find_fails_the_build_and_the_log_says_what(site: Site) -> None:
    version = site.package("hopeless", models=["colours"], requirements=["no-such-package-anywhere"])
    with pytest.raises(WorkloadFailed):
        site.client.packages.wait(version)
    ended = site.client.packages.version("hopeless@1")
    assert (ended.state, (ended.error or {})["code"]) == ("failed", "package_pip")
    assert "no-such-package-anywhere" in site.log(ended)
    # What was wrong is put right: the same version is built again.
    write_wheel(site.wheels, "no_such_package_anywhere", "1")
    assert site.client.packages.wait(site.client.packages.rebuild("hopeless@1")).state == "completed"
    with pytest.raises(Conflict) as refused:
        site.client.packages.rebuild("hopeless@1")
    assert refused.value.code == "package_built"


def test_a_build_is_stopped_and_is_not_deleted_while_it_goes_on(site: Site) -> None:
    # A package that takes its time to be built from source.
    source = write(site.folder / "slow", {"setup.py": b"import time; time.sleep(600)", "pyproject.toml": b""})
    site.client.packages.create("slow")
    with tarfile.open(site.wheels / "slow_source-1.0.tar.gz", "w:gz") as archive:
        archive.add(source, "slow_source-1.0")
    version = site.client.packages.build("slow", models=["colours"], requirements=["slow_source"])
    wait_for(site, version, "building")
    with pytest.raises(Conflict) as refused:
        site.client.packages.delete_version("slow@1")
    assert refused.value.code == "package_building"
    site.client.packages.stop("slow@1")
    assert wait_for(site, version, "stopped").state == "stopped"
    site.client.packages.delete_version("slow@1")
    site.client.packages.delete("slow")


def test_a_killed_server_finds_its_builds_again(site: Site) -> None:
    first = site.package("early", models=["colours"])
    site.server.kill()
    site.server.start()
    assert site.client.packages.wait(first).state == "completed"
    second = site.package("late", models=["colours"], requirements=["tide"])
    wait_for(site, second, "building")
    site.server.kill()
    site.server.start()
    done = site.client.packages.wait(second)
    assert (done.state, site.client.packages.get("late").versions_count) == ("completed", 1)


def wait_for(site: Site, version: PackageVersion, state: str) -> PackageVersion:
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        found = site.client.packages.version(f"{version.package}@{version.number}")
        if found.state == state:
            return found
        time.sleep(0.05)
    raise AssertionError(f"{found.state}, not {state}: {site.log(found)}")
