"""Layers: a folder laid out as on an instance, what turns layers off, and where everything came from."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import lamina

INSTANCE = {
    "etc/cloud/cloud.cfg": "ntp: {enabled: false, servers: [a]}\nsystem: true\n",
    "etc/cloud/cloud.cfg.d/10_a.cfg": "ntp: {enabled: true}\n",
    "etc/cloud/cloud.cfg.d/README": "not read\n",
    "var/lib/cloud/seed/nocloud/user-data": "#cloud-config\nruncmd: [u]\n",
    "var/lib/cloud/seed/nocloud/vendor-data": "#cloud-config\nruncmd: [v]\npackages: [v]\n",
    "var/lib/cloud/seed/nocloud/meta-data": "instance-id: i-1\nlocal-hostname: h1\n",
}


def laid_out(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


def without(value: dict[str, Any]) -> dict[str, Any]:
    return {key: inner for key, inner in value.items() if not key.startswith("vendor_data")}


def test_a_folder_is_read_as_an_instance(tmp_path: Path) -> None:
    root = laid_out(tmp_path, INSTANCE)
    for result in (
        lamina.render([root]),
        lamina.render([], dialect="cloud-init", layers=str(root)),
        lamina.render([root], dialect="cloud-init", mode="layers"),
    ):
        assert without(result.value) == {
            "ntp": {"enabled": True, "servers": ["a"]},
            "system": True,
            "runcmd": ["u"],
            "packages": ["v"],
        }
        assert result.value["vendor_data"] == {"enabled": True, "prefix": []}
    [origin] = result.explain("ntp.enabled").origins
    assert origin.source.endswith("etc/cloud/cloud.cfg.d/10_a.cfg")
    [origin] = result.explain("packages[0]").origins
    assert (Path(origin.source).name, origin.line) == ("vendor-data", 3)


def test_what_an_instance_stored_counts_before_its_seed(tmp_path: Path) -> None:
    more = {
        "var/lib/cloud/instances/i-1/user-data.txt": "#cloud-config\nruncmd: [stored]\n",
        "run/cloud-init/cloud.cfg": "system: false\n",
        "proc/cmdline": "quiet cc: {kernel: 1} end_cc splash cc:more: 2\\nsystem: 3 end_cc\n",
    }
    root = laid_out(tmp_path, INSTANCE | more)
    (root / "var/lib/cloud/instance").symlink_to("/var/lib/cloud/instances/i-1")
    value = lamina.render([root]).value
    assert value["runcmd"] == ["stored"]
    assert value["system"] is False


def test_the_command_line_counts_before_all_system_configuration(tmp_path: Path) -> None:
    root = laid_out(tmp_path, INSTANCE | {"proc/cmdline": "quiet cc: system: 3 end_cc cc:more: 2\\nntp: x end_cc\n"})
    value = lamina.render([root]).value
    assert (value["system"], value["more"], value["ntp"]) == (3, 2, {"enabled": True, "servers": ["a"]})


def test_templates_use_what_the_instance_knows(tmp_path: Path) -> None:
    template = "## template: jinja\n#cloud-config\nname: {{ v1.local_hostname }}-{{ ds.meta_data.instance_id }}\n"
    root = laid_out(tmp_path, INSTANCE | {"var/lib/cloud/seed/nocloud/user-data": template})
    result = lamina.render([root])
    assert result.value["name"] == "h1-i-1"
    assert result.explain("name").origins[0].line == 3
    stored = '{"v1": {"local_hostname": "stored"}, "ds": {"meta_data": {"instance-id": "i-2"}}}'
    laid_out(root, {"run/cloud-init/instance-data.json": stored})
    assert lamina.render([root]).value["name"] == "stored-i-2"
    given = {"v1": {"local_hostname": "given"}, "ds": {"meta_data": {"instance_id": "i-3"}}}
    assert lamina.render([root], instance_data=given).value["name"] == "given-i-3"


def test_conf_d_names_another_directory_or_none(tmp_path: Path) -> None:
    more = {"etc/cloud/cloud.cfg": "conf_d: /etc/other.d\na: 1\n", "etc/other.d/1.cfg": "a: 2\n"}
    root = laid_out(tmp_path, INSTANCE | more)
    assert lamina.render([root]).value["a"] == 2
    laid_out(root, {"etc/cloud/cloud.cfg": "conf_d: ''\na: 1\n"})
    value = lamina.render([root]).value
    assert value["a"] == 1
    assert "ntp" not in value
    laid_out(root, {"etc/cloud/cloud.cfg": "a: 1\nconf_d: [x]\n"})
    with pytest.raises(lamina.MergeError) as caught:
        lamina.render([root])
    assert caught.value.diagnostic.code == "bad-conf-d"
    assert str(caught.value.diagnostic.at).endswith("etc/cloud/cloud.cfg:2:9")


def layers(**files: str) -> lamina.Result:
    names = {"cfg": "cloud.cfg", "vendor": "vendor-data", "vendor2": "vendor-data2", "user": "user-data"}
    return lamina.render([(names[key], text) for key, text in files.items()], dialect="cloud-init", mode="layers")


VENDOR = "#cloud-config\nv: 1\n"


@pytest.mark.parametrize(
    ("enabled", "counts"),
    [("true", True), ("'yes'", True), ("1", True), ("'On '", True), ("false", False), ("2", False), ("", False)],
)
def test_vendor_data_must_be_enabled(enabled: str, counts: bool) -> None:
    result = layers(cfg=f"vendor_data: {{enabled: {enabled}}}\n", vendor=VENDOR)
    assert ("v" in result.value) == counts
    assert [note.code for note in result.notes] == ([] if counts else ["vendor-data-disabled"])


def test_handlers_can_be_disabled() -> None:
    settings = "vendor_data:\n  enabled: true\n  disabled_handlers: [text/cloud-config]\n"
    result = layers(cfg=settings, vendor=VENDOR)
    assert "v" not in result.value
    assert [note.code for note in result.notes] == ["disabled-handler"]


def test_user_data_can_be_disallowed() -> None:
    result = layers(cfg="allow_userdata: false\n", user="#cloud-config\nu: 1\n")
    assert without(result.value) == {"allow_userdata": False}
    [note] = result.notes
    assert note.code == "user-data-not-allowed"
    assert str(note.at) == "cloud.cfg:1:17"


def test_the_rule_left_in_vendor_data_is_reported() -> None:
    result = layers(
        cfg="vendor_data: {enabled: true}\n",
        vendor="#cloud-config\nmerge_how: dict()\nmerge_type: list(append)+dict(recurse_list)\nl: [v]\n",
        user="#cloud-config\nl: [u]\n",
    )
    assert result.value["l"] == ["u", "v"]
    assert "merge_type" not in result.value
    [note] = [note for note in result.notes if note.code == "leftover-rule"]
    assert str(note.at) == "vendor-data:3:13"
    assert str(result.explain("l[1]").origins[0]) == "vendor-data:4:5"


def test_user_data_that_is_no_mapping_does_not_count() -> None:
    patch = '#cloud-config-jsonp\n[{"op": "replace", "path": "", "value": [1]}]\n'
    result = layers(cfg="a: 1\n", user=patch)
    assert without(result.value) == {"a": 1}
    assert [note.code for note in result.notes] == ["layer-not-a-mapping"]


def test_a_bad_rule_in_system_configuration_stops_everything() -> None:
    with pytest.raises(lamina.MergeError) as caught:
        layers(cfg="merge_how: nonsense\n", user="#cloud-config\nu: 1\n")
    assert caught.value.diagnostic.code == "bad-merge-string"
    assert str(caught.value.diagnostic.at) == "cloud.cfg:1:1"


def test_a_file_of_configuration_may_be_a_template() -> None:
    given = [("cloud.cfg", "## template: jinja\na: {{ v1.x }}\n{% if v1.x %}\nb: 1\n{% endif %}\n")]
    result = lamina.render(given, dialect="cloud-init", mode="confd", instance_data={"v1": {"x": 7}})
    assert result.value == {"a": 7, "b": 1}
    assert str(result.explain("b").origins[0]) == "cloud.cfg:4:4"


def test_a_file_that_is_no_layer_is_rejected() -> None:
    with pytest.raises(lamina.UsageError) as caught:
        lamina.render([("other.yaml", "a: 1\n")], dialect="cloud-init", mode="layers")
    assert caught.value.diagnostic.code == "unknown-layer"


SOURCES = {
    "base.cfg": "packages: [base]\nntp: {enabled: false, servers: [a]}\n",
    "conf/10_a.cfg": "ntp: {enabled: true}\n",
    "conf/notes.txt": "not read\n",
    "provider.yaml": "#cloud-config\nruncmd: [v]\npackages: [v]\nlevel: 1\n",
    "provider2.yaml": "#cloud-config\nlevel: 2\n",
    "mine.yaml": "#cloud-config\nruncmd: [u]\n",
}
MERGED = {"ntp": {"enabled": True, "servers": ["a"]}, "runcmd": ["u"], "packages": ["v"], "level": 2}


def named_options(root: Path) -> dict[str, Any]:
    names = {"cloud_cfg": "base.cfg", "conf_d": "conf", "vendor_data": "provider.yaml", "user_data": "mine.yaml"}
    return {name: str(root / path) for name, path in {**names, "vendor_data2": "provider2.yaml"}.items()}


def test_options_name_the_file_of_each_layer(tmp_path: Path) -> None:
    root = laid_out(tmp_path, SOURCES)
    result = lamina.render([], dialect="cloud-init", **named_options(root))
    assert without(result.value) == MERGED
    assert result.value["vendor_data"] == {"enabled": True, "prefix": []}
    assert result.explain("packages[0]").origins[0].source == str(root / "provider.yaml")
    assert [note.code for note in result.notes] == ["not-a-cfg-file"]


def test_files_of_a_folder_and_files_that_are_named_give_the_same(tmp_path: Path) -> None:
    """What is built in counts however the layers are given."""
    root = laid_out(tmp_path, SOURCES)
    names = {
        "etc/cloud/cloud.cfg": "base.cfg",
        "etc/cloud/cloud.cfg.d/10_a.cfg": "conf/10_a.cfg",
        "vendor-data": "provider.yaml",
        "vendor-data2": "provider2.yaml",
        "user-data": "mine.yaml",
    }
    folder = laid_out(tmp_path / "image", {name: SOURCES[path] for name, path in names.items()})
    files = [(name.removeprefix("etc/cloud/"), SOURCES[path]) for name, path in names.items()]
    by_name = lamina.render([], dialect="cloud-init", **named_options(root)).value
    assert lamina.render([folder]).value == by_name
    assert lamina.render(files, dialect="cloud-init", mode="layers").value == by_name
    bare = lamina.render(files, dialect="cloud-init", mode="layers", no_built_in=True).value
    assert bare == {"ntp": MERGED["ntp"], "runcmd": ["u"], "packages": ["base"]}


def test_inputs_beside_named_layers_are_user_data(tmp_path: Path) -> None:
    root = laid_out(tmp_path, {**SOURCES, "more.yaml": "#cloud-config\nmore: 1\n"})
    result = lamina.render([root / "mine.yaml", root / "more.yaml"], vendor_data=str(root / "provider.yaml"))
    assert without(result.value) == {"runcmd": ["u"], "packages": ["v"], "level": 1, "more": 1}
    with pytest.raises(lamina.UsageError) as caught:
        lamina.render([root / "more.yaml"], user_data=str(root / "mine.yaml"))
    assert caught.value.diagnostic.code == "unknown-layer"


def test_a_named_layer_takes_the_place_of_the_one_of_an_image(tmp_path: Path) -> None:
    root = laid_out(tmp_path / "image", INSTANCE)
    laid_out(tmp_path, {"mine": "#include file:///bundle/part", "part": "#cloud-config\nruncmd: [mine]\n"})
    result = lamina.render([root], user_data=str(tmp_path / "mine"))
    assert (result.value["runcmd"], result.value["packages"]) == (["mine"], ["v"])


@pytest.mark.parametrize(("conf_d", "counts"), [("", True), ("conf_d: /etc/other.d\n", True), ("conf_d: ''\n", False)])
def test_the_named_directory_is_the_one_that_counts(tmp_path: Path, conf_d: str, counts: bool) -> None:
    root = laid_out(tmp_path, {"base.cfg": conf_d, "conf/1.cfg": "a: 1\n"})
    options: dict[str, Any] = {"cloud_cfg": str(root / "base.cfg"), "conf_d": str(root / "conf")}
    for mode in ("user-data", "confd"):
        assert ("a" in lamina.render([], dialect="cloud-init", mode=mode, **options).value) == counts


@pytest.mark.parametrize(
    ("names", "hint"),
    [
        (("vendor-data.yaml", "user-data.yaml"), "--vendor-data vendor-data.yaml --user-data user-data.yaml"),
        (("a/my_vendor2.yaml", "b.yaml"), "--vendor-data2 a/my_vendor2.yaml --user-data b.yaml"),
        (("cloud.cfg", "cloud.cfg.d/1.cfg", "u"), "--cloud-cfg cloud.cfg --conf-d cloud.cfg.d --user-data u"),
    ],
)
def test_layers_merged_as_parts_are_noted(names: tuple[str, ...], hint: str) -> None:
    result = lamina.render([(name, "#cloud-config\na: 1\n") for name in names])
    [note] = [note for note in result.notes if note.code == "layer-as-part"]
    assert (note.hint or "").endswith(hint)


@pytest.mark.parametrize("names", [("vendor-data",), ("one.yaml", "vendors.yaml"), ("user-data", "more")])
def test_parts_of_user_data_are_not_noted(names: tuple[str, ...]) -> None:
    result = lamina.render([(name, "#cloud-config\na: 1\n") for name in names])
    assert "layer-as-part" not in [note.code for note in result.notes]
