"""Datum's trees: definitions, precedence, files, nodes."""

from __future__ import annotations

from typing import Any

import pytest

import lamina
from lamina.dialects.datum import nodes
from lamina.dialects.datum.options import DatumOptions
from lamina.errors import LaminaError
from lamina.session import default_session
from lamina.sources.inputs import Folder, Inputs, MemoryFiles
from lamina.values import Unknown
from lamina.views.result import Result

FILES = {
    "Datum.yml": "ResolutionPrecedence:\n  - AllNodes\\$($Node.Env)\\$($Node.NodeName)\n  - Roles\\$($Node.Role)\n",
    "AllNodes/Dev/n1.yml": "NodeName: n1\nEnv: Dev\nRole: Web\nA: {x: 1}\nConfigurations: [A]\n",
    "AllNodes/Dev/n2.yml": "NodeName: n2\nEnv: Dev\nRole: None\n",
    "Roles/Web.yml": "A: {x: 2, y: 3}\n",
}


def tree(changes: dict[str, str]) -> Inputs:
    return Inputs((Folder("data", MemoryFiles({**FILES, **changes})),))


def render(changes: dict[str, str], **options: Any) -> Result:
    return lamina.render(tree(changes), dialect="datum", **options)


def rejection(changes: dict[str, str], **options: Any) -> Any:
    with pytest.raises(LaminaError) as caught:
        render(changes, **options)
    return caught.value.diagnostic


def precedence(*entries: str) -> dict[str, str]:
    return {"Datum.yml": "ResolutionPrecedence:\n" + "".join(f"  - '{quoted(entry)}'\n" for entry in entries)}


def quoted(text: str) -> str:
    return text.replace("'", "''")


def test_a_folder_is_recognised() -> None:
    assert lamina.render(tree({}), node="n1", lookup="A").value == {"x": 1}


@pytest.mark.parametrize(
    "entry",
    [
        "Roles\\$($Node.Role)",
        "Roles/$($Node.Role)",
        "roles\\$($node.Role)",
        "Roles\\$($Node.Role.ToUpper())",
        "Roles\\$($Node['Role'])",
        "Roles\\W$($Node.Suffix.Text)",
        "Roles\\$($Datum.Roles.Names.Web)",
        "Roles\\<%= $CurrentNode.Web %>",
        "<%= $Datum.Roles.Web %>",
        "Roles\\<%= $CurrentNode.PSObject.Properties.Where{$_.Name -in $Node.Role}.Value %>",
        "Roles\\<%= $CurrentNode.PSObject.Properties.Where({ $_.Name -eq $Node.Role }).Value %>",
    ],
)
def test_forms_of_prefixes_that_only_read(entry: str) -> None:
    changes = {
        **precedence(entry),
        "Roles/Names.yml": "Web: Web\n",
        "AllNodes/Dev/n1.yml": "1: a key that is not a string\nNodeName: n1\nRole: Web\nSuffix: {Text: eb}\n",
    }
    result = render(changes, node="n1", lookup="A")
    assert result.value == {"x": 2, "y": 3}
    assert "bare-variable" not in {note.code for note in result.notes}


def test_a_bare_variable_leads_nowhere_with_a_note() -> None:
    result = render(precedence("Roles\\$Node.Role"), node="n1", lookup="A")
    assert result.value is None
    assert "bare-variable" in {note.code for note in result.notes}


def test_properties_of_the_node_mind_case_as_builds_load_it() -> None:
    changes = precedence("Roles\\$($Node.role)")
    result = render(changes, node="n1", lookup="A")
    assert result.value is None
    assert "property-case" in {note.code for note in result.notes}
    assert render(changes, node="n1", lookup="A", no_handlers=True).value == {"x": 2, "y": 3}


@pytest.mark.parametrize(
    ("entry", "named"),
    [
        ("Roles\\$(Get-Date)", "Get-Date"),
        ("Roles\\$env:ROLE", "$env:ROLE"),
        ("Roles\\<%= Remove-Item x %>", "Remove-Item x"),
        ("Roles\\<%= [Environment]::MachineName %>", "[Environment]::MachineName"),
        ("Roles\\$($Site)", "$Site"),
        ("[x= { $Node.Role } =]", "[x= { $Node.Role } =]"),
    ],
)
def test_a_layer_that_would_have_to_be_run_is_not_read(entry: str, named: str) -> None:
    changes = {"Datum.yml": f"ResolutionPrecedence:\n  - '{entry}'\n  - Roles\\Web\n"}
    result = render(changes, node="n1", lookup="A")
    assert result.value is not None
    [note] = [note for note in result.notes if note.code == "needs-powershell"]
    assert named in note.message
    assert "the values assume that it sets nothing" in note.message
    finding = rejection(changes, node="n1", lookup="A", strict=True)
    assert finding.code == "needs-powershell"
    assert finding.at.line == 2


