"""What Datum's inputs are told: the code, the sentence and the hint of each finding.

The faults of merging are in `lookup`, beside the steps that have them.
"""

from __future__ import annotations

from typing import Final

from lamina.errors import Message, Severity

_SUBSET: Final = "Lamina evaluates only a safe subset of PowerShell"

# What is asked for

NOTHING_FOUND: Final = Message(
    "nothing-found",
    "there is no Datum.yml in {folders}",
    "pass the folder that contains Datum.yml, or files and a path with --lookup",
)
LOOKUP_REQUIRED: Final = Message(
    "lookup-required",
    "no Datum.yml found; without one, a path to look up is required",
    "pass the folder that contains Datum.yml, or a path with --lookup",
)
UNKNOWN_LAYER: Final = Message("missing-file", "unknown layer {name}", "use the name of one of the input files")
NODE_REQUIRED: Final = Message(
    "node-required",
    "no node given",
    "choose one with --node, all with --all-nodes, or look up a single path with --lookup",
)
BAD_SETTING: Final = Message(
    "bad-setting",
    "{flag} {text} is not NAME=VALUE",
    "write {flag} NAME=VALUE, or NAME=@FILE to read the value from a file",
)

# The definition

MISSING_FILE: Final = Message("missing-file", "file not found: {name}", "check the path")
NO_DEFINITION: Final = Message("missing-file", "no Datum.yml found in the inputs", "pass the folder that contains it")
INVALID_DEFINITION: Final = Message("invalid-definition", "Invalid definition: {problem}")
DEFINITION_KEY_CASE: Final = Message(
    "definition-key-case",
    "{subject} is ignored: keys in Datum.yml are case-sensitive",
    "write {intended}",
    Severity.WARNING,
)
UNKNOWN_DEFINITION_KEY: Final = Message(
    "unknown-definition-key",
    "{subject} is ignored: Datum does not look for it in Datum.yml",
    "did you mean {intended}?",
    Severity.WARNING,
)
MISSING_STORE: Final = Message(
    "missing-store",
    "the folder {path} of the store {name} does not exist",
    "correct StoreOptions.Path; it is relative to Datum.yml",
)
UNKNOWN_HANDLER: Final = Message(
    "handler-not-run",
    "the handler {subject} is not supported: the values assume that it changes none",
    "supported: Datum.InvokeCommand::InvokeCommand, Datum.ProtectedData::ProtectedDatum",
    Severity.WARNING,
    error_if_strict=True,
)

# Files

UNREADABLE_FILE: Final = Message(
    "unreadable-file",
    "{subject} cannot be read and is ignored: {problem}",
    # What it sets is missing from the result, as if a part had been dropped.
    severity=Severity.ERROR,
)
DUPLICATE_FILE_NAME: Final = Message(
    "duplicate-file-name",
    "{one} and {other} have the same key, {key}",
    "rename or remove one of them; the file extension is not part of the key",
)

# Option entries

UNKNOWN_STRATEGY: Final = Message("unknown-strategy", "lookup option {subject}: {problem}", severity=Severity.WARNING)
DUPLICATE_OPTION_PATH: Final = Message(
    "duplicate-option-path",
    "lookup_options has a duplicate path: {one} and {other} are the same",
    "remove one of them",
)
UNREACHABLE_OPTION: Final = Message(
    "unreachable-option",
    "the entry {entry} is not used: {reason}",
    "{how}, or look up {entry} itself",
    Severity.WARNING,
)
UNREACHABLE_FROM_TOP: Final = Message(
    "unreachable-option",
    "the entry {subject} is not used: {reason}",
    "{how}; only a direct lookup of {subject} uses this entry",
    Severity.WARNING,
)
NEVER_LOOKED_UP: Final = Message(
    "unreachable-option",
    "the entry {subject} is never used: no node looks up {name}",
    "add {name} to Configurations, or ignore this if your own scripts look it up",
    Severity.INFO,
)
MISSING_TUPLE_KEY: Final = Message(
    "missing-tuple-key",
    "no item at {subject} has the tuple key {name}, so items never match",
    severity=Severity.WARNING,
)
BAD_PATTERN: Final = Message(
    "bad-pattern", "invalid pattern {pattern!r}: {problem}", "escape special characters with a backslash"
)
UNSUPPORTED_PATTERN: Final = Message(
    "unsupported-pattern", "invalid pattern {pattern!r}: {problem}", "rewrite it without .NET-only syntax"
)
IGNORED_PATTERN: Final = Message(
    "bad-pattern",
    "invalid pattern {pattern!r}: {problem}; the entry is ignored",
    "escape special characters with a backslash",
    Severity.WARNING,
)
PATTERN_TOO_SLOW: Final = Message(
    "pattern-too-slow",
    "matching the pattern {pattern!r} took more than {seconds} s",
    "the usual cause is nested repetition such as (a+)+",
)

