"""Where fuzzing starts: the inputs of the golden cases, and snippets that went wrong somewhere once."""

from __future__ import annotations

import base64
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from lamina.conformance.case import find, load

if TYPE_CHECKING:
    from lamina.conformance.case import Case

CASES = Path(__file__).parent.parent / "cases"
DIALECTS = ("cloud-init", "heat", "deckhand", "datum", "ansible")

ANY = [
    *(
        b"",
        b"\n",
        b"\r\n",
        b"\r",
        b"\x00",
        b"\x7f",
        b"\x85",
        b"\xff",
        b"\xff\xfe",
        b"\xef\xbb\xbf",
        b"\xed\xa0\x80",
        b"\x1b[2J",
    ),
    *(
        b"- ",
        b"-\n",
        b": ",
        b"? ",
        b", ",
        b"[",
        b"]",
        b"{",
        b"}",
        b"&a ",
        b"*a",
        b"<<: ",
        b"<<: *a\n",
        b"!!",
        b"! ",
        b"!x ",
    ),
    *(
        b"!!binary x",
        b"!!set {a}",
        b"!!omap [a: 1]",
        b"!!pairs [a: 1]",
        b"!!timestamp 1",
        b"!!int x",
        b"!!bool x",
        b"!!float ''",
    ),
    *(
        b"!!python/object:os.system x",
        b"!<x>",
        b"!!str",
        b"!!null x",
        b"%YAML 1.2\n---\n",
        b"%TAG ! x\n",
        b"---\n",
        b"...\n",
    ),
    *(b'"\\', b'"\\x', b'"\\U00110000"', b'"\\ud800"', b"'", b"''", b"|\n", b">-\n", b"|9\n", b"# ", b"\t", b"    "),
    *(
        b"1e999",
        b"-0",
        b"0x_",
        b"0o8",
        b"1_0",
        b"190:20:30",
        b".inf",
        b".nan",
        b"9" * 5000,
        b"2001-99-99",
        b"2001-01-01",
    ),
    *(
        b"[" * 250,
        b"{a: " * 250,
        b"- " * 250,
        b"&a [*a]",
        b"&a {<<: *a}",
        b"a: &a [1]\nb: *a\n",
        b"~",
        b"null",
        b"=",
        b"\\u0000",
    ),
    *(
        b'{"a": 1, "a": 2}',
        b"NaN",
        b"Infinity",
        b"1E400",
        b"\\",
        b"\xf0\x9f\x98\x80",
        b"a" * 200,
        b"\xe2\x80\xae",
        b"\xc2\x9b",
    ),
]
"""What any reader may meet."""

