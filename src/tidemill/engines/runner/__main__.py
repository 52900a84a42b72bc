"""Starts a node's runner: `python -I -S …/runner/__main__.py <node folder>`, or `… enter <descriptor>` for a shell."""

import sys

if __name__ == "__main__":
    # The folder that holds the package, last: nothing of it may stand in for the standard library.
    sys.path.append(__file__.rsplit("/", 4)[0])
    if sys.argv[1] == "enter":
        from tidemill.engines.runner.enter import main as enter

        sys.exit(enter(sys.argv[-1]))
    from tidemill.engines.runner.node import main

    sys.exit(main(sys.argv[-1]))
