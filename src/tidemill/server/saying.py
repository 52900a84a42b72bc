"""Words to the person at the terminal."""

import sys

from tidemill.kernel import i18n


def say(code: str, language: i18n.Language, **params: object) -> None:
    """To the person who started us; a generated password must not reach the log."""
    sys.stdout.write(i18n.message(code, language, **params) + "\n")
    sys.stdout.flush()
