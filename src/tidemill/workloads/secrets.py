"""Tokens of workloads: made from the attempt's id and a key that never leaves this server.

So nothing secret is kept, and a launch that a crash interrupted is launched again with the token it was promised.
"""

import base64
import hashlib
import hmac

from tidemill.accounts.tokens import PREFIX


class TokenMint:
    """Makes the token of an attempt."""

    def __init__(self, key: bytes) -> None:
        self._key = key

    def token(self, attempt_id: str) -> str:
        mark = hmac.new(self._key, b"workload token\n" + attempt_id.encode(), hashlib.sha256).digest()
        return PREFIX + base64.urlsafe_b64encode(mark).decode().rstrip("=")
