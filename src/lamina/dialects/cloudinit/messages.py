"""What cloud-init's inputs are told: the code, the sentence and the hint of each finding.

The faults of merging are in `cloud_config`, those of patches in `patch`, beside the steps that have them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from lamina.errors import Message, Severity

# Archives

UNEXPECTED_ARCHIVE_ENTRY: Final = Message(
    "unexpected-archive-entry",
    "this archive entry is neither a string nor a mapping; it is ignored",
    "write the body of the part, or a mapping with the key `content`",
    severity=Severity.WARNING,
)
BAD_ARCHIVE_ENTRY: Final = Message("bad-archive-entry", "{message}; cloud-init stops here")

# What is asked for

MODE_WITHOUT_LAYERS: Final = Message(
    "mode-without-layers",
    "--mode {mode} does not use layers, but layer files were given",
    "omit --mode, or pass the files as inputs",
)
RULE_REQUIRED: Final = Message(
    "rule-required",
    "--mode {mode} needs a merge rule",
    "pass one with --merge, for example 'list(append)+dict(recurse_list)+str()'",
)

# The schema of cloud-config

BAD_CONFIG_SCHEMA: Final = Message(
    "bad-config-schema",
    "a cloud-config schema must be a mapping",
    "use the schema-cloud-config JSON file from a cloud-init release, or omit --schema",
)

# Compressed data

GZIP_TOO_LARGE: Final = Message(
    "gzip-too-large",
    "the gzip data decompresses to more than {limit} MiB",
    "no cloud accepts that much; check where the file comes from",
)

# Includes

BAD_URL_MAPPING: Final = Message("bad-url-mapping", "{given!r} is not URL=FILE", "write --url URL=FILE")

# Instance data

BAD_INSTANCE_DATA: Final = Message(
    "bad-instance-data",
    "instance data must be a mapping of names to values",
    "on an instance, `cloud-init query --all` prints it",
)

# Files of layers

NOT_A_CFG_FILE: Final = Message(
    "not-a-cfg-file",
    "{name} is not read: its name does not end in .cfg",
    "rename it if it should be read",
    severity=Severity.INFO,
)
NOTHING_FOUND: Final = Message(
    "nothing-found",
    "nothing in {folders} belongs to cloud-init",
    "name files in the order they are merged, or a folder that has {known_by}",
)
BAD_CONF_D: Final = Message(
    "bad-conf-d",
    "conf_d must be the path of a directory, not {path!r}; cloud-init stops here",
    "set it to a path, or remove conf_d",
)
UNKNOWN_LAYER: Final = Message(
    "unknown-layer",
    "cannot tell from the name {name} which cloud-init layer it is",
    "the layers are cloud.cfg, cloud.cfg.d/NAME.cfg, vendor-data, vendor-data2 and user-data; pass files with "
    "other names with --cloud-cfg, --conf-d, --vendor-data, --vendor-data2 or --user-data",
)

# The check of cloud-config

CONFIG_TOO_COMPLEX: Final = Message(
    "config-too-complex",
    "the configuration check stopped at one of Lamina's limits: {error}",
    "check fewer files at a time, or use another --schema",
)

# Scalars

CONVERTED_SCALAR: Final = Message(
    "converted-scalar", "{where}: YAML reads this as {converted}, not as a string", severity=Severity.WARNING
)

# Merge rules

BAD_MERGE_STRING: Final = Message(
    "bad-merge-string",
    "{part!r}{within} is not a merger: expected {grammar}",
    "write {example}: parentheses directly after the name, and nothing after them",
)
BAD_MERGER_ENTRY: Final = Message(
    "bad-merger-entry",
    "the merger {entry!r} has no {key!r}",
    "write {{name: list, settings: [append]}}; both keys are required, settings may be []",
)

# Mergers

UNKNOWN_MERGER: Final = Message("unknown-merger", "unknown merger {name!r}")
BAD_MERGER_SETTINGS: Final = Message(
    "merge-type-error",
    "the settings of merger {name!r} cannot be {options!r}: {error}",
    "settings must be a list of options; use [] for none",
)

# MIME messages

BAD_MIME: Final = Message(
    "bad-mime",
    "the MIME message cannot be read: {why}",
    "cloud-init fails on it too; `lamina pack` writes messages that cloud-init can read",
)

# Packing

NOT_A_FILE: Final = Message("not-a-file", "{name} is a folder", "a part is FILE or FILE:TYPE")
NOT_A_PART: Final = Message(
    "not-a-part",
    "{name} is already packed; a part must be a single file, such as a cloud-config or a script",
    "pass the files it was made from",
)
UNTOLD_PART_TYPE: Final = Message(
    "unknown-part-type",
    "cannot tell the content type of {name} from its first line",
    "add the type, as in {name}:cloud-config, or start the file with one of {known}",
)
UNKNOWN_PART_TYPE: Final = Message(
    "unknown-part-type",
    "{item} is packed as {content_type}, which cloud-init does not handle by itself",
    severity=Severity.WARNING,
)

# Parts

EMPTY_MULTIPART: Final = Message(
    "empty-multipart",
    "this part is declared multipart but contains no boundary line, so all of it is ignored",
    "each part must start with a line of two hyphens and the boundary from the header",
)
INCLUDE_FAILED: Final = Message(
    "include-failed", "{url} cannot be included: {why}; cloud-init stops here and uses none of the user-data"
)
TOO_MANY_INCLUDES: Final = Message(
    "include-failed",
    "{url} is not included: Lamina (unlike cloud-init) allows at most {max_fetches} includes, nested "
    "at most {max_depth} deep",
    "files that include each other multiply; remove some of the includes",
)
TOO_MANY_PARTS: Final = Message(
    "too-many-parts",
    "there are more than {max_parts:,} parts, which is Lamina's limit",
    "files that include each other multiply, and so do nested messages",
)
DECOMPRESS_FAILED: Final = Message(
    "decompress-failed",
    "this part is declared {content_type} but cannot be decompressed: {error}",
    "cloud-init stops here and uses none of the user-data; compress the part again",
)

# Plug-ins

BROKEN_PLUGIN: Final = Message(
    "broken-plugin", "the merger {name!r} ({value}) cannot be loaded: {error}", "fix or uninstall the package"
)

# Layers of a system

LEFTOVER_RULE: Final = Message(
    "leftover-rule",
    "{name} sets two merge rules; {key} stays in its result and applies when the layers are merged",
    "use only one of merge_how and merge_type",
    severity=Severity.WARNING,
)
LAYER_NOT_A_MAPPING: Final = Message(
    "layer-not-a-mapping",
    "the result of {name} is not a mapping, so it is ignored",
    "a JSON patch replaced the whole document; make it a mapping",
)

# Templates

MISSING_TEMPLATE_VARIABLE: Final = Message(
    "missing-template-variable",
    "{name} uses variables that are not in the instance data: {names}",
    "pass instance data with --instance-data FILE; on an instance, `cloud-init query --all` prints it",
    severity=Severity.WARNING,
)

# User-data

EMPTY_USER_DATA: Final = Message(
    "empty-user-data",
    "{name} is empty, so cloud-init ignores it",
    "check that it is the right file; cloud-config starts with #cloud-config",
    severity=Severity.WARNING,
)
LAYER_AS_PART: Final = Message(
    "layer-as-part",
    "the {count} files were merged as parts of one user-data; {names} {verb}",
    "to merge them as separate layers, use {arguments}",
    severity=Severity.WARNING,
)
BAD_LAUNCH_INDEX: Final = Message(
    "bad-launch-index", "{launch_index!r} is not a launch index", "pass a number, such as 0"
)

# What lint finds

DUPLICATE_ENTRY: Final = Message(
    "duplicate-entry",
    "{again} is a duplicate of {first}: {item}",
    "cloud-init never removes duplicates; remove one",
    Severity.WARNING,
)
RULE_WITHOUT_EFFECT: Final = Message(
    "rule-without-effect",
    "the merge rule of {part} has no effect: nothing is merged before it, and a rule applies only to its own part",
    "remove it; a rule belongs in the part that is to be merged by it",
    Severity.WARNING,
)
LIST_REPLACED: Final = Message(
    "list-replaced",
    "{where}: the list in {part} replaces an earlier one ({earlier})",
    "to append instead, {how}",
    Severity.WARNING,
)
SCALAR_IGNORED: Final = Message(
    "scalar-ignored",
    "{where}: the value in {part} is ignored: its merge rule keeps the earlier one",
    "to replace it, {how}",
    Severity.WARNING,
)
NO_DEFAULT_USER: Final = Message(
    "no-default-user",
    "users: the list has no entry `default`, so the image's default user is not created",
    "add `- default` to create the image's default user as well",
    Severity.WARNING,
)
MAPPING_REPLACED: Final = Message(
    "mapping-replaced",
    "{where}: the mapping of {part} replaces an earlier one, whose keys are not in the result: {keys}",
    "to keep both, {how}",
    Severity.WARNING,
)
HIDDEN_BY_LAYER: Final = Message(
    "hidden-by-layer",
    "{where}: a higher layer hides the value from {part}",
    "layers never join lists or strings; repeat the lower layer's value in the higher one",
    Severity.WARNING,
)
LEFTOVER_KEY: Final = Message(
    "leftover-rule",
    "{key} stays in the result as data: another merge rule was read first",
    "use only one of merge_how and merge_type",
    Severity.WARNING,
)
OWNER_BEFORE_USERS: Final = Message(
    "owner-before-users",
    "{where}: {name} is created after the file is written, so cloud-init fails here and writes no later file",
    "add defer: true to the entry: it is then written after users and groups are created",
    Severity.WARNING,
)

# Parts and layers

EMPTY_PART: Final = Message("empty-part", "it has no YAML content", "add content, or remove the part")
NOT_A_MAPPING: Final = Message("not-a-mapping", "it is {what}, not a mapping", "write KEY: VALUE lines")
NOT_UTF_8: Final = Message("invalid-yaml", "line 1 of {subject}: not UTF-8", "save it as UTF-8")
SETTINGS_AS_STRING: Final = Message(
    "settings-as-string",
    "the settings of {merger} are the string {options!r}, not a list, so cloud-init matches substrings of it",
    "write settings: [{options}]",
    severity=Severity.WARNING,
)
SETTINGS_KEEP: Final = replace(SETTINGS_AS_STRING, severity=Severity.ERROR)
"""With `no_replace` in it the earlier values stay."""
UNKNOWN_OPTION: Final = Message(
    "unknown-option", "{merger} has no option {option!r}; it is ignored", severity=Severity.WARNING
)
NO_DICT_MERGER: Final = Message(
    "no-dict-merger",
    "the merge rule {rule} has no dict merger, so nothing from {subject} is merged",
    "add dict() to the merge rule",
)
UNKNOWN_PART: Final = Message("unknown-part", "what {subject} sets is unknown: {why}")
SCRIPT: Final = Message(
    "script",
    "{subject} is a script: cloud-init stores it and runs it {when}; it is not in the result",
    severity=Severity.INFO,
)
BOOTHOOK: Final = Message(
    "boothook",
    "{subject} is a boot hook: cloud-init runs it early at every boot; it is not in the result",
    severity=Severity.INFO,
)
PART_HANDLER: Final = Message(
    "part-handler",
    "{subject} is a part handler: cloud-init would run it, but Lamina never does",
    "its effect on the parts after it is missing from the result",
    severity=Severity.WARNING,
)
DISABLED_HANDLER: Final = Message(
    "disabled-handler",
    "{subject} is ignored: disabled_handlers lists {type}",
    "remove the type from disabled_handlers if the part should be used",
    severity=Severity.WARNING,
)
OTHER_LAUNCH_INDEX: Final = Message(
    "other-launch-index",
    "{subject} is for launch index {index}, not {wanted}; it is ignored",
    "without --launch-index, all parts are used",
    severity=Severity.INFO,
)
TEMPLATE_ERROR: Final = Message("template-error", "the template {subject} is ignored: {why}")
EMPTY_TEMPLATE: Final = replace(TEMPLATE_ERROR, severity=Severity.WARNING)
UNKNOWN_FIRST_LINE: Final = Message(
    "unhandled-content-type", "{subject} is ignored: its first line is not one that cloud-init knows"
)
UNHANDLED_CONTENT_TYPE: Final = Message(
    "unhandled-content-type", "{subject} is ignored: nothing handles the content type {type}"
)
DAMAGED_GZIP: Final = Message(
    "damaged-gzip",
    "this starts like gzip data but cannot be decompressed ({damage}); it is used unchanged",
    "compress it again",
    severity=Severity.WARNING,
)
NOT_FETCHED: Final = Message(
    "include-failed",
    "{url} was not fetched: what it sets is unknown, and the result assumes that it sets nothing: {why}",
)
GARBLED_CHARACTERS: Final = Message(
    "garbled-characters",
    "{subject} contains non-ASCII characters, which cloud-init garbles here",
    "use Content-Transfer-Encoding: base64 for the part (`lamina pack` does)",
    severity=Severity.WARNING,
)
HEADER_CASE: Final = Message(
    "header-case",
    "the header {name} is ignored: its name must be spelled {intended}",
    "write {intended}: {text}",
    severity=Severity.WARNING,
)
HEADER_IGNORED: Final = Message(
    "header-ignored",
    "the header {name} {where} part has no effect",
    "set merge_how in the body of the file inside it",
    severity=Severity.WARNING,
)
USER_DATA_NOT_ALLOWED: Final = Message(
    "user-data-not-allowed",
    "{subject} is ignored: allow_userdata is not true in the system configuration",
    "set allow_userdata: true there",
    severity=Severity.WARNING,
)
VENDOR_DATA_DISABLED: Final = Message(
    "vendor-data-disabled",
    "{subject} is ignored: {setting}.enabled is not true in user-data or the system configuration",
    "set {setting}: {{enabled: true}} there if {subject} should be used",
    severity=Severity.WARNING,
)
LAYER_TEMPLATE_ERROR: Final = Message(
    "template-error",
    "the template {subject} cannot be rendered: {why}; {outcome}",
    "fix the template, or remove its first line if it is not a template",
)
LAYER_TEMPLATE_AS_IS: Final = replace(LAYER_TEMPLATE_ERROR, severity=Severity.WARNING)
NO_INSTANCE_DATA: Final = Message(
    "bad-instance-data", "instance data must be a mapping or a file name, not {given!r}", "pass the name of a JSON file"
)
NOT_A_RULE: Final = Message(
    "merge-type-error",
    "a merge rule must be a string or a list, not {value!r}",
    "write {grammar}, or a list of mergers",
)
NOT_A_NAME: Final = Message(
    "merge-type-error", "a merger's name must be a string, not {value!r}", "write {grammar}, or a list of mergers"
)
NOT_A_MERGER: Final = Message(
    "merge-type-error", "a merger must be a mapping or a list, not {value!r}", "write {grammar}, or a list of mergers"
)
TOO_LARGE_FOR_CLOUD: Final = Message(
    "too-large-for-cloud",
    "{size:,} bytes is too large for {subject}, which accepts at most {limit:,}{form}",
    "{how} (limit: {manual})",
    severity=Severity.WARNING,
)
UNREADABLE_ARCHIVE: Final = Message(
    "unreadable-archive", "the archive cannot be read, so nothing in it is used: {problem}"
)
ARCHIVE_NOT_A_LIST: Final = Message(
    "unreadable-archive", "the archive is not a list, so nothing in it is used", "write a list with one entry per part"
)
