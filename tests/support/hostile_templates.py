"""Templates that would take more time or memory than there is, and a way to render them apart from everything else."""

from __future__ import annotations

BODIES = [
    # Loops and calls without end.
    "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}",
    "{% for a in 'x' * 9999 %}{% for b in 'x' * 9999 %}{% endfor %}{% endfor %}",
    "{% for a in range(99999) %}{% for b in range(99999) %}" + "text " * 10_000 + "{% endfor %}{% endfor %}",
    "{% set x %}{% for a in range(99999) %}" + "text " * 10_000 + "{% endfor %}{% endset %}{{ x|length }}",
    "{% macro f(n) %}{{ f(n) }}{{ f(n) }}{% endmacro %}{{ f(1) }}",
    "{% macro f(n) %}{% if n %}{{ f(n - 1) }}{{ f(n - 1) }}{% endif %}{% endmacro %}{{ f(30) }}",
    "{% for x in [1] recursive %}{{ loop([1, 1]) }}{% endfor %}",
    "{% for i in range(99999) %}{% for j in [1, 2, 3, 4, 5, 6, 7, 8, 9] %}{{ lipsum() }}{% endfor %}{% endfor %}",
    # Text and lists that grow.
    "{% set ns = namespace(x='a') %}{% for i in range(60) %}{% set ns.x = ns.x ~ ns.x %}{% endfor %}{{ ns.x }}",
    "{% set ns = namespace(x='a') %}{% for i in range(60) %}{% set ns.x = ns.x + ns.x %}{% endfor %}{{ ns.x }}",
    "{% set l = [1] %}{% for i in range(60) %}{% do l.extend(l) %}{% endfor %}{{ l }}",
    "{% set d = {} %}{% for i in range(99999) %}{% do d.update({i: 'x' * 9999}) %}{% endfor %}",
    "{% set l = [] %}{% for i in range(99999) %}{% do l.append('x' * 999999) %}{% endfor %}",
    "{% set l = [] %}{% for i in range(99999) %}{% do l.append(('x' * 999999)[i:]) %}{% endfor %}",
    "{% set l = [] %}{% for i in range(99999) %}{% do l.append([0] * 99999) %}{% endfor %}",
    "{% set l = [] %}{% for i in range(99999) %}{% do l.append([" + "1, " * 9999 + "]) %}{% endfor %}",
    "{% set l = [] %}{% for i in range(99999) %}{% do l.append(('x' * 999999).upper()) %}{% endfor %}",
    "{% set l = [] %}{% for i in range(99999) %}{% do l.append(('x' * 999999)|upper) %}{% endfor %}",
    "{% set l = [] %}{% for i in range(99) %}{% do l.append(range(99999)|batch(1)|list) %}{% endfor %}",
    "{% set l = [] %}{% for i in range(99) %}{% for b in range(99999)|batch(1) %}{% do l.append(b) %}{% endfor %}"
    "{% endfor %}",
    "{% set x = 'aaaa' %}" + "{% set x %}{{ x }}{{ x }}{{ x }}{% endset %}" * 40 + "{{ x }}",
    "{% set l = [] %}{% do l.append(l) %}{{ l|tojson }}",
    # One list many times in another.
    *(
        "{% set ns = namespace(x=[1]) %}{% for i in range(60) %}{% set ns.x = [ns.x, ns.x] %}{% endfor %}" + use
        for use in (
            "{{ ns.x }}",
            "{{ ns.x|tojson }}",
            "{{ ns.x|pprint }}",
            "{{ ns.x|string|length }}",
            "{{ ns.x ~ '' }}",
            "{{ '%s' % ns.x }}",
            "{{ '{}'.format(ns.x) }}",
            "{{ ns.x == [ns.x[0], [ns.x[1][0], 1]] }}",
            "{{ [1] in ns.x }}",
            "{{ 1 is in(ns.x) }}",
            "{{ ns.x.count([[1], 2]) }}",
            "{{ [ns.x, ns.x]|sort }}",
            "{{ [ns.x, ns.x]|join }}",
        )
    ),
    "{% set ns = namespace(x=(1,)) %}{% for i in range(60) %}{% set ns.x = (ns.x, ns.x) %}{% endfor %}{{ {ns.x: 1} }}",
    "{% set ns = namespace(x=(1,)) %}{% for i in range(60) %}{% set ns.x = (ns.x, ns.x) %}{% endfor %}{{ {}[ns.x] }}",
    # Filters on what is large.
    *(
        "{% set l = ['x' * 4000000] * 100000 %}{{ l|" + use + " }}"
        for use in ("tojson", "pprint", "join", "sort", "unique|list", "list|string", "map('upper')|list", "max")
    ),
    "{{ (['x' * 4000000] * 100000) is in([1]) }}",
    "{{ 'y' in ['x' * 4000000] * 100000 }}",
    "{% for i in range(99999) %}{{ 'y' in 'x' * 3999999 }}{% endfor %}",
    "{% set x = 'x' * 3999999 %}{% for i in range(99999) %}{{ ('y' in x) }}{% endfor %}",
    "{% set x = 'x' * 3999999 %}{% for i in range(99999) %}{{ x == x[1:] }}{% endfor %}",
    "{{ ([[1]] * 99999)|sum(start=[])|length }}",
    "{{ ('x' * 999999)|wordwrap(1)|length }}",
    "{{ ('x ' * 9999)|wordwrap(1, wrapstring='y' * 9999)|length }}",
    "{{ ('x ' * 999999)|pprint|length }}",
    "{{ ('<a ' * 999999)|striptags|length }}",
    "{{ ('www.a.b ' * 99999)|urlize|length }}",
    "{{ ('x\n' * 99999)|indent(999)|length }}",
    "{{ ('x\n' * 9999)|indent('y' * 9999)|length }}",
    "{{ [1, [2, [3]]]|tojson(indent=99999999) }}",
    "{{ ('<' * 999999)|forceescape|length }}",
    "{{ ('a' * 999999).replace('a', 'a' * 999999) }}",
    "{{ ('a' * 999999) | replace('a', 'a' * 999999) }}",
    "{{ ('a' * 999999).join(['b'] * 99999) }}",
    "{{ (['b'] * 99999)|join('a' * 999999) }}",
    "{{ ('\t' * 999999).expandtabs(9999) }}",
    "{{ ('a' * 999999).translate({97: 'b' * 999999}) }}",
    "{{ [1]|batch(999999999, 'x')|list }}",
    "{{ [1]|slice(999999999)|list }}",
    # Widths and numbers.
    "{{ 'x' * 999999999 }}",
    "{{ 999999999 * 'x' }}",
    "{{ [1] * 999999999 }}",
    "{{ 10 ** (10 ** 10) }}",
    "{{ 10 ** 99999 % 7 }}",
    "{% set ns = namespace(x=3) %}{% for i in range(60) %}{% set ns.x = ns.x * ns.x %}{% endfor %}{{ ns.x % 7 }}",
    "{{ '%999999999d' % 1 }}",
    "{{ '%*d' % (999999999, 1) }}",
    "{{ ('%99999d' * 9999) % ((1,) * 9999) }}",
    "{{ '%999999999d' | format(1) }}",
    "{{ ('%(a)s' * 9999) % {'a': 'x' * 99999} }}",
    "{{ ('%(a)s' * 9999)|format(a='x' * 99999) }}",
    "{{ '{:999999999}'.format(1) }}",
    "{{ '{:{}}'.format(1, 999999999) }}",
    "{{ ('{0}' * 9999).format('x' * 99999) }}",
    "{{ '{:.999999999f}'.format(1.0) }}",
    "{{ 'x'.ljust(999999999) }}",
    "{{ 'x'.zfill(999999999) }}",
    "{{ 'x' | center(999999999) }}",
    "{{ 'x\n' | indent(999999999) }}",
    "{{ (1).to_bytes(999999999, 'big') }}",
    "{{ lipsum(n=999999) }}",
    "{{ lipsum(n=1, min=99999998, max=99999999) }}",
    "{{ range(999999999) | list }}",
    # Templates that are large themselves.
    "{{ a }}" * 99_999,
    "{{ [" + "1, " * 99_999 + "] }}",
    "# " + "x" * 2_000_000 + "{{ a }}",
    "{{ " + "(" * 9_999 + "1" + ")" * 9_999 + " }}",
    "{{ " + "-" * 9_999 + "1 }}",
    "{% if 1 %}" * 999 + "{% endif %}" * 999,
]


def _report() -> None:
    """Render all of them, and print the outcome of each and how much memory that took in all, in MiB."""
    import json
    import resource

    import lamina

    def codes(body: str) -> list[str]:
        parts = [("t", f"## template: jinja\n#cloud-config\na: 1\n{body}\n")]
        notes = lamina.render(parts, dialect="cloud-init", instance_data={}).notes
        return [note.code for note in notes if note.severity.word == "error"]

    codes("{{ 1 }}")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    found = [codes(body) for body in BODIES]
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024
    print(json.dumps({"found": found, "grown": grown}))


if __name__ == "__main__":
    _report()
