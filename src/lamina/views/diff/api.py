"""The public API for differences between two results."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from lamina._support.progress import unwatched
from lamina.budget import to_show
from lamina.dialects import registry as dialects
from lamina.errors import Diagnostic, LaminaError, Severity, UsageError
from lamina.run import Run
from lamina.sources.inputs import Inputs, gather
from lamina.views.diff.change import ChangeKind, with_own_values
from lamina.views.diff.compare_values import Comparer
from lamina.views.diff.edited_lines import EditedLines, rendered_on_record
from lamina.views.diff.failures import grouped_failures
from lamina.views.diff.grouping import grouped
from lamina.views.diff.limits import to_search
from lamina.views.diff.match_outputs import Outputs, is_many, matched, units
from lamina.views.diff.match_sources import SourceNames, names_between
from lamina.views.diff.value_ids import Numbering
from lamina.views.render import render_complete
from lamina.views.result import Result

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from lamina._support.progress import Counting
    from lamina.protocol.dialect import Dialect
    from lamina.session import Session
    from lamina.sources.inputs import Folders, Given
    from lamina.views.diff.change import Change
    from lamina.views.diff.failures import Failure, FailureGroup
    from lamina.views.diff.grouping import ChangeGroup
    from lamina.views.diff.idle_edits import IdleEdit
    from lamina.views.report.source_links import SourceLinks


@dataclass(frozen=True)
class Differences:
    """What changes from one result to another; true when anything does."""

    before: Result
    after: Result
    changes: tuple[Change, ...]
    failed: tuple[Failure, ...] = ()
    """What one side could not render: it is not compared."""
    edits: EditedLines = field(default_factory=EditedLines.none, repr=False)
    """The lines that were edited."""
    idle: tuple[IdleEdit, ...] = ()
    """Edits without effect, if they were looked for."""

    def __bool__(self) -> bool:
        return bool(self.changes)

    def __len__(self) -> int:
        return len(self.changes)

    @cached_property
    def unused(self) -> tuple[int, int]:
        """How many parts of either side could not be used, and so are not compared."""
        before, after = (
            sum(note.severity >= Severity.ERROR for note in side.notes) for side in (self.before, self.after)
        )
        return before, after

    @cached_property
    def groups(self) -> Sequence[ChangeGroup]:
        """The changes, with those that are the same in several outputs reported once."""
        return grouped(self.changes, Numbering())

    @cached_property
    def failures(self) -> Sequence[FailureGroup]:
        """What could not be compared, each reason once."""
        return grouped_failures(self.failed)

    @property
    def many(self) -> bool:
        """Whether there may be several outputs."""
        return is_many(self.after)

    @property
    def noun(self) -> str:
        """The system's word for one output."""
        return self.after.spec.noun

    @cached_property
    def outputs(self) -> int:
        """How many outputs both sides have."""
        alignment = matched(units(self.before), units(self.after))
        return len(alignment.kept) + len(alignment.moved)

    @property
    def touched(self) -> int:
        """How many outputs of both sides differ."""
        whole = (ChangeKind.ADDED, ChangeKind.REMOVED)
        return len({change.output for change in self.changes if change.path or change.kind not in whole})

    def to_text(self, *, colour: bool = False) -> str:
        """The changes as text, one per line."""
        from lamina.views.diff.text import as_text

        return as_text(self, colour=colour)

    def to_markdown(self) -> str:
        """The changes as a table, for a comment on a pull request."""
        from lamina.views.diff.markdown import as_markdown

        return as_markdown(self)

    def to_html(
        self,
        title: str = "Lamina diff",
        labels: tuple[str, str] = ("before", "after"),
        links: tuple[SourceLinks, SourceLinks] | None = None,
    ) -> str:
        """The changes as one page that a browser opens from disk; `labels` name the two sides."""
        from lamina.views.diff.html import DiffHeading, as_html
        from lamina.views.report.source_links import NO_LINKS

        system = self.after.dialect.title
        return as_html(
            self, DiffHeading(title=title, system=system, labels=labels, links=links or (NO_LINKS, NO_LINKS))
        )

    def to_json(self) -> str:
        """The changes as JSON."""
        from lamina.sources.json.writer import dump
        from lamina.views.diff.data import as_data

        return dump(as_data(self))

    def to_json_patch(self) -> list[dict[str, Any]]:
        """The operations that turn the value before into the value after."""
        from lamina.sources.json.writer import plain
        from lamina.views.diff.patch import patch

        alignment = matched(units(self.before), units(self.after)) if self.after.many else None
        return deepcopy(patch(plain(self.before.plain), plain(self.after.plain), alignment))


