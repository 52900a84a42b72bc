"""JupyterLab in an environment: how it is started, and what its start says of it.

Nodes of one machine share its network, so the port is found where JupyterLab starts, and told in a small file of the
environment's home. That file is the user's: what it says is not trusted to be more than a port of the node's own.
"""

import os
from pathlib import Path

from tidemill.engines.base import Engine
from tidemill.engines.local.layer import HOME

PORTS = range(20_000, 30_000)
MARK = ".tidemill-jupyter"
NONE = 0
"""The port of a JupyterLab that the image does not have."""
_MARK_BYTES = 200

# A login shell (an editor's, over SSH) begins with the system's PATH: it is told the image's.
COMMAND = r"""
printf "PATH='%s'\nexport PATH\n" "$PATH" > "$HOME/.tidemill-path"
[ -e "$HOME/.profile" ] || echo '. "$HOME/.tidemill-path"; [ -f ~/.bashrc ] && . ~/.bashrc' > "$HOME/.profile"
say() {
    echo "$TIDEMILL_WORKLOAD_ID $1" > "$HOME/.tidemill-jupyter.new"
    mv -f "$HOME/.tidemill-jupyter.new" "$HOME/.tidemill-jupyter"
}
if command -v jupyter-lab >/dev/null 2>&1; then
    free=$(python -c '
import socket, sys
first = int(sys.argv[1])
for port in (*range(first, 30000), *range(20000, first)):
    with socket.socket() as probe:
        if probe.connect_ex(("127.0.0.1", port)) == 0:
            continue
    with socket.socket() as probe:
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            continue
    print(port)
    break
' "$TIDEMILL_JUPYTER_PORT" 2>/dev/null)
    export TIDEMILL_JUPYTER_PORT="${free:-$TIDEMILL_JUPYTER_PORT}"
    # Nobody is asked whether they want news.
    ours="$HOME/.tidemill-jupyter.d"
    mkdir -p "$ours/labconfig"
    echo '{"@jupyterlab/apputils-extension:notification": {"fetchNews": "false", "checkForUpdates": false}}' \
        > "$ours/labconfig/default_setting_overrides.json"
    export JUPYTER_CONFIG_PATH="$ours${JUPYTER_CONFIG_PATH:+:$JUPYTER_CONFIG_PATH}"
    say "$TIDEMILL_JUPYTER_PORT"
    exec jupyter-lab --no-browser --ip=127.0.0.1 --port="$TIDEMILL_JUPYTER_PORT" --ServerApp.port_retries=0 \
        --ServerApp.base_url="/w/$TIDEMILL_WORKLOAD_ID/0/$TIDEMILL_JUPYTER_PORT/" \
        --ServerApp.root_dir="$TIDEMILL_WORKSPACE" --ServerApp.allow_remote_access=True \
        --ServerApp.trust_xheaders=True --ServerApp.quit_button=False --ServerApp.allow_root=True \
        --ServerApp.terminado_settings="shell_command=['/bin/sh', '-c', 'exec \$(command -v bash || echo sh)']" \
        --LabApp.news_url=None --LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate
fi
say 0
echo "This image has no JupyterLab: work over SSH or in the web terminal." >&2
trap 'exit 0' TERM INT
while :; do sleep 3600 & wait $!; done
"""


def find_port(engine: Engine, workspace: str, workload_id: str) -> int | None:
    """The port JupyterLab was started on, `NONE` where there is none; None while that is not said."""
    said = _read(engine.workspace(workspace))
    if said is None or len(said) != 2 or said[0] != workload_id:
        return None
    port = int(said[1]) if said[1].isascii() and said[1].isdigit() else -1
    return port if port == NONE or 1024 <= port <= 65535 else None


def _read(workspace: Path) -> list[str] | None:
    """Never through a link, which may lead anywhere, nor from a pipe, which may keep us waiting."""
    careful = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    try:
        home = os.open(workspace / HOME, careful | os.O_DIRECTORY)
    except OSError:
        return None
    try:
        file = os.open(MARK, careful, dir_fd=home)
        try:
            return os.read(file, _MARK_BYTES).decode("ascii", "replace").split()
        finally:
            os.close(file)
    except OSError:
        return None
    finally:
        os.close(home)
