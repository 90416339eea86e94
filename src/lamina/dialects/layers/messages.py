"""What the inputs of plain layers are told: the code, the sentence and the hint of each finding.

The faults of merging are in `rule_policy`, beside the policies that have them.
"""

from __future__ import annotations

from typing import Final

from lamina import plugin as lp

# Settings beside the files

BAD_ASSIGNMENT: Final = lp.Message("bad-assignment", "{flag} takes PATH=VALUE, not {text!r}", "write {flag} {example}")
EMPTY_PREFIX: Final = lp.Message(
    "bad-assignment", "the prefix of environment variables must not be empty", "write --env-prefix LAMINA__"
)

# Checks of a result

UNUSABLE_SCHEMA: Final = lp.Message(
    "unusable-schema",
    "{name} cannot be used as a schema: {why}",
    "write a JSON Schema of draft 4, in JSON, YAML or TOML",
)
MISSING_SCHEMA: Final = lp.Message(
    "missing-file", "there is no file {name}", "the path of a schema starts at the folder of the file that names it"
)
MISSING_REQUIRED_KEY: Final = lp.Message(
    "missing-required-key", "no layer sets {key}, which is required", "set it in one of the layers"
)
SCHEMA_VIOLATION: Final = lp.Message("schema-violation", "{where}{violation} (by {name})")

# What is asked for

PRESET_BY_NAME: Final = lp.Message(
    "preset-by-name",
    "the files are merged by the preset {preset}, because of the name of the first one",
    "--preset {preset} confirms it; --preset none merges by Lamina's own rules",
    severity=lp.Severity.INFO,
)
NO_HIERARCHY: Final = lp.Message(
    "no-hierarchy",
    "{item} is a folder without a layers.yaml, which lists the layers",
    "pass the files in the order they are merged, or write layers.yaml",
)

# Layers

LAYER_NOT_A_MAPPING: Final = lp.Message(
    "layer-not-a-mapping",
    "a layer must be a mapping, not {kind}",
    "write keys and values, such as service: {{port: 80}}",
)
NOT_UTF8: Final = lp.Message("not-utf8", "{name} is not text: it is not valid UTF-8", "name a file of text")

# Nodes

NO_NODES: Final = lp.Message(
    "no-hierarchy", "there are no nodes: no folder given has a layers.yaml", "name a folder that has one"
)

# Hierarchies

MISSING_FACT: Final = lp.Message(
    "missing-fact",
    "{name} has no fact {fact}, which the layer {layer} needs",
)
FACT_TYPE: Final = lp.Message(
    "missing-fact",
    "the fact {fact} of {name} must be a string or a number, not {kind}",
    "the layer {layer} needs it",
)
MISSING_LAYER: Final = lp.Message(
    "missing-file", "there is no file {path}", "correct the name; only a layer with a fact in its name may be missing"
)

# What lint finds

RULE_MATCHES_NOTHING: Final = lp.Message(
    "rule-matches-nothing",
    "no layer has anything at {text}, so this rule never applies",
    "correct the path, or remove the rule",
    severity=lp.Severity.WARNING,
)
