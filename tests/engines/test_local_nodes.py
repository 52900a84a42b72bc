"""Several nodes: SSH among them, and MPI over it."""

import shutil
from collections.abc import Iterator

import pytest

from tests.containers import Podman, make_mpi_image
from tests.engines.conftest import Open
from tidemill.engines.base import Image, Runtime
from tidemill.engines.contract import Bench
from tidemill.engines.local.probe import sandbox_trouble

needs_ssh = pytest.mark.skipif(shutil.which("ssh") is None, reason="OpenSSH's client is not installed")
needs_mpi = pytest.mark.skipif(shutil.which("mpirun") is None, reason="Open MPI is not installed")


@pytest.fixture(scope="module")
def mpi_image(podman_service: Podman) -> str:
    return make_mpi_image(podman_service)


@pytest.fixture(params=[Runtime.PROCESS, Runtime.SANDBOX, Runtime.CONTAINER])
def bench(open_engine: Open, request: pytest.FixtureRequest) -> Iterator[Bench]:
    trouble = sandbox_trouble()
    if request.param is Runtime.SANDBOX and trouble is not None:
        pytest.skip(f"no sandboxes here: {trouble}")
    image, settings = Image("python", ""), {}
    if request.param is Runtime.CONTAINER:
        image = Image("oci", request.getfixturevalue("mpi_image"))
        settings = {"container_socket": request.getfixturevalue("podman")}
    bench = Bench(open_engine(**settings), "local", image, request.param)
    yield bench
    bench.clean()


@needs_ssh
def test_nodes_reach_each_other_over_ssh_without_a_password(bench: Bench) -> None:
    script = """
other=$(tail -n 1 "$TIDEMILL_HOSTS_FILE")
echo typed | ssh "$other" 'echo node $NODE_RANK in $PWD; cat; echo $PASSWORD'
ssh "$other" 'exit 5'; echo code $?
ssh -tt "$other" 'test -t 0 && echo terminal'
"""
    seen, output = bench.run(script, nodes=bench.plan(2), run_on="first", secrets={"PASSWORD": "hush"})
    assert seen.reason == "finished", output
    assert "node 1 in " in output
    assert "typed\nhush\ncode 5\nterminal" in output.replace("\r", "")


@needs_ssh
def test_names_are_the_nodes_own_in_sandboxes_and_containers(bench: Bench) -> None:
    if bench.runtime is Runtime.PROCESS:
        pytest.skip("plain processes have the machine's name")
    id = bench.launch("ssh $(tail -n 1 $TIDEMILL_HOSTS_FILE) hostname; hostname", nodes=bench.plan(2), run_on="first")
    seen = bench.wait(id, "ended")
    assert bench.output(id).split() == [seen.nodes[1].host_name, seen.nodes[0].host_name]


@needs_ssh
@needs_mpi
def test_mpirun_without_options_starts_on_all_nodes(bench: Bench) -> None:
    script = "mpirun sh -c 'echo rank $OMPI_COMM_WORLD_RANK of $OMPI_COMM_WORLD_SIZE on node $NODE_RANK'"
    seen, output = bench.run(script, nodes=bench.plan(2), run_on="first")
    assert seen.reason == "finished", output
    assert {"rank 0 of 2 on node 0", "rank 1 of 2 on node 1"} <= set(output.splitlines())


@needs_ssh
def test_another_launch_is_not_let_in(bench: Bench) -> None:
    victim = bench.launch("sleep 1000", nodes=bench.plan(2), run_on="first")
    bench.wait(victim, "running")
    engine = bench.engine
    config = (engine._layout.launch(victim) / "shared" / "ssh" / "config").read_text()  # type: ignore[attr-defined]
    address, port = (config.split(f"{word} ")[1].split()[0] for word in ("HostName", "Port"))
    script = f"ssh -o StrictHostKeyChecking=no -p {port} {address} true; echo code $?"
    _, output = bench.run(script, nodes=bench.plan(2), run_on="first")
    assert "Permission denied" in output
    assert "code 255" in output
