"""The search: candidates are tried in the workspace, and the results of all targets say what each does."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from lamina.errors import Diagnostic, LaminaError, UsageError
from lamina.project.target_layers import layers_of_targets
from lamina.values import same
from lamina.views.redaction import has_secret_history
from lamina.workspace.proposals.candidates import Candidate, candidates_of
from lamina.workspace.proposals.text_nodes import NoPlaceError, NotEditableError, TextNodes

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lamina.project.target import Target
    from lamina.protocol.extensions import NodeLayer
    from lamina.views.result import Result
    from lamina.workspace.impact import Impact
    from lamina.workspace.proposals.goal import Goal
    from lamina.workspace.workspace import Workspace

_MOST_TRIED: Final = 24
"""How many candidates are tried."""
_MOST_SHOWN: Final = 3
"""How many proposals are told that do more than what is wanted."""


@dataclass(frozen=True)
class Proposal:
    """Edits that reach a goal in some of its targets, and what else they change."""

    candidates: tuple[Candidate, ...]
    texts: Mapping[str, bytes]
    """The new content of files, as paths from the root."""
    reached: frozenset[str]
    """The targets in which the goal is reached, and nothing else changes."""
    missed: frozenset[str]
    """The targets in which it is not reached, or not only that."""
    others: frozenset[str]
    """Targets that were not meant, and change."""
    impact: Impact = field(compare=False)
    brings: bool = False
    """Whether the value is as it is wanted in some of the targets, whatever else changes."""

    @property
    def is_exact(self) -> bool:
        """Whether it does what is wanted, and nothing else."""
        return not self.missed and not self.others


@dataclass
class Proposals:
    """What there is to propose: exact ones first; and why other places cannot be used."""

    goal: Goal
    exact: list[Proposal] = field(default_factory=list)
    closest: list[Proposal] = field(default_factory=list)
    refused: dict[str, str] = field(default_factory=dict)
    """Places that cannot be edited, and why."""
    done: bool = False
    """Whether everything is as it is wanted already."""


def propose(workspace: Workspace, goal: Goal, *, within: str | None = None) -> Proposals:
    """The edits that bring a goal about: the first one that does exactly that, and the closest of the others."""
    return _Search(workspace, goal, within).found()


class _Search:
    """One search, with the results as they are now."""

    def __init__(self, workspace: Workspace, goal: Goal, within: str | None) -> None:
        self._workspace, self._goal, self._within = workspace, goal, within
        self._before = {
            outcome.target.name: outcome.result for outcome in workspace.outcomes() if outcome.result is not None
        }
        self._texts: dict[str, TextNodes] = {}
        self._found = Proposals(goal)

    def found(self) -> Proposals:
        wanted = sorted(self._goal.targets)
        self._check(wanted)
        found = self._found
        if all(self._goal.is_reached(self._before[name]) for name in wanted):
            found.done = True
            return found
        for candidate in self._candidates(wanted):
            proposal = self._tried([candidate])
            if proposal is None:
                continue
            if proposal.is_exact:
                found.exact.append(proposal)
                break
            found.closest.append(proposal)
        if not found.exact and (self._goal.removes or len(wanted) > 1):
            self._try_together()
        found.closest.sort(key=lambda each: (len(each.missed), len(each.others)))
        useful = [each for each in found.closest if each.brings]
        found.closest = useful[:_MOST_SHOWN]
        return found

    def _check(self, wanted: Sequence[str]) -> None:
        for name in wanted:
            if name not in self._before:
                self._workspace.result(name)  # raises the reason
            result = self._before[name]
            if result.hides_secrets and has_secret_history(result.node_at(self._goal.steps_in(result))):
                raise UsageError(
                    Diagnostic(
                        code="secret-value",
                        message=f"{self._goal.path} is or was secret in {name}, and would be printed",
                        hint="add --cleartext-secrets to show it, or edit the file by hand",
                    )
                )

    def _candidates(self, wanted: Sequence[str]) -> list[Candidate]:
        """The candidates of all targets, each once: first what exactly these targets read, the most general before."""
        chosen = [outcome.target for outcome in self._workspace.outcomes() if outcome.target.name in self._goal.targets]
        layers = [
            tuple(self._layer(target, layer) for layer in each.layers)
            for target, each in zip(chosen, layers_of_targets(chosen, self._workspace.project.view), strict=True)
        ]
        found: dict[Candidate, int] = {}
        for target, of_target in zip(chosen, layers, strict=True):
            for rank, candidate in enumerate(
                candidates_of(self._goal, target.name, self._before[target.name], of_target)
            ):
                if self._is_possible(candidate):
                    found.setdefault(candidate, rank)
        goal = frozenset(wanted)

        def order(candidate: Candidate) -> tuple[int, ...]:
            users = self._users(candidate)
            return candidate.action == "create", len(goal - users), len(users - goal), found[candidate]

        return sorted(found, key=order)[:_MOST_TRIED]

    def _is_possible(self, candidate: Candidate) -> bool:
        """Whether it is in the file that is asked for, and that is one: inputs may be folders."""
        path = self._path(candidate)
        is_there = self._workspace.file(path) is not None
        return self._within in (None, path) and is_there is (candidate.action != "create")

    def _layer(self, target: Target, layer: NodeLayer) -> NodeLayer:
        """A layer with its file as a path from the root; those of nodes are in the folder of the nodes."""
        if len(target.inputs) != 1 or self._workspace.file(self._from_root(layer.file or "")) is not None:
            return layer
        folder = f"{self._workspace.project.prefix}{target.inputs[0]}/" if target.inputs[0] not in ("", ".") else ""
        return layer._replace(path=folder + layer.path, file=layer.file and folder + layer.file)

    def _users(self, candidate: Candidate) -> frozenset[str]:
        """The targets that read the file of a candidate."""
        return self._workspace.readers_of(self._path(candidate))

    def _path(self, candidate: Candidate) -> str:
        """The file of a candidate as a path from the root."""
        return self._from_root(candidate.source)

    def _from_root(self, name: str) -> str:
        return name.removeprefix(self._workspace.project.prefix)

    def _tried(self, candidates: Sequence[Candidate]) -> Proposal | None:
        """What candidates do together; None if one of them cannot be done."""
        try:
            texts = self._edited(candidates)
        except NoPlaceError:
            return None
        except (NotEditableError, UsageError) as error:
            self._found.refused[candidates[0].place] = str(error)
            return None
        with self._workspace.trial(texts) as impact:
            after = {name: self._result(name) for name in impact.targets}
        reached: set[str] = set()
        missed: set[str] = set()
        others: set[str] = set()
        brings = False
        for name, before in self._before.items():
            result = after.get(name, before)
            wanted = self._goal.expected(before) if name in self._goal.targets else before.plain
            is_right = result is not None and same(result.plain, wanted)
            brings |= name in self._goal.targets and result is not None and self._goal.has_value(result)
            if name in self._goal.targets:
                (reached if is_right else missed).add(name)
            elif not is_right:
                others.add(name)
        return Proposal(
            tuple(candidates), texts, frozenset(reached), frozenset(missed), frozenset(others), impact, brings
        )

    def _result(self, name: str) -> Result | None:
        try:
            return self._workspace.result(name)
        except LaminaError:
            return None

    def _edited(self, candidates: Sequence[Candidate]) -> dict[str, bytes]:
        edits: dict[str, list[Any]] = {}
        for candidate in candidates:
            path = self._path(candidate)
            edits.setdefault(path, []).append(self._edit(candidate, path))
        return {path: self._nodes(path).edited(of_file) for path, of_file in edits.items()}

    def _edit(self, candidate: Candidate, path: str) -> Any:
        nodes = self._nodes(path)
        if candidate.action == "change":
            return nodes.replace(candidate.line, candidate.column, self._goal.value)
        if candidate.action == "remove":
            return nodes.remove(candidate.line, candidate.column)
        value = self._goal.value if not candidate.of_list else self._goal.list_in(self._before[candidate.of_list])
        if candidate.line:
            return nodes.add(candidate.line, candidate.column, candidate.inner, value)
        return nodes.add_to_document(candidate.inner, value)

    def _nodes(self, path: str) -> TextNodes:
        if path not in self._texts:
            if path.endswith((".toml", ".psd1", ".ps1", ".ini", ".eyaml")):
                raise NotEditableError(f"files such as *{os.path.splitext(path)[1]} are not edited")
            source = self._workspace.file(path)
            self._texts[path] = TextNodes(b"" if source is None else source.data, is_json=path.endswith(".json"))
        return self._texts[path]

    def _try_together(self) -> None:
        """The candidates that each reach the goal in some targets, and change no others."""
        left = set(self._goal.targets)
        chosen: list[Candidate] = []
        for each in sorted(self._found.closest, key=lambda each: -len(each.reached)):
            if each.reached & left and not each.others and not (each.missed - self._unchanged(each)):
                chosen += each.candidates
                left -= each.reached
        if self._goal.removes and not chosen:
            chosen = [candidate for each in self._found.closest for candidate in each.candidates]
        if len(chosen) < 2:
            return
        proposal = self._tried(chosen)
        if proposal is not None and proposal.is_exact:
            self._found.exact.append(proposal)

    @staticmethod
    def _unchanged(proposal: Proposal) -> frozenset[str]:
        """The targets that a proposal does not reach and does not change."""
        return proposal.missed - frozenset(proposal.impact.targets)
