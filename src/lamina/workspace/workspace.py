"""A workspace: the results of all targets of a project, kept up to date with its files."""

from __future__ import annotations

import operator
import os
from contextlib import contextmanager
from dataclasses import replace
from fnmatch import fnmatchcase
from functools import partial
from threading import RLock
from typing import TYPE_CHECKING, Any, NamedTuple

from lamina.errors import Diagnostic, LaminaError, UsageError
from lamina.project import project_file
from lamina.project.folder_project import project_at
from lamina.project.option_files import check_option_files
from lamina.project.project import Project, distinct
from lamina.project.shared_entries import causes, same_note, shared
from lamina.project.target_differences import TargetChanges
from lamina.protocol.dialect import unknown
from lamina.run import Run
from lamina.session import Session
from lamina.sources.document_cache import file_of
from lamina.sources.source import Source
from lamina.views.diff.api import compare
from lamina.views.diff.change import ChangeKind
from lamina.views.diff.edited_lines import EditedLines, ReadSources
from lamina.views.diff.match_sources import SourceNames
from lamina.workspace.cancelling import check_cancelled, never
from lamina.workspace.dependencies import DependencyIndex, Recorder
from lamina.workspace.earlier_run import EarlierRun
from lamina.workspace.file_uses import FileUses
from lamina.workspace.impact import Impact
from lamina.workspace.key_order import reads_same
from lamina.workspace.line_uses import is_layer, uses_in_results
from lamina.workspace.live_view import LiveContents, LiveView
from lamina.workspace.seen import Seen, TargetOutcome

if TYPE_CHECKING:
    from collections.abc import Collection, Container, Hashable, Iterable, Iterator, Mapping
    from types import TracebackType

    from lamina.errors import Note
    from lamina.origins import Origin
    from lamina.paths import Path
    from lamina.project.declared import DeclaredTargets
    from lamina.project.shared_entries import SharedEntry
    from lamina.project.target import Target
    from lamina.protocol.dialect import Dialect
    from lamina.views.lint.api import Linted
    from lamina.views.lint.fixes import PlacedEdit
    from lamina.views.result import Result
    from lamina.workspace.cancelling import IsCancelled
    from lamina.workspace.dependencies import FileChanges
    from lamina.workspace.fork import Fork
    from lamina.workspace.line_uses import LineUse
    from lamina.workspace.live_lint import LiveLint
    from lamina.workspace.outline import OutlineEntry
    from lamina.workspace.proposals.moves import Move
    from lamina.workspace.proposals.search import Proposals
    from lamina.workspace.seen import LastGood

_OFTEN = 50
"""After how many edits the documents of former texts are dropped, which checks all documents."""


class _RenderOrder(NamedTuple):
    """In which order targets are rendered, and whether somebody still waits."""

    first: Collection[str] = ()
    cancelled: IsCancelled = never

    def of(self, names: Iterable[str]) -> list[str]:
        return sorted(names, key=lambda name: name not in self.first)


