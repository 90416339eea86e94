"""What Deckhand's inputs are told: the code, the sentence and the hint of each finding.

`{subject}` is the document, as SCHEMA/NAME and its layer. The faults of merging are beside their rules, in `actions`
and `substitution`.
"""

from __future__ import annotations

from typing import Final

from lamina.plugin import Message, Severity

UNSUPPORTED_ACTION: Final = Message(
    "unsupported-action-method", "{subject}: unknown action: method {method!r}, path {path!r}"
)
BAD_DOCUMENT_PATH: Final = Message(
    "bad-document-path",
    "{subject}: {problem}",
    "write paths as .a.b[0]; a single . selects everything; quote keys with special characters: .a.'b.c'",
)
SUBSTITUTION_DEPENDENCY_CYCLE: Final = Message(
    "substitution-dependency-cycle",
    "{subject} depends on itself: {titles}",
    "remove one of the substitutions, or move the value to a separate document",
)
NOTHING_FOUND: Final = Message(
    "nothing-found",
    "there are no documents in {folder}: no file that ends in {listed}",
    "name the folder of a site, or one that has the folders site and global",
)
REPOSITORY_MISSING: Final = Message(
    "no-such-repository",
    "{subject} is also made from the repository {repositories}, which is not here",
    "check it out beside this repository, and run lamina init in the folder above; or list its folder under "
    "repositories in the project file",
)
NO_SUCH_TYPE: Final = Message(
    "no-such-type",
    "{subject} has the site type {kind}, but the folder type/{kind} does not exist",
    "correct site_type in {subject}/site-definition.yaml, add documents below type/{kind}, or list the repository "
    "that has it under repositories in the project file",
)
LAYERING_POLICY_NOT_FOUND: Final = Message(
    "layering-policy-not-found",
    "no LayeringPolicy found (documents read: {count}), so the layer order is unknown",
    "add a deckhand/LayeringPolicy/v1 document with data.layerOrder, or the file that contains it",
)
LAYER_ORDER_NOT_A_LIST: Final = Message(
    "invalid-document-format",
    "data.layerOrder of the LayeringPolicy {policy} must be a list of strings",
    "write layerOrder: [global, type, site]",
)
UNKNOWN_LAYER: Final = Message("invalid-document-layer", "layer {layer!r} of {subject} is not in layerOrder ({listed})")
MULTIPLE_LAYERING_POLICIES: Final = Message(
    "multiple-layering-policies",
    "the LayeringPolicy {other} is ignored: {policy} was found first",
    "keep only one LayeringPolicy",
    Severity.WARNING,
)
CHANGED_BY_OTHER_DOCUMENT: Final = Message(
    "changed-by-other-document",
    "{subject} changes {places}{more}: it takes this without a copy, and a later substitution writes into it",
    "add `deepcopy: true` to this src; these places, and what other documents take from them, then keep the values "
    "written there",
    Severity.WARNING,
)
SECRET_NOT_ENCRYPTED: Final = Message(
    "secret-not-encrypted",
    "{subject} contains a secret stored in plain text",
    "set storagePolicy: encrypted",
    Severity.WARNING,
)
MISSING_DOCUMENT_START: Final = Message(
    "missing-document-start",
    "{source} does not start with ---",
    "start every document with a line of three dashes, so that files can be concatenated",
    Severity.INFO,
)
LAYER_FOLDER_MISMATCH: Final = Message(
    "layer-folder-mismatch",
    "{subject} is in layer {layer}, but its folder is {named}",
    "move the file, or change the layer",
    Severity.WARNING,
)
NO_PARENT_FOUND: Final = Message(
    "no-parent-found",
    "{subject} has no parent: no document has the labels {wanted}; its actions are ignored",
    "`lamina explain` shows the documents with similar labels",
    Severity.WARNING,
)
ABSTRACT_WITHOUT_CHILDREN: Final = Message(
    "abstract-without-children",
    "{subject} is abstract, and no document has it as its parent",
    "remove it, or correct the labels or selectors of its intended children",
    Severity.WARNING,
)
UNUSED_PASSPHRASE: Final = Message(
    "unused-passphrase",
    "{subject} is a passphrase that no document uses",
    "remove it if it is not needed",
    Severity.WARNING,
)
DATA_NOT_SELECTED: Final = Message(
    "data-not-selected",
    "{subject} has data at {key} that no action selects, so it is not in the result",
    "add an action for {path_to}, or remove the data",
    Severity.WARNING,
)
TRUNCATED_PATH: Final = Message(
    "truncated-path",
    "{subject} has an action at {written}; Deckhand cuts off .data and reads {read}",
    "{hint}",
    Severity.WARNING,
)
RECURSE_NEEDS_LITERAL: Final = Message(
    "recurse-needs-literal",
    "{subject} substitutes recursively by {pattern!r}; only strings that contain it literally change",
    "use a plain string as the pattern, or one substitution per destination",
    Severity.WARNING,
)
DOCUMENT_NOT_A_MAPPING: Final = Message(
    "invalid-document-format",
    "a document must be a mapping with schema, metadata and data, not {found}",
    "separate documents with a line of three dashes",
)
UNSORTABLE_KEYS: Final = Message(
    "invalid-document-format",
    "{subject}: the keys of {path} cannot be sorted ({keys}); in a document with a parentSelector the keys of a "
    "mapping must all be strings or all be numbers",
    "quote the keys that are not strings",
)
PARENT_OF_OTHER_SCHEMA: Final = Message(
    "invalid-document-parent",
    "the parentSelector of {subject} matches {one}, which has a different schema",
    "select by a label that only documents with the same schema have",
)
PARENT_NOT_HIGHER: Final = Message(
    "invalid-document-parent",
    "the parentSelector of {subject} matches {one}, which is in {where}",
    "a parent must be in a higher layer (layerOrder: {listed})",
)
SEVERAL_PARENTS: Final = Message(
    "indeterminate-document-parent",
    "{subject} has {count} possible parents in layer {layer}",
    "select by a label that only one of them has",
)
PARENT_COUNTED_TWICE: Final = Message(
    "indeterminate-document-parent",
    "{one} counts more than once as a possible parent of {subject}: layerOrder repeats {layer!r}",
    "remove the repeated {layer!r} from layerOrder ({listed})",
)
UNHASHABLE_SELECTOR: Final = Message(
    "invalid-document-parent",
    "the parentSelector of {subject} has a list or mapping as the value of {key!r}",
    "use a string, a number or a boolean",
)
UNHASHABLE_LABEL: Final = Message(
    "invalid-document-parent",
    "the label {key!r} of {subject} has {found} as its value",
    "use a string, a number or a boolean; parents are selected by label",
)
REPLACED_REPLACEMENT: Final = Message(
    "invalid-document-replacement",
    "{subject} replaces another document and is itself replaced by {by}",
    "replace the original document instead; replacements cannot be chained",
)
REPLACEMENT_WITHOUT_PARENT: Final = Message(
    "invalid-document-replacement",
    "{subject} has `replacement: true` but no parent to replace",
    "use parentSelector to select the document to replace",
)
REPLACEMENT_OF_OTHER_NAME: Final = Message(
    "invalid-document-replacement",
    "{subject} cannot replace {parent}, which has a different name",
    "give both the same name, or remove `replacement: true`",
)
PARENT_NOT_REPLACED: Final = Message(
    "invalid-document-replacement",
    "{subject} has the same schema and name as its parent {parent} but does not replace it",
    "add `replacement: true`, or rename it",
)
NEITHER_REPLACES: Final = Message(
    "invalid-document-replacement",
    "{subject} has the same schema and name as {first}, and neither replaces the other",
    "rename it, or make it replace the other",
)
NO_SUCH_DOCUMENT: Final = Message("no-such-document", "no document is named {name!r}")
RESULT_TOO_DEEP: Final = Message(
    "result-too-deep",
    "the result is nested more than {deepest} levels deep, which is Lamina's limit",
    "the usual cause is documents that are substituted into one another many times",
)
SUBSTITUTION_SOURCE_NOT_FOUND: Final = Message(
    "substitution-source-not-found", "{subject}: substitution source {schema}/{name} not found"
)
SUBSTITUTIONS_NOT_A_LIST: Final = Message(
    "invalid-document-format",
    "{subject}: substitutions must be a list, not {found}",
    "write src: {{schema: ..., name: ..., path: .a}} and dest: {{path: .b}}",
)
SUBSTITUTION_WITHOUT_DEST: Final = Message(
    "invalid-document-format",
    "{subject}: a substitution needs a src and a dest",
    "write src: {{schema: ..., name: ..., path: .a}} and dest: {{path: .b}}",
)
SUBSTITUTION_WITHOUT_SOURCE: Final = Message(
    "invalid-document-format",
    "{subject}: a substitution needs a src with a schema and a name",
    "write src: {{schema: ..., name: ..., path: .a}} and dest: {{path: .b}}",
)
UNKNOWN_SUBSTITUTION_ERROR: Final = Message(
    "unknown-substitution-error",
    "{subject}: {problem}",
    "start dest.path with .",
)
DUPLICATE_DOCUMENT: Final = Message(
    "invalid-document-format",
    "{subject}: Duplicate document exists: same schema, layer and name",
    "remove or rename one of them",
)
UNUSABLE_SCHEMA: Final = Message(
    "invalid-data-schema",
    "{subject}: {shown_path}: invalid schema: {reason}",
    "correct the DataSchema: it must be a self-contained JSON Schema, draft 4",
)
DATA_SCHEMA_TOO_COMPLEX: Final = Message(
    "data-schema-too-complex",
    "{subject}: the check{checked} hit a limit of Lamina: {error}",
    "simplify the schema; nested alternatives multiply",
)
UNKNOWN_SCHEMA_VERSION: Final = Message(
    "invalid-data-schema",
    "{document}: {shown}: {name!r}: a DataSchema can only be for version {listed} of a schema",
    "remove the DataSchema; Deckhand itself fails on it",
)
DOCUMENT_WITHOUT_NAME: Final = Message(
    "invalid-document-format",
    "a document needs a schema such as example/Kind/v1 and a metadata.name",
    "add schema, metadata and data",
)
PART_NOT_A_MAPPING: Final = Message(
    "invalid-document-format",
    "{subject}: {part} must be a mapping, not {found}",
    "write it as KEY: VALUE",
)
NOT_A_JSON_TYPE: Final = Message(
    "invalid-document-format",
    "{document}: {shown}: {kind} is not a JSON type",
    "use a mapping, a list, a string, a number, a boolean or null; a quoted date is a string",
)
UNKNOWN_METADATA_SCHEMA: Final = Message(
    "invalid-document-format",
    "{document}: {shown}: the metadata schema {named} is unknown",
    "write metadata/Document/{version} or metadata/Control/{version}",
)
SCHEMA_VIOLATION: Final = Message("invalid-document-format", "{document}: {shown}: {problem}")
