"""PowerShell data files: constants with positions; everything that would have to be run is rejected."""

from __future__ import annotations

from typing import Any

import pytest

from lamina.dialects.datum.powershell_data.psd1_reader import read
from lamina.engine.node import SourceNode
from lamina.errors import InputError
from lamina.sources.decimals import WrittenDecimal
from lamina.sources.source import Source

SAMPLE = """# a comment
@{
  <# a block
     of comment #>
  Name = 'it''s'; Other = "a`tb ""q"" `$x"
  List = 1, 2,
     3
  Array = @(
    'a'
    'b', 'c'
    @{ x = 1kb; y = -0x1F; z = 1.5e3 }
    @(1, 2)
  )
  'quoted key' = $true ; n = $NULL
  Here = @'
line 1
  line '2'
'@
  Empty = @()
  Bracketed = (1, 2)
  One = ,5
  5 = "x"
}
"""


def test_all_kinds_of_constants() -> None:
    assert read(Source.of_text("f.psd1", SAMPLE)).value == {
        "Name": "it's",
        "Other": 'a\tb "q" $x',
        "List": [1, 2, 3],
        "Array": ["a", "b", "c", {"x": 1024, "y": -31, "z": 1500.0}, 1, 2],
        "quoted key": True,
        "n": None,
        "Here": "line 1\n  line '2'",
        "Empty": [],
        "Bracketed": [1, 2],
        "One": [5],
        "5": "x",
    }


@pytest.mark.parametrize(
    ("path", "line", "column"),
    [(("Name",), 5, 10), (("List", 2), 7, 6), (("Array", 3, "y"), 11, 21), (("Array", 4), 12, 7), (("Here",), 15, 10)],
)
def test_every_value_has_its_place(path: tuple[Any, ...], line: int, column: int) -> None:
    document = read(Source.of_text("f.psd1", SAMPLE))
    origin = SourceNode(document.value, (), document.positions, 0, "f.psd1").at(path).origin()
    assert origin is not None
    assert (origin.line, origin.column) == (line, column)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("[int]'5'", 5),
        ("[int]2.5", 2),
        ("[long]'0x1F'", 31),
        ("[double]1", 1.0),
        ("[byte]255", 255),
        ("[bool]'false'", True),
        ("[bool]0", False),
        ("[char]65", "A"),
        ("-not $true", False),
        ("!''", True),
        ("- 5", -5),
        ("-(5)", -5),
        ("0b101", 5),
        ("10u", 10),
        ("5L", 5),
        ("1.50", 1.5),
        ('"$(1)"', "1"),
        ('"a $(1, 2) `$x ""q"""', 'a 1 2 $x "q"'),
        ("\u201cx\u201d", "x"),
        ("$(1)", 1),
        ("$(1; 2)", [1, 2]),
        ("@(1;2)", [1, 2]),
        ('@"\na $(1)"`t"\n"@', 'a 1"\t"'),
    ],
)
def test_constants_that_take_a_little_work(text: str, value: Any) -> None:
    assert read(Source.of_text("f.psd1", f"@{{a={text}}}")).value == {"a": value}


def test_a_decimal_keeps_its_digits() -> None:
    found = read(Source.of_text("f.psd1", "@{a=1.50d}")).value["a"]
    assert isinstance(found, WrittenDecimal)
    assert found.text == "1.50"


@pytest.mark.parametrize(
    "text",
    [
        "param()\n@{a=1}",
        "using namespace System\n@{a=1}",
        "return @{a=1}",
        "(@{a=1})",
        "[ordered]@{a=1}",
        "@{a=1};@{a=2}",
    ],
)
def test_what_may_be_around_the_table(text: str) -> None:
    assert read(Source.of_text("f.psd1", text)).value == {"a": 1}


@pytest.mark.parametrize(
    ("text", "code", "names"),
    [
        ("@{a=$env:X}", "needs-powershell", "$env:X"),
        ('@{a="x $y"}', "needs-powershell", "$y"),
        ("@{a=Get-Date}", "needs-powershell", "Get-Date"),
        ("@{a=[string]5}", "needs-powershell", "[string"),
        ("@{a=[int[]]5}", "needs-powershell", "[int"),
        ("@{a=[ordered]@{}}", "needs-powershell", "[ordered"),
        ("@{a=[byte]256}", "invalid-psd1", "byte"),
        ("@{a=[int]'five'}", "invalid-psd1", "int"),
        ("@{a=1 -eq 1}", "invalid-psd1", "-eq"),
        ("@{a=1..3}", "invalid-psd1", "1..3"),
        ("(" * 300, "too-deep", "200"),
        ('@{a=@"\nx $(Get-Date)\n"@}', "needs-powershell", "Get-Date"),
        ("@{a=1}\nfoo", "needs-powershell", "foo"),
        ("@{a=1 + 2}", "invalid-psd1", "+"),
        ("@{a=1", "invalid-psd1", "}"),
        ("x", "invalid-psd1", "@{"),
        ("", "invalid-psd1", "@{"),
        ("@{a=@(1 2)}", "invalid-psd1", "2"),
        ("@{a=1;A=2}", "duplicate-key", "A"),
        ("@{a='x}", "invalid-psd1", "quote"),
        ("@{" + "a=@{" * 300, "too-deep", "200"),
        ("@{a=" + "9" * 5000 + "}", "number-too-long", "digits"),
    ],
)
def test_what_is_rejected(text: str, code: str, names: str) -> None:
    with pytest.raises(InputError) as caught:
        read(Source.of_text("f.psd1", text))
    finding = caught.value.diagnostic
    assert finding.code == code
    assert names in finding.message
    assert finding.at is not None
