"""What a hostile workload can do to the platform and to others, by runtime: `docs/engines.md` has the table."""

import os
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.engines.conftest import Open
from tidemill.engines.base import EngineError, Image, Placed, Runtime
from tidemill.engines.contract import Bench, material_of
from tidemill.engines.local import LocalEngine
from tidemill.engines.local.probe import sandbox_trouble
from tidemill.engines.runner.processes import marked

PYTHON = Image("python", "")


@pytest.fixture
def bench(open_engine: Open) -> Iterator[Bench]:
    trouble = sandbox_trouble()
    if trouble is not None:
        pytest.skip(f"no sandboxes here: {trouble}")
    bench = Bench(open_engine(), "local", PYTHON, Runtime.SANDBOX)
    yield bench
    bench.clean()


def test_a_sandbox_does_not_see_the_platforms_files(bench: Bench, tmp_path: Path) -> None:
    (tmp_path / "tidemill.db").write_text("secret")
    other = bench.launch("echo other > file; sleep 1000")
    bench.wait(other, "running")
    foreign = bench.engine.workspace(other) / "file"
    bench.until(foreign.exists, bool)
    for path in (tmp_path / "tidemill.db", foreign, bench.engine.workspace(other), Path("/root/.bashrc")):
        seen, output = bench.run(f"cat {path} || ls {path}")
        assert seen.reason == "exit_code", output


def test_a_sandbox_does_not_see_other_processes(bench: Bench) -> None:
    other = bench.launch("sleep 1000", secrets={"PASSWORD": "hush-hush"})
    bench.wait(other, "running")
    _, output = bench.run(
        "cat /proc/[0-9]*/cmdline /proc/[0-9]*/environ | tr '\\0' '\\n'; set -- /proc/[0-9]*; echo $#"
    )
    assert "hush-hush" not in output
    assert "pytest" not in output
    assert int(output.split()[-1]) < 10


def test_a_sandbox_cannot_write_outside_its_workspace(bench: Bench) -> None:
    seen, output = bench.run(
        "for f in /usr/x /etc/x /opt/x /bin/x /x /root/x; do touch $f && echo wrote $f; done; touch own"
    )
    assert "wrote" not in output
    assert not any(Path(place).exists() for place in ("/usr/x", "/etc/x", "/opt/x", "/bin/x"))
    assert seen.reason == "finished"


def test_a_sandbox_has_no_powers_and_gains_none(bench: Bench) -> None:
    _, output = bench.run("grep -E 'CapEff|CapPrm|NoNewPrivs' /proc/self/status; mount -t tmpfs x /tmp; mknod d b 8 0")
    assert output.count("0000000000000000") == 2
    assert "NoNewPrivs:\t1" in output
    id = bench.launch("sleep 1000")
    bench.wait(id, "running")
    shell = bench.engine.exec(id, 0, ["cat", "/proc/self/status"], environment={}, terminal=None)
    status = os.read(shell.stdout, 65536)
    shell.close()
    assert b"CapBnd:\t0000000000000000" in status


def test_links_in_a_workspace_do_not_lead_the_engine_astray(bench: Bench, tmp_path: Path, put: object) -> None:
    victim = tmp_path / "victim"
    victim.mkdir()
    bench.engine.prepare(material_of(put, {"a.txt": b"alpha\n"}))  # type: ignore[arg-type]
    workspace = bench.engine.workspace("trap")
    (workspace / "data").symlink_to(victim)
    for mode in ("link", "copy"):
        placed = (Placed("tides", "data/tides", mode),)  # type: ignore[arg-type]
        with pytest.raises(EngineError, match="link"):
            bench.engine.launch(bench.describe("true", workspace="trap", materials=placed))
    (bench.engine.workspace("second") / ".home").symlink_to(victim)
    with pytest.raises(EngineError, match="link"):
        bench.engine.launch(bench.describe("true", workspace="second"))
    assert list(victim.iterdir()) == []


def test_secrets_are_in_no_file_and_no_command_line_while_a_launch_runs(bench: Bench) -> None:
    id = bench.launch("echo ready; sleep 1000", secrets={"PASSWORD": "hush-hush"})
    bench.says(id, "ready")
    engine = bench.engine
    assert isinstance(engine, LocalEngine)
    folder = engine._layout.launch(id)
    bench.until(lambda: (folder / "nodes" / "0" / "started.json").exists(), bool)
    texts = [path.read_bytes() for path in folder.rglob("*") if path.is_file()]
    assert texts
    assert not any(b"hush-hush" in text for text in texts)
    lines = [Path(f"/proc/{pid}/cmdline").read_bytes() for pid in marked(f"{id}/0")]
    assert lines
    assert not any(b"hush-hush" in line for line in lines)


def test_the_engines_folder_is_closed_to_other_users(bench: Bench, tmp_path: Path) -> None:
    assert (tmp_path / "engine").stat().st_mode & 0o077 == 0


def test_packages_installed_in_a_node_stay_with_its_workspace(bench: Bench, tmp_path: Path) -> None:
    """By both runtimes, without touching the environment they share."""
    wheel = _wheel(tmp_path)
    for runtime in (Runtime.PROCESS, Runtime.SANDBOX):
        bench.runtime = runtime
        space = f"space-{runtime.value}"
        (bench.engine.workspace(space) / wheel.name).write_bytes(wheel.read_bytes())
        seen, output = bench.run(f"pip install --no-index --no-deps ./{wheel.name}", workspace=space)
        assert seen.reason == "finished", output
        id = bench.launch("python -c 'import lighthouse; print(lighthouse.LIGHT)'; sleep 1000", workspace=space)
        bench.says(id, "on")
        assert "lighthouse==1.0" in bench.engine.snapshot(id, 0).requirements
        seen, output = bench.run("python -c 'import lighthouse'")
        assert "ModuleNotFoundError" in output


def _wheel(folder: Path) -> Path:
    path = folder / "lighthouse-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as wheel:
        wheel.writestr("lighthouse.py", "LIGHT = 'on'\n")
        wheel.writestr("lighthouse-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: lighthouse\nVersion: 1.0\n")
        wheel.writestr(
            "lighthouse-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        wheel.writestr("lighthouse-1.0.dist-info/RECORD", "")
    return path
