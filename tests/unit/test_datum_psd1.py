"""PowerShell data files: constants with places, and refusal of everything that would have to be run."""

from __future__ import annotations

from typing import Any

import pytest

from lamina.engine.node import SourceNode
from lamina.errors import InputError
from lamina.sources.powershell.psd1_reader import read
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
    origin = SourceNode(document.value, (), document.tape, 0, "f.psd1").at(path).origin()
    assert origin is not None
    assert (origin.line, origin.column) == (line, column)


@pytest.mark.parametrize(
    ("text", "code", "names"),
    [
        ("@{a=$env:X}", "needs-powershell", "$env:X"),
        ('@{a="x $y"}', "needs-powershell", "$y"),
        ("@{a=Get-Date}", "needs-powershell", "Get-Date"),
        ("@{a=[int]5}", "needs-powershell", "[int"),
        ('@{a=@"\nx $(Get-Date)\n"@}', "needs-powershell", "$(Get-Date)"),
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
def test_what_is_refused(text: str, code: str, names: str) -> None:
    with pytest.raises(InputError) as caught:
        read(Source.of_text("f.psd1", text))
    finding = caught.value.diagnostic
    assert finding.code == code
    assert names in finding.message
    assert finding.at is not None
