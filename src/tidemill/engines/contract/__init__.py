"""The suite every engine passes. Derive from `EngineContract`, give it the fixtures below, and let pytest collect it.

Fixtures to give: `engine`, a fresh engine; `reopen`, which gives another engine object on the same state, as after
a restart of the control plane; `image` and `runtime` to launch with; `put`, which puts bytes into the engine's store
and gives their digest; `serve`, the command line that listens on a port inside that image.
The image needs a POSIX shell, and `cat`, `sleep`, `setsid`, `seq`, `stty` and `yes`.
"""

import pytest

pytest.register_assert_rewrite(f"{__name__}.suite")

from tidemill.engines.contract.bench import Bench, free_port, material_of, read_all, read_until  # noqa: E402
from tidemill.engines.contract.suite import EngineContract  # noqa: E402

__all__ = ["Bench", "EngineContract", "free_port", "material_of", "read_all", "read_until"]
