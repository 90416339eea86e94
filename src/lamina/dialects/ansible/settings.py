"""The settings of ansible.cfg that decide which variables hosts have."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from posixpath import dirname
from typing import TYPE_CHECKING, Any, Final

from lamina import plugin as lp
from lamina.dialects.ansible.faults import fault, warning
from lamina.dialects.ansible.merge_rules import PRECEDENCE
from lamina.plugin import hierarchy as lph

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from lamina.dialects.ansible.options import AnsibleOptions

_TRUE: Final = ("yes", "on", "true", "1", "t", "y", "1.0")
_ENTRIES: Final = {
    ("defaults", "inventory"): "inventory",
    ("defaults", "hash_behaviour"): "hash_behaviour",
    ("defaults", "precedence"): "precedence",
    ("defaults", "duplicate_dict_key"): "duplicate_dict_key",
    ("defaults", "force_valid_group_names"): "force_valid_group_names",
    ("defaults", "yaml_valid_extensions"): "yaml_valid_extensions",
    ("defaults", "inventory_ignore_extensions"): "ignore_extensions",
    ("defaults", "inventory_ignore_patterns"): "ignore_patterns",
    ("inventory", "any_unparsed_is_failed"): "any_unparsed_is_failed",
    ("inventory", "unparsed_is_failed"): "unparsed_is_failed",
    ("inventory", "ignore_extensions"): "ignore_extensions",
    ("inventory", "ignore_patterns"): "ignore_patterns",
    ("inventory", "enable_plugins"): "enable_plugins",
    ("vars", "precedence"): "precedence",
}
"""Where ansible.cfg has which setting."""
_LISTS: Final = (
    "inventory",
    "precedence",
    "yaml_valid_extensions",
    "ignore_extensions",
    "ignore_patterns",
    "enable_plugins",
)
_WORDS: Final = {
    "hash_behaviour": ("replace", "merge"),
    "duplicate_dict_key": ("warn", "error", "ignore"),
    "force_valid_group_names": ("never", "ignore", "always", "silently"),
}
_IGNORED: Final = (".pyc", ".pyo", ".swp", ".bak", "~", ".rpm", ".md", ".txt", ".rst", ".orig", ".cfg", ".retry")


@dataclass(slots=True)
class AnsibleSettings:
    """What is set, with the place in the file for what was written there."""

    inventory: tuple[str, ...] = ()
    hash_behaviour: str = "replace"
    precedence: tuple[str, ...] = PRECEDENCE
    duplicate_dict_key: str = "warn"
    any_unparsed_is_failed: bool = False
    unparsed_is_failed: bool = False
    force_valid_group_names: str = "never"
    yaml_valid_extensions: tuple[str, ...] = (".yml", ".yaml", ".json")
    ignore_extensions: tuple[str, ...] = _IGNORED
    ignore_patterns: tuple[str, ...] = ()
    enable_plugins: tuple[str, ...] = ("host_list", "yaml", "ini")
    folder: str = ""
    """The folder of the file, from which its paths start."""
    origins: dict[str, lp.Origin] = field(default_factory=dict)
    notes: list[lp.Diagnostic] = field(default_factory=list)

    def group_name(self, name: str) -> str:
        """The name that a group gets."""
        if self.force_valid_group_names in ("always", "silently"):
            return re.sub(r"^[\d\W]|[^\w]", "_", name)
        return name

    def steps(self) -> Iterator[str]:
        """The steps of `precedence`, in order."""
        for word in self.precedence:
            if word in PRECEDENCE:
                yield word


def settings_of(tree: lph.Tree, options: AnsibleOptions) -> AnsibleSettings:
    """The settings of the configuration file, and those that the caller gives instead."""
    settings = AnsibleSettings()
    name = lph.within(options.config_file)
    source = None if name is None else tree.read(name)
    if source is not None and name is not None:
        settings.folder = dirname(name)
        _read(source, settings)
    given = options.setting
    if not hasattr(given, "items"):
        given = dict(each.partition("=")[::2] for each in given)
    for key, value in given.items():
        _set(settings, key, value, None)
    _check(settings)
    return settings


def _read(source: lp.Source, settings: AnsibleSettings) -> None:
    import configparser

    parser = configparser.ConfigParser(inline_comment_prefixes=(";",), interpolation=None)
    text = source.data.decode("utf-8", "replace")
    try:
        parser.read_string(text)
    except configparser.Error as error:
        line = getattr(error, "lineno", None) or 1
        hint = "correct the file, or name another one with --ansible-cfg"
        what = str(error).splitlines()[0]
        fault("ansible-cfg", f"the configuration cannot be read: {what}", source.locate(line - 1, 0), hint)
    lines = dict(_lines_of(text))
    for (section, key), name in _ENTRIES.items():
        if parser.has_option(section, key):
            at = source.locate(lines.get((section, key), 0), 0)
            _set(settings, name, parser.get(section, key), at)


def _lines_of(text: str) -> Iterator[tuple[tuple[str, str], int]]:
    """The line of each key, by section and name."""
    section = ""
    for number, line in enumerate(text.splitlines()):
        if match := re.match(r"\[([^\]]+)\]", line):
            section = match[1]
        elif match := re.match(r"([^\s#;=:][^=:]*?)\s*[=:]", line):
            yield (section, match[1].lower()), number


def _set(settings: AnsibleSettings, name: str, value: Any, at: lp.Origin | None) -> None:
    if name not in _ENTRIES.values():
        hint = lp.did_you_mean(name, sorted({*_ENTRIES.values()}))
        finding = lp.Diagnostic(code="bad-setting", message=f"there is no setting {name}", hint=hint)
        raise lp.UsageError(finding)
    if name in _LISTS:
        parts = value.split(",") if isinstance(value, str) else value
        value = tuple(part.strip() for part in parts if part.strip())
    elif isinstance(getattr(settings, name), bool):
        value = str(value).lower() in _TRUE
    elif value not in _WORDS[name]:
        fault("ansible-cfg", f"{name} cannot be {value!r}", at, f"use one of {', '.join(_WORDS[name])}")
    setattr(settings, name, value)
    if at is not None:
        settings.origins[name] = at
    else:
        settings.origins.pop(name, None)


def _check(settings: AnsibleSettings) -> None:
    at = settings.origins.get("precedence")
    for word in settings.precedence:
        if word.startswith("plugins_by_group"):
            fault("ansible-cfg", f"Ansible does not run with {word} in precedence", at, "remove it")
        if word not in PRECEDENCE:
            message = f"{word} in precedence is no step, and is ignored"
            settings.notes.append(warning("ansible-cfg", message, at, lp.did_you_mean(word, PRECEDENCE)))


def as_data(settings: AnsibleSettings) -> Mapping[str, Any]:
    """The settings that were written, for plans."""
    return {name: getattr(settings, name) for name in settings.origins}
