"""Secrets written in plain text.

A text looks like a secret when its key is named like one (`password`, `api_key`), when it holds a private key, when it
has the shape of a well-known kind of token, or when it is long and looks random. Hashes, references, templates,
encrypted values and placeholders are not secrets. What was found is never printed.
"""

from __future__ import annotations

import re
from collections import Counter
from math import log2
from typing import TYPE_CHECKING, Any

from lamina.engine.node import SourceNode
from lamina.engine.provenance import key_origin
from lamina.engine.secret_keys import Secrecy
from lamina.errors import Diagnostic
from lamina.paths import leaf_values
from lamina.protocol.extensions import Secrets, secrets_of
from lamina.views.lint.layer_index import sources_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from lamina.errors import Note
    from lamina.origins import Origin
    from lamina.paths import Path
    from lamina.run import Run
    from lamina.views.lint.context import Survey
    from lamina.views.lint.layer_index import Layer

_SECRET_WORDS = {"password", "passwd", "passphrase", "pwd", "secret", "token", "apikey", "credential", "credentials"}
_SECRET_KEYS = {"private", "api", "access", "secret", "encryption", "auth", "account", "shared", "signing"}
"""Words that make a `key` a secret one."""
_NOT_SECRET_WORDS = {
    *("hash", "hashed", "checksum", "digest", "fingerprint", "sha", "sha1", "sha256", "sha512", "md5", "public", "pub"),
    *("cert", "certificate", "content", "data", "id", "uuid", "image", "url", "uri", "file", "path", "name", "salt"),
    *("ca", "revision", "commit", "version", "schema", "policy"),
}
"""Words of keys whose long, random-looking values are not secrets."""

_HASH = re.compile(r"\$(1|2[abxy]?|5|6|7|y|gy|argon2\w*|pbkdf2\S*|sha\d*|apr1)\$|\{[A-Za-z0-9-]+\}|[*!]+$")
_REFERENCE = re.compile(
    r"""
    \$\{ | \#\{ | %\{ | \$\( | \{\{ | \{% | <% | %\( | \[\w+= | \$[A-Za-z_][\w.]*$     # filled in later
    | <.*>$ | \*+$ | x{3,}$ | \.{3}$                                      # a placeholder
    | ENC\[ | ENC\( | \$ANSIBLE_VAULT | vault: | !vault | age1 | sops:      # encrypted
    | \w+:// | / | ~/ | \./ | env: | file: | ref\+ | secret:              # points elsewhere
    | [\w-]+(\.[\w-]+)+(:\d+)?/                                            # names something on a host
    | \(*(not\ )?(rule|role|is_admin|user_id|project_id|domain_id):           # says who may do it
    | AAAA(B3Nza|C3Nza|E2Vj|GnNr|InNr)                                      # a public key of SSH
    | -----BEGIN\ (PGP\ MESSAGE|PKCS7|CERTIFICATE|(\w+\ )?PUBLIC\ KEY)
    """,
    re.VERBOSE,
)
_PLACEHOLDER = re.compile(
    r"[!*\[({]*("
    r"(replace|change|insert|enter|put|fill|your|todo|fixme|example|dummy|placeholder|redacted|random|default)"
    r"(me|it|this|in|pass|password|secret|token|key|value)?\d{0,4}([-_ ][\w -]{0,40})?"
    r"|[\w -]{1,60}[-_ ]here"
    r"|none|null|true|false|yes|no"
    r")[!*\])}]*",
    re.IGNORECASE,
)
_NAMED = re.compile(r"[a-z][a-z0-9]*([-_][a-z0-9]+){2,}")
"""What `credentials` hold that are kept elsewhere: the name by which they are known there."""
_NAME_OF_KEY = re.compile(r"[A-Za-z]+([-_.][A-Za-z]+)*")
_UPPER_CASE = re.compile(r"[A-Z]+(_[A-Z]+)*")
_BEGIN = "-----BEGIN "
_PRIVATE_KEY = re.compile(_BEGIN + r"(?:[A-Z0-9]+ ){0,3}PRIVATE KEY( BLOCK)?-----(?P<body>[^-]{0,200})")
_TOKEN = re.compile(
    r"""
    (?<![A-Za-z0-9])(
        (AKIA|ASIA)[0-9A-Z]{16} | gh[pousr]_[A-Za-z0-9]{36,} | github_pat_\w{40,} | glpat-[\w-]{20,}
        | xox[abprs]-[\w-]{10,} | [sr]k_live_\w{16,} | eyJ[\w-]{10,500}\.eyJ[\w-]{10,500} | AIza[\w-]{35}
    )
    """,
    re.VERBOSE,
)
_SHORTEST_TOKEN = 15
_LOGIN = re.compile(r"\b[a-z][a-z0-9+.-]{1,20}://[^/\s:@\[\]]{1,100}:(?P<password>[^/\s:@\[\]]{1,200})@")
_SHORTEST_RANDOM = 24
_RANDOM = re.compile(r"[A-Za-z0-9+/_=-]{24,}")
_MIN_ENTROPY = 4.2
_MOST = 20_000
"""How much of a text is looked at."""
_ENTRY = 200
"""About how many bytes it takes to remember one of them."""