# Nodes, their layers and their resultant sets

NO_NODES: Final = Message("no-nodes", "there are no nodes below {store}", severity=Severity.WARNING)
DUPLICATE_NODE_NAME: Final = Message(
    "duplicate-node-name",
    "{one} and {other} both have {what}; a build keeps only one of the results",
    "{how}; Lamina renders both and identifies them by path",
    Severity.WARNING,
)
MISSING_LAYER: Final = Message(
    "missing-layer",
    "{name} is {value}, but the layer {subject} does not exist",
    severity=Severity.WARNING,
)
BARE_VARIABLE: Final = Message(
    "bare-variable",
    "in {expression}, PowerShell expands only the variable, so the layer does not exist",
    "write $({expression})",
    Severity.WARNING,
)
NULL_LOOKUP: Final = Message(
    "null-lookup",
    "the lookup of {subject} gave Null and no default is set",
    "check the path and the layers, or set a default",
)
UNKNOWN_COMPOSITION: Final = Message(
    "not-known",
    "{key} of node {subject} is unknown, so there is no resultant set",
    "--lookup {key} says what is not known of it",
)
NO_COMPOSITION: Final = Message(
    "null-lookup",
    "the lookup of {key} gave Null for node {subject}, so there is no resultant set",
    "list the node's configurations under {key} in any layer",
)
LOOKUP_NOT_FOUND: Final = Message(
    "lookup-not-found", "no layer sets {subject}, so the result is null", severity=Severity.WARNING
)
NO_CONFIGURATIONS: Final = Message(
    "no-configurations",
    "no file sets {key}, so every key in the layers of {subject} is looked up",
    "Get-DatumRsop would fail here; use --lookup for a single path",
    Severity.INFO,
)
EMPTY_PATH: Final = Message(
    "empty-path",
    "{key} of node {subject} contains an empty name, which cannot be looked up",
    "remove the empty or null item from {key}",
)
LEFTOVER_MARKER: Final = Message(
    "leftover-marker",
    "{where}: the knockout marker stays in the result",
    "add a lookup_options entry for the path: hash, deep, or one with a knockout_prefix",
    Severity.WARNING,
)

# Scripts

LAYER_NOT_READ: Final = Message(
    "needs-powershell",
    "the layer {layer} was not read: {reason}; the values assume that it sets nothing",
    f"{_SUBSET}; give variables of your build with --variable, properties of nodes with --node-property",
    Severity.WARNING,
    error_if_strict=True,
)
PROPERTY_CASE: Final = Message(
    "property-case",
    "$Node.{requested} is null: the node has {name}, and property names are case-sensitive",
    "write $Node.{name}",
    Severity.WARNING,
)
HANDLER_FAILED: Final = Message(
    "handler-failed",
    "{where}: the script {script} fails: {reason}",
    "correct the script; with DatumHandlersThrowOnError, a failing script fails the node",
)
HANDLER_ERROR: Final = Message(
    "handler-error",
    "{where}: the script {script} fails: {reason}; the value stays as written",
    "correct the script",
    Severity.WARNING,
)
HANDLER_LOOP: Final = Message(
    "handler-loop",
    "{where}: the script {script} depends on itself: {names}",
    "break the cycle; Datum would loop forever",
)
