"""Corner rules of Deckhand: anchors inside the data, sources read once, and sets that look right and are not."""

from __future__ import annotations

from typing import Any

import pytest

import lamina
from lamina._support import suggestions
from lamina.values import unknown_values
from support.deckhand_runs import POLICY, data_of, document, errors_of, render, substitution


def parent(data: str) -> str:
    return document("up", data, layer="global", labels="{id: up}")


def child(data: str, *actions: str, **more: str) -> str:
    """A document that selects `up` and acts as said: `merge .`."""
    listed = ", ".join("{{method: {}, path: {}}}".format(*action.split()) for action in actions or ("merge .",))
    layering = f", parentSelector: {{id: up}}, actions: [{listed}]"
    return document("down", data, layering=layering, **more)


SHARED = "{x: &s {k: 1}, y: *s}"


@pytest.mark.parametrize(
    ("above", "below", "actions", "expected"),
    [
        (SHARED, "{x: off, y: {b: 2}}", (), {"x": False, "y": {"k": 1, "b": 2}}),
        (SHARED, "{x: [1], y: {b: 2}}", (), {"x": [1], "y": {"k": 1, "b": 2}}),
        (SHARED, "{x: null, y: {b: 2}}", (), {"x": None, "y": {"k": 1, "b": 2}}),
        (f"{{p: {SHARED}}}", "{p: {x: off, y: {b: 2}}}", (), {"p": {"x": False, "y": {"k": 1, "b": 2}}}),
        (SHARED, "{x: {a: 1}, y: {b: 2}}", (), {"x": {"k": 1, "a": 1, "b": 2}, "y": {"k": 1, "a": 1, "b": 2}}),
        (SHARED, "{y: {b: 2}, x: off}", (), {"x": False, "y": {"k": 1, "b": 2}}),
        (SHARED, "{x: 5, y: {b: 2}}", ("replace .x", "merge .y"), {"x": 5, "y": {"k": 1, "b": 2}}),
        (SHARED, "{y: {b: 2}}", ("delete .x", "merge .y"), {"y": {"k": 1, "b": 2}}),
        (SHARED, "{y: {b: 2}}", ("delete .", "merge .y"), {"y": {"b": 2}}),
        # The second member meets what the first has made of the mapping they share.
        ("{x: &s {k: {}}, y: *s}", "{x: {k: 1}, y: {k: {b: 2}}}", (), {"x": {"k": {"b": 2}}, "y": {"k": {"b": 2}}}),
        # Anchors on both sides: what the document brings is shared as well.
        (
            SHARED,
            "{z: &t {b: 2}, w: *t, y: {n: *t}}",
            ("merge .", "merge .y"),
            {
                "x": {"k": 1, "n": {"b": 2}},
                "y": {"k": 1, "n": {"b": 2}},
                "z": {"b": 2},
                "w": {"b": 2},
            },
        ),
    ],
)
def test_anchors_in_a_parent(above: str, below: str, actions: tuple[str, ...], expected: Any) -> None:
    result = render(parent(above), child(below, *actions))
    assert data_of(result, "down") == expected
    # The parent itself never changes.
    assert data_of(result, "up") == data_of(render(parent(above)), "up")


def test_each_place_of_a_shared_mapping_shows_where_its_values_were_written() -> None:
    result = render(parent(SHARED), child("{x: off, y: {b: 2}}"))
    number = next(at for at, value in enumerate(result.value) if value["metadata"]["name"] == "down")
    lines = (POLICY + parent(SHARED) + child("")).splitlines()
    expected = {("x",): len(lines), ("y", "k"): len((POLICY + parent(SHARED)).splitlines()), ("y", "b"): len(lines)}
    for path, line in expected.items():
        assert [origin.line for origin in result.explain((number, "data", *path)).origins] == [line], path


def test_a_substitution_through_a_list_that_took_the_place_of_a_shared_one() -> None:
    taking = substitution("one", ".a", ".c[0].d")
    result = render(
        parent("{c: [null, &e {}], d: *e}"),
        document("one", "{a: 5}", layer="global"),
        child("{c: [], d: {b: {}}}", substitutions=f"[{taking}]"),
    )
    assert data_of(result, "down") == {"c": [{"d": 5}], "d": {"b": {}}}


