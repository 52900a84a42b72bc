"""What the engine says of its machine, and what settings may say."""

import sys
import sysconfig
import venv
from pathlib import Path

import pytest

import tidemill
from tests.engines.conftest import Open
from tidemill.engines.base import Device, EngineError, Image, Machine, NodePlan, Runtime
from tidemill.engines.contract import Bench
from tidemill.engines.local.layout import name_of
from tidemill.engines.local.settings import parse_devices


def test_devices_are_declared_with_kind_id_and_shares() -> None:
    assert parse_devices("gpu:0, gpu:1*4") == (Device("gpu", "0"), Device("gpu", "1", shares=4))
    assert parse_devices("") == ()


@pytest.mark.parametrize("text", ["gpu", "gpu:", "gpu:0*0", "gpu:0*", "GPU 0", "gpu:0,gpu:0"])
def test_devices_that_make_no_sense_are_refused_by_name(text: str) -> None:
    with pytest.raises(EngineError, match="devices"):
        parse_devices(text)


def test_the_machine_is_as_the_settings_say(open_engine: Open) -> None:
    other = Machine("other", 8, 1 << 30)
    engine = open_engine(cpus=1.5, memory_bytes=1 << 30, devices="gpu:0", machines=(other,))
    local, declared = engine.machines()
    assert (local.cpus, local.memory_bytes, local.devices) == (1.5, 1 << 30, (Device("gpu", "0"),))
    assert declared == other
    assert set(local.enforced) == set(local.runtimes)


def test_without_control_groups_no_limit_is_said_to_hold(open_engine: Open) -> None:
    machine = open_engine(use_control_groups=False).machines()[0]
    assert machine.enforced[Runtime.PROCESS] == frozenset()


def test_the_preferred_runtime_is_first(open_engine: Open) -> None:
    assert open_engine(runtime=Runtime.PROCESS).machines()[0].runtimes[0] is Runtime.PROCESS


def test_a_runtime_that_does_not_work_here_is_refused_with_the_reason(open_engine: Open, tmp_path: Path) -> None:
    with pytest.raises(EngineError, match="container"):
        open_engine(runtime=Runtime.CONTAINER, container_socket=str(tmp_path / "nobody.sock"))


def test_launches_planned_for_declared_machines_run_here(open_engine: Open) -> None:
    engine = open_engine(machines=(Machine("other", 8, 1 << 30),))
    bench = Bench(engine, "other", Image("python", ""), Runtime.PROCESS)
    assert bench.run("true")[0].reason == "finished"


def test_launches_that_cannot_be_are_refused(open_engine: Open) -> None:
    engine = open_engine()
    bench = Bench(engine, "local", Image("python", ""), Runtime.PROCESS)
    for options in (
        {"nodes": ()},
        {"nodes": (NodePlan(1, "local", 1, 1),)},
        {"nodes": (NodePlan(0, "elsewhere", 1, 1),)},
        {"command": ()},
    ):
        with pytest.raises(EngineError):
            engine.launch(bench.describe("true", **options))
    bench.image = Image("oci", "busybox")
    with pytest.raises(EngineError, match="oci"):
        engine.launch(bench.describe("true"))
    bench.image = Image("python", "/no/such/folder")
    with pytest.raises(EngineError, match="/no/such/folder"):
        engine.launch(bench.describe("true"))
    assert list(engine.launches()) == []


def test_a_python_environment_is_run_from_its_folder(open_engine: Open) -> None:
    bench = Bench(open_engine(), "local", Image("python", sys.prefix), Runtime.PROCESS)
    seen, output = bench.run("python -c 'import tidemill, sys; print(sys.version_info[:2])'")
    assert (seen.reason, output) == ("finished", f"{sys.version_info[:2]}\n")


def test_keys_are_names_of_single_files() -> None:
    assert name_of("a/b") == "a%2Fb"
    assert name_of("..") == "%2E."
    for key in ("", "x" * 201):
        with pytest.raises(EngineError):
            name_of(key)


@pytest.mark.parametrize("runtime", [Runtime.PROCESS, Runtime.SANDBOX])
def test_an_environment_sees_what_it_points_to(open_engine: Open, tmp_path: Path, runtime: Runtime) -> None:
    """The interpreter's own packages, and the platform's, where it says so."""
    folder = tmp_path / "environment"
    venv.EnvBuilder(system_site_packages=True, symlinks=True, with_pip=False).create(folder)
    site = next(folder.glob("lib/python3*/site-packages"))
    (site / "tidemill.pth").write_text(f"{sysconfig.get_path('purelib')}\n/root\n")
    (site / "tidemill").symlink_to(Path(tidemill.__file__).parent)
    engine = open_engine()
    if runtime not in engine.machines()[0].runtimes:
        pytest.skip(f"no {runtime.value} runtime here")
    bench = Bench(engine, "local", Image("python", str(folder)), runtime)
    seen, output = bench.run("python -c 'import tidemill, sqlalchemy, sys; print(sys.prefix)' && pip --version")
    assert seen.reason == "finished", output
    assert ".home/python" in output
    if runtime is Runtime.SANDBOX:
        assert bench.run("cat /root/.bashrc /root/.profile")[0].reason == "exit_code"