def diff(
    before: Result | Iterable[Given] | Given | Inputs,
    after: Result | Iterable[Given] | Given | Inputs,
    dialect: str | Dialect[Any] | None = None,
    compat: str = "program",
    *,
    provenance: bool = False,
    allow_paths: Folders = (),
    session: Session | None = None,
    **options: Any,
) -> Differences:
    """What changes in the result from `before` to `after`, with the layer and line that caused each change.

    Both are results of `render`, or inputs as `render` takes them. With `provenance`, values that stayed the same and
    come from another source count, too.
    """
    if isinstance(before, Result) and isinstance(after, Result):
        names = SourceNames(), SourceNames()
        edits = EditedLines.of_results(before, after)
        return _with_own_values(compare(before, after, names, edits, provenance=provenance))
    if isinstance(before, Result) or isinstance(after, Result):
        raise _mixed()
    header, run = dialects.find(dialect).header if dialect else "", Run(session)
    old, new = (gather(side, allow_paths, header=header, run=run) for side in (before, after))
    chosen = dialects.find(dialect or dialect_of(old, new, lambda: dialects.with_options(options)))
    resolved = dialects.make_options(chosen, {"compat": compat, **options})
    names = names_between(old, new)
    (left, before_sources), (right, after_sources) = (
        rendered_on_record(inputs, lambda inputs: render_complete(chosen, inputs, resolved)) for inputs in (old, new)
    )
    edits = EditedLines(before_sources, after_sources, names)
    return _with_own_values(compare(left, right, names, edits, provenance=provenance))


def _with_own_values(differences: Differences) -> Differences:
    """Differences for a caller, who may change the values in them."""
    return replace(differences, changes=tuple(with_own_values(differences.changes)))


def compare(
    before: Result,
    after: Result,
    names: tuple[SourceNames, SourceNames],
    edits: EditedLines,
    *,
    provenance: bool = False,
    counting: Counting = unwatched,
) -> Differences:
    """The differences of two results whose sources have these names on both sides."""
    outputs = Outputs(before, after, names, edits)
    outputs.check()
    numbering = Numbering()
    comparer = Comparer(numbering, to_search())
    found = outputs.changes(comparer, numbering, provenance=provenance, counting=counting)
    return Differences(before, after, tuple(_counted(found)), outputs.failures, edits)


def _counted(changes: Iterable[Change]) -> Iterator[Change]:
    """The changes, counted against the budget of what may be shown."""
    budget = to_show()
    for change in changes:
        budget.count_path(change.path)
        yield change


def dialect_of(before: Inputs, after: Inputs, owners: Callable[[], Sequence[str]] = list) -> str:
    """The dialect both sides look like; a side that looks like none follows the other."""
    old, new = _detected(before, owners), _detected(after, owners)
    if old and new and old != new:
        raise UsageError(
            Diagnostic(
                code="two-dialects",
                message=f"the inputs before look like {old}, those after like {new}",
                hint="choose the dialect with --dialect, or compare inputs of one system",
            )
        )
    return new or old or dialects.detect(after, owners).name


def _detected(inputs: Inputs, owners: Callable[[], Sequence[str]]) -> str | None:
    try:
        return dialects.detect(inputs, owners).name
    except LaminaError as error:
        if error.diagnostic.code != "unknown-dialect":
            raise
        return None


def _mixed() -> UsageError:
    return UsageError(
        Diagnostic(
            code="mixed-sides",
            message="one side is a result and the other is not",
            hint="render both, or hand over the inputs of both",
        )
    )
