"""What the inputs of Hiera are told: the code, the sentence and the hint of each finding.

The faults of merging are in `strategies`, beside the rules that have them.
"""

from __future__ import annotations

from typing import Final

from lamina import plugin as lp

# What is asked for, and what there is

NOT_VERSION_5: Final = lp.Message(
    "no-hiera-yaml", "hiera.yaml is not version 5, so Puppet ignores it here", "set version: 5 and add a hierarchy"
)
NOT_FOUND: Final = lp.Message("not-found", "no level sets the key {key}")
NO_FACTS: Final = lp.Message(
    "no-facts",
    "there are no files of facts, so there are no nodes to render; {count} data file{plural} checked",
    "put the facts of each node into facts/NAME.yaml, pass them with --facts, or render a node with --node NAME and "
    "what is known of it: --fact role=web",
    severity=lp.Severity.WARNING,
)
NO_HIERA_YAML: Final = lp.Message(
    "no-hiera-yaml", "no hiera.yaml found", "pass the root folder of the environment, which contains hiera.yaml"
)
HIERA_3: Final = lp.Message(
    "no-hiera-yaml",
    "hiera.yaml is written for Hiera 3, so Puppet ignores it here",
    "convert it: version: 5; :datadir: becomes datadir below defaults, with data_hash: yaml_data; "
    "each line X of :hierarchy: becomes a level {{name: X, path: X.yaml}}; :merge_behavior: moves to lookup_options",
)
OTHER_FACTS_UNKNOWN: Final = lp.Message(
    "no-facts",
    "there are no files of facts: nodes are those that levels have a file for ({nodes}), and "
    "what depends on other facts is unknown",
    "--facts FILE takes facts as PuppetDB, `puppet facts` or `facter --json` give them, "
    "a file for each node in a folder or all in one; --fact NAME=VALUE gives single ones",
    severity=lp.Severity.INFO,
)
NODE_REQUIRED: Final = lp.Message(
    "node-required", "no node given", "choose one with --node, or all nodes that have facts with --all-nodes"
)
NO_DATA: Final = lp.Message(
    "no-data",
    "no file of the hierarchy exists{for_whom}",
    "check the datadir and the paths of the levels; data in a module has to be installed first",
)
LEFT_ENCRYPTED: Final = lp.Message(
    "left-encrypted",
    "encrypted values stay encrypted ({count} in total, the first at {key})",
    "Lamina cannot decrypt them; --cleartext-secrets shows the ciphertext",
    severity=lp.Severity.INFO,
)
GUESSED_FOLDER: Final = lp.Message(
    "guessed-folder",
    "{guessed_folder} is taken for the input folder, as on a Puppet server",
    "--map-path {guessed_folder}=DIR names another folder of the input",
    severity=lp.Severity.INFO,
)
OUTSIDE_TREE: Final = lp.Message(
    "outside-tree",
    "the level {name!r} refers to {path}, which is outside the input folder and is ignored",
    severity=lp.Severity.WARNING,
)
BAD_MAP_PATH: Final = lp.Message(
    "bad-setting",
    "--map-path {each}: expected ABSOLUTE=FOLDER, with FOLDER inside the input folder",
    "example: --map-path /etc/puppetlabs/code/environments/production=.",
)

# hiera.yaml

HIERA_VERSION: Final = lp.Message(
    "hiera-version",
    "unsupported hiera.yaml version {version}; Lamina supports version 5",
    "convert the file to version 5; Puppet's manual describes how",
)

# convert_to

CONVERT: Final = lp.Message(
    "convert",
    "{key} cannot be converted to {text}: {error}",
    "correct the value, or change convert_to in lookup_options",
)

# Facts

BAD_FACT: Final = lp.Message(
    "bad-setting", "--fact {each}: expected NAME=VALUE", "example: --fact role=web, --fact os.family=Debian"
)
FACTS_GONE: Final = lp.Message("bad-facts", "the facts file of {name} no longer exists", "retry")
FACTS_NOT_A_MAPPING: Final = lp.Message(
    "bad-facts",
    "the facts of {name} must be a mapping, not {kind}",
    "write a mapping of facts, or use the output of `puppet facts`",
)
NO_CERTNAME: Final = lp.Message(
    "bad-facts",
    "item {at} of the list of facts has no certname",
    "pass what PuppetDB gives for facts, inventory or factsets",
)

# Globs

TOO_MANY_PATTERNS: Final = lp.Message(
    "hiera-config",
    "the braces in {braces!r} expand to more than {most:,} patterns",
    "use fewer braces; this is a limit of Lamina",
)

# Interpolation

METHOD_IN_CONFIG: Final = lp.Message(
    "method-in-config",
    "{written}: only variables can be interpolated in hiera.yaml",
    "use a variable, such as %{{facts.role}}",
)

# Keys

