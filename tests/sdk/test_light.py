"""The SDK installs without the server: it must not import anything of it."""

import subprocess
import sys

ALLOWED = {"httpx2", "httpcore2", "click", "anyio", "idna", "truststore", "h11", "certifi", "typing_extensions"}

ROOMS = {f"tidemill.{room}" for room in ("server", "assets", "jobs", "hooks", "accounts", "store", "migrations")}

BLOCKER = """
import importlib.metadata, sys
import importlib.abc

wanted = {allowed!r}
rooms = {rooms!r}
installed = set(importlib.metadata.packages_distributions()) - wanted - {{"tidemill"}}

class Blocker(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        top = name.partition(".")[0]
        if (top in installed and top not in sys.stdlib_module_names) or any(
            name == room or name.startswith(room + ".") for room in rooms
        ):
            raise ModuleNotFoundError(f"not installed with the SDK: {{name}}", name=name)
        return None

sys.meta_path.insert(0, Blocker())
"""


def run(script: str, *, without: set[str] = ROOMS) -> "subprocess.CompletedProcess[str]":
    """Runs a script as if only the base dependencies were installed."""
    code = BLOCKER.format(allowed=ALLOWED, rooms=without) + script
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)


def test_the_blocker_blocks() -> None:
    assert "not installed with the SDK: fastapi" in run("import fastapi").stderr
    assert "not installed with the SDK: tidemill.store" in run("import tidemill.store").stderr


def test_the_sdk_and_every_client_command_need_only_the_base_dependencies() -> None:
    done = run(
        "import pkgutil, importlib, tidemill.sdk, tidemill.cli\n"
        "for package in (tidemill.sdk, tidemill.cli):\n"
        "    for module in pkgutil.walk_packages(package.__path__, package.__name__ + '.'):\n"
        "        importlib.import_module(module.name)\n"
        "from tidemill.sdk import Client\n"
        "Client('http://127.0.0.1:1', 'tm_x').close()\n"
    )
    assert done.returncode == 0, done.stderr


def test_starting_a_server_that_is_not_installed_says_what_to_install() -> None:
    done = run("import sys\nfrom tidemill.cli.main import run\nsys.exit(run(['up', '--port', '1']))", without=set())
    assert done.returncode == 1
    assert "tidemill[server]" in done.stderr + done.stdout
