"""How the client processes the files before it sends them: `openstack stack create -t TEMPLATE -e FILE ...`.

For each file it reads the environment, resolves its registry, attaches the files that it names, writes the environment
as JSON, and merges it into the ones before. The server does not use that merge, but it can stop the command: a mapping
over anything else is an error. The server then reads the JSON text of each environment as YAML.

Facts D; golden cases in via-client.json.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from lamina.dialects.heat import messages
from lamina.dialects.heat.client_merge import keys_by_position
from lamina.dialects.heat.converted_sources import ConvertedSource
from lamina.dialects.heat.json_values import MAX_KEY, JsonRoundTrip, NotJsonError, spell_key
from lamina.dialects.heat.registry import not_json, origin_at, registry_faults
from lamina.dialects.heat.template import root_node
from lamina.paths import child
from lamina.plugin import MISSING, show, word_for

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lamina.dialects.heat.environment import Environment
    from lamina.dialects.heat.files_section import FileSearch
    from lamina.dialects.heat.template import Attachment
    from lamina.errors import Note
    from lamina.plugin import Diagnostic, Path, Source, SourceNode

_NAMED: Final = 5
"""How many changed paths a note names."""


@dataclass(frozen=True, slots=True, eq=False)
class ClientRequest:
    """What is sent: the environments and templates as the server will see them."""

    environments: list[Environment]
    root: SourceNode | None
    attached: list[Attachment]
    notes: list[Note]


class ClientStopsError(Exception):
    """The client would not send anything, with the reason."""

    def __init__(self, findings: Sequence[Diagnostic]) -> None:
        super().__init__(*findings)
        self.findings = findings


def client_request(search: FileSearch, root: Source | None, environments: Sequence[Environment]) -> ClientRequest:
    """The request for these files; environments that cannot be read are marked as rejected."""
    findings = search.findings
    sent_root: SourceNode | None = None
    if root is not None:
        template = root_node(root, search.run, via_client=True)
        search.follow(template)
        sent_root = search.as_sent(template)
    overlay = _DeepUpdate()
    notes: list[Note] = []
    sent: list[Environment] = []
    for environment in environments:
        if environment.rejected:
            findings.append(environment.rejected)
            continue
        faults = list(registry_faults(environment.node))
        findings += faults
        if not faults:
            search.register(environment)
        try:
            sent.append(_as_sent(environment, notes))
        except NotJsonError as error:
            findings.append(not_json(environment.node, error))
        findings += overlay.add(environment)
    if findings:
        raise ClientStopsError(findings)
    return ClientRequest(sent, sent_root, list(search.found.values()), [*search.notes(), *notes])


def _as_sent(environment: Environment, notes: list[Note]) -> Environment:
    """An environment as the server reads it."""
    rewriting = JsonRoundTrip(as_yaml=True)
    node = environment.node
    value = rewriting.value(node.value)
    if rewriting.changed:
        notes.append(_changed(environment, rewriting.changed))
    sent = node if value is node.value else ConvertedSource(node, value, spell_key)
    rejected, key = None, rewriting.long_key
    if key:
        at = origin_at(environment.node, key)
        rejected = messages.KEY_TOO_LONG.at(at, key[:-1], subject=environment.name, max_key=MAX_KEY)
    return replace(environment, node=sent, shares=False, rejected=rejected)


def _changed(environment: Environment, paths_changed: list[Path]) -> Note:
    paths = [_spelled(environment.node.value, place) for place in paths_changed[:_NAMED]]
    listed = ", ".join(map(show, paths)) + (", …" if len(paths_changed) > _NAMED else "")
    effect = (
        "1 key or value arrives as a string"
        if len(paths_changed) == 1
        else f"{len(paths_changed)} keys or values arrive as strings"
    )
    return messages.CHANGED_BY_JSON.at(
        origin_at(environment.node, paths_changed[0]), paths[0], subject=environment.name, effect=effect, listed=listed
    )


def _spelled(value: Any, path: Path) -> Path:
    """A path with its keys as JSON spells them."""
    spelled: list[Any] = []
    for step in path:
        is_key = isinstance(value, dict) and (step is None or isinstance(step, (bool, int, float)))
        spelled.append(spell_key(step) if is_key else step)
        value = child(value, step)
    return tuple(spelled)


class _Own(dict[Any, Any]):
    """A mapping made here, which may be changed."""


class _NotMappingError(Exception):
    """A mapping is merged over something else."""

    def __init__(self, path: Path, old: Any) -> None:
        super().__init__(path)
        self.path = path
        self.old = old


class _DeepUpdate:
    """The client's own deep update, kept for what it fails on."""

    def __init__(self) -> None:
        self._merged: Any = _Own()
        self._before: list[Environment] = []

    def add(self, environment: Environment) -> list[Diagnostic]:
        """Merge an environment into the ones before; returns the error, if any."""
        try:
            self._merged = _updated(self._merged, environment.node.value, ())
        except _NotMappingError as error:
            return [self._finding(environment, error)]
        finally:
            self._before.append(environment)
        return []

    def _finding(self, environment: Environment, error: _NotMappingError) -> Diagnostic:
        path = error.path
        earlier = [each.node.at(path) for each in self._before if each.node.at(path).value not in (MISSING, None)]
        there = earlier[-1].origin() if earlier else None
        shown = show(_spelled(environment.node.value, path))
        return messages.MAPPING_INTO_OTHER.at(
            environment.node.at(path).origin(),
            path,
            subject=environment.name,
            related=[("the earlier value is here", there)],
            shown=shown,
            found=word_for(error.old),
        )


def _updated(old: Any, new: dict[Any, Any], path: Path) -> Any:
    """The deep update of what is there with a mapping; what came from a file is copied before it is changed."""
    if old is None:
        return new
    if not isinstance(old, dict):
        return _updated_other(old, new, path)
    merged = old if type(old) is _Own else _Own(old)
    for key, value in new.items():
        there = merged.get(key)
        if isinstance(value, dict):
            merged[key] = _updated(there, value, (*path, key))
        elif value is not None or not isinstance(there, dict):
            merged[key] = value
    return merged


def _updated_other(old: Any, new: dict[Any, Any], path: Path) -> Any:
    """The same over what is not a mapping: nothing happens without keys, and numbers find their items in a list."""
    if not new:
        return old
    keys = keys_by_position(old, new) if isinstance(old, list) else None
    if keys is None:
        raise _NotMappingError(path, old)
    return [new[keys[at]] if at in keys else item for at, item in enumerate(old)]
