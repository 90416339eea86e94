"""For every lint rule, the edit that its hint names, done to the planted mistake.

An edit takes what it writes from the hint itself wherever the hint says it (`did you mean X?`, `write X`, `add X to
FILE`), so that a hint that names the wrong thing fails; `says` is the phrase of the other hints that the edit follows.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from lamina import Note
from lamina.cli.group import lamina as program
from lamina.origins import Origin

Edit = Callable[[Note], Mapping[str, Any] | None]
"""Changes files of the current folder, or returns options (and `inputs`) to lint with instead."""


@dataclass(frozen=True)
class Followed:
    """An edit, the phrase of the hint that asks for it, and the paths whose values the hint says will change."""

    says: str
    edit: Edit
    changes: tuple[str, ...] = ()
    stays: bool = False
    """Whether the hint shows something else instead of removing the finding."""


def position(note: Note) -> Origin:
    """Where the finding is."""
    assert note.at is not None
    return note.at


def captured(note: Note, pattern: str) -> tuple[str, ...]:
    """What the hint says in the groups of a pattern."""
    match = re.search(pattern, note.hint or "")
    assert match, f"the hint of {note.code} is now: {note.hint}"
    return match.groups()


def change(source: str, old: str, new: str) -> None:
    """Replace the only place of a text in a file."""
    text = Path(source).read_text()
    assert text.count(old) == 1, f"{old!r} is {text.count(old)} times in {source}"
    Path(source).write_text(text.replace(old, new))


def lines_of(source: str, edit: Callable[[list[str]], object]) -> None:
    """Edit the lines of a file."""
    lines = Path(source).read_text().splitlines(keepends=True)
    edit(lines)
    Path(source).write_text("".join(lines))


def remove_line(note: Note) -> None:
    """Delete the line of the finding."""
    at = position(note)
    lines_of(at.source, lambda lines: lines.pop(at.line - 1))


def word_at(note: Note, word: str, new: str) -> None:
    """Write another word at the finding, or behind it on the same line."""
    at = position(note)

    def edit(lines: list[str]) -> None:
        line = lines[at.line - 1]
        start = line.index(word, at.column - 1)
        lines[at.line - 1] = line[:start] + new + line[start + len(word) :]

    lines_of(at.source, edit)


def meant(wrong: str) -> Edit:
    """Write what the hint asks about instead of the wrong word."""
    return lambda note: word_at(note, wrong, captured(note, r"did you mean '?([^\s?']+)'?\?")[0])


def write(wrong: str, pattern: str = r"(?:write|use) (\S+)") -> Edit:
    """Write the word that the hint names instead of the wrong one."""
    return lambda note: word_at(note, wrong, captured(note, pattern)[0])


def replaced(source: str, old: str, new: str) -> Edit:
    """An edit that the hint describes without writing it out."""
    return lambda _: change(source, old, new)


def removed(source: str, text: str) -> Edit:
    """Remove a text that the hint calls `it`."""
    return replaced(source, text, "")


def add_rule(note: Note) -> None:
    """Add the merge rule of the hint to the file of the hint."""
    rule, source = captured(note, r"add (merge_how: .*?) to (\S+?)(?:[;,]|$)")
    change(source, "#cloud-config\n", f"#cloud-config\n{rule}\n")


def strategy_in_first_file(note: Note) -> None:
    """Set the strategy of the later file in the one that the hint names."""
    (first,) = captured(note, r"set the strategy in (\S+),")
    text = Path("two.yaml").read_text()
    section = text[: text.index("parameters:")]
    Path("two.yaml").write_text(text.removeprefix(section))
    Path(first).write_text(section + Path(first).read_text())


def entries_strategy(note: Note) -> None:
    """Set one of the strategies that the hint names."""
    name, source, strategy = captured(note, r"set a strategy for (\S+) in (\S+): (\w+),")
    change(source, "parameter_merge_strategies:\n", f"parameter_merge_strategies:\n  {name}: {strategy}\n")


def remove_file(note: Note) -> None:
    """Remove the file of the finding."""
    Path(position(note).source).unlink()


def renamed_node(note: Note) -> None:
    """Give one of two nodes a file name and a NodeName of its own."""
    path = Path(position(note).source)
    path.write_text(path.read_text().replace("NodeName: web01", "NodeName: web02"))
    path.rename(path.with_name("web02.yml"))


def quoted(note: Note) -> None:
    """Quote the scalar as the hint shows."""
    (new,) = captured(note, r"quote it: (\S+)")
    word_at(note, new.strip("'"), new)


def lookup_option(note: Note) -> None:
    """Add the entry that the hint names to lookup_options."""
    (entry,) = captured(note, r"add (\w+: \w+) to lookup_options")
    change("Datum.yml", "lookup_options:\n", f"lookup_options:\n  {entry}\n")


def marker_option(note: Note) -> None:
    """Add an entry of the first kind that the hint names, for the path of the finding."""
    (kind,) = captured(note, r"add a lookup_options entry for the path: (\w+)")
    change("Datum.yml", "lookup_options:\n", f"lookup_options:\n  Software: {kind}\n")


def missing_key(note: Note) -> None:
    """Add the key that the hint names, with some value."""
    (key,) = captured(note, r"add (\w+)")
    change("team.yaml", "  - content: Welcome\n", f"  - content: Welcome\n    {key}: /etc/motd\n")


def document_start(note: Note) -> None:
    """Start the file with a line of three dashes."""
    lines_of(position(note).source, lambda lines: lines.insert(0, "---\n"))


def document_removed(source: str, name: str) -> Edit:
    """Remove the document with that name."""

    def edit(_: Note) -> None:
        documents = Path(source).read_text().split("---\n")
        kept = [each for each in documents if f"name: {name}\n" not in each]
        assert len(kept) == len(documents) - 1
        Path(source).write_text("---\n".join(kept))

    return edit


def action_added(note: Note) -> None:
    """Add a merge of the path that the hint names."""
    (path,) = captured(note, r"add an action for (\S+),")
    change("site.yaml", "path: .timeout}]", f"path: .timeout}}, {{method: merge, path: {path}}}]")


def moved_file(note: Note) -> None:
    """Move the file to the folder of its layer."""
    path = Path(position(note).source)
    Path("site").mkdir()
    path.rename(Path("site") / path.name)


def mapped(note: Note) -> Mapping[str, Any]:
    """Copy the folder into the input, and map it as the hint says; the file is then read from there."""
    (absolute,) = captured(note, r"copy it there, and map it: --map-path (\S+)=FOLDER")
    Path("copied").mkdir()
    Path("copied/more.yaml").write_text("b: 2\n")
    return {"map_path": [f"{absolute}=copied"]}


def other_rule(note: Note) -> None:
    """Write the merge rule of the hint instead of the one in the file of the hint."""
    rule, source = captured(note, r"write (merge_how: \S+) in (\S+)")
    text = Path(source).read_text()
    Path(source).write_text(re.sub(r"^merge_how: .*$", rule, text, flags=re.MULTILINE))


def deep_copied(note: Note) -> None:
    """Copy the source of the substitution at the finding."""
    (entry,) = captured(note, r"add `(.*?)` to this src")
    word_at(note, "{", f"{{{entry}, ")


def deferred(note: Note) -> None:
    """Add what the hint names to the entry of the finding."""
    (entry,) = captured(note, r"add (\w+: \w+) to the entry")
    at = position(note)
    lines_of(at.source, lambda lines: lines.insert(at.line, f"    {entry}\n"))


def with_options(**options: Any) -> Edit:
    """An option that the hint names."""
    return lambda _: options


def moved(name: str) -> Edit:
    """Move a file to the top of the folder."""

    def edit(note: Note) -> None:
        Path(name).rename(Path(name).name)

    return edit


def in_file(old: str, new: str) -> Edit:
    """Write something else in the file of the finding."""
    return lambda note: change(position(note).source, old, new)


def priority_in_inventory(note: Note) -> None:
    """Move the line of the finding into the inventory."""
    remove_file(note)
    Path("hosts").write_text(Path("hosts").read_text() + "[web:vars]\nansible_group_priority=5\n")


def moved_up(note: Note) -> None:
    """Run the command that the hint names, on the inputs that were linted."""
    key, file = captured(note, r"lamina move (\S+) --to (\S+)")
    done = CliRunner().invoke(program, ["move", key, "--to", file, "--write", "."], standalone_mode=False)
    assert done.return_value == 0, done.output


LINT: dict[str, Followed] = {
    "redundant-value": Followed("remove it here", remove_line),
    "always-overridden": Followed("remove it", remove_line, ("settings.data.timeout",)),
    "same-in-every-child": Followed("tries that", moved_up),
    "overridden-layer": Followed("remove this layer", with_options(inputs=("image.yaml",))),
    "unreachable-rule": Followed("remove it", remove_line),
    "unused-rule": Followed("leave the rule out", remove_line),
    "deletes-nothing": Followed("remove it", remove_line),
    "type-change": Followed("quotes make a string", lambda note: word_at(note, "false", '"false"'), ("locale",)),
    "near-miss-key": Followed("did you mean", meant("masters"), ("salt_minion.conf.master",)),
    "duplicate-key": Followed("remove one of them", replaced("team.yaml", "packages: [git]\n", "")),
    "compat-differs": Followed(
        "--compat manual renders the other one", with_options(compat="manual"), ("timezone",), stays=True
    ),
    "never-used": Followed("or remove it", remove_file),
    "unknown-rule": Followed("did you mean", meant("redundent-value")),
    "rule-without-effect": Followed("remove it", remove_line),
    "scalar-ignored": Followed("to replace it, write merge_how", other_rule, ("timezone",)),
    "list-replaced": Followed("to append instead", add_rule, ("packages",)),
    "mapping-replaced": Followed("to keep both", add_rule, ("ntp",)),
    "hidden-by-layer": Followed(
        "repeat the lower layer's value in the higher one",
        replaced("user-data", "packages: [vim]", "packages: [git, vim]"),
        ("packages",),
    ),
    "leftover-rule": Followed("use only one of", remove_line, ("merge_type",)),
    "no-default-user": Followed(
        "add `- default`", replaced("team.yaml", "users:\n", "users:\n  - default\n"), ("users",)
    ),
    "duplicate-entry": Followed("remove one", replaced("team.yaml", "[git, vim]", "[vim]"), ("packages",)),
    "converted-scalar": Followed("quote it", quoted, ("write_files[0].permissions",)),
    "config-unknown-key": Followed("did you mean", meant("pakages"), ("pakages", "packages")),
    "config-wrong-type": Followed(
        "write a string", lambda note: word_at(note, "[Welcome]", "Welcome"), ("write_files[0].content",)
    ),
    "config-invalid-value": Followed("did you mean", meant("rebot"), ("power_state.mode",)),
    "config-missing-key": Followed("add path", missing_key, ("write_files[0].path",)),
    "config-deprecated": Followed("use package_update", write("apt_update"), ("apt_update", "package_update")),
    "owner-before-users": Followed("add defer: true to the entry", deferred, ("write_files[0].defer",)),
    "undeclared-parameter": Followed(
        "did you mean", removed("one.yaml", "  Serivces: [glance]\n"), ("parameters.Serivces",)
    ),
    "mixed-notation": Followed(
        "use the same form everywhere",
        replaced("two.yaml", "keystone,glance", "[keystone, glance]"),
        ("parameters.Services",),
    ),
    "entries-overridden": Followed(
        "set a strategy for Services in one.yaml", entries_strategy, ("parameters.Services",)
    ),
    "concatenated-strings": Followed(
        "set each string in one file only",
        replaced("two.yaml", "{protocol: http}", "{}"),
        ("parameters.Extra.api.protocol",),
    ),
    "unused-strategy": Followed("check the name", lambda note: word_at(note, "Service", "Services")),
    "ignored-strategy": Followed("set the strategy in one.yaml", strategy_in_first_file),
    "late-strategy": Followed("set the strategy in one.yaml", strategy_in_first_file, ("parameters.Services",)),
    "scalar-with-merge-strategy": Followed(
        "use overwrite for Count", replaced("one.yaml", "default: merge", "default: merge\n  Count: overwrite")
    ),
    "unknown-strategy-name": Followed(
        "known strategies", lambda note: word_at(note, "append", captured(note, r"known strategies: (\w+)")[0])
    ),
    "unknown-chart-value": Followed("did you mean", meant("tga"), ("image.",)),
    "large-number": Followed("put it in quotes", replaced("prod.yaml", "5000000", '"5000000"'), ("limit",)),
    "boolean-key": Followed("in quotes", replaced("prod.yaml", "on:", '"on":'), ("image.",)),
    "null-kept": Followed("remove it", replaced("prod.yaml", "  digest: null\n", ""), ("image.digest",)),
    "subchart-off": Followed(
        "switch it on (db.enabled)", replaced("prod.yaml", "enabled: false", "enabled: true"), ("db.",)
    ),
    "condition-without-value": Followed(
        "correct the path", replaced("chart/values.yaml", "limit", "database: {enabled: true}\nlimit"), ("database",)
    ),
    "value-file-without-effect": Followed(
        "remove it from the value files", lambda _: {"inputs": ("chart", "two.yaml")}
    ),
    "rule-matches-nothing": Followed("correct the path", replaced("rules.toml", "pakages", "packages"), ("packages",)),
    "secret-not-encrypted": Followed(
        "set storagePolicy: encrypted",
        lambda note: word_at(note, "cleartext", captured(note, r"set storagePolicy: (\w+)")[0]),
        ("database-password.metadata.storagePolicy",),
    ),
    "missing-document-start": Followed("start every document with a line of three dashes", document_start),
    "layer-folder-mismatch": Followed("move the file", moved_file),
    "abstract-without-children": Followed("remove it", document_removed("site.yaml", "settings")),
    "data-not-selected": Followed("add an action for .zone", action_added, ("web.data.zone", "web.metadata")),
    "truncated-path": Followed("write .data.database", write(".database"), ("web.metadata",)),
    "recurse-needs-literal": Followed(
        "use a plain string as the pattern",
        lambda note: word_at(note, "T.KEN", "TOKEN"),
        ("web.data.urls", "web.metadata"),
    ),
    "unused-passphrase": Followed("remove it", document_removed("site.yaml", "db_password"), ("db_password",)),
    "changed-by-other-document": Followed(
        "add `deepcopy: true` to this src", deep_copied, ("shared.data.options.deep.word", "web.metadata")
    ),
    "unreachable-option": Followed("add Network: hash to lookup_options", lookup_option, ("web01.Network",)),
    "unknown-strategy": Followed("did you mean", meant("hsah"), ("web01.Network",)),
    "missing-tuple-key": Followed("keys of the items", replaced("Datum.yml", "[Nmae]", "[Name]"), ("web01.Users",)),
    "unreadable-file": Followed("check the brackets", replaced("AllNodes/web02.yml", "[Web", "Web"), ("web02",)),
    "missing-layer": Followed("did you mean", meant("Wbe"), ("web02",)),
    "duplicate-node-name": Followed(
        "rename one of the files, and change its NodeName", renamed_node, ("Boston", "web02", "web01", "Berlin")
    ),
    "definition-key-case": Followed("write default_lookup_options", write("Default_Lookup_Options")),
    "unknown-definition-key": Followed("did you mean", meant("default_lookup_option")),
    "handler-error": Followed(
        "correct the script", lambda note: word_at(note, "Substring(9)", "Substring(1)"), ("web01.Software.Editor",)
    ),
    "leftover-marker": Followed("add a lookup_options entry for the path", marker_option, ("web01.Software",)),
    "unknown-fact": Followed("did you mean", meant("facts.rle"), ("web1.a",)),
    "unset-key": Followed("did you mean", meant("bb"), ("web1.a",)),
    "unused-lookup-option": Followed("did you mean", meant("aa"), ()),
    "ignored-lookup-option": Followed("did you mean", meant("merges")),
    "outside-tree": Followed("map it: --map-path", mapped, ("web1.b",)),
    "variables-without-owner": Followed("remove it", remove_file),
    "also-in-playbooks": Followed("move it to another folder", moved("group_vars/web.yml"), ("web1",)),
    "hidden-variables": Followed("remove it", remove_file),
    "magic-variable": Followed("another name", in_file("groups", "staff_groups"), ("web1",)),
    "priority-without-effect": Followed("write it into [group:vars]", priority_in_inventory, ("web1",)),
    "similar-group": Followed("did you mean backend?", in_file("[bakend]\n[bakend:vars]", "[backend:vars]"), ("web1",)),
    "skipped-in-inventory": Followed("move variables into vars", in_file("  ports", "  vars:\n    ports"), ("web1",)),
    "unparsed-inventory": Followed("write NAME=VALUE", in_file("http_port 80", "http_port=80"), ("web",)),
    "group-and-host": Followed("another name", in_file("web http", "web1 http"), ("web",)),
    "lost-host": Followed("remove ungrouped", in_file("[site:children]\nungrouped\n", ""), ("web1",)),
    "reserved-name": Followed("another name", in_file("environment", "stage"), ("web1",)),
    "group-name": Followed("use letters", in_file("web-servers", "web_servers")),
    "variable-name": Followed("use letters", in_file("http-port", "http_port"), ("web1",)),
}
"""Each rule whose hint names an edit or an option."""

NO_EDIT = {
    "cleartext-secret": "what to store instead depends on the secret store of the reader",
    "no-parent-found": "the command in the hint only shows candidates",
    "handler-not-run": "only Datum itself can evaluate the handler",
    "encrypted-file": "only who has the password can decrypt it",
}
"""Rules whose hint says what to look at, and no edit or option."""
