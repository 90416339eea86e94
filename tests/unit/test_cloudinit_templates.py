"""Templates: rendered as the program renders them, each value naming the template's line, within bounds."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from typing import Any

import jinja2
import pytest
from jinja2.ext import do

import lamina
from lamina.dialects.cloudinit.instance_data import template_variables
from lamina.values import Unknown
from support import hostile_templates

HEAD = "## template: jinja\n#cloud-config\n"
DATA = {
    "v1": {"region": "north", "names": ["a", "b", "c"], "local-hostname": "h1", "n": 2, "long": "one\ntwo"},
    "ds": {"meta-data": {"tags.role": "db", "list": [{"k": 1}, {"k": 2}]}},
    "secret": "aGlkZGVu",
    "base64-encoded-keys": ["secret"],
}

BODIES = [
    "a: {{ region }}\n",
    "a: {{ v1.region }}-{{ v1.n + 1 }}\nb: {{ ds.meta_data.tags_role }}\n",
    "l:\n{% for name in v1.names %}\n- {{ name }}\n{% endfor %}\nz: 1\n",
    "l:\n{%- for name in v1.names %}\n- {{ loop.index }}/{{ loop.length }}: {{ name }}\n{%- endfor %}\nz: 1\n",
    "{% if v1.n > 1 %}\na: 1\n{% else %}\na: 2\n{% endif %}\nb: 3\n",
    "{% macro m(x) %}\n- {{ x }}\n{% endmacro %}\nl:\n{{ m(1) }}{{ m('q') }}z: 0\n",
    "{% set x = 'v' ~ v1.n ~ region %}\na: {{ x }}\n",
    "{% set l = [] %}{% do l.append(1) %}{% do l.append(2) %}\na: {{ l }}\n",
    "a: [{{ v1.names | join(', ') }}]\nb: {{ 'x' * 3 }}\nc: {{ '%03d' | format(v1.n) }}\n",
    "a: |\n  {{ v1.long | indent(2) }}\nb: 1\n",
    "{# a comment\nover lines #}\na: 1\n{% raw %}b: '{{ x }}'{% endraw %}\n",
    "a: {{ v1.nope }}\n",
    "{% filter upper %}\na: x\n{% endfilter %}\n",
    "{% for i in range(3) %}{% for j in 'ab' %}k{{ i }}{{ j }}: 1\n{% endfor %}{% endfor %}\n",
    "a: {{ secret }}\nb: {{ 7 // 2 }} {{ 2 ** 5 }} {{ 7 % 4 }}\n",
    "no newline at the end: {{ region }}",
    "a: {{ v1.names | length }}\n{% for d in ds.meta_data.list %}\nk{{ loop.index0 }}: {{ d.k }}\n{% endfor %}\n",
    "{% for x in v1.nope %}\n- {{ x }}\n{% else %}\nnone: 1\n{% endfor %}\n",
    "a: {{ 'abc' | center(9) }}|\nb: {{ 'a-b' | replace('-', '_') }}\nc: {{ 'a.b'.replace('.', '-') }}\n",
]


class _Missing(jinja2.DebugUndefined):
    __slots__ = ()

    def __str__(self) -> str:
        return f"CI_MISSING_JINJA_VAR/{self._undefined_name}"


def plainly(text: str) -> str:
    """The text rendered by the template language as it comes, without our bounds."""
    template = jinja2.Template(text, undefined=_Missing, trim_blocks=True, extensions=[do])
    return str(template.render(**template_variables(DATA))) + ("\n" if text.endswith("\n") else "")


def rendered(body: str, **options: Any) -> lamina.Result:
    return lamina.render([("t", HEAD + body)], dialect="cloud-init", instance_data=DATA, **options)


@pytest.mark.parametrize("body", BODIES)
def test_the_bounds_change_nothing(body: str) -> None:
    wanted = lamina.render([("t", "#cloud-config\n" + plainly(body))], dialect="cloud-init").value
    assert rendered(body).value == wanted


def test_each_value_names_the_line_of_the_template() -> None:
    body = (
        "a: {{ region }}\n"
        "l:\n"
        "{% for name in v1.names %}\n"
        "- {{ name }}\n"
        "{% endfor %}\n"
        "{% if v1.n > 1 %}\n"
        "b: 1\n"
        "{% else %}\n"
        "b: 2\n"
        "{% endif %}\n"
        "c: [{{ region }},\n"
        "  {%- if v1.n %}\n"
        "  deep]\n"
        "  {%- endif %}\n"
    )
    result = rendered(body)
    lines = {path: result.explain(path).origins[0].line for path in ("a", "l[0]", "l[2]", "b", "c[0]", "c[1]")}
    assert lines == {"a": 3, "l[0]": 6, "l[2]": 6, "b": 9, "c[0]": 13, "c[1]": 15}


def test_a_template_inside_a_message_names_the_line_of_the_file() -> None:
    part = HEAD + "\na: {{ region }}\n"
    text = f"MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=B\n\n--B\n\n{part}--B--\n"
    result = lamina.render([("m", text)], dialect="cloud-init", instance_data=DATA)
    [origin] = result.explain("a").origins
    assert (origin.source, origin.line, origin.part) == ("m", 9, "part-001")


def test_where_marks_would_change_the_result_the_whole_template_is_named() -> None:
    result = rendered("{% filter replace('a', 'b') | center(12) %}\na: 1{% endfilter %}\n")
    assert result.value == {"b": 1}
    assert result.explain("b").origins[0].line == 1


@pytest.mark.parametrize(
    ("body", "words", "line"),
    [
        ("a: {% if %}\n", "Expected an expression", 3),
        ("a: 1\nb: {{ v1.nope.deeper }}\n", "nope", 4),
        ("a: {{ v1.local-hostname }}\n", "hyphen means subtraction", 3),
        ("a: {{ 1 / 0 }}\n", "division", 3),
        ("a: {{ ''.__class__.__mro__ }}\n", "unsafe", 3),
        ("{% include 'x' %}\n", "loader", 3),
    ],
)
def test_an_error_loses_the_part_and_names_the_line(body: str, words: str, line: int) -> None:
    result = rendered(body)
    [note] = [note for note in result.notes if note.code == "template-error"]
    assert result.value is None
    assert words in note.message
    assert note.at is not None
    assert note.at.line == line


@pytest.mark.parametrize("first", ["\n## template: jinja\n", "## template: jinja2\n"])
def test_only_the_very_first_line_counts(first: str) -> None:
    result = lamina.render([("t", f"{first}#cloud-config\na: 1\n")], dialect="cloud-init", instance_data=DATA)
    assert result.value is None
    assert [note.code for note in result.notes] == ["template-error"]


@pytest.fixture(scope="module")
def hostile() -> Any:
    """The outcome of hostile templates, in a separate process with little memory."""
    limits = {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))}
    script = [sys.executable, hostile_templates.__file__]
    done = subprocess.run(script, capture_output=True, text=True, timeout=600, check=True, **limits)  # type: ignore[call-overload]
    return json.loads(done.stdout)


@pytest.mark.slow
def test_work_without_end_ends_with_a_finding(hostile: Any) -> None:
    found = zip(hostile_templates.BODIES, hostile["found"], strict=True)
    assert [body for body, codes in found if codes != ["template-error"]] == []


@pytest.mark.slow
def test_no_template_takes_more_than_256_mib(hostile: Any) -> None:
    assert hostile["grown"] < 256


@pytest.mark.parametrize("limit", ["steps", "MiB", "items"])
def test_the_finding_says_that_the_limit_is_ours(limit: str) -> None:
    body = {
        "steps": "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}",
        "MiB": "{% set l = [] %}{% for i in range(99999) %}{% do l.append('x' * 999999) %}{% endfor %}",
        "items": "{% set l = [1] %}{% for i in range(60) %}{% do l.extend(l) %}{% endfor %}",
    }[limit]
    [note] = [note for note in rendered(f"a: 1\n{body}\n").notes if note.code == "template-error"]
    assert limit in note.message
    assert "Lamina's limit" in note.message
    assert note.at is not None


def test_what_the_sandbox_withholds_is_missing() -> None:
    result = rendered("a: {{ ''.__class__ }}\nb: {{ [].__class__ }}\n")
    assert result.value == {"a": "CI_MISSING_JINJA_VAR/__class__", "b": "CI_MISSING_JINJA_VAR/__class__"}
    assert [note.code for note in result.notes] == ["missing-template-variable"]


def test_filler_text_is_there() -> None:
    value = rendered("a: {{ lipsum(n=1, html=False, min=3, max=5) | tojson }}\nb: {{ lipsum() | length > 99 }}\n").value
    assert 3 <= len(value["a"].split()) < 5
    assert value["b"] is True


WITHOUT_DATA = """\
## template: jinja
#cloud-config
hostname: web-{{ v1.region }}
packages: [git]
{% if v1.cloud_name == "aws" %}
timezone: Etc/UTC
{% else %}
locale: C
timezone: Etc/UTC
{% endif %}
write_files:
- path: /etc/one
  content: |
    region {{ v1.region }}
