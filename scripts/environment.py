"""The Python environment in `.venv`, with the versions of `requirements/constraints.txt`."""

import importlib.util
import os
import sys

import debian
from steps import ROOT, SetupFailed, Stamp, run, say

VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
CONSTRAINTS = ROOT / "requirements" / "constraints.txt"
_OFFLINE = "Is the package index reachable? pip's own settings (pip config list) are used."


def install(extra: str) -> None:
    """Tidemill itself, editable, with what the extras (`server,data` or `dev`) name, unless nothing changed."""
    _make_venv()
    # What tests need includes what running needs.
    if _stamp("dev").is_fresh() or _stamp(extra).is_fresh():
        return
    say(f"installing Python packages ({extra})")
    pip_install("--editable", f"{ROOT}[{extra}]")
    _stamp(extra).set()


def compile_sources() -> None:
    """So that a start need not, also where Python is told not to keep what it compiled."""
    run([str(PYTHON), "-m", "compileall", "-q", str(ROOT / "src" / "tidemill")], remedy="Is there room on the disk?")


def pip_install(*what: str) -> None:
    """Into the environment, with our versions."""
    command = [str(PYTHON), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    run([*command, "--constraint", str(CONSTRAINTS), *what], environ=_clean_environ(), remedy=_OFFLINE)


def _stamp(extra: str) -> Stamp:
    made_by = (VENV / "pyvenv.cfg").read_text()
    return Stamp(f"python-{extra}", [ROOT / "pyproject.toml", CONSTRAINTS], extra, made_by)


def _make_venv() -> None:
    if _is_whole():
        return
    if importlib.util.find_spec("ensurepip") is None:
        debian.install_missing([debian.VENV])
    if importlib.util.find_spec("ensurepip") is None:
        package = f"python{sys.version_info.major}.{sys.version_info.minor}-venv"
        raise SetupFailed(f"Python's venv module is missing. Install it as root: apt-get install {package}")
    say(f"making .venv with Python {sys.version.split()[0]}")
    run(
        [sys.executable, "-m", "venv", "--clear", str(VENV)],
        environ=_clean_environ(),
        remedy="Is there room on the disk?",
    )


def _is_whole() -> bool:
    """Its Python is a link that dangles when the system's was replaced; pip comes last when it is made."""
    has_pip = any(VENV.glob("lib/python*/site-packages/pip/__main__.py"))
    return PYTHON.exists() and (VENV / "pyvenv.cfg").is_file() and has_pip


def _clean_environ() -> dict[str, str]:
    """Another environment that happens to be active has no say."""
    return {
        name: value for name, value in os.environ.items() if name not in {"VIRTUAL_ENV", "PYTHONHOME", "PYTHONPATH"}
    }