def test_a_source_is_read_once_for_all_its_destinations() -> None:
    whole = substitution("c0", ".", ".s")
    twice = (
        "{src: {schema: example/Kind/v1, name: c0, path: .a.b}, dest: [{path: .s.a.b, pattern: TOKEN}, {path: .s.z}]}"
    )
    result = render(document("c0", "{a: {b: x-TOKEN-x}}"), document("c2", substitutions=f"[{whole}, {twice}]"))
    assert data_of(result, "c2") == {"s": {"a": {"b": "x-x-TOKEN-x-x"}, "z": "x-TOKEN-x"}}
    assert data_of(result, "c0") == {"a": {"b": "x-x-TOKEN-x-x"}}


def test_a_container_that_was_read_is_put_at_later_destinations_though_it_is_nowhere_by_then() -> None:
    whole = substitution("c0", ".", ".s")
    moved = (
        "{src: {schema: example/Kind/v1, name: c0, path: .a.b}, dest: [{path: .s.a.b}, {path: .s.a.b.k}, {path: .z}]}"
    )
    result = render(document("c0", "{a: {b: {k: [1]}}}"), document("c2", substitutions=f"[{whole}, {moved}]"))
    assert data_of(result, "c2") == {"s": {"a": {"b": {"k": {"k": [1]}}}}, "z": {"k": [1]}}


def test_a_source_that_a_pattern_changes_is_inserted_as_it_is_by_then() -> None:
    source = "{schema: example/Kind/v1, name: s, path: .}"
    both = "{path: .a}, {path: ., pattern: URL, recurse: {depth: -1}}"
    substitutions = f"[{{src: {source}, dest: [{both}]}}]"
    result = render(document("s", "{c: {x: URL, y: <URL>}}"), document("d", "{t: 1}", substitutions=substitutions))
    first = "{'c': {'x': 'URL', 'y': '<URL>'}}"
    second = f"<{ {'c': {'x': first, 'y': '<URL>'}} }>"
    assert data_of(result, "s") == {"c": {"x": first, "y": second}}
    assert data_of(result, "d") == {"t": 1, "a": {"c": {"x": first, "y": second}}}


def test_a_part_of_a_document_put_inside_what_was_taken_of_it_does_not_hold_itself() -> None:
    result = render(
        document("c0", "{a: {b: []}}", layer="global", labels="{id: up}"),
        child("{}"),
        document("c1", substitutions=f"[{substitution('c0', '.', '.s')}, {substitution('c0', '.a', '.s.a.b')}]"),
    )
    assert data_of(result, "c1") == {"s": {"a": {"b": {"b": []}}}}


@pytest.mark.parametrize("keys", ["{1: a, b: c}", "{null: a, b: c}", "{a: {true: a, b: c}}", "{2020-01-01: a}"])
def test_keys_of_a_child_must_have_an_order(keys: str) -> None:
    [error] = errors_of(parent("{a: 1}"), child(keys))
    assert error.code == "invalid-document-format"
    assert "cannot be sorted" in error.message
    assert error.at is not None
    assert render(parent(keys), child("{a: 1}"), document("other", keys, labels="{id: down}"))


@pytest.mark.parametrize("keys", ["{1: a, 2.5: c}", "{null: a}"])
def test_keys_that_have_an_order_do_no_harm(keys: str) -> None:
    assert render(parent("{a: 1}"), child(keys))


@pytest.mark.parametrize("value", ["[a]", "{a: 1}"])
def test_a_label_that_cannot_be_looked_up(value: str) -> None:
    [error] = errors_of(document("one", labels=f"{{id: {value}}}"))
    assert error.code == "invalid-document-parent"
    assert "label 'id'" in error.message


CONTROL = "---\nschema: example/Ctl/v1\nmetadata: {{schema: metadata/Control/v1, name: c{}}}\ndata: {{a: 7}}\n"


@pytest.mark.parametrize("value", ["[5]", "x", "null", "7", "{a: 1}", "[{}]", "[{src: {schema: [x], name: a}}]"])
def test_substitutions_of_a_control_document_must_name_a_source(value: str) -> None:
    [error] = errors_of(CONTROL.format(f", substitutions: {value}"))
    assert error.code == "invalid-document-format"
    assert "substitution" in error.message