def cleartext_secrets(survey: Survey) -> Iterator[Note]:
    """A finding for each text that looks like a secret."""
    reported: set[Origin] = set()
    known = secrets_of(survey.rendered.dialect)
    for layer in sources_of(survey.plan):
        held = [] if known.holds is Secrets().holds else _held(layer, known.holds)
        for inside, why in (*_suspects(survey.inputs.run, layer.node), *held):
            node = layer.node.at(inside)
            # What is stored encrypted is known to be a secret, and is taken care of.
            if isinstance(node, SourceNode) and node.secret is not Secrecy.ENCRYPTED and node.origin() not in reported:
                reported.add(node.origin())
                path = (*layer.path, *inside)
                yield _finding(survey, layer, node, path, why, known.advice(path))


def _suspects(run: Run, node: SourceNode) -> list[tuple[Path, str]]:
    """What looks like a secret in a value, with the reason; what several targets share is looked through once."""
    whole, own_key = node.value, _key(node.path)
    key = ("suspects", id(whole), own_key)
    looked_at, found = run.find(key) or (None, [])
    if looked_at is not whole:
        found = [
            (inside, why)
            for inside, value in leaf_values(whole)
            if (why := looks_secret(_key(inside) or own_key, value)) is not None
        ]
        run.keep(key, (whole, found), _ENTRY * (1 + len(found)))  # with the value, whose id is unique while it lives
    return found


def _held(layer: Layer, holds: Callable[[Path, Any], str | None]) -> Iterator[tuple[Path, str]]:
    """What is known to be a secret by where it is."""
    for inside, value in leaf_values(layer.node.value):
        why = holds((*layer.path, *inside), value)
        if why is not None:
            yield inside, why


def _key(path: Path) -> str:
    """The nearest key above a value; an item of a list goes by the key of the list."""
    return next((step for step in reversed(path) if isinstance(step, str)), "")


def looks_secret(key: str, value: Any) -> str | None:
    """Why a value looks like a secret, or None when it does not."""
    if not isinstance(value, str) or not value.strip():
        return None
    # Most texts are nothing of the kind, which is found out in the quickest way.
    if _BEGIN in value and any(not _is_placeholder(found["body"]) for found in _PRIVATE_KEY.finditer(value)):
        return "holds a private key"
    text = value[:_MOST].strip()
    if len(text) >= _SHORTEST_TOKEN and _TOKEN.search(text):
        return "has the shape of an access token"
    if "://" in text and any(not _is_none(login["password"]) for login in _LOGIN.finditer(text)):
        return "holds a login with its password"
    words = words_of(key)
    is_named = names_secret(words)
    if (not is_named and len(text) < _SHORTEST_RANDOM) or _is_none(text):
        return None
    if words[-1:] in (["credential"], ["credentials"]) and _NAMED.fullmatch(text):
        return None
    if _names_object(key, words, text):
        return None
    if is_named:
        return None if " " in text and len(text.split()) > 6 else "is named like a secret"
    if _is_random(text) and not _NOT_SECRET_WORDS.intersection(words):
        return "is long and looks random"
    return None


def _names_object(key: str, words: list[str], text: str) -> bool:
    """Whether a value names an object that holds the secret, or a key in it: `existingSecret`, `passwordSecretKey`."""
    names_key = words[-2:] == ["secret", "key"] and _NAME_OF_KEY.fullmatch(text) is not None
    return "existing" in words or (names_key and (key.endswith("ecretKey") or not text.isalpha()))


def _is_none(text: str) -> bool:
    """Whether a text is not a secret wherever it is: a hash, a reference, or a placeholder."""
    return bool(
        _HASH.match(text) or _REFERENCE.match(text) or _PLACEHOLDER.fullmatch(text) or _UPPER_CASE.fullmatch(text)
    )


def _is_placeholder(body: str) -> bool:
    """Whether what follows the first line of a key is only a word for it, such as `YOUR-KEY-HERE`."""
    return bool(_PLACEHOLDER.fullmatch(body.strip()))


def words_of(key: str) -> list[str]:
    """The words of a key, lower case: `adminPassword` and `admin_password` have the same."""
    return [word.lower() for word in re.findall(r"[A-Z]?[a-z0-9]+|[A-Z0-9]+(?![a-z])", key)]


def names_secret(words: list[str]) -> bool:
    """Whether a key made of these words is named like a secret."""
    if not words or {"hashed", "hash", "public"} & set(words):
        return False
    last = words[-1]
    return last in _SECRET_WORDS or (last == "key" and len(words) > 1 and words[-2] in _SECRET_KEYS)


def _is_random(text: str) -> bool:
    if not _RANDOM.fullmatch(text):
        return False
    mixed = all(re.search(kind, text) for kind in ("[a-z]", "[A-Z]", "[0-9]"))
    return mixed and _bits(text) >= _MIN_ENTROPY


def _bits(text: str) -> float:
    """The entropy of a string in bits per character, by how often each occurs."""
    counts = Counter(text).values()
    return -sum(count / len(text) * log2(count / len(text)) for count in counts)


def _finding(survey: Survey, layer: Layer, node: SourceNode, path: Path, why: str, advice: str) -> Note:
    return Diagnostic(
        code="cleartext-secret",
        message=f"{survey.show(layer.output, path)} {why} and is stored here in plain text",
        at=key_origin(node),
        path=survey.full_path(layer.output, path),
        hint=advice,
        subject=node.layer,
    )