def test_several_roles_give_a_list() -> None:
    entry = "Roles\\<%= $CurrentNode.PSObject.Properties.Where{$_.Name -in $Node.Role}.Value %>"
    changes = {
        **precedence(entry),
        "Roles/Db.yml": "A: {z: 9}\n",
        "AllNodes/Dev/n1.yml": "NodeName: n1\nRole: [Web, Db]\n",
    }
    assert render(changes, node="n1", lookup="A").value == [{"z": 9}, {"x": 2, "y": 3}]


def test_an_unreadable_file_is_absent_with_a_note_and_rejected_when_strict() -> None:
    changes = {"AllNodes/Dev/n1.yml": FILES["AllNodes/Dev/n1.yml"], "Roles/Web.yml": "A: 1\nA: 2\n"}
    result = render(changes, node="n1", lookup="A\\y")
    assert result.value is None
    note = next(note for note in result.notes if note.code == "unreadable-file")
    assert note.at is not None
    assert (note.at.source, note.at.line) == ("Roles/Web.yml", 2)
    assert rejection(changes, node="n1", lookup="A\\y", strict=True).code == "unreadable-file"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("B: 1\n: 2\nC: [x]\n", {"B": 1, "": 2, "C": ["x"]}),
        (": 2\n", {"": 2}),
        (":\n  B: 1\n", {"": {"B": 1}}),
        ("B: {x: 1}\n: 2\n", {"B": {"x": 1}, "": 2}),
        ("B: 1\n: 2\n: 3\n", None),  # a key twice
        ("B:\n  C: 1\n: 2\n", None),  # the last key does not begin in the first column
        ("B:\n  C: 1\n  : 2\n", None),
        ("B: 1\n: C: 2\n", None),
        ("B: [>-]\n", {"B": [">-"]}),
        ("B: [|, '>', @a, %b, `c]\n", {"B": ["|", ">", "@a", "%b", "`c"]}),
        ("B: {@a: 1}\n", {"B": {"@a": 1}}),
        ("B: {a: @b}\n", None),
        ("B: @a\n", None),
        ("B: [>-\n]\n", {"B": [">-"]}),
        ("B: [1,\n 2\n]\n", {"B": [1, 2]}),
        ("B: [1\n, 2]\n", {"B": [1, 2]}),
        ("B: [1,\n2]\n", None),
        ("B: [1\n2]\n", None),
        ('B: ["x\n y"\n]\n', {"B": ["x y"]}),
        ('B: ["x\ny"]\n', None),
    ],
)
def test_texts_that_only_this_reader_takes(text: str, expected: dict[str, Any] | None) -> None:
    precedence_of_all = {"Datum.yml": "ResolutionPrecedence:\n  - Roles\n", "Roles/Web.yml": text}
    assert render(precedence_of_all, node="n1", lookup="Web", compat="manual").value == expected


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"Roles/Web.json": "{}"}, "duplicate-file-name"),
        ({"Roles/WEB.yaml": "{}"}, "duplicate-file-name"),
        ({"Datum.yml": "lookup_options: {}\n"}, "invalid-definition"),
        ({"Datum.yml": ""}, "invalid-definition"),
        ({"Datum.yml": "ResolutionPrecedence: [a\n"}, "invalid-yaml"),
        (
            {"Datum.yml": "ResolutionPrecedence: []\nDatumStructure:\n  - {StoreName: X, StoreProvider: Foo::Bar}\n"},
            "invalid-definition",
        ),
        (
            {
                "Datum.yml": "ResolutionPrecedence: []\nDatumStructure:\n"
                "  - {StoreNam: X, StoreProvider: Datum::File, StoreOptions: {Pth: ./Roles}}\n"
            },
            "invalid-definition",
        ),
        (
            {
                "Datum.yml": "ResolutionPrecedence: []\nDatumStructure:\n"
                "  - {StoreName: X, StoreProvider: Datum::File, StoreOptions: {Path: ../up}}\n"
            },
            "invalid-definition",
        ),
        (
            {
                "Datum.yml": "ResolutionPrecedence: []\nDatumStructure:\n"
                "  - {StoreName: X, StoreProvider: Datum::File, StoreOptions: {Path: ./None}}\n"
            },
            "missing-store",
        ),
    ],
)
def test_bad_definitions(changes: dict[str, str], code: str) -> None:
    assert rejection(changes, node="n1", lookup="A").code == code


