"""Passwords: their rule, and their hashes."""

import os
import secrets
import threading
import unicodedata
from functools import cached_property

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from tidemill.kernel.errors import Invalid
from tidemill.kernel.settings import Settings

LANES = 4
AT_ONCE = min(4, os.cpu_count() or 1)
"""Hashing takes much memory on purpose; more at once than this would only queue for the processors."""


class Passwords:
    """Checks, hashes and verifies. Slow on purpose: never called while a write transaction is open."""

    def __init__(self, settings: Settings) -> None:
        self.min = settings.password_min
        self.max = settings.password_max
        self._hasher = PasswordHasher(settings.argon2_time_cost, settings.argon2_memory_kib, LANES)
        self._gate = threading.BoundedSemaphore(AT_ONCE)

    def hash_new(self, password: str, *, field: str = "password") -> str:
        """The hash of a password somebody chose; raises Invalid when it breaks the rule."""
        if not self.min <= len(_same_form(password)) <= self.max:
            raise Invalid("password_length", field=field, min=self.min, max=self.max)
        return self.hash(password)

    def hash(self, password: str) -> str:
        with self._gate:
            return self._hasher.hash(_same_form(password))

    def verify(self, stored: str | None, password: str) -> bool:
        """Whether the password is the one; without a stored hash it takes as long and says no."""
        with self._gate:
            try:
                return self._hasher.verify(stored or self._nobodys, _same_form(password)) and stored is not None
            except (VerificationError, InvalidHashError):
                return False

    def is_outdated(self, stored: str) -> bool:
        """Whether the hash was made with other parameters than those set now."""
        return self._hasher.check_needs_rehash(stored)

    @cached_property
    def _nobodys(self) -> str:
        return self._hasher.hash(secrets.token_urlsafe(32))


def generate_password() -> str:
    """A password to be told once and changed at first use."""
    alphabet = "abcdefghjkmnpqrstuvwxyz23456789"
    return "-".join("".join(secrets.choice(alphabet) for _ in range(5)) for _ in range(4))


def _same_form(password: str) -> str:
    """The same characters typed on different keyboards give the same password."""
    return unicodedata.normalize("NFC", password)
