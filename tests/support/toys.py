"""A system made up for these tests: every file is an output, merged over those it names under `from`.

A file whose `secret` is true holds a secret. It shows that the page asks no dialect's name.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from lamina.engine.node import SourceNode
from lamina.engine.operators.mapping import Union
from lamina.engine.operators.whole import DESCEND, TAKE
from lamina.engine.plan import Compiler, Directive, From, Merge, Output, OutputRef, Stage
from lamina.engine.policy import Cases, Policy
from lamina.errors import Diagnostic, Severity
from lamina.protocol.dialect import Dialect, ResultSpec
from lamina.run import Run
from lamina.sources.document_cache import yaml_document
from lamina.sources.inputs import Inputs, gather
from lamina.sources.source import Source
from lamina.values import ABSENT, ALL, MAPS
from lamina.views.render import render_with
from lamina.views.result import Result

DEEP = Policy(Cases((MAPS, MAPS, Union(Cases(((ABSENT,), ALL, TAKE), (ALL, ALL, DESCEND)))), (ALL, ALL, TAKE)), "deep")


@dataclass(frozen=True, slots=True, kw_only=True)
class ToyOptions:
    """No options."""


def compile_toys(inputs: Inputs, _options: ToyOptions) -> Compiler:
    notes = (
        Diagnostic(code="toy-note", message="the port is odd", path=(1, "web", "port"), severity=Severity.WARNING),
        Diagnostic(code="toy-info", message="this is a toy", severity=Severity.INFO),
    )
    yield ResultSpec(shape="list", secrets="hide")
    yield Stage(title="toys", outputs=tuple(_output(source) for source in inputs.sources), notes=notes)


def _output(source: Source) -> Output:
    document = yaml_document(source, Run())
    secret = bool(document.value.get("secret"))
    node = SourceNode(document.value, (), document.positions, 0, source.name, secret=secret)
    takes: list[Any] = [From(source=OutputRef(name), layer=name) for name in document.value.get("from", ())]
    steps = tuple(
        Merge(directive=Directive("the file's order"), take=take, policy=DEEP)
        for take in [*takes, From(source=node.child("data"))]
    )
    return Output(name=PurePath(source.name).stem, steps=steps)


TOY = Dialect(name="toy", title="Toys", options=ToyOptions, detect=lambda _: False, compile=compile_toys)


def render_toys(*files: tuple[str, str]) -> Result:
    """Files of the made-up system, rendered."""
    return render_with(TOY, gather(files), ToyOptions())


SITE = (
    ("site/base.yaml", "data:\n  web:\n    port: 80\n    host: localhost\n  log: info\n"),
    ("site/web.yaml", "from: [base]\ndata:\n  web:\n    port: 8081\n  log: info\n"),
    ("site/db.yaml", "from: [base]\ndata:\n  db:\n    size: 3\n  log: debug\n"),
    ("site/vault.yaml", "secret: true\ndata:\n  web:\n    token: hunter2-in-the-vault\n"),
    ("site/all.yaml", "from: [web, db, vault]\ndata:\n  note: everything together\n"),
)
