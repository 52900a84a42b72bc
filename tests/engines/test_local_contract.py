"""The local engine passes the suite in every runtime this machine offers."""

from collections.abc import Callable, Sequence

import pytest

from tests.containers import IMAGE
from tests.engines.conftest import Open
from tidemill.engines.base import Engine, Image, Runtime
from tidemill.engines.contract import EngineContract
from tidemill.engines.local.probe import sandbox_trouble
from tidemill.engines.local.sandbox import sandbox_program


class TestProcesses(EngineContract):
    @pytest.fixture
    def runtime(self) -> Runtime:
        return Runtime.PROCESS

    @pytest.fixture
    def image(self) -> Image:
        return Image("python", "")

    @pytest.fixture
    def engine(self, open_engine: Open) -> Engine:
        return open_engine()

    @pytest.fixture
    def reopen(self, open_engine: Open) -> Callable[[], Engine]:
        return open_engine

    @pytest.fixture
    def serve(self) -> Callable[[int], Sequence[str]]:
        return lambda port: ["python", "-m", "http.server", "--bind", "127.0.0.1", str(port)]


class TestProcessesWithoutControlGroups:
    """What control groups help with otherwise."""

    bench = EngineContract.bench
    machine = EngineContract.machine
    runtime = TestProcesses.runtime
    image = TestProcesses.image
    serve = TestProcesses.serve
    test_exit = EngineContract.test_a_command_that_fails_gives_its_exit_code
    test_kill = EngineContract.test_a_command_that_ignores_the_request_is_killed_after_the_grace
    test_tree = EngineContract.test_everything_a_command_started_ends_with_it
    test_usage = EngineContract.test_use_of_resources_is_measured
    test_shell = EngineContract.test_programs_run_inside_end_with_the_node
    test_ports = EngineContract.test_ports_of_the_node_are_reached_and_no_others
    test_gang = EngineContract.test_a_node_that_fails_ends_the_gang_and_its_reason_counts
    test_return = EngineContract.test_launches_go_on_without_the_control_plane

    @pytest.fixture
    def engine(self, open_engine: Open) -> Engine:
        return open_engine(use_control_groups=False)

    @pytest.fixture
    def reopen(self, open_engine: Open) -> Callable[[], Engine]:
        return lambda: open_engine(use_control_groups=False)


@pytest.mark.skipif(sandbox_program() is None, reason="bubblewrap is not installed")
class TestSandboxes(TestProcesses):
    @pytest.fixture
    def runtime(self) -> Runtime:
        trouble = sandbox_trouble()
        if trouble is not None:
            pytest.skip(f"no sandboxes here: {trouble}")
        return Runtime.SANDBOX


class TestContainers(EngineContract):
    @pytest.fixture
    def runtime(self) -> Runtime:
        return Runtime.CONTAINER

    @pytest.fixture
    def image(self) -> Image:
        return Image("oci", IMAGE)

    @pytest.fixture
    def engine(self, open_engine: Open, podman: str) -> Engine:
        return open_engine(container_socket=podman)

    @pytest.fixture
    def reopen(self, open_engine: Open, podman: str) -> Callable[[], Engine]:
        return lambda: open_engine(container_socket=podman)

    @pytest.fixture
    def serve(self) -> Callable[[int], Sequence[str]]:
        return lambda port: ["httpd", "-f", "-p", f"127.0.0.1:{port}"]
