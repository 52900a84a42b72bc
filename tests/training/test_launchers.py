"""What the nodes of a run are told to run."""

import os
import subprocess
from pathlib import Path

from tidemill.training.launchers import command_of, parameter_variable, run_on
from tidemill.training.settings import TaskSettings


def run(settings: TaskSettings, workspace: Path, folder: str = "", **environment: str) -> str:
    command = command_of(settings, folder, 2)
    environment = {"PATH": os.environ["PATH"], "TIDEMILL_WORKSPACE": str(workspace), **environment}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=30)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_command_is_a_script_of_several_lines_in_the_algorithms_folder(tmp_path: Path) -> None:
    name = "my net's; rm -rf ."
    (tmp_path / "algorithm" / name).mkdir(parents=True)
    script = "words=(a b)\nfor word in ${words[@]}; do echo $word; done\npwd\necho 'it''s'"
    out = run(TaskSettings(command=script), tmp_path, f"algorithm/{name}")
    assert out == f"a\nb\n{tmp_path}/algorithm/{name}\nits\n"


def test_places_are_put_together_inside_the_node(tmp_path: Path) -> None:
    command = "echo $TIDEMILL_CHECKPOINTS; echo ${TIDEMILL_RESUME_FROM:-none}; test -d $TIDEMILL_OUTPUT"
    checkpoints = f"{tmp_path}/persistent-model/checkpoints"
    assert run(TaskSettings(command=command), tmp_path) == f"{checkpoints}\nnone\n"
    out = run(TaskSettings(command=command), tmp_path, TIDEMILL_RESUME="persistent-model/checkpoints/a b")
    assert out == f"{checkpoints}\n{checkpoints}/a b\n"


def test_the_exit_code_is_the_scripts(tmp_path: Path) -> None:
    command = command_of(TaskSettings(command="false; exit 7"), "", 1)
    environment = {"PATH": os.environ["PATH"], "TIDEMILL_WORKSPACE": str(tmp_path)}
    assert subprocess.run(command, env=environment).returncode == 7


def test_torchrun_is_told_where_everybody_is() -> None:
    settings = TaskSettings(command="train.py --lr 0.1", launcher="torchrun", nodes=2)
    script = command_of(settings, "", 4)[-1]
    assert script.endswith('--master_port "$MASTER_PORT" --nproc_per_node 4 train.py --lr 0.1')
    assert '--nnodes "$NNODES" --node_rank "$NODE_RANK"' in script
    assert run_on(settings) == "all"


def test_mpirun_is_started_on_the_first_node_for_all() -> None:
    settings = TaskSettings(command="python train.py", launcher="mpirun", nodes=3, environment={"WORD": "tide"})
    script = command_of(settings, "", 2)[-1]
    assert "-np 6" in script
    assert "ppr:2:node" in script
    assert "|WORD=)" in script
    assert run_on(settings) == "first"


def test_parameters_have_names_a_shell_can_say() -> None:
    assert parameter_variable("learning-rate") == "TIDEMILL_PARAM_LEARNING_RATE"
    assert parameter_variable("β") == "TIDEMILL_PARAM__"