def test_defined_stores_and_an_empty_precedence() -> None:
    changes = {
        "Datum.yml": "ResolutionPrecedence:\nDatumStructure:\n"
        "  - {StoreName: Things, StoreProvider: Datum::File, StoreOptions: {Path: ./Roles}}\n"
    }
    assert render(changes, lookup="Web\\A\\x").value == 2
    assert render({**changes, **precedence("Roles")}, lookup="Web\\A\\x").value == 2
    changes["Datum.yml"] = "ResolutionPrecedence:\n"
    assert render(changes, lookup="Web\\A\\x").value == 2


HANDLERS = "DatumHandlers:\n  Datum.InvokeCommand::InvokeCommand: {SkipDuringLoad: true}\n"
INVOKE = FILES["Datum.yml"] + HANDLERS


def test_the_value_of_a_script_outside_the_subset_is_unknown() -> None:
    files = {
        "Datum.yml": INVOKE,
        "Roles/Web.yml": "B: {now: '[x= { Get-Date } =]', more: [a, '[x= { Get-Date } =]'], q: 1}\n",
    }
    result = render(files, node="n1", lookup="B")
    assert result.value["now"].text == "[x= { Get-Date } =]"
    assert isinstance(result.value["more"], Unknown)  # of any length, since a list would be spliced into it
    assert result.value["q"] == 1
    [note] = [note for note in result.notes if note.code == "not-known"]
    assert "Get-Date" in note.message.title()
    assert str(note.at) == "Roles/Web.yml:1:10"


def test_handlers_of_other_modules_are_listed() -> None:
    changes = {"Datum.yml": FILES["Datum.yml"] + "DatumHandlers:\n  My.Module::Thing: {}\n"}
    notes = render(changes, node="n1", lookup="A").notes
    assert [note.subject for note in notes if note.code == "handler-not-run"] == ["My.Module::Thing"]


def test_a_computed_value_names_its_line_and_what_it_read() -> None:
    changes = {
        "Datum.yml": INVOKE,
        "Roles/Web.yml": "x: 1\nB: '[x= \"$($Datum.Global.D.Host).$($Node.Role)\" =]'\n",
        "Global/D.yml": "a: 1\nHost: h\n",
    }
    result = render(changes, node="n1", lookup="B")
    assert result.value == "h.Web"
    assert [str(origin) for origin in result.explain("").origins] == [
        "Roles/Web.yml:2:4",
        "Global/D.yml:2:7",
        "AllNodes/Dev/n1.yml:3:7",
    ]


def test_handlers_can_be_left_alone() -> None:
    changes = {"Datum.yml": INVOKE, "Roles/Web.yml": "B: '[x={ $Node.Role }=]'\n"}
    assert render(changes, node="n1", lookup="B").value == "Web"
    assert render(changes, node="n1", lookup="B", no_handlers=True).value == "[x={ $Node.Role }=]"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("p@$$w0rd`n", "p@w0rd\n"),
        ("a$^b", "ab"),
        ("a $x? b", "a  b"),
        ("100$", "100$"),
        ("a$(b", None),
        ("a${b", None),
        ("a${}b", None),
        ("a$?b", None),
    ],
)
def test_the_text_that_a_script_gives_is_expanded_once_more(text: str, expected: str | None) -> None:
    changes = {
        "Datum.yml": INVOKE,
        "Global/D.yml": f"P: '{text}'\n",
        "Roles/Web.yml": "B: '[x={ $Datum.Global.D.P }=]'\n",
    }
    found = render(changes, node="n1", lookup="B", variable={"x?": None}).value
    if expected is not None:
        assert found == expected
    elif not isinstance(found, Unknown):
        assert found == "[x={ $Datum.Global.D.P }=]"  # PowerShell fails, too


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (["[x={ $null }=]"], None),
        (["[x={ $null }=]", "low"], None),
        (["[x={ $null }=]", "mid", "low"], "low"),
        (["[x={ $null }=]", "mid", "[x={ $null }=]", "low"], None),
        (["top", "[x={ $null }=]"], "top"),
    ],
)
def test_a_script_that_gives_nothing_above_other_layers(values: list[str], expected: str | None) -> None:
    layers = "".join(f"  - Layers\\L{number}\n" for number in range(len(values)))
    definition = f"ResolutionPrecedence:\n{layers}{HANDLERS}"
    files = {f"Layers/L{number}.yml": f"B: '{value}'\n" for number, value in enumerate(values)}
    changes = {"Datum.yml": definition, "AllNodes/Dev/n1.yml": "NodeName: n1\nConfigurations: [B]\n", **files}
    assert render(changes, node="n1", lookup="B").value == expected


