"""The search: candidates are tried in forks of the workspace, and the results of all targets say what each does.

A candidate is tried in one wanted target first, since most that fail do so there. The first one that does exactly what
is wanted ends the search; what was tried before is kept for the case that none does.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby, islice
from typing import TYPE_CHECKING, Any, Final, NamedTuple, overload

from lamina.errors import Diagnostic, LaminaError, UsageError
from lamina.project.target_layers import layers_of_targets
from lamina.values import same
from lamina.views.redaction import has_secret_history
from lamina.workspace.proposals.candidates import Candidate, candidates_of
from lamina.workspace.proposals.editable import editable
from lamina.workspace.proposals.goal import essential, real_value
from lamina.workspace.proposals.reasons import why_not, why_not_set
from lamina.workspace.proposals.text_nodes import NoPlaceError, NotEditableError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from lamina.project.target import Target
    from lamina.protocol.extensions import NodeLayer
    from lamina.views.result import Result
    from lamina.workspace.fork import Fork
    from lamina.workspace.impact import Impact
    from lamina.workspace.proposals.editable import Editable
    from lamina.workspace.proposals.goal import Goal
    from lamina.workspace.proposals.text_nodes import TextEdit
    from lamina.workspace.workspace import Workspace

_TRIED_FOR_ONE: Final = 24
"""How many candidates of each weight are tried if one target is wanted."""
_TRIED_FOR_EACH: Final = 4
"""How many more are tried for each further target."""
_MOST_TRIED: Final = 400
_MOST_SHOWN: Final = 3
"""How many proposals are told that do more than what is wanted."""


@dataclass(frozen=True)
class Proposal:
    """Edits that reach a goal in some of its targets, and what else they change."""

    edits: tuple[Candidate, ...]
    texts: Mapping[str, bytes]
    """The new content of files, as paths from the root."""
    reached: frozenset[str]
    """The targets in which the goal is reached, and nothing else changes."""
    missed: frozenset[str]
    """The targets in which it is not reached, or not only that."""
    others: frozenset[str]
    """Targets that were not meant, and change."""
    reason: str
    """Why these edits, in a few words."""
    workspace: Workspace = field(repr=False, compare=False)

    @property
    def is_exact(self) -> bool:
        """Whether it does what is wanted, and nothing else."""
        return not self.missed and not self.others

    @cached_property
    def impact(self) -> Impact:
        """What it changes in the results; all targets that it touches are rendered for that."""
        return self.workspace.what_if(self.texts)


@dataclass
class Proposals(Sequence[Proposal]):
    """What there is to propose: exact ones first, then the closest; and why other places cannot be used."""

    goal: Goal
    exact: list[Proposal] = field(default_factory=list)
    closest: list[Proposal] = field(default_factory=list)
    refused: dict[str, str] = field(default_factory=dict)
    """Places where an edit does not do, and why."""
    why: str = ""
    """If none is exact: what is known about the value that prevents it."""
    done: bool = False
    """Whether everything is as it is wanted already."""

    def __len__(self) -> int:
        return len(self.exact) + len(self.closest)

    @overload
    def __getitem__(self, at: int) -> Proposal: ...

    @overload
    def __getitem__(self, at: slice) -> Sequence[Proposal]: ...

    def __getitem__(self, at: int | slice) -> Proposal | Sequence[Proposal]:
        return [*self.exact, *self.closest][at]


def propose(workspace: Workspace, goal: Goal, *, within: str | None = None) -> Proposals:
    """The edits that bring a goal about: the first one that does exactly that, and the closest of the others."""
    return _Search(workspace, goal, within).found()


class _Trial(NamedTuple):
    """What candidates did in the targets that were looked at."""

    candidates: tuple[Candidate, ...]
    texts: Mapping[str, bytes]
    reached: frozenset[str]
    wrong: frozenset[str]
    """The wanted targets that it changes, and not to what they are to be."""
    others: frozenset[str]
    brings: bool
    """Whether the value is as it is wanted in some of the targets, whatever else changes."""

    @property
    def is_clean(self) -> bool:
        """Whether everything that it changes is as it is to be."""
        return not self.wrong and not self.others


class _Search:
    """One search, with the results as they are now."""

    def __init__(self, workspace: Workspace, goal: Goal, within: str | None) -> None:
        self._workspace, self._goal, self._within = workspace, goal, within
        self._before = {
            outcome.target.name: outcome.result for outcome in workspace.outcomes() if outcome.result is not None
        }
        self._wanted = sorted(goal.targets)
        self._texts: dict[str, Editable] = {}
        self._partial: list[_Trial] = []
        self._near: list[_Trial] = []
        self._expectations: dict[str, Any] = {}
        self._so_already: frozenset[str] = frozenset()
        self._found = Proposals(goal)

    def found(self) -> Proposals:
        found = self._found
        self._check()
        self._so_already = frozenset(name for name in self._wanted if self._goal.is_reached(self._before[name]))
        if len(self._so_already) == len(self._wanted):
            found.done = True
            return found
        exact = self._first_exact() or self._together()
        if exact is not None:
            found.exact.append(self._proposal(exact))
            return found
        near = sorted(self._near, key=lambda each: (len(each.wrong), len(self._users(each.candidates[0]))))
        found.closest = [self._proposal(self._whole(each)) for each in near[:_MOST_SHOWN]]
        found.closest.sort(key=lambda each: (len(each.missed), len(each.others)))
        found.why = next(filter(None, (why_not_set(self._before[name], self._goal) for name in self._wanted)), "")
        return found

    def _check(self) -> None:
        for name in self._wanted:
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

    def _first_exact(self) -> _Trial | None:
        covered: set[str] = set()
        for candidate in self._candidates():
            mine = (self._users(candidate) & self._goal.targets) - self._so_already
            if mine and mine <= covered:
                continue
            trial = self._tried([candidate])
            if trial is None:
                continue
            if trial.is_clean and len(trial.reached) == len(self._wanted):
                return trial
            if trial.is_clean and trial.reached > self._so_already:
                self._partial.append(trial)
                covered |= trial.reached
            if trial.brings:
                self._near.append(trial)
        return None

    def _candidates(self) -> Iterator[Candidate]:
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
        goal = self._goal.targets

        def order(candidate: Candidate) -> tuple[int, ...]:
            users = self._users(candidate)
            effort = candidate.weight, candidate.action == "create"
            return *effort, len(goal - users), len(users - goal), found[candidate]

        most = min(_MOST_TRIED, _TRIED_FOR_ONE + _TRIED_FOR_EACH * (len(goal) - 1))
        for _, of_weight in groupby(sorted(found, key=order), lambda each: each.weight):
            yield from islice(of_weight, most)

    def _is_possible(self, candidate: Candidate) -> bool:
        """Whether it is in the file that is asked for, and that is one: inputs may be folders."""
        path = self._path(candidate)
        is_there = self._workspace.file(path) is not None
        fits = candidate.action == "document" or is_there is (candidate.action != "create")
        return self._within in (None, path) and fits

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

    def _tried(self, candidates: Sequence[Candidate]) -> _Trial | None:
        """What candidates do together, as far as it is of use; None if one of them cannot be done."""
        try:
            texts = self._edited(candidates)
        except NoPlaceError:
            return None
        except (NotEditableError, UsageError) as error:
            self._found.refused[candidates[0].place] = str(error)
            return None
        fork, touched = self._workspace.fork(texts)
        is_new = any(each.document for each in candidates)
        reached: set[str] = set(self._so_already)
        for name in self._wanted:
            if touched is not None and name not in touched:
                continue
            wrong = self._wrong_in(fork, name, is_new_document=is_new)
            if wrong is not None:
                self._found.refused.setdefault(candidates[0].place, wrong.reason)
                return _Trial(tuple(candidates), texts, frozenset(), frozenset([name]), frozenset(), wrong.brings)
            reached.add(name)
        others = self._first_other(fork, touched, texts)
        if others:
            self._found.refused.setdefault(candidates[0].place, f"{min(others)} would change, too")
        return _Trial(tuple(candidates), texts, frozenset(reached), frozenset(), others, reached > self._so_already)

    def _wrong_in(self, fork: Fork, name: str, *, is_new_document: bool) -> _Wrong | None:
        """What is wrong in a wanted target, if anything."""
        before, after = self._before[name], fork.result(name)
        if after is None:
            return _Wrong(f"{name} cannot be rendered then: {fork.errors.get(name, 'nothing is there')}", False)
        if same(real_value(after), self._expected(name)):
            return None
        if is_new_document and same(essential(after, real_value(after)), essential(after, self._expected(name))):
            return None
        brings = self._goal.has_value(after)
        return _Wrong(why_not(self._goal, before, after, brings=brings), brings)

    def _expected(self, name: str) -> Any:
        if name not in self._expectations:
            self._expectations[name] = self._goal.expected(self._before[name])
        return self._expectations[name]

    def _first_other(self, fork: Fork, touched: frozenset[str] | None, texts: Mapping[str, bytes]) -> frozenset[str]:
        """A target that was not meant and changes, if there is one."""
        if touched is None:  # a file comes: only an update knows whom that touches
            return self._others_in_update(texts)
        for name in sorted(touched - self._goal.targets):
            if self._differs(name, fork.result(name)):
                return frozenset([name])
        return frozenset()

    def _others_in_update(self, texts: Mapping[str, bytes]) -> frozenset[str]:
        with self._workspace.trial(texts) as impact:
            touched = [name for name in impact.targets if name not in self._goal.targets]
            return frozenset(name for name in touched if self._differs(name, self._result(name)))

    def _differs(self, name: str, after: Result | None) -> bool:
        before = self._before.get(name)
        return (before is None) != (after is None) or (
            before is not None and after is not None and not same(real_value(before), real_value(after))
        )

    def _result(self, name: str) -> Result | None:
        try:
            return self._workspace.result(name)
        except LaminaError:
            return None

    def _whole(self, trial: _Trial) -> _Trial:
        """A trial with all targets that it changes."""
        fork, touched = self._workspace.fork(trial.texts)
        if touched is None:
            others = self._others_in_update(trial.texts)
        else:
            others = frozenset(name for name in touched - self._goal.targets if self._differs(name, fork.result(name)))
        is_new = any(each.document for each in trial.candidates)
        right = frozenset(name for name in self._wanted if self._wrong_in(fork, name, is_new_document=is_new) is None)
        return trial._replace(reached=right, wrong=self._goal.targets - right, others=others)

    def _proposal(self, trial: _Trial) -> Proposal:
        missed = self._goal.targets - trial.reached
        return Proposal(
            trial.candidates,
            trial.texts,
            trial.reached,
            missed,
            trial.others,
            _reason(trial, len(self._wanted), [self._users(each) for each in trial.candidates]),
            self._workspace,
        )

    def _edited(self, candidates: Sequence[Candidate]) -> dict[str, bytes]:
        edits: dict[str, list[TextEdit]] = {}
        for candidate in candidates:
            path = self._path(candidate)
            edits.setdefault(path, []).extend(self._edits(candidate, path))
        return {path: self._nodes(path).edited(of_file) for path, of_file in edits.items()}

    def _edits(self, candidate: Candidate, path: str) -> Iterator[TextEdit]:
        nodes = self._nodes(path)
        if candidate.action == "change":
            yield nodes.replace(candidate.line, candidate.column, self._goal.value)
        elif candidate.action == "remove":
            yield nodes.remove(candidate.line, candidate.column)
        elif candidate.action == "document":
            yield nodes.add_document(json.loads(candidate.document))
        else:
            value = self._value_of(candidate)
            if candidate.line:
                yield nodes.add(candidate.line, candidate.column, candidate.inner, value)
            else:
                yield nodes.add_to_document(candidate.inner, value)
            for means in candidate.means:
                yield nodes.add_to_document(means.path, means.value)

    def _value_of(self, candidate: Candidate) -> Any:
        """What a candidate adds: the value, or the list around it."""
        if candidate.value:
            return json.loads(candidate.value)
        if not candidate.whole:
            return self._goal.value
        whole = self._goal.whole_in(self._before[candidate.whole], candidate.end)
        return [whole] if candidate.only_item else whole

    def _nodes(self, path: str) -> Editable:
        if path not in self._texts:
            source = self._workspace.file(path)
            self._texts[path] = editable(path, b"" if source is None else source.data)
        return self._texts[path]

    def _together(self) -> _Trial | None:
        """The candidates that each reach the goal in some targets, and change no others; what goes, everywhere."""
        left = set(self._goal.targets - self._so_already)
        chosen: list[Candidate] = []
        for each in sorted(self._partial, key=lambda each: -len(each.reached)):
            if each.reached & left:
                chosen += each.candidates
                left -= each.reached
        if left and self._goal.removes:
            chosen = [each for each in self._candidates() if each.action == "remove"]
        elif left:
            return None
        trial = self._tried(chosen) if len(chosen) > 1 else None
        return trial if trial is not None and trial.is_clean and len(trial.reached) == len(self._wanted) else None


class _Wrong(NamedTuple):
    reason: str
    brings: bool


def _reason(trial: _Trial, wanted: int, users: Sequence[frozenset[str]]) -> str:
    """Why these edits, in a few words."""
    means = [candidate.why for candidate in trial.candidates if candidate.is_own_means]
    if means:
        return "; ".join(dict.fromkeys(means))
    if len(trial.candidates) > 1:
        return f"the {wanted} targets share no place of their own, so there is an edit for each"
    [candidate], [readers] = trial.candidates, users
    if candidate.whole:
        return "the system takes the most specific value as a whole, so what is around the value is written with it"
    if candidate.action == "create":
        return "the hierarchy has a place for this file, and only these targets read it"
    if candidate.action in ("change", "remove"):
        return "the value comes from there"
    if readers == trial.reached:
        return "the most general place that these targets read, and no others"
    return "no other target takes the value from there"
