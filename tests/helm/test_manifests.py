"""What a field of a manifest comes from, on a chart that has one field of each kind."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import lamina
from helm.helm_program import HELM
from lamina.dialects.helm import program
from lamina.dialects.helm.manifest import EXPLAIN
from lamina.sources.inputs import gather

VALUES = """\
name: web
replicas: 2
secret: hidden
debug: false
suffix: ""
ingress: {enabled: true, host: a.example}
mode: fast
"""
TEMPLATE = """\
apiVersion: v1
kind: ConfigMap
metadata:
  name: web
  annotations: {checksum/all: {{ toJson .Values | sha256sum }}}
data:
  text: "{{ .Values.name }}{{ .Values.suffix }}"
  number: {{ .Values.replicas }}
  encoded: {{ .Values.secret | b64enc }}
  level: {{ if .Values.debug }}all{{ else }}few{{ end }}
  speed: {{ if eq .Values.mode "fast" }}9{{ else }}1{{ end }}
  fixed: here
  random: {{ randAlphaNum 12 }}
  {{- if .Values.ingress.enabled }}
  host: {{ .Values.ingress.host }}
  {{- end }}
"""


@pytest.fixture
def chart(tmp_path: Path) -> Path:
    folder = tmp_path / "web"
    (folder / "templates").mkdir(parents=True)
    (folder / "Chart.yaml").write_text("apiVersion: v2\nname: web\nversion: 1.0.0\n")
    (folder / "values.yaml").write_text(VALUES)
    (folder / "templates/all.yaml").write_text(TEMPLATE)
    return folder


def links(chart: Path, path: tuple[str, ...], **options: Any) -> dict[str, Any]:
    inputs = gather([chart])
    result = lamina.render(inputs, dialect="helm", manifest="ConfigMap/web", helm=str(HELM), **options)
    context = EXPLAIN.context(result, inputs, path)
    assert context is not None
    data = context.data
    found = {word: [each["path"] for each in data[word]] for word in ("flows-from", "decided-by", "exists-because-of")}
    return {word: paths for word, paths in found.items() if paths} | ({"unknown": True} if data["unknown"] else {})


@pytest.mark.slow
@pytest.mark.parametrize(
    ("field", "expected"),
    [
        ("text", {"flows-from": ["name"], "decided-by": ["suffix"]}),
        ("number", {"flows-from": ["replicas"]}),
        ("encoded", {"flows-from": ["secret"]}),
        ("level", {"decided-by": ["debug"]}),
        ("speed", {"decided-by": ["mode"]}),
        ("host", {"flows-from": ["ingress.host"], "exists-because-of": ["ingress.enabled"]}),
        ("fixed", {}),
        ("random", {"unknown": True}),
    ],
)
def test_a_field_is_linked_to_the_values_it_comes_from(field: str, expected: dict[str, Any], chart: Path) -> None:
    assert links(chart, ("data", field)) == expected


def test_a_checksum_is_named_as_such(chart: Path) -> None:
    assert links(chart, ("metadata", "annotations", "checksum/all")) == {"unknown": True}


def test_the_user_s_own_arguments_count(chart: Path) -> None:
    assert links(chart, ("data", "number"), set=["replicas=7"]) == {"flows-from": ["replicas"]}


def test_the_number_of_renders_is_limited(chart: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(program, "MOST_RENDERS", 3)
    assert links(chart, ("data", "level")) == {"unknown": True}


def test_a_template_that_fails_is_said_with_what_helm_says(chart: Path) -> None:
    (chart / "templates/bad.yaml").write_text('{{ fail "no way" }}\n')
    with pytest.raises(lamina.LaminaError, match="no way"):
        links(chart, ("data",))
