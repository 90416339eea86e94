"""The helpers of `lamina.plugin`, and the page that lists them."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import lamina
from lamina import plugin as lp
from lamina.dialects.registry import BUILT_IN, make_options
from lamina.plugin import extensions as lpx
from lamina.plugin import formats as lpf
from lamina.plugin import hierarchy as lph
from lamina.plugin import operators as lpo
from lamina.plugin import references as lpr
from lamina.plugin import settings as lps
from lamina.sources.inputs import MemoryFiles, gather
from lamina.views.render import render_explained

PAGE = Path(__file__).parents[2] / "docs/reference/plugin.md"
LATER = lp.Policy(
    lp.Cases(
        (lp.MAPS, lp.MAPS, lp.Union(lp.Cases(((lp.ABSENT,), lp.ALL, lp.TAKE), (lp.ALL, lp.ALL, lp.DESCEND)))),
        (lp.ALL, lp.ALL, lp.TAKE),
    )
)


MODULES = {
    "": lp,
    "operators": lpo,
    "formats": lpf,
    "hierarchy": lph,
    "references": lpr,
    "settings": lps,
    "extensions": lpx,
}


def section(module: str) -> str:
    """What the page says of a module."""
    first, *others = PAGE.read_text().split("\n## lamina.plugin.")
    return first if not module else next(text for text in others if text.startswith(module))


@pytest.mark.parametrize(
    ("module", "name"), [(module, name) for module, each in MODULES.items() for name in each.__all__]
)
def test_every_name_is_on_the_page_where_its_module_is(module: str, name: str) -> None:
    assert hasattr(MODULES[module], name)
    assert re.search(rf"`(?:[^`]*\b)?{name}\b", section(module))


def test_no_name_is_in_two_modules() -> None:
    names = [name for each in MODULES.values() for name in each.__all__]
    assert len(names) == len(set(names))


def test_the_page_lists_nothing_else() -> None:
    rows = re.findall(r"^\| (`\w+`(?:, `\w+`)*) \|", PAGE.read_text(), re.MULTILINE)
    listed = {name for row in rows for name in re.findall(r"\w+", row)}
    extensions = {"lint", "explain", "plan", "graph", "fleet", "golden", "scope", "resembles", "fallback", "targets"}
    extensions |= {"secrets", "codes", "means", "layer_names"}
    assert listed - extensions <= {name for each in MODULES.values() for name in each.__all__}


def root(text: str) -> lp.SourceNode:
    return lp.read_yaml(lp.Source.of_text("a.yaml", text), lp.Run()).root("a.yaml")


def test_rewriting_keeps_positions_of_strings_keys_and_what_is_below_them() -> None:
    node = lp.rewrite(root("a: x$\n$:\n  - 1\n  - y$\nz: {k: 2}\n"), string=fill, key=fill)
    assert isinstance(node, lp.SourceNode)
    assert node.value == {"a": "x!", "!": [1, "y!"], "z": {"k": 2}}
    assert str(node.at(("a",)).origin()) == "a.yaml:1:4"
    assert str(node.at(("!", 1)).origin()) == "a.yaml:4:5"
    assert str(node.at(("!", 0)).origin()) == "a.yaml:3:5"
    assert str(node.key_origin("!")) == "a.yaml:2:1"
    assert node.at(("!", 1)).path == ("!", 1)
    assert node.child("$").value is lp.MISSING


def fill(text: str) -> str:
    return text.replace("$", "!")


def test_rewriting_what_does_not_change_gives_the_same_node_and_shares_what_stays() -> None:
    plain = root("a: [x, y]\nb: {c: $}\n")
    assert lp.rewrite(plain, string=str, key=str) is plain
    changed = lp.rewrite(plain, string=fill)
    assert changed.value["a"] is plain.value["a"]
    assert plain.value["b"] == {"c": "$"}


def test_rewriting_goes_through_an_alias_once() -> None:
    calls: list[str] = []

    def note(text: str) -> str:
        calls.append(text)
        return fill(text)

    lines = ["a0: &a0 [$]"] + [f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]" for n in range(1, 13)]
    node = lp.rewrite(root("\n".join(lines)), string=note)
    assert calls == ["$"]
    assert node.value["a12"][0] is node.value["a12"][1]
    assert str(node.at(("a12", *[1] * 12, 0)).origin()) == "a.yaml:1:10"


def test_a_rewritten_mapping_without_some_keys_still_knows_its_lines() -> None:
    both = lp.rewrite(root("a: $\nb: $\n"), string=fill)
    assert isinstance(both, lp.SourceNode)
    node = both.without(("a",))
    assert node.value == {"b": "!"}
    assert str(node.child("b").origin()) == "a.yaml:2:4"


def test_a_string_that_becomes_a_container_is_computed_from_where_it_was_written() -> None:
    node = lp.rewrite(root("a: 1,2\n"), string=lambda text: text.split(","))
    assert node.value == {"a": ["1", "2"]}
    assert [str(origin) for origin in lpx.origins_of(node.at(("a", 1)))] == ["a.yaml:1:4"]


def test_a_string_that_is_the_whole_document_keeps_what_it_was_made_from() -> None:
    greeting = lp.read_yaml(lp.Source.of_text("greeting.yaml", "hello\n"), lp.Run()).root("greeting.yaml")
    text, split = root("$ world\n"), root("1,2\n")
    filled = lp.rewrite(text, string=lambda text: lpf.MadeFrom(text.replace("$", "hello"), (greeting,), "filled in"))
    assert filled.value == "hello world"
    assert [str(origin) for origin in lpx.origins_of(filled)] == ["a.yaml:1:1", "greeting.yaml:1:1"]
    listed = lp.rewrite(split, string=lambda text: text.split(","))
    assert [str(origin) for origin in lpx.origins_of(listed.child(1))] == ["a.yaml:1:1"]


def test_what_was_rewritten_can_be_rewritten_again() -> None:
    greeting = lp.read_yaml(lp.Source.of_text("greeting.yaml", "hello\n"), lp.Run()).root("greeting.yaml")
    first = lp.rewrite(root("a: $ world\nb: $\n"), string=lambda text: lpf.MadeFrom(fill(text), (greeting,)))
    assert isinstance(first, lp.SourceNode)
    again = lp.rewrite(first, string=str.upper)
    assert again.value == {"a": "! WORLD", "b": "!"}
    assert {str(origin) for origin in lpx.origins_of(again.child("a"))} == {"a.yaml:1:4", "greeting.yaml:1:1"}


def test_a_rejection_inside_gets_the_place_of_the_string() -> None:
    def reject(text: str) -> str:
        raise lp.Reject(lp.Diagnostic(code="no", message=f"not {text}"))

    with pytest.raises(lp.Reject) as caught:
        lp.rewrite(root("a:\n  b: x\n"), string=reject)
    assert str(caught.value) == "a.yaml:2:6: not x [no]"
    with pytest.raises(lp.Reject) as caught:
        lp.rewrite(root("1: 2\n\nb: 3\n"), key=reject)
    assert str(caught.value).startswith("a.yaml:3:")


@pytest.mark.parametrize(
    ("pattern", "names"),
    [
        ("nodes/*.yaml", ["nodes/a.yaml", "nodes/b.yaml"]),
        ("**/*.yaml", ["nodes/a.yaml", "nodes/b.yaml", "nodes/deep/c.yaml", "top.yaml"]),
        ("nodes/**", []),
        ("top.yam?", ["top.yaml"]),
        ("nodes/[a].yaml", []),
        ("*", ["top.yaml"]),
    ],
)
def test_glob_goes_name_by_name(pattern: str, names: list[str]) -> None:
    files = dict.fromkeys(["nodes/a.yaml", "nodes/b.yaml", "nodes/deep/c.yaml", "top.yaml", "nodes/x.yaml.bak"], "")
    inputs = lp.Inputs((lpf.Folder("site", MemoryFiles(files)),))
    assert [source.name for source in inputs.glob(pattern)] == names
    given = gather([(name, text) for name, text in files.items()])
    assert [source.name for source in given.glob(pattern)] == names


def test_kind_of_distinguishes_files_and_folders() -> None:
    inputs = lp.Inputs((lpf.Folder("site", MemoryFiles({"nodes/a.yaml": "", "top.yaml": ""})),))
    found = [inputs.kind_of(name) for name in ("nodes", "nodes/", "top.yaml", "nodes/a.yaml", "node", "top")]
    assert found == ["folder", "folder", "file", "file", None, None]


@dataclass(frozen=True, kw_only=True)
class Plain:
    wanted: str = lp.option("", about="what is wanted")


def dialect(compile_inputs: Any, options: Any = Plain, **more: Any) -> lp.Dialect[Any]:
    return lp.Dialect(name="toy", title="toy", options=options, detect=lambda _: False, compile=compile_inputs, **more)


def rendered(compile_inputs: Any, *texts: str, options: Any = None) -> lamina.Result:
    inputs = gather([(f"{number}.yaml", text) for number, text in enumerate(texts)])
    return render_explained(dialect(compile_inputs), inputs, options or Plain())


def test_a_dialect_without_a_second_compatibility_mode_is_compiled_once() -> None:
    compiled: list[int] = []

    def compile_inputs(inputs: lp.Inputs, options: Plain) -> lp.Compiler:
        compiled.append(1)
        yield from lp.output("result", lp.start({"a": 1}))

    assert rendered(compile_inputs).value == {"a": 1}
    assert rendered(compile_inputs).notes == ()
    assert len(compiled) == 2


def test_an_output_can_depend_on_the_node_of_another() -> None:
    def compile_inputs(inputs: lp.Inputs, options: Plain) -> lp.Compiler:
        [source] = inputs.sources
        first = yield from lp.output(
            "first", lp.merge(lp.read_yaml(source, inputs.run).root("one"), LATER), hidden=True
        )
        yield from lp.output("second", lp.start(), lp.merge(first.child(first.value["use"]), LATER))

    result = rendered(compile_inputs, "use: b\na: {x: 1}\nb: {x: 2}\n")
    assert result.value == {"x": 2}
    assert [str(origin) for origin in result.explain("x").origins] == ["0.yaml:3:8"]


def test_an_output_that_fails_ends_the_compilation_with_its_faults() -> None:
    def compile_inputs(inputs: lp.Inputs, options: Plain) -> lp.Compiler:
        fail = lp.Fail(directive=lp.Directive("here"), finding=lp.Diagnostic(code="no-good", message="no good"))
        yield from lp.output("first", fail)
        pytest.fail("it went on")

    with pytest.raises(lp.MergeError) as caught:
        rendered(compile_inputs)
    assert [finding.code for finding in caught.value.diagnostics] == ["no-good"]


def test_the_shape_order_and_style_of_a_result_are_what_the_compiler_states() -> None:
    def compile_inputs(inputs: lp.Inputs, options: Plain) -> lp.Compiler:
        yield lp.ResultSpec(shape="list", order=lambda outputs: outputs[::-1], header="# made\n", sort_keys=True)
        yield from lp.output("one", lp.start({"b": 1, "a": 1}))
        yield from lp.output("two", lp.start({"a": 2}))

    result = rendered(compile_inputs)
    assert result.value == [{"a": 2}, {"b": 1, "a": 1}]
    assert result.to_yaml() == "# made\na: 2\n---\na: 1\nb: 1\n"
    assert [name for name, _ in result.documents()] == ["two", "one"]


@pytest.mark.parametrize(
    ("secrets", "value", "shown"),
    [("hide", "s3cret", "(secret)"), ("show", "s3cret", "s3cret"), ("redact", "(secret)", "(secret)")],
)
def test_secrets_are_hidden_shown_or_redacted(secrets: Any, value: str, shown: str) -> None:
    def compile_inputs(inputs: lp.Inputs, options: Plain) -> lp.Compiler:
        yield lp.ResultSpec(secrets=secrets)
        [source] = inputs.sources
        yield from lp.output("result", lp.merge(lp.read_yaml(source, inputs.run).root("vault", secret=True), LATER))

    result = rendered(compile_inputs, "key: s3cret\n")
    assert result.value == {"key": value}
    assert result.explain("key").value == shown


def test_outputs_that_fail_are_omitted_where_the_result_may_be_partial() -> None:
    def compile_inputs(inputs: lp.Inputs, options: Plain) -> lp.Compiler:
        yield lp.ResultSpec(shape="list", partial=True)
        fail = lp.Fail(directive=lp.Directive("here"), finding=lp.Diagnostic(code="no-good", message="no good"))
        bad = lp.Output(name="bad", steps=(fail,))
        yield lp.Stage(title="all", outputs=(bad, lp.Output(name="good", steps=(lp.start(1),))))

    result = rendered(compile_inputs)
    assert result.value == [1]
    assert [note.code for note in result.notes] == ["no-good"]


def test_what_cannot_be_a_dialect_is_rejected_when_it_is_made() -> None:
    with pytest.raises(ValueError, match="no extension 'lnt'"):
        dialect(None, extensions={"lnt": "a:B"})
    with pytest.raises(TypeError, match="must be a dataclass"):
        dialect(None, options=dict)
    with pytest.raises(ValueError, match="a flag is written --name"):
        lp.option(flag="name", about="")
    with pytest.raises(ValueError, match="a flag is written --name"):
        lp.option(flag="--name", short="name", about="")


def test_an_extension_that_cannot_be_loaded_is_named() -> None:
    with pytest.raises(lp.UsageError, match="the extension lint of toy cannot be loaded: no_such_module:RULES"):
        dialect(None, extensions={"lint": "no_such_module:RULES"}).extension("lint")


def test_only_the_program_can_be_followed_where_there_is_no_compat() -> None:
    assert make_options(dialect(None), {"compat": "program", "wanted": "a"}) == Plain(wanted="a")
    with pytest.raises(lp.UsageError, match="unknown option 'compat' of toy"):
        make_options(dialect(None), {"compat": "manual"})


@pytest.mark.parametrize("name", BUILT_IN)
def test_a_dialect_is_found_without_its_compiler_and_extensions(name: str) -> None:
    code = f"from lamina.dialects.registry import find; find({name!r}); import sys; print(*sys.modules, sep='\\n')"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not [module for module in loaded if module.endswith((".compile", ".lint", ".golden", ".fleet", ".graph"))]
    assert not [module for module in loaded if module.startswith(("lamina.views", "lamina.engine.fold"))]


def test_the_rule_of_a_path_is_named_by_the_api_too() -> None:
    keys = lp.Cases(((lp.ABSENT,), lp.ALL, lp.TAKE), (lp.ALL, lp.ALL, lp.DESCEND))
    table = lp.Cases((lp.MAPS, lp.MAPS, lp.Union(keys)), (lp.ALL, lp.ALL, lp.TAKE))
    rule = lp.PathRule(lambda names: names == ("x", "y"), lp.Cases((lp.ALL, lp.ALL, lp.KEEP)), "the first stays")
    policy = lp.PathPolicy([rule], lp.Policy(table, "the last wins"))

    def compile_inputs(inputs: lp.Inputs, options: Plain) -> lp.Compiler:
        nodes = [lp.read_yaml(source, inputs.run).root(source.name) for source in inputs.sources]
        yield from lp.output("result", lp.start(), *(lp.merge(node, policy) for node in nodes))

    result = rendered(compile_inputs, "x: {y: 1, z: 1}", "x: {y: 2, z: 2}")
    found = {path: [str(event.directive) for event in result.explain(path).events] for path in ("x.y", "x.z")}
    assert found == {"x.y": ["the last wins", "the first stays"], "x.z": ["the last wins", "the last wins"]}