KEY_SYNTAX: Final = lp.Message(
    "key-syntax",
    "invalid key {key!r}",
    "separate names and indexes with single dots, and quote names that contain a dot: 'a.b'.c",
)
NO_HASH: Final = lp.Message(
    "no-hash", "{key}: cannot get {segment!r} from {kind}", "use a key of a mapping or an index of a list"
)

# Levels and their files

UNSUPPORTED_BACKEND: Final = lp.Message(
    "unsupported-backend",
    "the level {name!r} uses the function {function}, which Lamina does not support",
    "--stub-level '{name}=FILE' gives its data; supported: yaml_data, json_data, eyaml_lookup_key",
)
NO_PATH: Final = lp.Message(
    "hiera-config",
    "the level {name!r} has no path, which {function} requires",
    "add path, paths, glob, globs or mapped_paths",
)
NO_FUNCTION: Final = lp.Message(
    "hiera-config",
    "the level {name!r} has no backend function, and defaults does not set one",
    "add data_hash: yaml_data to the level or to defaults",
)
FOLDER: Final = lp.Message("folder", "the level {name!r} refers to {path}, which is a folder", "use the path of a file")
TAKES_NO_OPTIONS: Final = lp.Message(
    "hiera-config",
    "{function} takes no options, but the level {name!r} has some",
    "remove them, or set options: {{}} if they come from defaults",
)
NOT_A_HASH: Final = lp.Message("not-a-hash", "the file must contain a mapping, not {kind}", "put {{ }} around the keys")
MAPPED_PATHS_TYPE: Final = lp.Message(
    "hiera-config", "mapped_paths uses {text}, which is {kind}", "use a variable that is a string, a list or a mapping"
)

# What lint finds

UNKNOWN_FACT: Final = lp.Message(
    "unknown-fact", "no node has the variable {name}; it becomes an empty string in {times} of {count} nodes"
)
UNSET_KEY: Final = lp.Message("unset-key", "no level sets the key {name}, so the lookup becomes an empty string")
UNUSED_LOOKUP_OPTION: Final = lp.Message(
    "unused-lookup-option", "the lookup_options entry {key} matches no key in {read}"
)
IGNORED_LOOKUP_OPTION: Final = lp.Message(
    "ignored-lookup-option", "the lookup_options entry {key} {has}, which Puppet ignores"
)

# Lookups

VALUE_TYPE: Final = lp.Message(
    "value-type",
    "{name} contains {problem}, which Puppet does not allow in data",
    "use strings, numbers, booleans, lists, and mappings whose keys are strings or numbers",
)
ENCRYPTED: Final = lp.Message(
    "encrypted", "{name} is encrypted, and Lamina cannot decrypt it", "--cleartext-secrets shows the ciphertext instead"
)
KEY_NOT_A_STRING: Final = lp.Message("value-type", "the key {key!r} in a module's data is not a string", "quote it")

# lookup_options

ENTRY_NOT_A_MAPPING: Final = lp.Message(
    "lookup-options", "lookup_options entry {key} must be a mapping, not {kind}", "add merge or convert_to below it"
)

# References

RECURSIVE_LOOKUP: Final = lp.Message(
    "recursive-lookup", "{name} depends on itself: {names}", "remove one of these references"
)
LOOKUP_TOO_DEEP: Final = lp.Message(
    "lookup-too-deep",
    "lookups are nested more than {most} levels deep, which is Lamina's limit",
    "shorten the chain of lookups",
)
ALIAS_IN_TEXT: Final = lp.Message(
    "alias-in-text",
    "alias('{name}') must be the entire string",
    "use lookup() inside a string, or make the alias the entire string",
)
UNKNOWN_METHOD: Final = lp.Message("unknown-method", "unknown interpolation method {method}", "known: {known}")

# Strategies

UNKNOWN_MERGE: Final = lp.Message("unknown-merge", "unknown merge strategy {name!r} in {place}")
UNKNOWN_MERGE_OPTION: Final = lp.Message("merge-option", "the strategy {strategy} has no option {option!r}")
UNSUPPORTED_MERGE_OPTION: Final = lp.Message(
    "merge-option", "Lamina does not support the option {option} of the strategy {strategy}"
)
MERGE_OPTION_NAME: Final = lp.Message(
    "merge-option",
    "option names of the strategy {strategy} must be non-empty strings, not {option!r}",
    "quote it",
)
MERGE_OPTION_TYPE: Final = lp.Message("merge-option", "{option} must be {expected}, not {kind}", "write {expected}")
BAD_LOOKUP_OPTIONS: Final = lp.Message(
    "lookup-options", "{problem}", "write a mapping from keys, or patterns that start with ^, to options"
)
BAD_STUB: Final = lp.Message(
    "bad-setting", "--stub-level {each}: expected NAME=FILE", "example: --stub-level {example}=data.yaml"
)
NO_SUCH_STUB: Final = lp.Message("bad-setting", "--stub-level {each}: there is no level {name!r}")
