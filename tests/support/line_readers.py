"""The two ways to read plain lines, for tests that want both: the C extension, and PyYAML's alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.c_extensions import extension

if TYPE_CHECKING:
    from lamina.sources.yaml.fast_reader import Reader

_MODULE, needs_compiled = extension("lamina.sources.yaml._yaml")
COMPILED: Reader = _MODULE.read_yaml
both_readers = pytest.mark.parametrize(
    "reader", [pytest.param(None, id="pyyaml"), pytest.param(COMPILED, id="compiled", marks=needs_compiled)]
)

PIECES = """
a|b: 1|- x|- y: 2|key:|- |-||c: %|text|# c|---|d: 'q r'|e: "f"|g: [1, a, 'x']|h: {a: 1, b: c}|i: yes|k: 1 # z|- - n
? a|l: >|m: %-|'q': 1|n: 012|o: 12:30|p: a: b|2: x|q: -1|- %|r: #x|s:  t |- #|u: ~|v: []|w: {}|x: - y|- k:|...|y: a #b
z: a:b|<<: {a: 1}|b: *x|a: &x 1|t: !!str 1|A::B: c|s: 2001-01-01|e: =|f: é|"g": h|h: "a\\n"|i: 'it''s'|j: [a, [b]]
x: {a: [b, {c: 'd'}]}|y: [{a: b}, c, ]|z: [a, {b: 1, b: 2}]|- [{a: 1} , [] ]
k: {a: 1, a: 2}|l: [a,b]|m: {a: b: c}|n: -|o: "|p: %|q: @|r: a  b|s: 1,5|t: (1)|%+|%2|u: ',|v: [?a, b]|w: {a: , b}
<<: [{b: 1}, *x]|c: &y {a: 1, c: 2}|<<: *y|{<<: *y, <<: {}}
"""
SOUP = [piece.replace("%", "|") for line in PIECES.strip().splitlines() for piece in line.split("|")]
"""Lines to throw together."""
PLAIN = """\
# a comment
---
schema: example/Software/v1   # behind a value
metadata:
  labels: {tier: web, zone: 'a b'}

  ports: [80, "x", -1]
  nested: {a: [b, {c: d}], e: [], f: [[1], [2, 'x']] }
  empty:
  nothing: ~
OS::Nova::Server: server.yaml
'on': "off"
"a b": 'c'
content: |
  first
    second

  - third: 1

kept: |-
  text
list:
- a
-
- name: b
  size: 2
- |
  item
-   - x
"""
"""A document that is plain but for its last line."""
