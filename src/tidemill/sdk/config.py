"""The client's settings file: which servers one has signed in to, and the current project on each.

It holds tokens, so only its owner may read it. It is replaced as a whole, so that it is never half-written.
"""

import json
import os
import tempfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

from tidemill.kernel.errors import Invalid
from tidemill.sdk.language import problem

DEFAULT_URL = "http://127.0.0.1:8700"


@dataclass(slots=True)
class Login:
    """What is kept for one server."""

    token: str | None = None
    token_id: str | None = None
    user: str | None = None
    project: str | None = None


@dataclass(slots=True)
class Config:
    """The whole file."""

    current: str | None = None
    servers: dict[str, Login] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Connection:
    """Where to call, as whom, in which project."""

    url: str
    token: str | None
    project: str | None


def config_file(environ: Mapping[str, str] = os.environ) -> Path:
    """`TIDEMILL_CONFIG`, or the usual place in the user's configuration folder."""
    if named := environ.get("TIDEMILL_CONFIG"):
        return Path(named).expanduser()
    base = environ.get("XDG_CONFIG_HOME")
    return (Path(base) if base else Path.home() / ".config") / "tidemill" / "config.json"


def load_config(file: Path | None = None) -> Config:
    """The settings, empty when there are none yet."""
    file = file or config_file()
    try:
        data = json.loads(file.read_text("utf-8"))
        servers = {url: _login(kept) for url, kept in data.get("servers", {}).items()}
        return Config(data.get("current"), servers)
    except FileNotFoundError:
        return Config()
    except (ValueError, AttributeError, TypeError, OSError) as error:
        raise problem(Invalid, "sdk_config_unreadable", file=file, cause=error) from error


def save_config(config: Config, file: Path | None = None) -> None:
    """Writes the settings for their owner's eyes only."""
    file = file or config_file()
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=file.parent, prefix=".config-")
    except OSError as error:
        raise problem(Invalid, "sdk_config_unwritable", file=file, cause=error.strerror) from error
    with os.fdopen(handle, "w", encoding="utf-8") as out:
        json.dump(
            {"current": config.current, "servers": {u: asdict(s) for u, s in config.servers.items()}}, out, indent=2
        )
        out.write("\n")
        out.flush()
        os.fsync(out.fileno())
    os.replace(temporary, file)


def resolve(
    url: str | None = None,
    token: str | None = None,
    project: str | None = None,
    *,
    environ: Mapping[str, str] = os.environ,
) -> Connection:
    """What is given, else the environment's, else the settings file's. A kept token goes to its own server only."""
    config = load_config(config_file(environ))
    url = (url or environ.get("TIDEMILL_URL") or config.current or DEFAULT_URL).rstrip("/")
    kept = config.servers.get(url, Login())
    return Connection(
        url=url,
        token=token or environ.get("TIDEMILL_TOKEN") or kept.token,
        project=project or environ.get("TIDEMILL_PROJECT") or kept.project,
    )


def _login(kept: dict[str, str | None]) -> Login:
    return Login(**{name: kept.get(name) for name in ("token", "token_id", "user", "project")})
