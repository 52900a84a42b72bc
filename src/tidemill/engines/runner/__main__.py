"""`python -I -S …/runner/__main__.py nursery` is where runners come from; `… enter <descriptor>` enters for a shell."""

import sys

if __name__ == "__main__":
    # The packages above this one, without running them: what they import would cost time, or not be there.
    root = __file__.rsplit("/", 3)[0]
    for name, folder in (("tidemill", root), ("tidemill.engines", f"{root}/engines")):
        package = type(sys)(name)
        package.__path__ = [folder]
        sys.modules[name] = package
    if sys.argv[1] == "enter":
        from tidemill.engines.runner.enter import main as enter

        sys.exit(enter(sys.argv[-1]))
    from tidemill.engines.runner.nursery import main

    sys.exit(main())
