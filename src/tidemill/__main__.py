"""`python -m tidemill`: the command line."""

from tidemill.cli.main import main

if __name__ == "__main__":
    main()