@pytest.mark.parametrize("value", ["[]", "{}", "''", "[{src: {schema: example/Kind/v1, name: nobody}}]"])
def test_other_substitutions_of_a_control_document_are_not_looked_at(value: str) -> None:
    assert data_of(render(CONTROL.format(f", substitutions: {value}")), "c") == {"a": 7}


def in_layers(order: str, *documents: str, **options: Any) -> lamina.Result:
    policy = POLICY.replace("[global, region, site]", order)
    return lamina.render([("site.yaml", policy + "".join(documents))], dialect="deckhand", **options)


def test_a_candidate_in_a_layer_named_twice_counts_twice() -> None:
    with pytest.raises(lamina.LaminaError, match="more than once") as caught:
        in_layers("[global, global, site]", parent("{a: 1}"), child("{b: 2}"))
    assert caught.value.diagnostic.code == "indeterminate-document-parent"
    for harmless in ("[global, site, site]", "[global, region, region, site]"):
        assert data_of(in_layers(harmless, parent("{a: 1}"), child("{b: 2}")), "down") == {"a": 1, "b": 2}


@pytest.mark.parametrize(
    ("order", "layer", "code"),
    [
        ("global", "site", "invalid-document-layer"),
        ("global", "lob", None),
        ("{global: 1, site: 2}", "site", None),
        ("{global: 1}", "site", "invalid-document-layer"),
        ("[1, site]", "site", None),
        ("[[site]]", "site", "invalid-document-format"),
        ("5", "site", "invalid-document-format"),
        ("null", "site", "invalid-document-format"),
        ("[site]", "5", "invalid-document-layer"),
        ("[site]", "[site]", "invalid-document-layer"),
    ],
)
def test_a_layer_order_of_another_type(order: str, layer: str, code: str | None) -> None:
    one = document("one", layer=layer)
    if code is None:
        assert data_of(in_layers(order, one, validate="off"), "one") == {}
    else:
        with pytest.raises(lamina.LaminaError) as caught:
            in_layers(order, one, validate="off")
        assert caught.value.diagnostic.code == code
        assert caught.value.diagnostic.at is not None
    for validate in ("reject", "report"):
        with pytest.raises(lamina.LaminaError) as caught:
            in_layers(order, one, validate=validate)
        assert {each.code for each in caught.value.diagnostics} == {"invalid-document-format"}


def test_of_a_layer_order_that_is_text_the_letters_are_layers() -> None:
    up, down = (each.replace("layer: global", "layer: g") for each in (parent("{a: 1}"), child("{b: 2}", layer="s")))
    assert data_of(in_layers("gs", up, down, validate="off"), "down") == {"a": 1, "b": 2}
    assert data_of(in_layers("'global, site'", parent("{a: 1}"), child("{b: 2}"), validate="off"), "down") == {"b": 2}


@pytest.mark.parametrize("wrong", ["layering=, parentSelector: up", "labels=up", "layering=, parentSelector: [up]"])
def test_what_must_be_a_mapping_is_one_even_if_nothing_is_validated(wrong: str) -> None:
    key, value = wrong.split("=")
    for validate in ("reject", "report", "off"):
        found = errors_of(document("one", **{key: value}), validate=validate)
        assert {each.code for each in found} == {"invalid-document-format"}
    assert render(document("one", layering=", parentSelector: ''", labels="''"), validate="off")


@pytest.mark.parametrize("data", ["2020-01-01", "2020-01-01 10:00:00", "!!binary aGVsbG8=", "!!set {a}"])
def test_data_must_be_something_that_json_has(data: str) -> None:
    [error] = errors_of(document("one", data))
    assert error.code == "invalid-document-format"
    assert error.path == ("data",)
    assert render(document("one", data), validate=False)
    assert render(document("one", f"{{a: {data}}}"))


def test_control_documents_of_one_name_may_be_in_several_layers() -> None:
    layered = [CONTROL.format(f", layeringDefinition: {{layer: {layer}}}") for layer in ("global", "site")]
    assert len(render(*layered).value) == 3
    assert errors_of(*layered, layered[0])[0].code == "invalid-document-format"


def test_of_documents_known_by_the_same_the_first_is_the_parent() -> None:
    documents = [parent("{a: 1}").replace("{id: up}", "{id: other}"), parent("{a: 2}"), child("{b: 2}")]
    assert data_of(render(*documents, validate=False), "down") == {"a": 1, "b": 2}
    assert errors_of(*documents)[0].code == "invalid-document-format"


