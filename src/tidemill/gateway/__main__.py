"""`python -m tidemill.gateway --home DIR`: the gateway of a home, in the foreground.

With `--settings -` the settings come as JSON on standard input (so that no secret is in a process list).
"""

import argparse
import asyncio
import json
import logging
import os
import sys
from pathlib import Path

import uvloop

from tidemill.gateway.process import run
from tidemill.gateway.sockets import PortTaken
from tidemill.kernel.settings import Settings


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tidemill.gateway", description=__doc__)
    parser.add_argument("--home", type=Path)
    parser.add_argument("--settings", choices=["-"])
    given = parser.parse_args()
    os.umask(0o077)
    more = json.load(sys.stdin) if given.settings else {}
    if given.home is not None:
        more["home"] = given.home
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    try:
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            runner.run(run(Settings(**more)))
    except (PortTaken, OSError) as error:
        sys.stderr.write(f"the gateway cannot start: {error}\n")
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