OWN = {
    "cloud-init": [
        *(b"#cloud-config\n", b"#cloud-config-archive\n", b"#cloud-config-jsonp\n", b"#include\n", b"#include-once\n"),
        *(b"#!/bin/sh\n", b"#part-handler\n", b"#upstart-job\n", b"## template: jinja\n", b"\x1f\x8b", b"file:///x\n"),
        *(
            b"MIME-Version: 1.0\n",
            b"Content-Type: multipart/mixed; boundary=B\n\n",
            b"--B\n",
            b"--B--\n",
            b"boundary*0*=x",
        ),
        *(
            b"Content-Transfer-Encoding: base64\n",
            b"Content-Type: message/rfc822\n",
            b"filename*=utf-8''%ff",
            b"charset=x",
        ),
        *(
            b"merge_how: ",
            b"merge_type: 'list(append)+dict(recurse_list)+str(append)'\n",
            b"merge_how: [{name: list}]\n",
        ),
        *(b"{{ v1.x }}", b"{{ x.__class__ }}", b"{% for a in b %}", b"{%", b"%}", b"{{", b"{#", b"{{ a|tojson }}"),
        *(
            b"{{ 'x' * 999999999 }}",
            b"{{ [1] * 99999999 }}",
            b"{{ 9 ** 9 ** 9 }}",
            b"{{ lipsum() }}",
            b"{{ a|pprint }}",
        ),
        *(
            b'[{"op": "move", "from": "/a", "path": "/a/b"}]',
            b'{"op": "add"}',
            b'{"op": "copy", "from": "", "path": "/a"}',
        ),
        *(
            b'{"op": "add", "path": "/a/-", "value": 1}',
            b'{"op": "test", "path": "/a"}',
            b'"/~2"',
            b'"/99999999999999999999"',
        ),
    ],
    "heat": [
        *(
            b"parameters:\n",
            b"parameter_defaults:\n",
            b"resource_registry:\n",
            b"parameter_merge_strategies:\n",
            b"event_sinks:\n",
        ),
        *(
            b"encrypted_param_names: [a]\n",
            b"merge",
            b"deep_merge",
            b"overwrite",
            b"default: ",
            b"strategy: ",
            b"resources:\n",
        ),
        *(
            b"heat_template_version: 2021-04-16\n",
            b"heat_template_version: x\n",
            b"AWSTemplateFormatVersion: 2010-09-09\n",
        ),
        *(
            b"type: comma_delimited_list\n",
            b"type: json\n",
            b"type: number\n",
            b"hidden: true\n",
            b"OS::A: ~\n",
            b"hooks: []\n",
        ),
        *(
            b"get_file: x\n",
            b"file:///etc/passwd",
            b"constraints: [{length: {max: x}}]\n",
            b"allowed_pattern: '('\n",
            b"a,b,,c",
        ),
    ],
    "deckhand": [
        *(
            b"schema: deckhand/LayeringPolicy/v1\n",
            b"schema: deckhand/DataSchema/v1\n",
            b"schema: a/B/v1\n",
            b"schema: 5\n",
        ),
        *(
            b"metadata: {schema: metadata/Document/v1, name: a}\n",
            b"metadata: {schema: metadata/Control/v1, name: a}\n",
        ),
        *(
            b"layeringDefinition: {layer: site, abstract: false}\n",
            b"layerOrder: [a, a]\n",
            b"parentSelector: {a: b}\n",
        ),
        *(
            b"actions: [{method: merge, path: .}]\n",
            b"actions: [{method: delete, path: .a[0]}]\n",
            b"method: replace\n",
        ),
        *(
            b"substitutions: [{src: {schema: a/B/v1, name: a, path: .}, dest: {path: .x}}]\n",
            b"dest: [{path: .a[99999]}]\n",
        ),
        *(
            b"path: .a[" + b"9" * 4400 + b"]\n",
            b"path: $..a\n",
            b"path: '['\n",
            b"pattern: '(a+)+$'\n",
            b"recurse: {depth: -1}\n",
        ),
        *(
            b"replacement: true\n",
            b"storagePolicy: encrypted\n",
            b"data: null\n",
            b"data: {80: 5}\n",
            b"labels: {1: 2}\n",
        ),
    ],
    "helm": [
        *(
            b"dependencies:\n",
            b"- name: db\n  version: 1.x\n",
            b"  alias: b\n",
            b"  condition: a.b, c\n",
            b"  tags: [x]\n",
        ),
        *(
            b"  import-values: [data, {child: a, parent: .}]\n",
            b"global:\n",
            b"exports: {data: {a: 1}}\n",
            b"type: library\n",
        ),
        *(
            b"apiVersion: v1\n",
            b"version: 1.0.0\n",
            b"version: ^1 || >2\n",
            b"null",
            b"{{ .Values.a }}",
            b"on: 1\n",
            b"010",
        ),
    ],
    "ansible": [
        *(
            b"[web:vars]\n",
            b"[a:children]\na\n",
            b"w[1:99999999]",
            b"w[01:1]",
            b"[::1]:22",
            b"a={'b': [",
            b"a=" + b"(" * 99,
        ),
        *(
            b"!vault |\n  $ANSIBLE_VAULT",
            b"!unsafe [",
            b"$ANSIBLE_VAULT;1.1",
            b"<<: *a",
            b"{{",
            b"plugin: x\n",
            b"../x",
        ),
        *(b'{"__ansible_vault": "x"}', b'{"a": NaN', b"ansible_group_priority=x", b"all:\n  children: {all: }\n"),
    ],
    "datum": [
        *(
            b"ResolutionPrecedence:\n",
            b"DatumStructure:\n",
            b"lookup_options:\n",
            b"default_lookup_options: MostSpecific\n",
        ),
        *(
            b"merge_hash_array: UniqueKeyValTuples\n",
            b"merge_options: {tuple_keys: [a]}\n",
            b"knockout_prefix: --\n",
            b"'--a'\n",
        ),
        *(
            b"^.*: deep\n",
            b"^(a+)+$: deep\n",
            b"'^[': hash\n",
            b"merge_basetype_array: Unique\n",
            b"merge_hash: deep\n",
        ),
        *(
            b"[x={ Get-Process }=]",
            b"[ENC=x]",
            b"$Node.Name",
            b"$(throw)",
            b"NodeName: a\n",
            b"Name: ../../x\n",
            b"AllNodes\\x\n",
        ),
        *(b"@{", b"@(", b"}", b"@'\n", b"'@\n", b"$true", b"0x", b"1kb", b"<#", b"#>", b"`", b";"),
    ],
}
"""What the words of each dialect are."""


@cache
def cases(dialect: str) -> tuple[Case, ...]:
    """The golden cases of a dialect that have files of a moderate size."""
    found = [case for path in find([CASES / dialect]) for case in load(path)]
    return tuple(case for case in found if case.files and sum(map(len, case.files.values())) < 20_000)


def contents(case: Case) -> dict[str, bytes]:
    """The files of a case, as bytes."""
    coded = case.options.get("encoding", {})
    return {
        name: base64.b64decode(text) if coded.get(name) == "base64" else text.encode("utf-8", "surrogatepass")
        for name, text in case.files.items()
    }