"""


def test_without_instance_data_only_what_depends_on_it_is_unknown() -> None:
    result = lamina.render([("user-data", WITHOUT_DATA)])
    unknown = {"hostname", "locale"}
    assert {key for key, value in result.value.items() if isinstance(value, Unknown)} == unknown
    assert result.value["packages"] == ["git"]
    assert result.value["timezone"] == "Etc/UTC"
    assert result.value["write_files"][0]["path"] == "/etc/one"
    assert result.value["hostname"].text == "web-{{ v1.region }}"
    assert result.value["write_files"][0]["content"].text == "region {{ v1.region }}\n"
    places = {note.path: str(note.at) for note in result.notes if note.code == "not-known"}
    assert places[("hostname",)] == "user-data:3:11"
    assert places[("locale",)].startswith("user-data:5:")  # the condition it depends on


def test_sample_data_stands_for_that_of_an_instance() -> None:
    for cloud, hostname in (("aws", "web-eu-central-1"), ("azure", "web-westeurope"), ("nocloud", "web-None")):
        result = lamina.render([("user-data", WITHOUT_DATA)], instance_data=f"sample:{cloud}")
        assert result.value["hostname"] == hostname
        assert "not-known" not in {note.code for note in result.notes}
    with pytest.raises(lamina.UsageError, match="did you mean 'aws'"):
        lamina.render([("user-data", WITHOUT_DATA)], instance_data="sample:awss")


def test_a_template_with_many_conditions_is_unknown_as_a_whole() -> None:
    template = "## template: jinja\n#cloud-config\n" + "{% if v1.x %}\na: 1\n{% endif %}\n" * 13
    result = lamina.render([("user-data", template)])
    assert "template-error" in {note.code for note in result.notes}


FOREIGN = [
    (
        "user-data.tftpl",
        "%{ if swap }\nswap: {filename: /s}\n%{ endif }\nhostname: ${name}\npackages: [git]\n",
        "Terraform",
    ),
    ("user-data", "{{- if .Swap }}\nswap: 1\n{{- end }}\nhostname: {{ .Name }}\npackages: [git]\n", "Go"),
    ("user-data", "{% if swap %}\nswap: 1\n{% endif %}\nhostname: {{ name }}\npackages: [git]\n", "Jinja"),
]


@pytest.mark.parametrize(("name", "text", "language"), FOREIGN)
def test_templates_of_other_programs_are_recognised(name: str, text: str, language: str) -> None:
    result = lamina.render([(name, f"#cloud-config\n{text}")], dialect="cloud-init")
    assert {key for key, value in result.value.items() if isinstance(value, Unknown)} == {"swap", "hostname"}
    assert result.value["packages"] == ["git"]
    [note] = [note for note in result.notes if note.code == "foreign-template"]
    assert f"is a template of {language}" in note.message
    assert str(result.explain("hostname").value.at).startswith(f"{name}:5:11")


def test_a_list_with_items_in_a_loop_is_unknown_as_a_whole() -> None:
    text = "#cloud-config\npackages:\n- git\n%{ for p in more ~}\n- ${p}\n%{ endfor ~}\nruncmd:\n- echo $${HOME}\n"
    value = lamina.render([("a.tftpl", text)], dialect="cloud-init").value
    assert isinstance(value["packages"], Unknown)
    assert value["runcmd"] == ["echo ${HOME}"]


def test_a_line_that_stands_for_others_makes_the_value_it_is_in_unknown() -> None:
    text = "#cloud-config\nhostname: x\nruncmd:\n- a\n\n${common}\n\npackages: [git]\n"
    value = lamina.render([("user-data", text)]).value
    assert (value["hostname"], value["packages"]) == ("x", ["git"])
    assert isinstance(value["runcmd"], Unknown)


def test_what_can_be_read_is_no_template_of_another_program() -> None:
    text = "#cloud-config\nruncmd:\n- docker ps --format '{{.Names}}'\n- echo ${HOME} %{http_code}\n"
    result = lamina.render([("user-data", text)])
    assert result.value["runcmd"][0] == "docker ps --format '{{.Names}}'"
    assert not result.notes


@pytest.mark.parametrize(("name", "language"), [("SSH_KEY", "a shell"), ("ssh_key", "Terraform")])
def test_a_value_that_is_nothing_but_a_name_to_fill_in_says_that_it_is_a_template(name: str, language: str) -> None:
    text = f"#cloud-config\nhostname: web\nssh_authorized_keys: ['${{{name}}}']\nruncmd: ['echo ${{HOME}}']\n"
    result = lamina.render([("user-data.yaml", text)], dialect="cloud-init")
    assert result.value["hostname"] == "web"
    assert language in result.value["ssh_authorized_keys"][0].reason
    assert [note.code for note in result.notes] == ["foreign-template", "not-known", "not-known"]
    script = "#cloud-config\nruncmd: ['${HOME}/start']\nwrite_files: [{path: /a, content: 'b: ${c}'}]\n"
    result = lamina.render([("user-data.yaml", script)], dialect="cloud-init")
    assert result.value["write_files"][0]["content"] == "b: ${c}"
    assert not result.notes
