"""Secrets are withheld wherever values are explained, and shown where that was asked for."""

from __future__ import annotations

from pathlib import Path

import pytest

from lamina.cli.main import main

TEMPLATE = """\
heat_template_version: 2018-08-31
parameters:
  Password: {type: string, hidden: true}
  Keys: {type: comma_delimited_list, hidden: true}
  Users: {type: json, hidden: true}
  Region: {type: string, hidden: false}
"""
OLD_TEMPLATE = """\
HeatTemplateFormatVersion: '2012-12-12'
Parameters:
  Password: {Type: String, NoEcho: 'true'}
  Keys: {Type: CommaDelimitedList, NoEcho: true}
  Users: {Type: Json, NoEcho: 'True'}
  Region: {Type: String, NoEcho: 'false'}
"""
FIRST = """\
parameter_merge_strategies: {Users: deep_merge, Password: merge}
parameter_defaults:
  Password: s3cr3t-a
  Keys: [s3cr3t-b, s3cr3t-c]
  Users: {1: {deep: s3cr3t-d}}
  Region: north
  Stored: [cipher, s3cr3t-e]
parameters: {Password: s3cr3t-f, Stored: s3cr3t-g}
encrypted_param_names: [Stored]
"""
SECOND = """\
parameter_merge_strategies: {Users: deep_merge, Password: merge}
parameter_defaults:
  Password: s3cr3t-h
  Keys: [s3cr3t-i]
  Users: {1: {deep: s3cr3t-j}}
  Region: south
"""
WRONG = "parameter_defaults: {Password: [s3cr3t-k], Users: 's3cr3t-l', Keys: {x: s3cr3t-m}}\n"

KINDS = (
    *("Passphrase", "PrivateKey", "PublicKey", "Certificate"),
    *("CertificateKey", "CertificateAuthority", "CertificateAuthorityKey"),
)
SITE = """\
---
schema: deckhand/LayeringPolicy/v1
metadata: {{schema: metadata/Control/v1, name: policy}}
data: {{layerOrder: [global, site]}}
---
schema: deckhand/{kind}/v1
metadata:
  schema: metadata/Document/v1
  name: kept
  storagePolicy: cleartext
  layeringDefinition: {{layer: site, abstract: false}}
data: {data}
---
schema: example/Kind/v1
metadata:
  schema: metadata/Document/v1
  name: user
  storagePolicy: cleartext
  layeringDefinition: {{layer: site, abstract: false}}
  substitutions:
  - src: {{schema: deckhand/{kind}/v1, name: kept, path: .}}
    dest: {{path: .inner.taken}}
  - src: {{schema: deckhand/{kind}/v1, name: kept, path: .}}
    dest: {{path: .url, pattern: HERE}}
data: {{inner: {{open: plain-value}}, url: "http://me:HERE@host"}}
"""
EXPLAINING = [
    ["explain", "--all"],
    ["explain", "--all", "--format", "json"],
    ["plan"],
    ["plan", "--format", "json"],
    ["lint"],
    ["lint", "--format", "json"],
    ["lint", "--format", "sarif"],
    ["lint", "--format", "github"],
    ["report"],
    ["render", "--annotate"],
    ["render", "--redact"],
]


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    with pytest.raises(SystemExit) as ended:
        main(list(arguments))
    printed = capsys.readouterr()
    return int(ended.value.code or 0), printed.out + printed.err


@pytest.fixture
def heat(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in (("t.yaml", TEMPLATE), ("a.yaml", FIRST), ("b.yaml", SECOND), ("c.yaml", WRONG)):
        (tmp_path / name).write_text(text)


@pytest.mark.usefixtures("heat")
class TestHeat:
    @pytest.mark.parametrize("rule_set", ["strategies", "deep-update"])
    @pytest.mark.parametrize("command", EXPLAINING, ids=" ".join)
    def test_hidden_and_encrypted_parameters(
        self, capsys: pytest.CaptureFixture[str], command: list[str], rule_set: str
    ) -> None:
        status, shown = run(capsys, *command, "--rule-set", rule_set, "-t", "t.yaml", "a.yaml", "b.yaml")
        assert status in (0, 1)
        assert "s3cr3t" not in shown
        assert command[0] in ("plan", "lint") or "south" in shown, "what is not secret is shown"

    def test_older_templates_hide_with_no_echo(self, capsys: pytest.CaptureFixture[str]) -> None:
        Path("t.yaml").write_text(OLD_TEMPLATE)
        _, shown = run(capsys, "explain", "--all", "-t", "t.yaml", "a.yaml", "b.yaml")
        assert "s3cr3t" not in shown
        assert "south" in shown

    @pytest.mark.parametrize("form", ["text", "json", "markdown"])
    def test_differences(self, capsys: pytest.CaptureFixture[str], form: str) -> None:
        status, shown = run(capsys, "diff", "--format", form, "-t", "t.yaml", "a.yaml", "b.yaml")
        assert status == 1
        assert "s3cr3t" not in shown
        assert "south" in shown

    @pytest.mark.parametrize("rule_set", ["strategies", "deep-update"])
    def test_errors(self, capsys: pytest.CaptureFixture[str], rule_set: str) -> None:
        status, shown = run(capsys, "render", "--rule-set", rule_set, "-t", "t.yaml", "a.yaml", "c.yaml")
        assert status == 3
        assert "s3cr3t" not in shown

    def test_they_are_shown_where_that_was_asked_for(self, capsys: pytest.CaptureFixture[str]) -> None:
        inputs = ("-t", "t.yaml", "a.yaml", "b.yaml")
        assert "s3cr3t-d" in run(capsys, "explain", "--all", "--cleartext-secrets", *inputs)[1]
        assert "s3cr3t-a" in run(capsys, "diff", "--cleartext-secrets", *inputs)[1]
        assert "s3cr3t-as3cr3t-h" in run(capsys, "render", *inputs)[1], "the result is what Heat gives"

    def test_a_hidden_parameter_in_plain_text_is_still_a_finding(self, capsys: pytest.CaptureFixture[str]) -> None:
        _, shown = run(capsys, "lint", "-t", "t.yaml", "a.yaml")
        assert "cleartext-secret" in shown


class TestDeckhand:
    @pytest.mark.parametrize("kind", KINDS)
    @pytest.mark.parametrize("command", EXPLAINING, ids=" ".join)
    def test_schemas_for_secrets(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str], command: list[str], kind: str
    ) -> None:
        (tmp_path / "site.yaml").write_text(SITE.format(kind=kind, data="s3cr3t"))
        status, shown = run(capsys, *command, str(tmp_path / "site.yaml"))
        assert status in (0, 1)
        assert "s3cr3t" not in shown
        assert command[0] in ("plan", "lint") or "plain-value" in shown, "what is not secret is shown"

    def test_what_a_schema_says_of_it(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        (tmp_path / "site.yaml").write_text(SITE.format(kind="Passphrase", data="[s3cr3t]"))
        status, shown = run(capsys, "lint", "--post-validate", str(tmp_path / "site.yaml"))
        assert status == 1
        assert "is not of type" in shown
        assert "s3cr3t" not in shown

    def test_it_is_shown_where_that_was_asked_for(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        (tmp_path / "site.yaml").write_text(SITE.format(kind="Passphrase", data="s3cr3t"))
        assert "s3cr3t" in run(capsys, "explain", "--all", "--cleartext-secrets", str(tmp_path / "site.yaml"))[1]
        assert "http://me:s3cr3t@host" in run(capsys, "render", str(tmp_path / "site.yaml"))[1]
