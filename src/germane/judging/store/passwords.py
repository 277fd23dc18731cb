"""Secrets: long random ones are kept as sha256, passwords that people chose as scrypt."""

from __future__ import annotations

import hashlib
import hmac
import secrets

LOG2_N, R, P = 15, 8, 3
"""scrypt's cost, after OWASP: 32 MB and a fraction of a second per password."""


def new_secret() -> str:
    """A secret of 256 random bits for a URL or a cookie."""
    return secrets.token_urlsafe(32)


def secret_hash(secret: str) -> str:
    """How a random secret is kept. It has too many bits to be guessed, so that a fast hash will do.

    >>> secret_hash("x")[:8]
    '2d711642'
    """
    return hashlib.sha256(secret.encode()).hexdigest()


def password_hash(password: str) -> str:
    """How a password is kept: scrypt with its parameters and a salt of its own."""
    salt = secrets.token_bytes(16)
    return f"scrypt${LOG2_N}${R}${P}${salt.hex()}${_scrypt(password, salt, LOG2_N, R, P).hex()}"


def password_fits(password: str, kept: str | None) -> bool:
    """Whether this is the password. Without one to compare with it takes as long and says no."""
    if kept is None:
        _scrypt(password, b"\0" * 16, LOG2_N, R, P)
        return False
    _, log2_n, r, p, salt, expected = kept.split("$")
    found = _scrypt(password, bytes.fromhex(salt), int(log2_n), int(r), int(p))
    return hmac.compare_digest(found, bytes.fromhex(expected))


def _scrypt(password: str, salt: bytes, log2_n: int, r: int, p: int) -> bytes:
    needed = 128 * r * ((1 << log2_n) + p + 2)
    return hashlib.scrypt(password.encode(), salt=salt, n=1 << log2_n, r=r, p=p, maxmem=2 * needed, dklen=32)