def test_variables_and_properties_of_the_build_can_be_given() -> None:
    changes = {"Datum.yml": INVOKE, "Roles/Web.yml": "B: '[x={ $build.\"$($Node.Site)\".Name }=]'\n"}
    result = render(changes, node="n1", lookup="B")
    assert isinstance(result.value, Unknown)
    [note] = [note for note in result.notes if note.code == "not-known"]
    assert note.message == ". is unknown: the variable $build is not set"
    assert note.hint == "if your build sets it, add --variable build=VALUE or build=@FILE"
    given = {"variable": {"build": {"Berlin": {"name": "b1"}}}, "node_property": ["Site=Berlin"]}
    assert render(changes, node="n1", lookup="B", **given).value == "b1"
    finding = rejection(changes, node="n1", lookup="B", node_property=["Site"])
    assert finding.code == "bad-setting"


def test_a_script_that_leads_to_itself_is_an_error() -> None:
    node = "NodeName: n1\nRole: Web\nP: '[x={ $Node.Q }=]'\nQ: '[x={ $Node.P }=]'\n"
    finding = rejection({"Datum.yml": INVOKE, "AllNodes/Dev/n1.yml": node}, node="n1", lookup="A")
    assert finding.code == "handler-loop"
    assert "P -> Q -> P" in finding.message or "Q -> P -> Q" in finding.message


def test_what_decides_a_layer_must_be_evaluated() -> None:
    node = "NodeName: n1\nRole: '[x={ Get-Role }=]'\n"
    changes = {"Datum.yml": INVOKE, "AllNodes/Dev/n1.yml": node}
    notes = [note for note in render(changes, node="n1", lookup="A").notes if note.code == "needs-powershell"]
    assert [str(note.at) for note in notes] == ["Datum.yml:3:5"]
    assert rejection(changes, node="n1", lookup="A", strict=True).code == "needs-powershell"


def test_a_protected_value_is_a_secret() -> None:
    handlers = "DatumHandlers:\n  Datum.ProtectedData::ProtectedDatum: {}\n"
    changes = {"Datum.yml": FILES["Datum.yml"] + handlers, "Roles/Web.yml": "B: {p: '[ENC=AAECAw==]', q: 1}\n"}
    result = render(changes, node="n1", lookup="B")
    assert result.value["p"].text == "[ENC=AAECAw==]"
    assert result.value["q"] == 1
    assert result.shown["p"].text is None
    [note] = [note for note in result.notes if note.code == "not-known"]
    assert note.message == "p is unknown: it is encrypted, and only a build has the key"


def test_a_misspelt_role_is_named_with_what_was_meant() -> None:
    result = render({"AllNodes/Dev/n1.yml": "NodeName: n1\nRole: Wbe\n"}, node="n1", lookup="A")
    [note] = [note for note in result.notes if note.code == "missing-layer"]
    assert str(note.at) == "AllNodes/Dev/n1.yml:2:7"
    assert note.hint == "did you mean Web?"


def test_a_node_that_cannot_be_rendered_does_not_stop_the_others() -> None:
    broken = "NodeName: n9\nRole: '[x={ Get-Role }=]'\nConfigurations: [A]\n"
    result = render({"Datum.yml": INVOKE, "AllNodes/Dev/n9.yml": broken}, all_nodes=True)
    assert "n1" in result.value
    assert "n9" not in result.value
    assert "needs-powershell" in {note.code for note in result.notes}


def test_settings_for_all_nodes_are_not_a_node() -> None:
    changes = {"AllNodes/AllNodes.yml": "NodeName: '*'\nX: 1\n"}
    assert "AllNodes" not in render(changes, all_nodes=True, lookup="A").value


