"""Running one case, and how its outcome differs from the expected one.

The comparison is strict: integers, floats and booleans are different; lists are compared in order, mappings without
order; the kind of an error and the skipped parts are compared as well as the value.
"""

from __future__ import annotations

import base64
import datetime
import math
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from lamina.conformance.origins import ORIGINS, compare_origins
from lamina.dialects import registry as dialects
from lamina.errors import LaminaError
from lamina.protocol.extensions import golden_of
from lamina.values import same
from lamina.views.render import render_with

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lamina.conformance.case import Case
    from lamina.protocol.dialect import Dialect


def check(case: Case, dialect: Dialect[Any] | None = None) -> list[str]:
    """The problems with the outcome of a case; empty if it passes in every compatibility mode it applies to.

    `dialect` is for one that is not installed.
    """
    chosen = dialect or dialects.find(case.dialect)
    golden = golden_of(chosen)
    settings = {**golden.options, **settings_of(case, chosen)}
    if "error" in case.expect and any(each.name == "strict" for each in fields(chosen.options)):
        settings.setdefault("strict", True)  # what the real program rejects is rendered as far as it is known
    modes = [settings["compat"]] if "compat" in settings else golden.compats
    problems: list[str] = []
    for compat in modes:
        found = _check_once(case, chosen, {**settings, "compat": compat})
        problems.extend(f"[{compat}] {line}" if len(modes) > 1 else line for line in found)
    return problems


def settings_of(case: Case, dialect: Dialect[Any] | None = None) -> dict[str, Any]:
    """The options of a case as the dialect calls them: cases have words of their own for some."""
    words = {"compat": ("compat", _COMPATS), **golden_of(dialect or dialects.find(case.dialect)).words}
    found: dict[str, Any] = {}
    for name, value in case.settings().items():
        field, values = words.get(name, (name, {}))
        found[field] = values.get(value, value) if isinstance(value, str) else value
    return found


_COMPATS = {"shipped": "program", "documented": "manual"}
"""The compatibility modes, as cases call them."""


def check_safely(case: Case) -> list[str]:
    """The same for a runner that continues: a case that crashes Lamina has failed."""
    try:
        return check(case)
    except Exception as error:  # whatever a bug raises: the other cases must still run, and this one has failed
        return [f"crashed: {type(error).__name__}: {error}"]


def _check_once(case: Case, chosen: Any, settings: Mapping[str, Any]) -> list[str]:
    expect, golden = case.expect, golden_of(chosen)
    try:
        outcome = golden.without_render(settings)
        if outcome is not None:
            return _compare(expect, outcome, golden.checked)
        options = dialects.make_options(chosen, settings)
        rendered = render_with(chosen, case.inputs(), options)
        outcome = golden.observe(rendered)
    except LaminaError as error:
        return _compare_error(expect, error, golden.codes)
    found = _compare(expect, outcome, golden.checked)
    if "error" in expect:
        return found
    return [*found, *compare_origins(expect, rendered), *golden.check(options, expect, rendered)]


def _compare(expect: Mapping[str, Any], outcome: Mapping[str, Any], checked: Sequence[str]) -> list[str]:
    if "error" in expect:
        return [f"expected the error {expect['error']}, got {_show(outcome['value'])}"]
    return [*_compare_value(expect, outcome), *_compare_extras(expect, outcome, checked)]


def _compare_error(expect: Mapping[str, Any], error: LaminaError, codes: Mapping[str, str]) -> list[str]:
    code = codes.get(error.diagnostic.code, error.diagnostic.code)
    if "error" not in expect:
        return [f"expected {_show(expect.get('value'))}, got the error {error}"]
    if expect["error"] not in (code, "unhandled"):
        return [f"expected the error {expect['error']}, got {code}: {error}"]
    if expect["error"] == "unhandled":
        return []
    messages = expect.get("says", ())
    words = [messages] if isinstance(messages, str) else messages
    return [f"the error does not say {word!r}: {error}" for word in words if word not in str(error)]


def _compare_value(expect: Mapping[str, Any], outcome: Mapping[str, Any]) -> list[str]:
    value = encode(outcome["value"]) if expect.get("encoded") else outcome["value"]
    wanted = expect["value"]
    if same(listed(value), listed(wanted)):
        return []
    return [f"expected {_show(wanted)}", f"got      {_show(value)}"]


def _compare_extras(expect: Mapping[str, Any], outcome: Mapping[str, Any], checked: Sequence[str]) -> list[str]:
    problems = _compare_skipped(expect.get("skipped", []), outcome["skipped"]) if "skipped" in outcome else []
    problems.extend(
        f"{name}: expected {_show(expect[name])}, got {_show(outcome[name])}"
        for name in sorted(expect.keys() & outcome.keys() - {"value", "skipped"})
        if not same(listed(expect[name]), listed(outcome[name]))
    )
    missing = expect.keys() - outcome.keys() - {"encoded", "says", *ORIGINS, *checked}
    problems.extend(f"the dialect does not report {name}" for name in sorted(missing))
    return problems


def _compare_skipped(wanted: list[Any], found: list[Any]) -> list[str]:
    pairs = [(item["part"], item["kind"]) for item in wanted], [(item["part"], item["kind"]) for item in found]
    if pairs[0] != pairs[1]:
        return [f"skipped: expected {pairs[0]}, got {pairs[1]}"]
    return [
        f"skipped {item['part']}: does not say {word!r}: {actual['text']}"
        for item, actual in zip(wanted, found, strict=True)
        for word in item.get("says", ())
        if word not in actual["text"]
    ]


def listed(value: Any) -> Any:
    """A value with tuples as lists, as in JSON."""
    if isinstance(value, (list, tuple)):
        return [listed(item) for item in value]
    if isinstance(value, dict):
        return {key: listed(item) for key, item in value.items()}
    return value


def encode(value: Any) -> Any:
    """A value with the types that JSON lacks encoded as in the case files."""
    if isinstance(value, dict):
        if any(not isinstance(key, str) for key in value):
            return {"$pairs": [[encode(key), encode(item)] for key, item in value.items()]}
        return {key: encode(item) for key, item in value.items()}
    if isinstance(value, list):
        if value and all(isinstance(item, tuple) for item in value):
            return {"$pairs": [[encode(key), encode(item)] for key, item in value]}
        return [encode(item) for item in value]
    if isinstance(value, datetime.datetime):
        return {"$datetime": value.isoformat()}
    if isinstance(value, datetime.date):
        return {"$date": value.isoformat()}
    if isinstance(value, bytes):
        return {"$bytes": base64.b64encode(value).decode()}
    if isinstance(value, set):
        return {"$set": sorted(value)}
    if isinstance(value, float) and not math.isfinite(value):
        return {"$float": repr(value)}
    return value


def _show(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 1000 else text[:1000] + "…"
