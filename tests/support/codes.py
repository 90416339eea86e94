"""The codes of all findings, gathered from the program text."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache

from support.transcripts import ROOT

_CODE = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)+")
_IN_TEXT = re.compile(r" \[([a-z][a-z0-9]*(?:-[a-z0-9]+)*)\](?:\n|$)")
"""A code at the end of a line that is printed as it is."""

NO_CODES = {
    *("base64-encoded-keys", "content-disposition", "content-transfer-encoding", "content-type", "mime-version"),
    *("gzip-compressed", "quoted-printable", "raw-unicode-escape", "launch-index", "instance-id", "local-hostname"),
    *("x-compress", "x-compressed", "x-gunzip", "x-gzip", "x-gzip-compressed", "utf-8", "utf-8-sig", "utf-16"),
    *("cloud-config", "cloud-init", "meta-data", "user-data", "vendor-data", "vendor-data2"),
    *("cat-file", "for-each-ref", "ls-tree", "merge-base", "rev-parse", "parse-merge", "json-patch", "yaml-all"),
    *("go-yaml", "pyyaml-text-dates", "yaml-text-dates", "number-attachments"),
    *("where-object", "foreach-object", "select-object", "sort-object", "get-datumsourcefile", "get-relativefilename"),
    *("split-path", "join-path"),
    *("by-key", "delete-defaults", "helm-values", "docker-compose", "ansible-combine", "ansible-combine-recursive"),
    *("fail-on", "deep-update", "explain-key", "add-key", "add-start"),
    *("cleartext-secrets", "content-length", "store-impact", "lamina-service", "latin-1", "rendered-documents"),
    *("transfer-encoding", "x-auth-token", "x-context-marker", "x-end-user", "x-identity-status", "x-roles"),
    *("x-user-id", "x-user-name", "lamina-workers"),
    *("eu-central-1", "eu-central-1a", "europe-west3", "europe-west3-a", "i-0123456789abcdef0", "iid-sample01"),
    *("sample-host",),
    *("explore-changes", "explore-outputs", "explore-search", "explore-stack", "explore-targets", "explore-tree"),
    *("import-values", "in-item"),
    *("rule-gone", "steers-gone", "was-unusable"),
    *("ansible-json", "unicode-escape"),
    *("file-missing", "unknown-host", "unknown-precedence", "vault-file", "yaml-tag", "inventory-unparsed"),
    *("lamina-follower", "no-cache", "no-referrer", "no-store", "same-origin", "sec-fetch-mode", "sec-fetch-site"),
}
"""Words with dashes that are not codes: headers, encodings, files, fields, commands of git and PowerShell, causes."""

REASONS = {
    *("wrong-type", "no-key"),
    *("bad-cast", "boolean-has-no-strategy", "boolean-under-merge", "different-kinds", "field-clash"),
    *("list-into-other", "mapping-into-other", "mapping-into-text", "no-strategy", "no-such-place", "no-such-source"),
    *("no-text", "no-two-texts", "not-a-list", "not-a-text", "nothing-left", "nothing-to-drop", "nothing-to-take"),
    *("hash-type", "unique-type", "empty-prefix", "bad-prefix"),
    *("global-kept", "global-replaced", "in-the-way", "mapping-kept", "subchart-not-a-mapping", "value-kept"),
    *("null-item", "number-and-other", "number-under-merge", "other-type", "text-into-list", "text-into-other"),
}
"""Reasons for which operators reject values; a dialect turns each into a finding with a code of its own."""

PARTS = {"script", "boothook", "part-handler"}
"""Codes of parts that are not configuration: words for what they are."""

MADE = {"unknown-dialect", "unknown-option", "unknown-value", "unknown-schema", "unknown-target", "unknown-example"}
"""Codes made of `unknown-` and the word for what is not known."""


LIST = ROOT / "src/lamina/views/lint/codes.py"
"""The list of all codes that the program itself has; it is not a source of them."""


def list_of_codes() -> str:
    """The text of that list."""
    rows = "".join(f'    "{code}",\n' for code in codes())
    return (
        '"""The codes of all findings, so that a word that selects none of them is known to be wrong.\n\n'
        "Made by LAMINA_UPDATE=1 pytest tests/docs/test_manual.py.\n"
        '"""\n\nfrom __future__ import annotations\n\nfrom typing import Final\n\n'
        f"CODES: Final = (\n{rows})\n"
    )


def codes_in(tree: ast.Module) -> Iterator[str]:
    """Constants that may be codes: given as `code=`, at the end of a line, or written like one."""
    for node in ast.walk(tree):
        if isinstance(node, ast.keyword) and node.arg == "code" and isinstance(node.value, ast.Constant):
            yield str(node.value.value)
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith("Message") and node.args:
            first = node.args[0]
            if isinstance(first, ast.Constant):
                yield str(first.value)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from _IN_TEXT.findall(node.value)
            if _CODE.fullmatch(node.value):
                yield node.value


@cache
def codes() -> tuple[str, ...]:
    """Every code the program can print."""
    found: set[str] = {*MADE, *PARTS}
    for path in sorted((ROOT / "src").rglob("*.py")):
        if path != LIST:
            found.update(codes_in(ast.parse(path.read_text())))
    return tuple(sorted(found - NO_CODES - REASONS - {""}))