class Workspace:
    """The targets of a project and their results, which follow changes of files.

    `update` changes files as the workspace sees them, not those on disk, and renders only what was made from them.
    Several threads may use one workspace. Without a project file, the nodes of a folder are its targets where the
    dialect can list them; else the folder as a whole is the only one.
    """

    def __init__(
        self,
        root: str | os.PathLike[str] | Project = ".",
        dialect: str | Dialect[Any] | None = None,
        *,
        session: Session | None = None,
        **options: Any,
    ) -> None:
        self._lock = RLock()
        self._session = session or Session()
        self._owns_session = session is None
        self._recorder = Recorder()
        self._project = root if isinstance(root, Project) else project_at(os.fspath(root), dialect, options)
        self._contents = LiveContents(self._project.root, self._project.prefix)
        self._view = LiveView(self._contents, self._recorder, self._project.file.ignore, self._session)
        self._targets: dict[str, Target] = {}
        self._listings: tuple[tuple[Target, ...], ...] = ()
        self._outcomes: dict[str, TargetOutcome] = {}
        self._index = DependencyIndex()
        """Which targets depend on a file or a folder."""
        self._good: dict[str, Result] = {}
        self._since_good: dict[str, dict[str, bytes | None]] = {}
        """For targets that fail now: what files that changed were when they did not."""
        self._changed: set[str] = set()
        self._uses = FileUses(self._session)
        self._state: Seen | None = None
        """All that is rendered, as readers see it; none after a change."""
        self._seen: Seen | None = None
        """What other threads see while one works on what comes next; none before everything was rendered once."""
        self._trials = 0
        self._edits = 0
        self._closed = False
        self._broken: LaminaError | None = None
        """Why the targets cannot be listed now; the last ones are kept meanwhile."""
        with self._lock:
            self._list_targets()

    def __enter__(self) -> Workspace:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def project(self) -> Project:
        """The project it is of."""
        return self._project

    @property
    def targets(self) -> tuple[str, ...]:
        """The names of all targets, in their order."""
        with self._in_use():
            return tuple(self._targets)

    def result(self, name: str) -> Result:
        """The result of a target, or the error that rendering it gives."""
        with self._in_use():
            outcome = self._outcome(name) if self._broken is None else None
            failed = self._broken if outcome is None else outcome.error
        if failed is not None:
            raise _without_traces(failed)  # raising the one that is kept would leave traces in it
        assert outcome is not None and outcome.result is not None
        return outcome.result

    def last_good(self, name: str) -> Result | None:
        """The last result a target had, also while it cannot be rendered; None if it never could."""
        with self._in_use():
            if name in self._targets and self._broken is None:
                self._outcome(name)
            return self._good.get(name)

    def update(
        self,
        texts: Mapping[str, str | bytes | None],
        *,
        first: Collection[str] = (),
        cancelled: IsCancelled = never,
    ) -> Impact:
        """Change files of the workspace and say what that changes; None removes a file.

        Paths start at the root and use `/`. The targets named `first` are rendered first, and readers see them then. If
        it is cancelled, the files are changed, and what was not rendered is when somebody asks for it.
        """
        return self._update(texts, _RenderOrder(first, cancelled))

    def _update(self, texts: Mapping[str, str | bytes | None], order: _RenderOrder, *, saved: bool = False) -> Impact:
        with self._in_use():
            self.load(cancelled=order.cancelled)
            former = {path: self._contents.last_read(self._contents.real(path)) for path in texts}
            changes = self._contents.update(texts, saved=saved)
            return self._after(changes, former, order) if changes else Impact()

    def change(self, texts: Mapping[str, str | bytes | None]) -> None:
        """Change files of the workspace without a look at what that changes; nothing is rendered for it."""
        with self._in_use():
            changes = self._contents.update(texts)
            if changes:
                self._take_over(changes)

    def what_if(self, texts: Mapping[str, str | bytes | None], *, cancelled: IsCancelled = never) -> Impact:
        """Say what a change of files would change; afterwards all is as before. Nobody sees what is between, and who
        reads does not wait for it."""
        with self.trial(texts, cancelled=cancelled) as impact:
            return impact

    @contextmanager
    def trial(self, texts: Mapping[str, str | bytes | None], *, cancelled: IsCancelled = never) -> Iterator[Impact]:
        """Change files for as long as the block lasts; other threads see what was before, or wait to change others."""
        with self._in_use():
            self.seen()
            before = {path: self._contents.read(path) for path in texts}
            self._trials += 1
            try:
                yield self.update(texts, cancelled=cancelled)
            finally:
                self.update(before)
                self._trials -= 1
                self._now()

    def impact_since(self, before: Seen, texts: Mapping[str, bytes | None]) -> Impact:
        """Say what changed since a state that was `seen`, in which some files had these texts."""
        with self._in_use():
            now, old = self.seen(), {each.target.name: each for each in before.outcomes}
            impact = Impact(files=sorted(texts))
            for new in now.outcomes:
                name, good = new.target.name, before.good.get(new.target.name)
                if new is old.get(name) and now.broken is before.broken:
                    impact.differences.names.append(name)
                    continue
                one = old[name].behind(before.broken) if name in old else None
                if self._differs(impact, one, new.behind(now.broken), good, texts):
                    impact.targets.append(name)
            for name in old.keys() - {each.target.name for each in now.outcomes}:
                impact.targets.append(name)
                impact.differences.add_target(name, ChangeKind.REMOVED)
            return impact

    def fork(self, texts: Mapping[str, str | bytes | None]) -> tuple[Fork, frozenset[str] | None]:
        """The workspace with files changed, and the targets that the change may touch; None: names came or went, and
        only an update knows whom that touches."""
        from lamina.workspace.fork import Fork

        with self._in_use():
            self.load()
            contents = self._contents.copy()
            changes = contents.update(texts)
            touched = None if changes.folders else frozenset(map(str, self._index.touched_by(changes)))
            return Fork(contents, self._project.file.ignore, self._session, self._targets), touched

    def refresh(self, paths: Iterable[str], *, cancelled: IsCancelled = never) -> Impact:
        """Take over what is now on disk at these paths; of a folder, all files that are or were in it."""
        from lamina.sources.inputs import DiskFiles

        with self._in_use():
            files = DiskFiles(self._project.root)
            found = {path: files.read(path) for given in paths for path in self._contents.files_at(given)}
            texts = {path: None if source is None else source.data for path, source in found.items()}
            return self._update(texts, _RenderOrder((), cancelled), saved=True)

    def load(self, *, cancelled: IsCancelled = never) -> None:
        """Render what was not rendered so far."""
        with self._in_use():
            for name in [name for name in self._targets if name not in self._outcomes]:
                check_cancelled(cancelled)
                self._outcome(name)

    def outcomes(self) -> Iterable[TargetOutcome]:
        """All targets with what rendering them gave."""
        return self.seen().outcomes

    def source(self, path: str) -> Source:
        """A file as the workspace sees it."""
        found = self.file(path)
        if found is None:
            raise UsageError(_no_such_file(path))
        return found

    def file(self, path: str) -> Source | None:
        """A file as the workspace sees it, if it is there."""
        if self._lock.acquire(blocking=self._seen is None):
            try:
                self._check_open()
                return self._view.read(path)
            finally:
                self._lock.release()
        data = self._contents.read(path)  # what is looked at now is not what the update in another thread looks at
        return None if data is None else Source(self._project.prefix + path, data)

    def readers_of(self, path: str) -> frozenset[str]:
        """The targets that read a file, or looked for it."""
        real = self._contents.real(path)
        return frozenset(each.target.name for each in self.outcomes() if real in each.needs.files)

    def secret_lines(self, path: str) -> frozenset[int]:
        """The lines of a file on which a secret begins that is not to be shown; of a file in which all is, none."""
        from lamina.workspace.secret_lines import secret_lines

        with self._in_use():
            real, shown = self._contents.real(path), self._project.prefix + path
            results = [each.result for each in self.outcomes() if real in each.needs.files and each.result is not None]
            return secret_lines([each for each in results if each.hides_secrets], shown)

    def where(self, path: str, line: int, column: int | None = None) -> list[LineUse]:
        """What a line of a file decides: its use at each path of each target. The list may be empty.

        Of targets that fail, their last good results answer, and the uses are `stale`.
        """
        readers, source = self._readers(path)
        if column is None:
            return self._uses.of_lines(source.name, source.data, readers, [line]).get(line, [])
        results = [(each.target, each.result) for each in readers if each.text == source.data]
        stale = {each.target for each in readers if each.is_stale}
        uses = uses_in_results(results, source.name, line, column, text=source, run=Run(self._session))
        return [replace(use, stale=True) if use.target in stale else use for use in uses]

    def uses(
        self, path: str, lines: Iterable[int] | None = None, *, cancelled: IsCancelled = never
    ) -> dict[int, list[LineUse]]:
        """What the lines of a file decide, all of them or some: the same as `where` says of each that decides anything.

        All lines are found in one walk through the results, and kept until the file or one of the results changes.
        """
        readers, source = self._readers(path)
        if lines is None:
            found = self._uses.of_file(source.name, source.data, readers, partial(check_cancelled, cancelled))
        else:
            found = self._uses.of_lines(source.name, source.data, readers, list(lines))
        return {line: list(uses) for line, uses in found.items()}

    def _readers(self, path: str) -> tuple[list[LastGood], Source]:
        """The last good results of the targets that read a file, and the file."""
        source = self.source(path)
        return list(self.seen().readers(path, self._contents.real(path), source.data)), source

    def chosen_by(self, path: str) -> tuple[str, ...]:
        """The targets that read a file of which no value comes: it may choose what is merged, as a definition does."""
        real, shown = self._contents.real(path), self._project.prefix + path
        if os.path.join(self._project.root, real) == self._project.file.path:
            return self.targets
        readers = list(self.seen().readers(path, real, None))
        if any(is_layer(each.result, shown) for each in readers):
            return ()
        return tuple(each.target for each in readers)

    def propose(self, path: str, value: Any, targets: Iterable[str] = (), *, within: str | None = None) -> Proposals:
        """The edits that make the value at a path what is wanted in these targets, and nothing else; none is made.

        Targets are names or patterns; without any, all are meant. What is to go has the value `lamina.plugin.MISSING`.
        `within` is the only file that may be edited. The first proposal is the one to take, if it is exact.
        """
        from lamina.workspace.proposals.goal import Goal
        from lamina.workspace.proposals.search import propose

        with self._in_use():
            return propose(self, Goal(path, value, self._matching(targets)), within=within)

    def propose_move(self, key: str, files: Iterable[str]) -> Move:
        """The edits that write a value into these files instead of where it is, and change no result; none is made."""
        from lamina.workspace.proposals.moves import propose_move

        with self._in_use():
            return propose_move(self, key, list(files))

    def _matching(self, patterns: Iterable[str]) -> frozenset[str]:
        """The targets that match any of the patterns; without patterns, all."""
        given = list(patterns)
        wrong = [each for each in given if not any(fnmatchcase(name, each) for name in self._targets)]
        if wrong:
            raise UsageError.of(unknown("target", each, self.targets) for each in wrong)
        return frozenset(name for name in self._targets if not given or any(fnmatchcase(name, each) for each in given))

    def path_of(self, origin: Origin) -> str | None:
        """The file that an origin is in, as a path from the root; None if it is in no file of the workspace."""
        path = origin.source.removeprefix(self._project.prefix)
        return path if self.file(path) is not None else None

    def findings(self, path: str) -> list[SharedEntry[Note]]:
        """What rendering the targets has to say about a file, each finding once with its targets."""
        found = (
            (each.target.name, note)
            for each in self.seen().outcomes
            for note in each.findings
            if note.at is not None and note.at.source.removeprefix(self._project.prefix) == path
        )
        return causes(shared(found, same_note))

    def lint(self, paths: Collection[str] | None = None, *, cancelled: IsCancelled = never) -> Linted:
        """The findings of lint in some files, or all, as the workspace sees them.

        What was found of a target is kept until something that it was made from changes.
        """
        with self._in_use():
            return self._live_lint(cancelled).linted(paths)

    def fixes(self, path: str, *, cancelled: IsCancelled = never) -> Mapping[Note, PlacedEdit]:
        """The findings of a file that have a safe fix, with the edit of the text as it is now; each was tried."""
        with self._in_use():
            return self._live_lint(cancelled).with_edits([path]).edits or {}

    def _live_lint(self, cancelled: IsCancelled) -> LiveLint:
        from lamina.workspace.live_lint import LiveLint

        if self._broken is not None:
            raise _without_traces(self._broken)
        return LiveLint(self._project, self._view, tuple(self._targets.values()), cancelled)

    def outline(self, path: str) -> list[OutlineEntry]:
        """The keys of a YAML file with the lines that belong to each, also while it cannot be parsed."""
        from lamina.workspace.outline import outline_of

        return outline_of(self.source(path).data.decode("utf-8", "replace").removeprefix("\ufeff"))

    def keys_at(self, path: Path, prefix: str = "") -> list[tuple[str, int]]:
        """The keys that the files of all targets use at a path of a document, with how many use each, the most used
        first."""
        from lamina.workspace.used_keys import used_keys

        files = sorted({path for each in self.outcomes() for path in each.needs.files})
        return used_keys(filter(None, map(self.file, files)), path, prefix, Run(self._session))

    def range_at(self, origin: Origin) -> tuple[tuple[int, int], tuple[int, int]] | None:
        """From where to behind what the value at an origin is written, as lines and columns that count from one; None
        where that is not known."""
        from lamina.workspace.proposals.text_nodes import NotEditableError, TextNodes

        path = self.path_of(origin)
        source = self.file(path) if path is not None else None
        if source is None or origin.part is not None:
            return None
        try:
            return TextNodes(source.data, is_json=source.name.endswith(".json")).span_at(origin.line, origin.column)
        except NotEditableError:
            return None

    def seen(self) -> Seen:
        """All targets with what rendering them gave: as they are now, or as they were before the update, or outside of
        the trial, that another thread is working on."""
        seen = self._seen
        if not self._lock.acquire(blocking=seen is None):
            assert seen is not None
            return seen
        try:
            self.load()
            return self._now()
        finally:
            self._lock.release()

    def _now(self) -> Seen:
        """The state now, which others see from now on unless it is a trial."""
        now = self._state
        if now is None:
            known = {each.target.name: each for each in self._seen.outcomes} if self._seen is not None else {}
            known |= self._outcomes
            outcomes = tuple(known[name] for name in self._targets if name in known)
            since = {name: dict(texts) for name, texts in self._since_good.items()}
            now = self._state = Seen(outcomes, dict(self._good), since, self._broken)
        if not self._trials and self._seen is not now:
            self._seen = now
            self._uses.keep(now.good.values())
        return now

    def close(self) -> None:
        """Drop everything; it cannot be used afterwards."""
        with self._lock:
            self._closed = True
            self._outcomes.clear()
            self._index = DependencyIndex()
            self._good.clear()
            self._since_good.clear()
            if self._owns_session:
                self._session.close()

    @contextmanager
    def _in_use(self) -> Iterator[None]:
        """One thread at a time, and not after the end."""
        with self._lock:
            self._check_open()
            yield

    def _check_open(self) -> None:
        if self._closed:
            raise ValueError("the workspace is closed")

    def _outcome(self, name: str) -> TargetOutcome:
        if name not in self._targets:
            raise UsageError(unknown("target", name, self.targets))
        if name not in self._outcomes:
            self._outcomes[name] = outcome = self._rendered(self._targets[name])
            self._index.add(name, outcome.needs)
            self._state = None
            if outcome.result is not None:
                self._good[name] = outcome.result
        return self._outcomes[name]

    def _rendered(self, target: Target) -> TargetOutcome:
        good = self._good.get(target.name)
        reuse = EarlierRun(good.record) if good is not None else None
        result, failed = None, None
        with self._recorder.making() as needs:
            try:
                result = target.render(self._view, reuse)
                check_option_files(target, self._view, self._contents.disk, needs.files | needs.folders)
            except LaminaError as error:
                result, failed = None, _without_traces(error)
        return TargetOutcome(target, result, failed, needs)

    def _list_targets(self) -> None:
        """Find the targets, those of each entry only if something they were found in changed."""
        view = self._view

        def targets_of(number: int, declared: DeclaredTargets) -> tuple[Target, ...]:
            return view.cache.once(
                ("targets", number),
                lambda: tuple(filter(self._project.selects, self._project.declared_in(declared, view))),
            )

        listings = tuple(targets_of(*entry) for entry in enumerate(self._project.file.declared))
        same = map(operator.is_, listings, self._listings)
        if len(listings) != len(self._listings) or not all(same):
            self._targets = {each.name: each for each in distinct(each for listed in listings for each in listed)}
            self._listings = listings

    def _after(self, changes: FileChanges, texts: Mapping[str, bytes | None], order: _RenderOrder) -> Impact:
        """Render what was made from what changed, given what the files were before."""
        broken = self._broken
        impact, former = Impact(files=sorted(changes.files)), self._take_over(changes)
        impact.differences.names = [name for name in self._targets if name not in former]
        for name in order.of(former):
            old = former[name]
            check_cancelled(order.cancelled)
            good, new = self._good.get(name), self._outcome(name)
            impact.rendered += 1
            since = {**texts, **self._since_good.pop(name, {})}
            if new.result is None:
                self._since_good[name] = since
            if self._differs(impact, old and old.behind(broken), new.behind(self._broken), good, since):
                impact.targets.append(name)
            if name in order.first:
                self._now()
        reached = set(impact.targets)
        impact.targets = [name for name in self._targets if name in reached]
        self._forget(impact)
        if broken is not None or self._broken is not None:
            self._add_broken(impact, broken, former)
        self._state = None
        self._now()
        return impact

    def _take_over(self, changes: FileChanges) -> dict[str, TargetOutcome | None]:
        """Drop what was made from what changed; the targets that have to be rendered again, with what they were."""
        was_broken, targets, view = self._broken is not None, self._targets, self._view
        self._broken = self._state = None
        view.drop(changes)
        facts = view.changed_facts(lambda fact: bool(self._index.users_of([fact])))
        self._changed |= {self._project.prefix + path for path in changes.files}
        self._edits += 1
        if self._edits % _OFTEN == 0:
            self._discard(self._changed)
            self._changed = set()
        try:
            self._reload_project(changes, was_broken)
            self._list_targets()
        except LaminaError as error:
            self._broken = _without_traces(error)
        touched = self._index.touched_by(changes) | self._index.users_of(facts)
        if self._view is not view:  # nothing that was made from another view is known to hold
            touched |= set(self._outcomes)
        stale = self._stale(touched) if self._targets is not targets else [each for each in targets if each in touched]
        return {name: self._outcomes.pop(name, None) for name in stale}

    def _stale(self, touched: set[Hashable]) -> list[str]:
        """The targets that have to be rendered again: what they were made from changed, or they are other ones."""
        same = {name for name, old in self._outcomes.items() if self._targets.get(name) == old.target}
        return [name for name in self._targets if name in touched or name not in same]

    def _discard(self, changed: set[str]) -> None:
        """Drop the documents of files that changed, and what is known of single values, which may be outdated."""

        def is_stale(key: Any) -> bool:
            name = file_of(key)
            return name is None or name in changed

        self._session.cache.discard(is_stale)

    def _differs(
        self,
        impact: Impact,
        old: TargetOutcome | None,
        new: TargetOutcome,
        good: Result | None,
        texts: Mapping[str, bytes | None],
    ) -> bool:
        """Add what changes in a target, compared with its last good result; whether anything does.

        `texts` is what files were then that changed since.
        """
        name = new.target.name
        found = impact.add_findings(name, old.findings_with(good) if old else (), new.findings_with(good))
        failed = (old is not None and not old.failed) == new.failed
        if new.result is None:
            return found or failed
        if old is None:
            impact.differences.add_target(name, ChangeKind.ADDED)
            return True
        if good is None:
            return True
        names = SourceNames(), SourceNames()
        now = {path: self._contents.read(path) for path in texts}
        edits = EditedLines(self._read_sources(texts), self._read_sources(now), names)
        differences = compare(good, new.result, names, edits)
        impact.differences.add(name, TargetChanges.of(differences))
        return found or failed or bool(differences) or not reads_same(good, new.result)

    def _read_sources(self, texts: Mapping[str, bytes | None]) -> ReadSources:
        """The files of the workspace, some of them with other texts."""
        prefix = self._project.prefix

        def find(name: str) -> Source | None:
            path = name.removeprefix(prefix)
            data = texts[path] if path in texts else self._contents.read(path)
            return None if data is None else Source(name, data)

        return ReadSources([Source(prefix + path, data) for path, data in texts.items() if data is not None], find)

    def _forget(self, impact: Impact) -> None:
        """Targets that are no longer there."""
        gone = self._outcomes.keys() - self._targets.keys()
        for name in [name for name in self._outcomes if name in gone] if gone else ():
            del self._outcomes[name]
            self._index.remove(name)
            impact.targets.append(name)
            impact.differences.add_target(name, ChangeKind.REMOVED)
            self._good.pop(name, None)
            self._since_good.pop(name, None)

    def _add_broken(self, impact: Impact, before: LaminaError | None, rendered: Container[str]) -> None:
        """What is wrong with the list of targets concerns all of them, also those that were not rendered again."""
        changed = set(impact.targets)
        for name, outcome in self._outcomes.items():
            if name not in rendered:
                old, new = outcome.behind(before), outcome.behind(self._broken)
                before_and_after = (each.findings_with(self._good.get(name)) for each in (old, new))
                if impact.add_findings(name, *before_and_after) or old.failed != new.failed:
                    changed.add(name)
        gone = [name for name in impact.targets if name not in self._targets]
        impact.targets = [*(name for name in self._targets if name in changed), *gone]

    def _reload_project(self, changes: FileChanges, broken: bool) -> None:
        """Read the project file again if it changed or was broken; it may ignore and declare something else then."""
        if not self._project.file.path:
            return
        path = os.path.relpath(self._project.file.path, self._project.root).replace(os.sep, "/")
        if self._contents.real(path) not in changes.files and not (broken and self._contents.read(path) is not None):
            return
        source = self._view.read(path)
        if source is None:
            raise UsageError(_no_such_file(path))
        former = self._project.file
        self._project = replace(self._project, file=project_file.parse(source, self._project.root))
        self._view.cache.forget([("targets", number) for number in range(len(former.declared))])
        if self._project.file.ignore != former.ignore:
            self._view = LiveView(self._contents, self._recorder, self._project.file.ignore, self._session)


def _without_traces(error: LaminaError) -> LaminaError:
    """The same error without the frames it came through, which would keep alive all that was in them."""
    return type(error).of(error.diagnostics)


def _no_such_file(path: str) -> Diagnostic:
    return Diagnostic(code="missing-file", message=f"there is no file {path}", hint="paths start at the root")
