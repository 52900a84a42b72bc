"""From what a user wrote as the command to what the nodes run.

Paths inside a node are only known there (`/workspace`, or `$TIDEMILL_WORKSPACE` where the host cannot mount), so the
shell puts them together.
"""

import re
import shlex
from typing import Literal

from tidemill.training.settings import TaskSettings

RunOn = Literal["all", "first"]

RESUME = "TIDEMILL_RESUME"
"""The checkpoint to go on from, below the workspace; the node makes `TIDEMILL_RESUME_FROM` of it."""

# Scripts are written for bash; an image without one still runs those that any shell understands.
_CHOOSE_SHELL = 'if command -v bash >/dev/null 2>&1; then exec bash -c "$1"; else exec sh -c "$1"; fi'

_PREPARE = """\
export TIDEMILL_OUTPUT="$TIDEMILL_WORKSPACE/persistent-model"
export TIDEMILL_CHECKPOINTS="$TIDEMILL_OUTPUT/checkpoints"
mkdir -p "$TIDEMILL_CHECKPOINTS" || exit 1
if [ -n "${TIDEMILL_RESUME:-}" ]; then export TIDEMILL_RESUME_FROM="$TIDEMILL_WORKSPACE/$TIDEMILL_RESUME"; fi
cd "$TIDEMILL_WORKSPACE"/%(folder)s || exit 1
"""

_TORCHRUN = (
    'python -m torch.distributed.run --nnodes "$NNODES" --node_rank "$NODE_RANK" --master_addr "$MASTER_ADDR"'
    ' --master_port "$MASTER_PORT" --nproc_per_node %(processes)d '
)

# Processes on other nodes come up through SSH, which brings no environment along: names are passed on one by one.
_PASSED_ON = "TIDEMILL_|PATH=|PYTHON|LD_LIBRARY_PATH=|VIRTUAL_ENV=|HOME=|CUDA_|NCCL_|GLOO_|OMP_"
_MPIRUN = (
    'mpirun --allow-run-as-root --hostfile "$TIDEMILL_HOSTFILE" -np %(total)d'
    " --map-by ppr:%(processes)d:node --oversubscribe --bind-to none"
    " $(env | grep -E '^(%(passed)s)' | grep -oE '^[A-Za-z_][A-Za-z0-9_]*=' | sed 's/^/-x /; s/=$//') "
)


def command_of(settings: TaskSettings, folder: str, processes: int) -> tuple[str, ...]:
    """The argv of every node that runs something; `folder` is where the command begins, below the workspace."""
    prepare = _PREPARE % {"folder": shlex.quote(folder) if folder else "."}
    return ("sh", "-c", _CHOOSE_SHELL, "tidemill", prepare + _launch(settings, processes))


def run_on(settings: TaskSettings) -> RunOn:
    return "first" if settings.launcher == "mpirun" else "all"


def parameter_variable(name: str) -> str:
    """`learning-rate` is `TIDEMILL_PARAM_LEARNING_RATE`."""
    return "TIDEMILL_PARAM_" + re.sub(r"[^A-Za-z0-9]", "_", name).upper()


def _launch(settings: TaskSettings, processes: int) -> str:
    if settings.launcher == "torchrun":
        return _TORCHRUN % {"processes": processes} + settings.command
    if settings.launcher == "mpirun":
        own = "|".join(f"{re.escape(name)}=" for name in settings.environment)
        passed = _PASSED_ON + (f"|{own}" if own else "")
        numbers = {"total": processes * settings.nodes, "processes": processes, "passed": passed}
        return _MPIRUN % numbers + settings.command
    return settings.command