def sources_of(schema: str, name: str) -> str:
    return f"[{{src: {{schema: {schema}, name: {name}, path: .}}, dest: {{path: .a}}}}]"


CATALOGS = (
    document("ca", "{certificate_authorities: {etcd: {certificates: [{document_name: node}]}}, keypairs: [{name: sa}]}")
    + document("words", "{passphrases: [{document_name: admin}]}").replace("Kind", "PassphraseCatalog")
).replace("Kind", "PKICatalog")


@pytest.mark.parametrize(
    ("kind", "name", "place"),
    [
        ("CertificateAuthority", "etcd", "{certificates"),
        ("CertificateAuthorityKey", "etcd", "{certificates"),
        ("Certificate", "node", "node}"),
        ("CertificateKey", "node", "node}"),
        ("PrivateKey", "sa", "sa}"),
        ("PublicKey", "sa", "sa}"),
        ("Passphrase", "admin", "admin}"),
    ],
)
def test_a_source_that_a_catalog_lists_is_yet_to_be_generated(kind: str, name: str, place: str) -> None:
    schema = f"deckhand/{kind}/v1"
    similar = document(f"{name}x", "y").replace("example/Kind/v1", schema)
    taker = document("taker", substitutions=sources_of(schema, name))
    [error] = errors_of(CATALOGS, similar, taker, strict=True)
    assert error.code == "substitution-source-not-found"
    assert "did you mean" not in (error.hint or "")
    [(said, at)] = error.related
    assert said.endswith("lists it")
    line = (POLICY + CATALOGS).splitlines()[at.line - 1]
    assert line[at.column - 1 :].startswith(place)
    assert render(CATALOGS, similar, taker, allow_missing_sources=True)
    result = render(CATALOGS, similar, taker)
    [(_, unknown)] = unknown_values(data_of(result, "taker"))
    assert unknown.at == at
    assert unknown.reason.startswith(f"{schema}/{name} is generated, as ")
    assert [note.code for note in result.notes if note.severity is lamina.Severity.ERROR] == ["not-known"]


def test_where_there_are_catalogs_other_secrets_may_be_kept_elsewhere() -> None:
    schema = "deckhand/Passphrase/v1"
    similar = document("tokens", "y").replace("example/Kind/v1", schema)
    taker = document("taker", substitutions=sources_of(schema, "token"))
    [(_, unknown)] = unknown_values(data_of(render(CATALOGS, similar, taker), "taker"))
    assert unknown.reason == f"{schema}/token is not among the documents"
    assert (unknown.hint or "").startswith(f"did you mean {schema}/tokens? ")
    for documents, options in (((similar, taker), {}), ((CATALOGS, similar, taker), {"strict": True})):
        [error] = errors_of(*documents, **options)
        assert error.code == "substitution-source-not-found"


@pytest.mark.parametrize(
    ("schema", "name", "suggested"),
    [
        ("example/Kind/v1", "passwords", "example/Kind/v1/password"),
        ("example/Knd/v1", "password", "example/Kind/v1/password"),
        ("example/Kind/v1", "certificate", ""),
        ("deckhand/CertificateAuthority/v1", "password", ""),
    ],
)
def test_a_missing_source_is_compared_by_what_differs(schema: str, name: str, suggested: str) -> None:
    [error] = errors_of(document("password", "x"), document("taker", substitutions=sources_of(schema, name)))
    assert (error.hint or "").startswith(f"did you mean {suggested}?" if suggested else "add the document")


@pytest.mark.parametrize(("names", "most"), [(1, 1), (60, 30)])
def test_a_similar_source_is_looked_for_a_few_times_however_many_are_missing(
    monkeypatch: pytest.MonkeyPatch, names: int, most: int
) -> None:
    asked: list[object] = []
    monkeypatch.setattr(suggestions, "nearest", lambda word, _known: asked.append(word))
    takers = [
        document(
            f"taker-{number}", "{a: 1}", substitutions=f"[{substitution(f'missing-{number % names}', '.a', '.a')}]"
        )
        for number in range(60)
    ]
    found = errors_of(*takers)
    assert len(found) == 60
    assert len(asked) == 2 * most  # by its name, and by its schema
