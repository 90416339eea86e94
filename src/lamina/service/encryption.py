"""Sealing: secrets encrypted at rest with AES-256-GCM, under a key that is not in the store.

The key file holds 32 bytes as base64 or hexadecimal digits. From it two keys are derived: one encrypts, the other makes
fingerprints, by which an unchanged secret is found again without being decrypted. Each secret is bound to its id.
"""

from __future__ import annotations

import hmac
import os
from base64 import b64decode, b64encode
from binascii import Error as NotBase64
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from tempfile import mkstemp

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from lamina.errors import Diagnostic, InputError

KEY_VARIABLE = "LAMINA_SERVICE_KEY"
_SIZE = 32
_NONCE = 12
_CHECK = b"lamina key check"


class Seal:
    """Encrypts and decrypts secrets with one key."""

    def __init__(self, key: bytes) -> None:
        self._cipher = AESGCM(hmac.digest(key, b"lamina encrypt", sha256))
        self._fingerprints = hmac.digest(key, b"lamina fingerprint", sha256)

    def fingerprint(self, secret: bytes) -> bytes:
        """What an equal secret is found by; it reveals nothing without the key."""
        return hmac.digest(self._fingerprints, secret, sha256)

    def seal(self, secret: bytes, name: str) -> bytes:
        nonce = os.urandom(_NONCE)
        return nonce + self._cipher.encrypt(nonce, secret, name.encode())

    def unseal(self, sealed: bytes, name: str) -> bytes:
        return self._cipher.decrypt(sealed[:_NONCE], sealed[_NONCE:], name.encode())

    def check(self) -> bytes:
        """What a store keeps to check whether a later key is the same."""
        return self.seal(_CHECK, "check")

    def opens(self, check: bytes) -> bool:
        """Whether a store was made with this key."""
        try:
            return self.unseal(check, "check") == _CHECK
        except InvalidTag:
            return False


def random_key() -> bytes:
    return os.urandom(_SIZE)


def key_from_environment() -> bytes | None:
    """The key in the environment, if there is one."""
    written = os.environ.get(KEY_VARIABLE)
    return None if written is None else _decoded(written, KEY_VARIABLE)


def key_from_file(path: Path, *, create: bool = False) -> bytes:
    """The key in a file; with `create`, a new one is written if there is no file."""
    if create and not path.exists():
        _write_new(path)
    try:
        return _decoded(path.read_text(encoding="ascii"), str(path))
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(
            Diagnostic(
                code="unusable-key",
                message=f"the key file {path} cannot be read: {getattr(error, 'strerror', None) or 'it is not text'}",
                hint="check the path; 'openssl rand -base64 32' makes a key",
            )
        ) from None


def _write_new(path: Path) -> None:
    """Write a new key that only its owner can read; a file that another process wrote meanwhile is kept."""
    try:
        # Under another name first: nobody must read a file that is still empty.
        descriptor, written = mkstemp(prefix=f".{path.name}.", dir=path.parent)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(b64encode(random_key()) + b"\n")
                file.flush()
                os.fsync(file.fileno())
            with suppress(FileExistsError):
                os.link(written, path)
        finally:
            Path(written).unlink()
    except OSError as error:
        raise InputError(
            Diagnostic(
                code="unusable-key",
                message=f"a key for secrets cannot be written to {path}: {error.strerror}",
                hint="give one with --key-file",
            )
        ) from None


def _decoded(written: str, where: str) -> bytes:
    text = "".join(written.split())
    try:
        key = bytes.fromhex(text) if len(text) == 2 * _SIZE else b64decode(text, validate=True)
    except (ValueError, NotBase64):
        key = b""
    if len(key) != _SIZE:
        raise InputError(
            Diagnostic(
                code="unusable-key",
                message=f"{where} does not hold a key of 32 bytes, as base64 or hexadecimal digits",
                hint="'openssl rand -base64 32' makes a key",
            )
        )
    return key
