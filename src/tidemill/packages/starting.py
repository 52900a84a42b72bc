"""The start script of a package: the same one in a service, in a container image and in an exported package.

It listens on `$PORT`. Paths are known only where it runs, so the shell puts them together.
"""

import shlex
from collections.abc import Mapping, Sequence

from tidemill.packages.plans import CODE, MODELS
from tidemill.packages.schemas import Recipe, Server

FILE = "start.sh"
SHELL = ("sh",)

_HEAD = """\
#!/bin/sh
# Starts what this package serves, on $PORT (and, where it speaks gRPC, on $TIDEMILL_GRPC_PORT).
set -eu
TIDEMILL_PACKAGE=$(cd "$(dirname "$0")" && pwd)
export TIDEMILL_PACKAGE
export TIDEMILL_MODELS="$TIDEMILL_PACKAGE/{models}"
export PORT="${{PORT:-${{TIDEMILL_PORT:-{port}}}}}"
export TIDEMILL_PORT="$PORT"
export TIDEMILL_HOST="${{TIDEMILL_HOST:-127.0.0.1}}"
if [ -d "$TIDEMILL_PACKAGE/lib/tidemill" ]; then
  export PYTHONPATH="$TIDEMILL_PACKAGE/lib${{PYTHONPATH:+:$PYTHONPATH}}"
fi
"""

SERVE = "python -m tidemill.runtime serve"
"""The built-in model server."""


def start_of(server: Server, recipe: Recipe, function: str | None) -> str:
    """What is run at last, as a shell reads it; `function` is the command of the algorithm's `serve`."""
    if server in {"builtin", "class"}:
        code = f' --code "$TIDEMILL_PACKAGE/{CODE}"' if server == "class" else ""
        own = f'{SERVE} --models-folder "$TIDEMILL_MODELS"{code} --host "$TIDEMILL_HOST" --port "$PORT"'
        own += ' ${TIDEMILL_GRPC_PORT:+--grpc-port "$TIDEMILL_GRPC_PORT"} ${TIDEMILL_ALLOW_PICKLES:+--allow-pickles}'
        return _with(own, recipe.arguments)
    return _with(recipe.command if server == "command" else function or "", recipe.arguments)


def script(start: str, recipe: Recipe, *, is_code: bool, with_shell_commands: bool) -> bytes:
    """The whole script. Shell commands are left out where they were run when the image was built."""
    parts = [
        _HEAD.format(models=MODELS, port=recipe.port),
        *_variables(recipe.environment),
        *(_shell(recipe.shell_commands) if with_shell_commands and recipe.shell_commands else ()),
        f'cd "$TIDEMILL_PACKAGE/{CODE}"\n' if is_code else "",
        f"{start}\n" if "\n" in start else f"exec {start}\n",
    ]
    return "".join(parts).encode()


def _with(command: str, arguments: str) -> str:
    return f"{command} {arguments}".strip() if arguments else command


def _variables(environment: Mapping[str, str]) -> list[str]:
    """What whoever starts it has set already goes before."""
    return [
        f'if [ -z "${{{name}+x}}" ]; then export {name}={shlex.quote(value)}; fi\n'
        for name, value in sorted(environment.items())
    ]


def _shell(commands: Sequence[str]) -> list[str]:
    lines = [f"{command}\n" for command in commands]
    return ['cd "${TIDEMILL_WORKSPACE:-$TIDEMILL_PACKAGE}"\n', *lines]
