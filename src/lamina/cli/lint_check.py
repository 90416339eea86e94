"""`lamina lint --check`: whether the system accepts each part and the merged result."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import click

from lamina._support.escapes import one_line
from lamina.cli.output import print_error
from lamina.errors import Diagnostic, InputError
from lamina.project.declared import LintSettings
from lamina.project.target_lint import lint_targets
from lamina.protocol.extensions import check_of
from lamina.views.lint.rules import rules_for
from lamina.views.lint.selection import Selection, fits

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lamina.cli.selected_targets import SelectedTargets
    from lamina.project.target import Target
    from lamina.protocol.dialect import Dialect
    from lamina.protocol.extensions import Check
    from lamina.sources.inputs import Inputs
    from lamina.views.lint.api import Linted


class CheckRequest:
    """What is checked, and against which schemas.

    The settings of a project are about likely mistakes, not about what the system accepts.
    """

    def __init__(self, selected: SelectedTargets, selection: Selection) -> None:
        self._selected = selected
        self._targets = selected.targets()
        systems = {target.dialect: target.system for target in self._targets}.values()
        self._selection = _only_checks(systems, selection)
        self._schemas: dict[str, None] = {}

    def linted(self) -> Linted:
        """The findings; it is an error if there are none because nothing could be checked."""
        spread = partial(self._selected.spread, "checking")
        for target in self._targets:  # here, since what workers do is not seen here
            self._schemas[_check_of(target.system).schema(target.dialect_options())] = None
        request_of = self._selected.lint_request_of
        linted = lint_targets(self._targets, request_of, self._selection, LintSettings(), spread, complete=False)
        if not linted.findings:
            self._check_covered()
        return linted

    def show_schemas(self) -> None:
        """Say what was checked against."""
        for schema in self._schemas:
            print_error(one_line(f"checked against {schema}"))

    def _check_covered(self) -> None:
        """Reject results of which nothing was checked, so that none of them counts as accepted."""
        from lamina.views.render import render_with

        check = None
        for target in self._targets:
            dialect, inputs, options = self._request_of(target)
            check = _check_of(dialect)
            if check.covers(render_with(dialect, inputs, options)):
                return
        why = check.otherwise if check else "there is nothing to check"
        hint = "lamina lint without --check looks for likely mistakes in everything else"
        raise InputError(Diagnostic(code="nothing-checked", message=f"nothing was checked: {why}", hint=hint))

    def _request_of(self, target: Target) -> tuple[Dialect[Any], Inputs, Any]:
        return self._selected.lint_request_of(target)


def _check_of(dialect: Dialect[Any]) -> Check:
    check = check_of(dialect)
    if check is None:
        raise click.UsageError(f"{dialect.name} has no check of its own; use lamina lint without --check.")
    return check


def _only_checks(checked: Iterable[Dialect[Any]], given: Selection) -> Selection:
    """Everything except lint rules about other things."""
    codes = {dialect: _check_of(dialect).codes for dialect in checked}
    others = (rule.code for each in codes for rule in rules_for(each) if not fits(rule.code, codes[each]))
    return Selection(given.select, (*given.ignore, *dict.fromkeys(others)))
