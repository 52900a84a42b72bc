"""Makes a checkout ready: `setup.py up` for running Tidemill, `setup.py test` for working on it.

Each step leaves a stamp of what it was made from, so that a second run takes no time. Standard library only.
"""

import argparse
import sys
from concurrent.futures import ThreadPoolExecutor

import debian
import environment
import web
from steps import SetupFailed, one_at_a_time


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("purpose", choices=["up", "test"])
    purpose = parser.parse_args().purpose
    try:
        with one_at_a_time():
            _prepare(purpose)
    except SetupFailed as failure:
        print(f"setup: {failure}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


def _prepare(purpose: str) -> None:
    debian.install_missing(debian.FOR_TESTS if purpose == "test" else debian.FOR_RUNNING)
    extra = "dev" if purpose == "test" else "server,data"
    # The machine's own Node lets both go on side by side; otherwise it comes with the Python packages.
    if not web.has_own_node():
        environment.install(extra)
    with ThreadPoolExecutor(1) as beside:
        python = beside.submit(environment.install, extra)
        if purpose == "test":
            web.install_packages()
        web.build()
        python.result()
    environment.compile_sources()


if __name__ == "__main__":
    sys.exit(main())
