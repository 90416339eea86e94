"""What is said about the inputs of Heat: the code, the sentence and the hint of each finding.

`SHIPPED`, `SPEC` and `CLIENT` are about values that Heat rejects, or on which it fails without naming the parameter.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from lamina.errors import Message, Severity

if TYPE_CHECKING:
    from collections.abc import Mapping

PROCESS: Final = "run tools/process-templates.py -o DIR in the template tree, and use the files in DIR"
_MODULO: Final = (
    "write {{step: NUMBER, offset: NUMBER}}, integers with the same sign, and an offset smaller than the step"
)
_ONE_NOTATION: Final = "use the same form in both files: a YAML list, or a comma-separated string"

SHIPPED: Final[Mapping[str, Message]] = {
    "not-a-list": Message(
        code="invalid-parameter-value",
        message="{path} is merged as a comma_delimited_list, but {layer} sets {new_kind}, which is neither a "
        "list nor a string",
        hint="write a list, or a comma-separated string; a single number needs quotes or brackets",
    ),
    "list-into-other": Message(
        code="type-mismatch",
        message="{path} cannot be merged: it is {old_kind} in the earlier files and {new_kind} in {layer}",
        hint=_ONE_NOTATION,
    ),
    "text-into-list": Message(
        code="type-mismatch",
        message="{path} cannot be merged: it is {old_kind} in the earlier files and {new_kind} in {layer}",
        hint=_ONE_NOTATION,
    ),
    "not-a-text": Message(
        code="invalid-parameter-value",
        message="{path} is merged as a string, but {layer} sets {new_kind}",
        hint="put the value in quotes, or use the strategy overwrite for this parameter",
    ),
    "no-two-texts": Message(
        code="type-mismatch",
        message="{path} cannot be merged as a string: it is {old_kind} in the earlier files and {new_kind} in {layer}",
        hint="put both values in quotes, or use the strategy overwrite for this parameter",
    ),
    "number-under-merge": Message(
        code="invalid-parameter-value",
        message="{path} is declared as a number, and {new_kind} in {layer} cannot be merged: Heat does not add numbers",
        hint="use the strategy overwrite for this parameter",
    ),
    "number-and-other": Message(
        code="type-mismatch",
        message="{path} cannot be merged as a number: it is {old_kind} in the earlier files and {new_kind} in {layer}",
        hint="use the strategy overwrite for this parameter",
    ),
    "boolean-under-merge": Message(
        code="invalid-parameter-value",
        message="{path} is declared as a boolean, and {new_kind} in {layer} cannot be merged",
        hint="use the strategy overwrite for this parameter",
    ),
    "boolean-has-no-strategy": Message(
        code="invalid-strategy-for-type",
        message="{path} is declared as a boolean, so {layer} cannot merge it: booleans can only be overwritten",
        hint="use the strategy overwrite for this parameter",
    ),
    "shared": Message(
        code="shared-by-alias",
        message="{path} is shared through a YAML alias, so what {layer} adds appears everywhere the alias is used",
        hint="Heat changes lists and mappings in place; write the value out instead of the alias",
    ),
    "not-json": Message(
        code="invalid-parameter-value",
        message="{path} is merged as json, but the string in {layer} is not valid JSON",
        hint="write the value as a YAML mapping, or fix the JSON",
    ),
    "mapping-into-text": Message(
        code="type-mismatch",
        message="{path} cannot be merged: it is a JSON string in the earlier files, which Heat does not parse, "
        "and {new_kind} in {layer}",
        hint="write the earlier value as a YAML mapping",
    ),
    "mapping-into-other": Message(
        code="type-mismatch",
        message="{path} cannot be merged: it is {old_kind} in the earlier files and {new_kind} in {layer}",
        hint="write a mapping in both files, or use the strategy overwrite for the parameter",
    ),
    "text-into-other": Message(
        code="type-mismatch",
        message="{path} cannot be merged: it is {old_kind} in the earlier files and {new_kind} in {layer}",
        hint="use the same form in both files: quoted in both, or in neither",
    ),
    "not-a-mapping": Message(
        code="type-mismatch",
        message="{path} cannot be merged: both sides must be mappings, and it is {old_kind} in the earlier files and "
        "{new_kind} in {layer}",
        hint="write a mapping in both files; event_sinks and encrypted_param_names may be set in one file only",
    ),
}

SPEC: Final[Mapping[str, Message]] = {
    "other-type": Message(
        code="type-mismatch",
        message="{path} cannot be combined: it is {old_kind} in the earlier files and {new_kind} in {layer}, "
        "which its strategy does not accept",
        hint="write both values in the type that the strategy expects, or use overwrite for this parameter",
    ),
    "no-strategy": Message(
        code="invalid-strategy-for-type",
        message="{path} is a number or a boolean in {layer}, so its only valid strategy is overwrite",
        hint="use overwrite for this parameter, or no strategy",
    ),
    "not-a-mapping": SHIPPED["not-a-mapping"],
    "mapping-into-text": SHIPPED["mapping-into-other"],
    "mapping-into-other": SHIPPED["mapping-into-other"],
}

CLIENT: Final[Mapping[str, Message]] = {
    "mapping-into-other": Message(
        code="type-mismatch",
        message="{path} cannot be updated: it is {old_kind} in the earlier files and {new_kind} in {layer}",
        hint="write a mapping in both files",
    ),
}

CHANGED_BY_JSON: Final = Message(
    "changed-by-json",
    "{effect}, because Heat's client sends {subject} as JSON: {listed}",
    "quote keys and values that should be strings, so that the file shows what Heat receives",
    Severity.INFO,
)
KEY_TOO_LONG: Final = Message(
    "malformed-yaml",
    "this key is longer than {max_key} characters as JSON, so the server cannot read it as YAML",
    "use a shorter key",
)
MAPPING_INTO_OTHER: Final = Message(
    "type-mismatch",
    "{shown} cannot be sent: it is {found} in the earlier files and a mapping in {subject}, and Heat's client "
    "cannot merge a mapping into anything else",
    "write a mapping in both files; --via server shows what the server would do without the client",
)
PARAMETERS_DROPPED: Final = Message(
    "no-template",
    "no template declares the parameters of {subject} ({listed}), so Heat drops them",
    "pass the root template with -t; without it, Heat uses only the first file that sets a section",
    Severity.WARNING,
)
SECTION_NOT_A_MAPPING: Final = Message(
    "type-mismatch",
    "{section} must be a mapping of parameters, not {found}",
    "write one parameter per line, as name: value",
)
STRATEGIES_NOT_A_MAPPING: Final = Message(
    "type-mismatch",
    "{section} must be a mapping, not {found}",
    "write one parameter per line, as name: strategy",
)
PARAMETER_DROPPED: Final = Message(
    "undeclared-parameter",
    "no template declares {name}, so Heat silently drops it from {subject}",
    "{suggestion}only the first file that sets {section} keeps undeclared parameters",
    Severity.WARNING,
)
NULL_IGNORED: Final = Message(
    "null-ignored",
    "{name} is null in {subject}, so Heat ignores it",
    "null cannot unset an earlier value; set the value you want",
    Severity.INFO,
)
ENVIRONMENT_NOT_A_MAPPING: Final = Message(
    "not-a-mapping",
    "an environment must be a mapping of sections, not {found}",
    "start with a section, such as parameter_defaults:",
)
MISSING_FILE: Final = Message(
    "missing-file",
    "there is no file {name}",
    "check the name",
)
NOT_A_FILE: Final = Message(
    "not-a-file",
    "{name} is a folder, not an environment",
    "pass the environment files in the order they apply",
)
NOT_A_URL: Final = Message(
    "client-error",
    "Heat's client stops here: base_url must be a URL, or {name} cannot be found",
    "write file:///PATH/, or remove base_url",
)
REFERS_TO_ITSELF: Final = Message(
    "client-error",
    "Heat's client stops here: {name} refers back to itself",
    "a template must not refer to itself",
)
MISSING_ATTACHMENT: Final = Message(
    "missing-file",
    "there is no file {name}, which Heat's client attaches, or stops: what it declares is unknown",
    "check the name, which is relative to this file",
)
ENTRIES_OVERRIDDEN: Final = Message(
    "entries-overridden",
    "{name} replaces the value from earlier files, which drops {listed}",
    "set a strategy for {name} in {file}: merge, or overwrite if this is intended",
    Severity.WARNING,
)
DECLARED_ELSEWHERE: Final = Message(
    "undeclared-parameter",
    "only a template that is not used here declares {name}",
    "nothing to do if another deployment uses it",
    Severity.INFO,
)
NOT_DECLARED_SO_FAR: Final = Message(
    "undeclared-parameter",
    "no template declares so far {name}",
    PROCESS,
    Severity.INFO,
)
UNDECLARED_PARAMETER: Final = Message(
    "undeclared-parameter",
    "no template declares {name}",
    severity=Severity.WARNING,
)
MIXED_NOTATION: Final = Message(
    "mixed-notation",
    "{name} is {found} here and {other} in an earlier file",
    "use the same form everywhere; Heat cannot merge the two",
    Severity.WARNING,
)
UNUSED_STRATEGY: Final = Message(
    "unused-strategy",
    "{name} has a strategy, but no file sets it",
    "check the name, or remove the strategy",
    Severity.WARNING,
)
SCALAR_WITH_MERGE_STRATEGY: Final = Message(
    "scalar-with-merge-strategy",
    "{name} is a {kind} with the strategy {word}, which fails as soon as a second file sets it",
    "use overwrite for {name}",
    Severity.WARNING,
)
CONCATENATED_STRINGS: Final = Message(
    "concatenated-strings",
    "deep_merge concatenates strings in {name}: {found} comes from {count} places{more}",
    "use merge instead, or set each string in one file only",
    Severity.WARNING,
)
UNKNOWN_STRATEGY_NAME: Final = Message(
    "unknown-strategy-name",
    "unknown strategy {word!r} for {name}",
    severity=Severity.WARNING,
)
SCHEMA_NOT_A_MAPPING: Final = Message(
    "invalid-template",
    "{subject} is not a valid template: the parameter {name} is {found}, not a mapping",
    "write {type}: one of {listed}",
)
TAGS_NOT_A_LIST: Final = Message(
    "invalid-template",
    "{subject} is not a valid template: tags must be a list",
    "write tags: [NAME]",
)
NO_TYPE: Final = Message(
    "invalid-template",
    "{subject} is not a valid template: the parameter {name} has no type",
    "write {type}: one of {known}",
)
CONSTRAINTS_NOT_A_LIST: Final = Message(
    "invalid-template",
    "{subject} is not a valid template: constraints must be a list, not {found}",
    "start each constraint with a dash",
)
NO_CONSTRAINT: Final = Message(
    "invalid-template",
    "{subject} is not a valid template: the entry has no constraint",
    "known constraints of this version: {listed}",
)
NO_BOUND: Final = Message(
    "invalid-template",
    "{subject} is not a valid template: {kind} needs {first} or {second}",
    "write {first}: NUMBER",
)
MODULO_WITHOUT_INTEGERS: Final = Message(
    "invalid-template",
    "{subject} is not a valid template: modulo needs a step and an offset, both integers",
    _MODULO,
)
VALUES_NOT_A_LIST: Final = Message(
    "invalid-template",
    "{subject} is not a valid template: {key} must be a list, not {found}",
    "write [VALUE, VALUE]",
)
PATTERN_NOT_A_STRING: Final = Message(
    "invalid-template",
    "{subject} is not a valid template: {key} must be a string, not {found}",
    "put the pattern in quotes",
)
UNKNOWN_TYPE: Final = Message(
    "invalid-template",
    "{subject} is not a valid template: the parameter {name} has the unknown type {kind!r}",
    "{suggestion}known types: {known}",
)
UNKNOWN_KEY: Final = Message(
    "invalid-template",
    "{subject} is not a valid template: {what} has the unknown key {key}",
    "{suggestion}known keys: {listed}",
)
CONSTRAINT_NOT_A_MAPPING: Final = Message(
    "invalid-template",
    "{subject} is not a valid template: a constraint must be a mapping, not {found}",
    "known constraints: {listed}",
)
BOUND_NOT_A_NUMBER: Final = Message(
    "invalid-template",
    "{subject} is not a valid template: {name} must be a number",
    "write a number",
)
BAD_OFFSET: Final = Message(
    "invalid-template",
    "{subject} is not a valid template: the offset of modulo does not fit its step",
    _MODULO,
)
PATTERN_TOO_LONG: Final = Message(
    "invalid-template",
    "{subject} is not a valid template: {key} is longer than {max_pattern:,} characters, which is Lamina's limit",
    "use a shorter pattern",
)
BOUNDS_NOT_A_MAPPING: Final = Message(
    "invalid-template",
    "{subject} is not a valid template: {kind} must be a mapping of {listed}",
    "write {first}: NUMBER",
)
BOUND_NOT_AN_INTEGER: Final = Message(
    "invalid-template",
    "{subject} is not a valid template: {name} must be an integer",
    "write it without a decimal point",
)
NOT_A_PATTERN: Final = Message(
    "invalid-template",
    "{subject} is not a valid template: {key} is not a regular expression: {error}",
    "fix the pattern",
)
BAD_REGISTRY_ENTRY: Final = Message(
    "client-error",
    "Heat's client stops here: {written} {expected}, not {found}",
    "fix or remove the entry; use OS::Heat::None to disable a type",
)
NOT_JSON: Final = Message(
    "client-error",
    "Heat's client stops here: {layer} cannot be written as JSON: {error}",
    "write keys as strings, and encode binary data as a string",
)
MIXED_RULE_SETS: Final = Message(
    "mixed-rule-sets",
    "merge_strategy (in {subject}) and parameter_merge_strategies (in {shipped}) cannot be used together: the "
    "first is from the specification, the second is Heat's own",
    "use parameter_merge_strategies everywhere, which is what Heat reads (strategies: overwrite, merge, "
    "deep_merge). Or choose one with --rule-set, which then reports the other section as unknown",
)
UNKNOWN_SECTION: Final = Message(
    "unknown-section",
    "unknown section {key} in an environment",
)
EMPTY_SECTION: Final = Message(
    "empty-section",
    "the section {key} has no value",
    "remove the line, or write {key}: {empty}",
)
UNKNOWN_STRATEGY: Final = Message(
    "unknown-strategy",
    "{what} in {subject}",
    "{suggestion}known: {listed}",
)
SPEC_STRATEGIES_DIFFER: Final = Message(
    "conflicting-strategy",
    "{subject} sets {word} for {name}, but {file} sets {earlier_word}",
    "set the same strategy in both files, or in only one of them",
)
STRATEGIES_DIFFER: Final = Message(
    "conflicting-strategy",
    "{subject} sets the strategy {word} for {name}, but {file} already uses {earlier_word}",
)
UNREADABLE_TEMPLATE: Final = Message(
    "invalid-template",
    "{subject} is not a valid template: {message}",
)
TEMPLATE_TOO_LARGE: Final = Message(
    "invalid-template",
    "{subject} is larger than {most} KiB, so Heat rejects the whole request",
    "split it, or raise max_template_size in heat.conf",
)
UNKNOWN_VERSION: Final = Message(
    "invalid-template",
    "{subject} is not a valid template: unknown {key} {version!r}",
    "{suggestion}known versions: {listed}",
)
TEMPLATE_NOT_A_MAPPING: Final = Message(
    "invalid-template",
    "{subject} is not a valid template: a template must be a mapping, not {found}",
    "start with heat_template_version: 2018-08-31",
)
PARAMETERS_NOT_A_MAPPING: Final = Message(
    "invalid-template",
    "{subject} is not a valid template: {section} must be a mapping, not {found}",
    "write NAME: {{{type}: {word}}}, one parameter per line",
)
NOT_ONE_VERSION: Final = Message(
    "invalid-template",
    "{subject} is not a valid template: a template needs one version key, but this one has {listed}",
    "start with heat_template_version: 2018-08-31",
)
JINJA_TEMPLATE: Final = Message(
    "jinja-template",
    "{subject} is a Jinja template that an environment or template is generated from",
    PROCESS,
)
GENERATED_FILE: Final = Message(
    "jinja-template",
    "{generated} does not exist; it is generated from {source}, and parameters that only generated templates "
    "declare are treated as undeclared",
    PROCESS,
)
LATE_STRATEGY: Final = Message(
    "late-strategy",
    "{file} sets the strategy {word} for {name}, but {fixed} stays in force",
    "set the strategy in {first}, the first file that sets {name}",
    Severity.WARNING,
)
IGNORED_STRATEGY: Final = Message(
    "ignored-strategy",
    "{file} sets the strategy {word} for {name}, but {fixed} stays in force",
    "set the strategy in {first}, the first file that sets {name}",
    Severity.WARNING,
)
NOT_READ: Final = Message(
    "template-not-found",
    "{what} could not be read ({listed}); {effect}",
    "check the name; Lamina does not read templates from the network",
    Severity.INFO,
)
OUTSIDE_NOT_READ: Final = Message(
    "template-not-found",
    "{what} outside the input's folder could not be read ({listed}); {effect}",
    "a file may refer to files in its own folder; allow another folder with --allow-path DIR",
    Severity.WARNING,
)
