"""Helm: what golden cases do not compare, which are origins, findings, targets, and where programs are run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import lamina
from lamina.dialects.helm.helmignore import IgnoreRules
from lamina.dialects.helm.targets import find_targets
from lamina.dialects.helm.versions import fits
from lamina.errors import LaminaError
from lamina.run import Run
from lamina.sources.inputs import Absent, Inputs, MemoryFiles
from lamina.sources.source import Source

SHOP = Path(__file__).parents[2] / "examples/helm"
CHART = {"chart/Chart.yaml": "name: web\nversion: 1.0.0\n", "chart/values.yaml": "image: {tag: v1}\nlist: [a]\n"}
DB = {
    "chart/Chart.yaml": "name: web\nversion: 1.0.0\ndependencies: [{name: db, version: 1.x}]\n",
    "chart/charts/db/Chart.yaml": "name: db\nversion: 1.2.0\n",
    "chart/charts/db/values.yaml": "size: 1\nport: 5432\n",
}


def rendered(files: dict[str, str], *values: str, **options: Any) -> lamina.Result:
    in_memory = MemoryFiles(files)
    inputs = Inputs(tuple(in_memory.read(name) or Absent(name) for name in values), in_memory)
    return lamina.render(inputs, dialect="helm", chart="chart", **options)


def found(files: dict[str, str], **options: Any) -> lamina.Note:
    with pytest.raises(LaminaError) as raised:
        rendered(files, **options)
    return raised.value.diagnostic


def test_an_argument_is_an_origin_with_its_column() -> None:
    result = rendered(CHART, set=["image.tag=v2,list[1]=b"], set_json=['extra={"a": [1, 2]}'])
    assert [str(each) for each in result.explain("image.tag").origins] == ["--set image.tag:1:11"]
    assert [str(each) for each in result.explain("list[1]").origins] == ["--set image.tag:1:22"]
    assert [str(each) for each in result.explain("extra.a[1]").origins] == ["--set-json extra:1:17"]


def test_what_cannot_be_set_names_the_column_and_what_is_in_the_way() -> None:
    note = found({**CHART, "v.yaml": ""}, set=["a=1", "b=2,c[x]=3"])
    assert (note.code, str(note.at)) == ("set-syntax", "--set b:1:7")
    note = found(CHART, set=["a=1", "a.b=2"])
    assert (note.code, str(note.at)) == ("set-syntax", "--set a.b:1:5")
    assert "a number is in the way" in note.message


def test_both_ways_to_write_a_path_of_a_subchart_have_one_history() -> None:
    result = rendered({**DB, "v.yaml": "db: {size: 3}\n"}, "v.yaml")
    histories = [result.explain(path) for path in ("charts/db:size", "db.size", ".:db.size")]
    assert [[(e.verdict, str(e.origin)) for e in each.events] for each in histories] == [
        [
            ("set", "v.yaml:1:12"),
            ("set", "chart/charts/db/values.yaml:1:7"),
            ("ignored", "chart/charts/db/values.yaml:1:7"),
        ]
    ] * 3
    assert [str(each) for each in result.explain("charts/db:port").origins] == ["chart/charts/db/values.yaml:2:7"]


def test_what_is_no_mapping_under_the_name_of_a_subchart_is_shown() -> None:
    note = found({**DB, "chart/values.yaml": "other: 1\ndb: small\n"})
    assert (note.code, str(note.at)) == ("type-mismatch", "chart/values.yaml:2:5")


def test_a_packed_chart_is_refused_with_what_to_do() -> None:
    note = found({**CHART, "chart/charts/db-1.0.0.tgz": "x"})
    assert note.code == "packed-chart"
    assert "unpack" in (note.hint or "")


@pytest.mark.parametrize(
    ("wanted", "version", "expected"),
    [
        (">= 1.2, < 2 || 3", "3.1", True),
        ("^0.0.3", "0.0.4", False),
        ("1.0 - 2", "1.9.9", True),
        (">11", "11.1.0", False),
        ("!=1.2", "1.2.9", False),
        (">=1.0.0", "2.0.0-rc1", False),
        ("1.2.3-01", "1.2.3", False),
    ],
)
def test_ranges_of_versions(wanted: str, version: str, expected: bool) -> None:
    assert fits(wanted, version) is expected


def test_a_range_of_many_spaces_is_read_at_once() -> None:
    assert not fits("1  " * 80 + "!", "1.0.0")


def test_rules_of_helmignore() -> None:
    rules = IgnoreRules(Source(".helmignore", b"# all\n*.bak\n/top\ndocs/\ncharts/old\n[ab].txt\n"))
    names = ("x.bak", "a/x.bak", "top", "a/top", "docs/x", "a/docs/x", "charts/old/Chart.yaml", "a.txt", "c.txt")
    assert [name for name in names if not rules.ignore(name)] == ["a/top", "c.txt"]


ARGO = """\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: web-prod}
spec:
  sources:
  - {repoURL: x, ref: values}
  - repoURL: x
    path: web
    helm:
      valueFiles: [values-a.yaml, /env/prod.yaml, $values/env/more.yaml]
      parameters: [{name: image.tag, value: "v1,2"}, {name: port, value: "80", forceString: true}]
      values: "a: 1"
