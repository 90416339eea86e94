"""The evaluator for scripts in Datum's data: bounded, and no error but its own, whatever it is given."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lamina.budget import Budget
from lamina.dialects.datum.expressions.errors import ExpressionError, ExpressionTooLarge, OutsideSubset, ScriptFailed
from lamina.dialects.datum.expressions.evaluator import Evaluator
from lamina.dialects.datum.expressions.limits import BYTES, OPERATIONS, to_evaluate
from lamina.dialects.datum.expressions.parser import expandable, script
from lamina.dialects.datum.expressions.values import collected, plain
from lamina.dialects.datum.handlers import Runner
from lamina.sources.caseless_keys import caseless

NODE = {
    "Role": "Web",
    "List": ["a", "b", "c"],
    "Table": {"a": 1, "b": "two"},
    "Items": [{"Name": "i1", "V": 1}, {"Name": "i2", "V": 2}],
    "Num": 5,
    "Text": "Some Text",
    "Null": None,
}


def keyed(value: Any) -> Any:
    if isinstance(value, dict):
        return {caseless(key): keyed(item) for key, item in value.items()}
    return [keyed(item) for item in value] if isinstance(value, list) else value


def lookup(name: str) -> Any:
    return keyed(NODE) if name.lower() == "node" else None


def evaluate(text: str, budget: Budget | None = None) -> Any:
    return plain(collected(Evaluator(budget or to_evaluate(), lookup).script(script(text))))


WORDS = st.sampled_from(
    [
        *("$Node", "$Node.Role", "$Node.List", "$Node.Items.Name", "$Node.Table", "$_", "$null", "$true", "$x"),
        *("1", "-2", "1.5", "0x1F", "2kb", "'a'", '"b$($Node.Role)"', "@(1,2)", "@{ a = 1 }", "1..3", "{ $_ }"),
        *("+", "-", "*", "/", "%", "-f", "-eq", "-like", "-match", "-split", "-join", "-replace", "-in", "-and"),
        *("|", "Where-Object", "ForEach-Object", "Sort-Object", "-Unique", "Select-Object", "-First"),
        *("(", ")", "{", "}", "[", "]", "[0]", "[-1]", ",", ";", "=", ".", ".Count", ".ToUpper()", ".Split(',')"),
        *("if", "else", "return", "[int]", "[string]", "-not", "??", "?", ":", "$(", "@(", "@{", "`", '"', "'", "#"),
    ]
)


@settings(max_examples=400)
@given(st.lists(WORDS, max_size=14).map(" ".join) | st.text(max_size=60))
def test_anything_is_evaluated_or_rejected_within_the_budget(text: str) -> None:
    budget = to_evaluate()
    try:
        evaluate(text, budget)
    except ExpressionError as error:
        assert error.reason
    else:
        assert 0 <= budget.nodes <= OPERATIONS
        assert 0 <= budget.size <= BYTES


@settings(max_examples=300)
@given(st.lists(WORDS | st.text(max_size=4), max_size=10).map("".join))
def test_a_handler_gives_a_value_or_its_own_error(content: str) -> None:
    runner = Runner(lambda name, file, whole: lookup(name))  # noqa: ARG005 - no script here has a file
    for text in (f"[x={{ {content} }}=]", f'[x= "{content}" =]', f"a [x='{content}'=] b"):
        try:
            runner.result(text, None, to_evaluate())
        except ExpressionError as error:
            assert error.reason


@given(st.text(alphabet="$(){}`\"'ab:_ \n", max_size=40))
def test_any_text_can_be_expanded_or_is_rejected(text: str) -> None:
    try:
        found = Evaluator(to_evaluate(), lookup).expanded(expandable(text))
    except ExpressionError as error:
        assert error.reason
    else:
        assert isinstance(found, str)


@pytest.mark.parametrize(
    "text",
    [
        "1..100000000",
        "'a' * 100000000",
        "(1..1000) * 1000000",
        "$x = 'aaaaaaaaaa'; " + "$x = $x + $x; " * 40 + "$x",
        "1..300 | ForEach-Object { 1..300 | ForEach-Object { 1..300 } }",
        "'x'.PadLeft(1000000000)",
        "(" * 500 + "1" + ")" * 500,
        "-not " * 5000 + "1",
        '"$(' * 200 + "1" + ')"' * 200,
        "('a' * 5000) -replace 'a', ('b' * 5000)",
        "('{0,900}' * 5000) -f 1",
    ],
)
def test_what_would_take_too_much_is_stopped(text: str) -> None:
    with pytest.raises((ExpressionTooLarge, ScriptFailed, OutsideSubset)) as caught:
        evaluate(text, to_evaluate())
    assert isinstance(caught.value, ExpressionTooLarge) or "evaluated" in caught.value.reason


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("10 / 4", 2.5),
        ("10 / 5", 2),
        ("7 % 4", 3),
        ("'a' * 3", "aaa"),
        ("1 + '2'", 3),
        ("'1' + 2", "12"),
        ("@(1) + 2", [1, 2]),
        ("'10' -gt 9", False),
        ("10 -gt '9'", True),
        ("1, 2, 3 -gt 1", [2, 3]),
        ("'a', 'B' -contains 'b'", True),
        ("'abc' -like 'A?C'", True),
        ("'a1b22' -split '\\d+'", ["a", "b", ""]),
        ("'John Doe' -replace '(\\w+) (\\w+)', '$2 $1'", "Doe John"),
        ("'{0:d3}|{1,4}|{2:x}' -f 7, 'a', 255", "007|   a|ff"),
        ("$Node.Items.Where{ $_.V -gt 1 }.Name", "i2"),
        ("$Node.Items | Sort-Object V -Descending | Select-Object -First 1 | ForEach-Object Name", "i2"),
        ("if ($Node.Missing) { 1 } elseif ($Node.Num -eq 5) { 2 } else { 3 }", 2),
        ("$Node.Null ?? 'x'", "x"),
        ("$Node.Num -gt 3 ? 'big' : 'small'", "big"),
        ("[string]1.50", "1.5"),
        ("[int]'5' + 1", 6),
        ("[bool]'false'", True),
        ("$a = 1; $a + 1", 2),
        ("(1, 2, 3)[-1]", 3),
        ("(1..5)[1, 3]", [2, 4]),
        ("'abc'[1]", "b"),
        ("@{ a = 1; b = 2 }.Count", 2),
        ('"$Node.Role"', "System.Collections.Specialized.OrderedDictionary.Role"),
        ("Split-Path 'C:\\a\\b.txt' -Leaf", "b.txt"),
        ("Join-Path 'C:\\a' 'b'", "C:\\a\\b"),
        ("'a,b;c'.Split(',')", ["a", "b;c"]),
        ("-join ('a', 'b')", "ab"),
        ("@'\nline $x\n'@", "line $x"),
        ("5; $null; 'x'", [5, None, "x"]),
        ("# nothing\n<# at all #>", None),
    ],
)
def test_what_expressions_give(text: str, value: Any) -> None:
    assert evaluate(text) == keyed(value)


@pytest.mark.parametrize(
    "text",
    [
        *("$null[0]", "$Node.Role.NoSuch()", "1 / 0", "'a' - 1", "(", "'a", "throw 'x'", "$null.ToUpper()"),
        *("'abc'.Substring(9)", "@{ a = 1; A = 2 }", "'{1}' -f 1", "'a' -match '('", "[int]'x'"),
    ],
)
def test_what_powershell_fails_on_fails_here(text: str) -> None:
    with pytest.raises(ScriptFailed):
        evaluate(text)


@pytest.mark.parametrize(
    "text",
    [
        *("Get-Date", "[Environment]::MachineName", "& 'x'", "foreach ($a in 1) { $a }", "$env:PATH", "1 > file"),
        *("function f {}", "'a'.GetType()", "Invoke-Expression '1'", "$PSVersionTable", "$x.y = 1", "1 -band 1"),
        *("[System.IO.File]::ReadAllText('x')", "iex '1'", "$ExecutionContext", "while ($true) {}", "$Matches"),
    ],
)
def test_what_is_outside_the_subset_is_not_evaluated(text: str) -> None:
    with pytest.raises(OutsideSubset):
        evaluate(text)