def test_nodes_of_one_name_are_distinguished_by_path() -> None:
    changes = {"AllNodes/Prod/n1.yml": "NodeName: n1\nRole: Web\n"}
    result = render(changes, all_nodes=True, lookup="A")
    assert {"Dev/n1", "Prod/n1"} <= set(result.value)
    assert "duplicate-node-name" in {note.code for note in result.notes}


def test_without_configurations_anywhere_every_key_is_looked_up() -> None:
    changes = {"AllNodes/Dev/n1.yml": "NodeName: n1\nRole: Web\n"}
    result = render(changes, node="n1")
    assert result.value["A"] == {"x": 2, "y": 3}
    assert "no-configurations" in {note.code for note in result.notes}
    assert rejection(changes, node="n1", rsop=True).code == "null-lookup"


def test_an_unknown_node_names_the_nearest() -> None:
    finding = rejection({}, node="n3")
    assert finding.code == "no-such-node"
    assert "n1" in (finding.hint or "") or "n2" in (finding.hint or "")


def test_a_node_whose_file_cannot_be_read_is_not_called_unknown() -> None:
    finding = rejection({"AllNodes/Dev/n1.yml": "Name: n1\n  bad: [1,\n"}, node="n1")
    assert finding.code == "unreadable-file"
    assert "absent" not in finding.message
    assert finding.at is not None
    assert (finding.at.source, finding.at.line) == ("AllNodes/Dev/n1.yml", 2)


def test_a_node_without_configurations_has_no_resultant_set() -> None:
    assert rejection({}, node="n2").code == "null-lookup"


def test_nodes_with_their_layers() -> None:
    listed = {node.name: node for node in nodes.list_nodes(tree({}), DatumOptions())}
    assert list(listed) == ["n1", "n2"]
    assert [(layer.path, layer.file is not None) for layer in listed["n2"].layers] == [
        ("AllNodes\\Dev\\n2", True),
        ("Roles\\None", False),
    ]


def test_all_nodes_in_one_result() -> None:
    changes = {"AllNodes/Dev/n2.yml": "NodeName: n2\nEnv: Dev\nConfigurations: [B]\n"}
    value = render(changes, all_nodes=True).value
    assert value["n1"]["A"] == {"x": 1}
    assert value["n2"] == {"NodeName": "n2", "Env": "Dev", "Name": "n2", "Configurations": "B", "B": {}}


class CountingFiles(MemoryFiles):
    """Files that count how often they are read."""

    def __init__(self, texts: dict[str, str]) -> None:
        super().__init__(texts)
        self.reads: dict[str, int] = {}

    def read(self, name: str) -> Any:
        self.reads[name] = self.reads.get(name, 0) + 1
        return super().read(name)


def test_every_file_is_read_once_for_all_nodes() -> None:
    default_session().clear()  # other tests may have filled it, and what does not fit is read again
    files = CountingFiles({**FILES, "AllNodes/Dev/n2.yml": "NodeName: n2\nEnv: Dev\nRole: Web\nConfigurations: [A]\n"})
    inputs = Inputs((Folder("data", files),))
    assert list(lamina.render(inputs, "datum", all_nodes=True).value) == ["n1", "n2"]
    assert set(files.reads.values()) == {1}


def test_files_beside_the_definition_are_not_data_for_lint() -> None:
    changes = {"My.psd1": "@{ a = 1 }", "Roles/Db.yml": "A: {z: 9}\n"}
    found = [note.message for note in lamina.lint(tree(changes), "datum") if note.code == "never-used"]
    assert found == ["nothing uses Roles/Db.yml"]


@pytest.mark.parametrize(("length", "is_known"), [(30, True), (120, False)])
def test_a_chain_of_scripts_has_an_end(length: int, is_known: bool) -> None:
    handlers = "DatumHandlers: {'Datum.InvokeCommand::InvokeCommand': {}}\n"
    links = "".join(f"k{at}: '[x={{ $Node.k{at + 1} }}=]'\n" for at in range(length))
    files = {"AllNodes/Dev/n1.yml": f"NodeName: n1\nEnv: Dev\n{links}k{length}: end\nConfigurations: [k0]\n"}
    result = render({"Datum.yml": FILES["Datum.yml"] + handlers, **files}, node="n1")
    assert result.value[f"k{length}"] == "end"
    assert (result.value["k0"] == "end") is is_known
    too_long = [note for note in result.notes if "wait for one another" in note.message]
    assert {note.code for note in too_long} == (set() if is_known else {"not-known"})