"""
FLUX = """\
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: web-flux}
spec: {chart: {spec: {chart: ./web, valuesFiles: [./web/values.yaml, ./env/prod.yaml]}}}
"""


def test_targets_are_what_argo_cd_and_flux_deploy_in_their_order() -> None:
    files = {
        "web/Chart.yaml": "name: web\nversion: 1.0.0\n",
        "web/values.yaml": "a: 0\n",
        "web/values-a.yaml": "a: 1\n",
        "web/charts/db/Chart.yaml": "name: db\nversion: 1.0.0\n",
        "common/Chart.yaml": "name: common\nversion: 1.0.0\ntype: library\n",
        "env/prod.yaml": "a: 2\n",
        "env/more.yaml": "a: 3\n",
        "apps/argo.yaml": ARGO,
        "apps/flux.yaml": FLUX,
        "apps/template.yaml": ARGO.replace("web-prod", "{{ name }}"),
    }
    targets = {each.key: each for each in find_targets(MemoryFiles(files), sorted(files), Run())}
    assert {key: each.fields["inputs"] for key, each in targets.items()} == {
        "web-prod": ["web", "web/values-a.yaml", "env/prod.yaml", "env/more.yaml"],
        "web-flux": ["web", "env/prod.yaml"],
        "web": ["web"],
        "web-a": ["web", "web/values-a.yaml"],
    }
    assert targets["web-prod"].fields["options"] == {"set": ["image.tag=v1\\,2"], "set_string": ["port=80"]}
    assert "written out" in targets["web-prod"].remarks[0]
    assert "guessed" in targets["web-a"].fields


@pytest.mark.parametrize(
    ("template", "is_known"),
    [
        ("{{ .Values.image.tag }}", False),
        ('{{ hasKey .Values "image" }}', False),
        ("{{ with .Values }}{{ .image.tag }}{{ end }}", False),
        ("{{ toYaml .Values }}", True),
        ('{{ toYaml (omit .Values "image") }}', True),
        ("{{ range $name, $each := $.Values }}{{ $each }}{{ end }}", True),
    ],
)
def test_templates_that_use_all_values_know_every_key(template: str, is_known: bool) -> None:
    files = MemoryFiles({**CHART, "chart/templates/a.yaml": template, "a.yaml": "colour: red\n"})
    source = files.read("a.yaml")
    assert source is not None
    notes = lamina.lint(Inputs((source,), files), dialect="helm", chart="chart")
    assert [note.code for note in notes] == ([] if is_known else ["unknown-chart-value"])


def test_templates_are_run_only_by_the_helm_that_is_named() -> None:
    with pytest.raises(LaminaError) as raised:
        lamina.render([SHOP / "shop"], dialect="helm", manifest="Deployment/shop")
    assert raised.value.diagnostic.code == "helm-required"


def test_a_helm_that_cannot_be_run_is_named(tmp_path: Path) -> None:
    with pytest.raises(LaminaError) as raised:
        lamina.render([SHOP / "shop"], dialect="helm", manifest="Deployment/shop", helm=str(tmp_path / "helm"))
    assert raised.value.diagnostic.code == "helm-not-run"


def test_a_project_file_cannot_name_a_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    options = '{ manifest = "Deployment/web", helm = "./run" }'
    (tmp_path / "lamina.toml").write_text(f'[targets.web]\ndialect = "helm"\ninputs = ["chart"]\noptions = {options}\n')
    for name, text in CHART.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    (tmp_path / "run").write_text("#!/bin/sh\ntouch ran\n")
    (tmp_path / "run").chmod(0o755)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(LaminaError):
        lamina.Workspace(".").result("web")
    assert not (tmp_path / "ran").exists()
