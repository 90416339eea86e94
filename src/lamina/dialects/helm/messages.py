"""What is said about charts and their values: the code, the sentence and the hint of each finding.

The faults of merging are in `fill`, beside the rules that have them.
"""

from __future__ import annotations

from typing import Final

from lamina import plugin as lp

# What is asked for

NO_CHART: Final = lp.Message(
    "no-chart",
    "{found} among the inputs: one must be that of the chart",
    "name the folder of the chart, then its value files; or --chart DIR",
)
NO_CHART_ON_DISK: Final = lp.Message("no-chart", "Helm needs a chart on disk", "name the folder of the chart")
NO_FILE: Final = lp.Message("file-not-found", "there is no file {name}", "check its name and folder")
NOT_STRINGS: Final = lp.Message(
    "set-syntax", "{flag} takes strings such as image.tag=v2, not {written!r}", "write a list of them"
)
SET_SYNTAX: Final = lp.Message("set-syntax", "{flag} cannot be read: {why}", "write {example}")

# The chart

NESTED_TOO_DEEP: Final = lp.Message(
    "chart-missing", "charts are nested more than {deepest} deep, at {at}", "leave out the charts below"
)
NO_CHART_FILE: Final = lp.Message(
    "chart-missing",
    "there is no Chart.yaml in {at}",
    "name the folder of a chart; what is in charts/ must be charts, or be hidden by .helmignore",
)
PACKED_CHART: Final = lp.Message(
    "packed-chart", "{name} is a packed chart, which Lamina does not read", "unpack it in that folder: tar xzf"
)
LIBRARY: Final = lp.Message(
    "library", "{name} is a library chart, which cannot be installed", "name a chart that uses it"
)
MISSING_DEPENDENCY: Final = lp.Message(
    "missing-dependency", "the chart {name} is listed, but not in charts/", "fetch it: helm dependency build"
)
UNFIT_METADATA: Final = lp.Message("chart-metadata", "{problem}")
FIELDS_OF_CHART: Final = "correct it; https://helm.sh/docs/topics/charts/ lists the fields of Chart.yaml"
BAD_IGNORE_RULE: Final = lp.Message(
    "chart-metadata",
    "a rule of {file} cannot be read: {why}",
    "write a pattern with * and ?, for each depth of folders one",
)
REQUIREMENTS_FILE: Final = lp.Message(
    "requirements-yaml",
    "requirements.yaml of {chart} is read over the dependencies in Chart.yaml",
    "move its dependencies to Chart.yaml, where they belong since apiVersion v2",
    lp.Severity.WARNING,
)
CONDITION_NOT_BOOLEAN: Final = lp.Message(
    "condition-not-boolean",
    "the condition {condition} of {chart} is {kind}, not true or false, and decides nothing",
    "set it to true or false",
    lp.Severity.WARNING,
)
TAG_NOT_BOOLEAN: Final = lp.Message(
    "tag-not-boolean",
    "the tag {tag} of {chart} is {kind}, not true or false, and decides nothing",
    "set it to true or false",
    lp.Severity.WARNING,
)
IMPORT_MISSING: Final = lp.Message(
    "import-missing",
    "nothing is imported from {wanted}: the subchart's defaults have no mapping there",
    "correct import-values, or add the mapping to the subchart",
    lp.Severity.WARNING,
)
MALFORMED_IMPORT: Final = lp.Message(
    "malformed-import",
    "an entry of import-values of {chart} has no child and parent that are strings",
    "write child: a.b and parent: c",
)

# Values

VALUES_NOT_A_MAPPING: Final = lp.Message(
    "yaml", "values must be a mapping, not {kind}", "write keys and values, such as image: {{tag: v1}}"
)
SCHEMA_VIOLATION: Final = lp.Message("schema", "{where}{violation} (by {name})")
UNUSABLE_SCHEMA: Final = lp.Message(
    "schema", "{name} cannot be used as a schema: {why}", "correct it: Helm refuses the chart, too"
)

# Helm itself

HELM_REQUIRED: Final = lp.Message(
    "helm-required",
    "the manifests of a chart are made by its templates, which are programs: Lamina does not run them",
    "name the Helm that may: --helm /usr/bin/helm",
)
HELM_FAILED: Final = lp.Message(
    "helm-failed", "Helm does not render the chart: {why}", "try it by hand: helm template, with the same files"
)
HELM_NOT_RUN: Final = lp.Message(
    "helm-not-run", "{program} cannot be run: {why}", "name a Helm of version 3: --helm /usr/bin/helm"
)
NO_SUCH_MANIFEST: Final = lp.Message("no-such-manifest", "the chart has no manifest {manifest}")

# Lint

UNKNOWN_CHART_VALUE: Final = lp.Message(
    "unknown-chart-value", "the chart has no value {value}: no default, and no template that names it"
)
LARGE_NUMBER: Final = lp.Message(
    "large-number",
    "a template prints {shown}, {number}, as {printed}: numbers of YAML are floats",
    "put it in quotes, or convert it in the template: | int64",
)
BOOLEAN_KEY: Final = lp.Message(
    "boolean-key", "the key {word} is read as a boolean, and becomes {key}", 'write "{word}" in quotes'
)
NULL_KEPT: Final = lp.Message(
    "null-kept",
    "the null at {shown} deletes nothing, since there is no default: templates see a null",
    "remove it, or correct the path",
)
SUBCHART_OFF: Final = lp.Message(
    "subchart-off",
    "the subchart {chart} is off, so that what is said for it has no effect",
    "switch it on ({switch}), or remove it",
)
CONDITION_WITHOUT_VALUE: Final = lp.Message(
    "condition-without-value", "nothing is at {condition!r}, the condition of {entry} in {chart}: it is on"
)
FILE_WITHOUT_EFFECT: Final = lp.Message(
    "value-file-without-effect",
    "{file} changes nothing: its values are the defaults, or other files replace them",
    "remove it from the value files, or check their order",
)
