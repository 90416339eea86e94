"""The commands in a repository with a project file: all targets, some of them, and what they share once."""

from __future__ import annotations

import json
import shutil
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from click.testing import CliRunner, Result

from lamina.cli.group import lamina
from lamina.errors import LaminaError
from lamina.views.schemas import text_of

EXAMPLES = Path(__file__).parents[2] / "examples" / "repositories"
NAMES = sorted(path.name for path in EXAMPLES.iterdir() if path.is_dir())
TARGETS = {
    "cloud-init": ["image", "db01", "web01", "web02"],
    "datum": ["DevSql01", "DevWeb01", "ProdWeb01", "ProdWeb02"],
    "pegleg": ["bench", "berlin", "lyon"],
    "tripleo": ["overcloud"],
}


def run(*arguments: str, fails: bool = False) -> Result:
    result = CliRunner().invoke(lamina, list(arguments), standalone_mode=False)
    if result.exception is not None and not fails:
        raise result.exception
    return result


def status(result: Result) -> Any:
    return result.return_value


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def git(folder: Path, *arguments: str) -> None:
    command = ["git", "-c", "user.name=n", "-c", "user.email=n@example.org", "-C", str(folder), *arguments]
    subprocess.run(command, check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Path:
    """An example as a repository with one commit; the current folder."""
    root = tmp_path / "repository"
    shutil.copytree(EXAMPLES / getattr(request, "param", "pegleg"), root)
    git(root, "init", "-q", "-b", "main")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "before")
    monkeypatch.chdir(root)
    return root


def checked(name: str, text: str) -> Any:
    data = json.loads(text)
    jsonschema_rs.validate(json.loads(text_of(name)), data)
    return data


@pytest.mark.parametrize("name", NAMES)
def test_every_command_works_on_all_targets(name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(EXAMPLES / name)
    many = len(TARGETS[name]) > 1
    rendered = json.loads(run("render", "--format", "json", "-q").stdout)
    if many:
        assert list(rendered) == TARGETS[name]
    for target in TARGETS[name]:
        alone = run("render", "--format", "json", "-q", "--target", target).stdout
        assert json.loads(alone) == (rendered[target] if many else rendered)
    planned = checked("plan", run("plan", "--format", "json", "-q").stdout)
    assert [each["name"] for each in planned["targets"]] == TARGETS[name]
    assert checked("lint", run("lint", "--format", "json").stdout)["counts"]["error"] == 0
    listed = checked("targets", run("targets", "--format", "json").stdout)
    assert [each["name"] for each in listed["targets"]] == TARGETS[name]
    assert all(each["layers"] for each in listed["targets"])
    lines = run("render", "-q", "--format", "jsonl").stdout.splitlines()
    if many:
        assert {json.loads(line)["target"] for line in lines} == set(TARGETS[name])
    run("report", "-q", "-o", str(tmp_path / "pages"))
    if many:
        assert len(list((tmp_path / "pages").glob("*.html"))) == len(TARGETS[name]) + 1


def test_all_targets_in_one_file(repository: Path) -> None:
    shown = run("render", "-q").stdout
    assert run("render", "-q", "-o", "all.yaml").stdout == ""
    assert (repository / "all.yaml").read_text() == shown
    assert shown.count("# target: ") == len(TARGETS["pegleg"])


def test_what_is_rendered_is_what_the_inputs_give(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(EXAMPLES / "tripleo")
    given = ["environments/network.yaml", "environments/storage.yaml", "site.yaml"]
    assert run("render", "--target", "overcloud").stdout == run("render", "-t", "overcloud.yaml", *given).stdout
    monkeypatch.chdir(EXAMPLES / "cloud-init")
    whole = run("render", "-q").stdout
    one = run("render", "-q", "common.yaml", "hosts/web01.yaml").stdout
    assert f"# target: web01\n---\n{one}# target: web02\n" in whole


def test_files_are_written_by_target(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(EXAMPLES / "datum")
    run("render", "-q", "--output-dir", str(tmp_path / "nodes"), "--target", "Prod*")
    assert sorted(path.name for path in (tmp_path / "nodes").glob("[!.]*")) == ["ProdWeb01.yaml", "ProdWeb02.yaml"]
    monkeypatch.chdir(EXAMPLES / "pegleg")
    run("render", "-q", "--output-dir", str(tmp_path / "sites"))
    assert sorted(path.name for path in (tmp_path / "sites").glob("[!.]*")) == TARGETS["pegleg"]
    assert len(list((tmp_path / "sites/lyon").iterdir())) == 2


def test_a_change_that_many_targets_share_is_one_entry(repository: Path) -> None:
    chart = repository / "global/charts/ingress.yaml"
    chart.write_text(chart.read_text().replace("1.9", "2.0"))
    edge = repository / "type/edge/charts/ingress.yaml"
    edge.write_text(edge.read_text().replace("replicas: 3", "replicas: 5"))
    done = run("diff", "--git", "main", "-q")
    assert status(done) == 1
    assert done.stdout.splitlines() == [
        '~ 3 of 3 targets: example/Chart/v1/ingress (site): data.image "ingress:1.9" → "ingress:2.0",'
        " because global/charts/ingress.yaml:12",
        "~ 2 of 3 targets: example/Chart/v1/ingress (site): data.replicas 3 → 5,"
        " because type/edge/charts/ingress.yaml:15",
        "    berlin, lyon",
        "2 changes in 3 of 3 targets: 2 changed",
    ]
    data = checked("diff", run("diff", "--git", "main", "-q", "--format", "json").stdout)
    assert [change["targets"] for change in data["changes"]] == [["bench", "berlin", "lyon"], ["berlin", "lyon"]]
    table = run("diff", "--git", "main", "-q", "--format", "markdown").stdout
    assert "| ~ | 3 of 3 targets | `example/Chart/v1/ingress (site): data.image` |" in table


def test_targets_that_came_and_went_are_reported(repository: Path) -> None:
    shutil.copytree(repository / "site/lyon", repository / "site/oslo")
    shutil.rmtree(repository / "site/bench")
    lines = run("diff", "--git", "main", "-q").stdout.splitlines()
    assert lines == ["+ target oslo", "- target bench", "1 target added, 1 target removed"]


def test_targets_that_nothing_changed_for_are_not_rendered_again(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from lamina.views.render import render_complete

    rendered: list[str] = []

    def counted(dialect: Any, inputs: Any, options: Any) -> Any:
        rendered.append(inputs.folders[-1].name)
        return render_complete(dialect, inputs, options)

    monkeypatch.setattr("lamina.cli.selected_targets.render_complete", counted)
    assert status(run("diff", "--git", "main", "-q")) == 0
    assert rendered == ["site/bench", "site/berlin", "site/lyon"]
    rendered.clear()
    (repository / "site/lyon/more.yaml").write_text("")
    (repository / "tools/deploy.yaml").write_text("changed")
    run("diff", "--git", "main", "-q")
    assert rendered == ["site/bench", "site/berlin", "site/lyon", "site/lyon"]


def test_files_outside_the_layers_of_a_site_are_not_read(repository: Path) -> None:
    (repository / "tools/broken.yaml").write_text("{")
    (repository / "site/lyon/tools").mkdir()
    (repository / "site/lyon/tools/broken.yaml").write_text("{")
    assert "no findings" in run("lint").stdout
    assert "SiteDefinition" not in run("render", "-q").stdout


def test_a_target_that_fails_does_not_stop_the_others(repository: Path) -> None:
    (repository / "site/lyon/broken.yaml").write_text("{")
    done = run("render")
    assert status(done) == 3
    assert "# target: berlin" in done.stdout
    assert "# target: lyon" not in done.stdout
    assert "site/lyon/broken.yaml:" in done.stderr
    assert "  in lyon\n" in done.stderr
    compared = run("diff", "--git", "main")
    assert status(compared) == 3
    assert "(on disk)" in compared.stderr
    assert "1 target could not be compared" in compared.stdout


def test_names_of_targets_do_not_steer_a_terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = [f'[targets."{name}"]\ndialect = "cloud-init"\ninputs = ["no.yaml"]\n' for name in ("a\\u001b[31m", "b")]
    (tmp_path / "lamina.toml").write_text("".join(names))
    monkeypatch.chdir(tmp_path)
    done = run("render")
    assert status(done) == 3
    assert "\x1b" not in done.stderr
    assert "  in a\\x1b[31m\n" in done.stderr


@pytest.mark.parametrize("repository", ["datum"], indirect=True)
def test_notes_of_many_targets_are_printed_once(repository: Path) -> None:
    layer = repository / "source/Baselines/Server.yml"
    layer.write_text(layer.read_text() + "Configurations: [Baseline]\n")
    (repository / "source/Datum.yml").write_text(
        (repository / "source/Datum.yml")
        .read_text()
        .replace("  Firewall:", "  Configurations: {merge_basetype_array: Unique}\n  Firewall:")
    )
    assert run("render").stderr == ""
    notes = run("render", "--notes", "compat").stderr
    assert notes.count("compat-differs") == 2
    assert "  in DevWeb01, ProdWeb01, ProdWeb02\n" in notes


@pytest.mark.parametrize("repository", ["datum"], indirect=True)
def test_the_nodes_of_a_tree_are_linted_as_a_whole(repository: Path) -> None:
    (repository / "source/Roles/Unused.yml").write_text("A: 1\n")
    data = checked("lint", run("lint", "--format", "json").stdout)
    (finding,) = data["findings"]
    assert (finding["code"], finding["targets"]) == ("never-used", TARGETS["datum"])


def test_a_layer_that_targets_share_is_judged_over_all_of_them(repository: Path) -> None:
    """An abstract document that one site builds on is not without children, whatever the other sites do."""
    text = (repository / "global/charts/ingress.yaml").read_text().replace("ingress", "proxy")
    (repository / "global/charts/proxy.yaml").write_text(text)
    own = (repository / "site/lyon/charts/ingress.yaml").read_text()
    child = own.replace("name: ingress", "name: proxy").replace("ingress-type", "proxy")
    assert "abstract-without-children" in run("lint").stdout
    (repository / "site/lyon/charts/proxy.yaml").write_text(child)
    assert "abstract-without-children" not in run("lint").stdout


def test_the_diff_of_targets_is_one_page(repository: Path) -> None:
    chart = repository / "global/charts/ingress.yaml"
    chart.write_text(chart.read_text().replace("ingress:1.9", "ingress:2.0"))
    done = run("diff", "--git", "main", "-q", "--format", "html", "--source-url", "https://example.org/{path}#L{line}")
    assert status(done) == 1
    assert "1 change in 3 of 3 targets" in done.stdout
    assert '"outputs":["bench","berlin","lyon"]' in done.stdout
    assert '"within":"example/Chart/v1/ingress (site)"' in done.stdout
    assert "https://example.org/global/charts/ingress.yaml#L{line}" in done.stdout


def test_the_project_says_how_it_is_linted(repository: Path) -> None:
    text = (repository / "site/lyon/charts/ingress.yaml").read_text()
    (repository / "site/lyon/charts/ingress.yaml").write_text(text.replace("90s", "60s"))
    found = checked("lint", run("lint", "--format", "json").stdout)["findings"]
    assert [(each["code"], each["severity"], each["targets"]) for each in found] == [
        ("redundant-value", "info", ["lyon"])
    ]
    file = repository / "lamina.toml"
    file.write_text(file.read_text() + '[lint]\nfail-on = "error"\nseverity = {redundant-value = "error"}\n')
    done = run("lint")
    assert status(done) == 1
    assert "error: " in done.stdout
    assert status(run("lint", "--fail-on", "never")) == 0
    file.write_text(file.read_text().replace("[lint]", '[lint]\nignore = ["redundant"]'))
    assert run("lint").stdout == "no findings\n"


def test_a_manifest_is_taken_by_every_command(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    root = tmp_path / "fleet"
    shutil.copytree(EXAMPLES.parent / "fleet", root)
    monkeypatch.chdir(root)
    assert run("render", "-q", "fleet.yaml").stdout.count("# target: ") == 3
    assert [
        each["name"] for each in json.loads(run("targets", "--format", "json", "fleet.yaml").stdout)["targets"]
    ] == [*("web01", "web02", "db01")]
    assert "in web01, web02:" in run("explain", "-q", "packages", "fleet.yaml").stdout
    assert "target db01" in run("plan", "-q", "fleet.yaml").stdout
    assert "finding" in run("lint", "fleet.yaml").stdout or "info" in run("lint", "fleet.yaml").stdout
    shutil.copytree(root, tmp_path / "later")
    web = tmp_path / "later/role/web.yaml"
    web.write_text(web.read_text() + "motd: changed\n")
    done = run("diff", "-q", "fleet.yaml", str(tmp_path / "later/fleet.yaml"))
    assert '+ 2 of 3 targets: motd "changed"' in done.stdout
    git(root, "init", "-q", "-b", "main")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "before")
    shutil.copy(web, root / "role/web.yaml")
    assert '+ 2 of 3 targets: motd "changed"' in run("diff", "-q", "--git", "main", "fleet.yaml").stdout


def test_explaining_groups_the_targets_with_the_same_history(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(EXAMPLES / "datum")
    done = run("explain", "-q", "Firewall.LogDropped")
    assert done.stdout.count("Firewall.LogDropped: ") == 2
    assert "in ProdWeb01, ProdWeb02:" in done.stdout
    assert "no layer sets it in DevSql01" in run("explain", "WebSite.Port").stderr
    with pytest.raises(LaminaError, match="no-such-path"):
        run("explain", "WebSite.Prt")


def test_a_target_is_taken_by_name_and_a_misspelt_one_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(EXAMPLES / "datum")
    assert run("render", "-q", "--target", "ProdWeb01").stdout.startswith("NodeName: ProdWeb01")
    with pytest.raises(LaminaError, match="did you mean 'ProdWeb01'"):
        run("render", "--target", "ProdWeb1")
    with pytest.raises(LaminaError, match="no targets of the dialect heat"):
        run("render", "-q", "--dialect", "heat")
    assert run("render", "-q", "--target", "ProdWeb01", "source").stdout.startswith("NodeName: ProdWeb01")
    with pytest.raises(Exception, match="these inputs are one target"):
        run("render", "--target", "ProdWeb01", "source/Datum.yml")
    with pytest.raises(Exception, match="cannot be combined with"):
        run("render", "--project", ".", "source")


@pytest.mark.parametrize(
    ("name", "words"), [("pegleg", "3 sites"), ("datum", "a Datum tree"), ("tripleo", "deploy.sh")]
)
def test_init_finds_what_is_there(name: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = tmp_path / name
    shutil.copytree(EXAMPLES / name, root)
    (root / "lamina.toml").unlink()
    monkeypatch.chdir(root)
    done = run("init")
    assert words in done.stdout
    assert f"{len(TARGETS[name])} target" in done.stdout
    with pytest.raises(LaminaError, match="project-exists"):
        run("init")
    assert status(run("init", "--force")) == 0
    assert run("init", "--print").stdout == (root / "lamina.toml").read_text()
    if name != "tripleo":  # its project file also names the template
        assert (root / "lamina.toml").read_text() == (EXAMPLES / name / "lamina.toml").read_text()
    heads = run("render", "-q").stdout.count("# target: ")
    assert heads == (len(TARGETS[name]) if len(TARGETS[name]) > 1 else 0)


def test_init_in_a_folder_with_several_systems(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(EXAMPLES.parent, tmp_path / "examples")
    for path in (tmp_path / "examples").rglob("lamina.toml"):
        path.unlink()
    monkeypatch.chdir(tmp_path / "examples")
    done = run("init")
    assert "a fleet manifest: fleet/fleet.yaml" in done.stdout
    assert "user-data in repositories/datum" not in done.stdout
    names = [each["name"] for each in json.loads(run("targets", "--format", "json").stdout)["targets"]]
    assert {"pegleg/berlin", "fleet/web01", "source/ProdWeb01", "overcloud-deploy", "tripleo-deploy"} <= set(names)


def test_a_finding_about_one_node_of_a_tree_names_its_target_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "tree" / "AllNodes").mkdir(parents=True)
    (tmp_path / "tree" / "Datum.yml").write_text("ResolutionPrecedence: ['AllNodes\\$($Node.Name)']\n")
    for name in ("n1", "n2"):
        (tmp_path / "tree" / "AllNodes" / f"{name}.yml").write_text(f"Name: {name}\n")
    (tmp_path / "other.yaml").write_text("#cloud-config\nhostname: a\n")
    (tmp_path / "lamina.toml").write_text(
        '[patterns.tree]\ndialect = "datum"\nnodes = "tree"\n'
        '[targets.other]\ndialect = "cloud-init"\ninputs = ["other.yaml"]\n'
    )
    monkeypatch.chdir(tmp_path)
    text = run("lint", "--fail-on", "never").stdout
    assert "every key in the layers of n1 is looked up (in n1) [no-configurations]" in text
    assert "every key in the layers of n2 is looked up (in n2) [no-configurations]" in text


def test_init_takes_no_module_manifest_for_a_datum_tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for folder in ("module", "data", "broken"):
        (tmp_path / folder).mkdir()
    (tmp_path / "module" / "datum.psd1").write_text("@{ ModuleVersion = '1.0.0'; RootModule = 'datum.psm1' }\n")
    (tmp_path / "data" / "Datum.psd1").write_text("@{ ResolutionPrecedence = @('Roles') }\n")
    (tmp_path / "broken" / "Datum.yml").write_text("Resolution: []\n")
    monkeypatch.chdir(tmp_path)
    found = run("init", "--print").stdout
    assert "module" not in found
    assert "data/Datum.psd1" in found
    assert "broken/Datum.yml" in found  # that it is broken is for lint to say


def test_init_finds_plain_layers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Values of a chart with overlays, Compose files with overrides, and a hierarchy with an inventory."""
    files = {
        "shop/Chart.yaml": "name: shop\nversion: 1.0.0\n",
        "shop/values.yaml": "a: 1\n",
        "shop/values-prod.yaml": "a: 2\n",
        "shop/values/dev.yaml": "a: 3\n",
        "shop/redis-values.yaml": "for: another chart\n",
        "docker-compose.yml": "services: {web: {image: x, ports: ['80:80']}}\n",
        "docker-compose.override.yml": "services: {web: {ports: ['81:81']}}\n",
        "docker-compose.prod.yml": "services: {web: {image: y}}\n",
        "other/values.yaml": "not: a chart\n",
        "odd/layers.yaml": "layers: of paint\n",
    }
    write(tmp_path, files)
    shutil.copytree(EXAMPLES.parent / "layers/fleet", tmp_path / "fleet")
    monkeypatch.chdir(tmp_path)
    assert "layers with nodes: fleet/layers.yaml [layers]" in run("init").stdout
    lines = [json.loads(line) for line in run("render", "-q", "--format", "jsonl").stdout.splitlines()]
    found = {line["target"]: line["value"] for line in lines}
    assert found["shop"] == {"a": 1}
    assert (found["shop-prod"], found["shop-dev"]) == ({"a": 2}, {"a": 3})
    assert found["compose"] == {"services": {"web": {"image": "x", "ports": ["80:80", "81:81"]}}}
    assert found["compose-prod"]["services"]["web"]["image"] == "y"
    assert set(found) == {"shop", "shop-prod", "shop-dev", "compose", "compose-prod"} | {
        f"fleet/{name}" for name in ("web1", "web2", "db1")
    }


@pytest.mark.parametrize("added", ["prod.yaml", "parts/prod.yaml"])
def test_an_input_that_is_new_is_a_difference(added: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A target of whose inputs one was not there before: it was said to be unchanged."""
    dialect = "layers" if added == "prod.yaml" else "cloud-init"
    head = "" if added == "prod.yaml" else "#cloud-config\n"
    project = f'[targets.web]\ndialect = "{dialect}"\ninputs = ["base.yaml", "{added.partition("/")[0]}"]\n'
    write(tmp_path, {"base.yaml": f"{head}a: 1\nb: 1\n", "lamina.toml": project})
    git(tmp_path, "init", "-q", "-b", "main")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-q", "-m", "before")
    write(tmp_path, {added: f"{head}a: 2\n"})
    monkeypatch.chdir(tmp_path)
    done = run("diff", "--git", "main", fails=True)
    if dialect == "layers":
        assert "~ a 1 → 2, because prod.yaml:1" in done.stdout
        assert status(done) == 1
    else:  # a folder beside a file is an error of its own
        assert "unknown-layer" in str(done.exception)


def test_what_init_guessed_is_not_fixed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither in files nor as an edit that others could apply; a person confirms it by removing `guessed`."""
    files = {
        "docker-compose.yml": "services:\n  web: {image: a, restart: always}\n",
        "docker-compose.prod.yml": "services:\n  web:\n    restart: always\n    command: run\n",
        "chart/Chart.yaml": "name: chart\nversion: 1.0.0\n",
        "chart/values.yaml": "a: 1\n",
        "chart/values-prod.yaml": "a: 1\nb: 2\n",
    }
    write(tmp_path, files)
    monkeypatch.chdir(tmp_path)
    run("init")
    assert (tmp_path / "lamina.toml").read_text().count("guessed = true") == 2
    findings = json.loads(run("lint", "--json").stdout)["findings"]
    redundant = [each for each in findings if each["code"] == "redundant-value"]
    assert len(redundant) == 1
    assert all(each["fix"] is None and each["severity"] == "info" for each in redundant)
    assert all("is a guess (lamina.toml:" in each["hint"] for each in redundant)
    assert [each["severity"] for each in findings if each["code"] == "guessed-order"] == ["info", "info"]
    assert '"fixes"' not in run("lint", "--format", "sarif").stdout
    assert "fixable" not in run("lint").stdout
    assert not status(run("lint", "--fix"))
    assert run("lint", "--diff").stdout == ""
    assert all((tmp_path / name).read_text() == text for name, text in files.items())

    confirmed = (tmp_path / "lamina.toml").read_text().replace("guessed = true\n", "")
    (tmp_path / "lamina.toml").write_text(confirmed)
    assert run("lint", "--format", "sarif").stdout.count('"fixes"') == 1
    run("lint", "--fix")
    assert (tmp_path / "docker-compose.prod.yml").read_text() == "services:\n  web:\n    command: run\n"


def test_a_compose_file_that_is_whole_is_not_laid_over_another_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {
        "docker-compose.yml": "services: {web: {image: a, command: run}, db: {image: d}}\n",
        "docker-compose.test.yml": "services: {web: {image: a, command: test}}\n",
        "docker-compose.image.yml": "services: {web: {image: b}}\n",
        "docker-compose.part.yml": "services: {web: {image: a}, db: {restart: always}}\n",
        "docker-compose.broken.yml": "services: {web: {image: a\n",
        "docker-compose-dev.yml": "services: {web: {command: dev}}\n",
    }
    write(tmp_path, files)
    monkeypatch.chdir(tmp_path)
    entries = tomllib.loads(run("init", "--print").stdout)["targets"]
    assert {name: (len(entry["inputs"]), entry.get("guessed", False)) for name, entry in entries.items()} == {
        "compose": (1, False),
        "compose-test": (1, False),
        "compose-image": (2, True),
        "compose-part": (2, True),
        "compose-broken": (2, True),
        "compose-dev": (2, True),
    }


def test_init_finds_hiera_environments_and_no_modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = "---\nversion: 5\nhierarchy:\n- {name: common, path: common.yaml}\n"
    files = {
        "live/hiera.yaml": config,
        "live/data/common.yaml": "a: 1\n",
        "live/facts/web1.yaml": "role: web\n",
        "live/modules/shop/hiera.yaml": config,
        "bare/hiera.yaml": config,
        "modules/till/hiera.yaml": config,
        "alone/hiera.yaml": config,
        "alone/metadata.json": '{"name": "shop-alone"}\n',
        "spec/fixtures/hiera.yaml": config.replace(
            "hierarchy:", "defaults: {datadir: ../../hieradata, data_hash: yaml_data}\nhierarchy:"
        ),
        "hieradata/common.yaml": "b: 2\n",
        "old/hiera.yaml": "---\n:backends: [yaml]\n:hierarchy: [common]\n",
        "overlay/kustomization.yaml": "resources: []\n",
    }
    write(tmp_path, files)
    monkeypatch.chdir(tmp_path)
    found = run("init").stdout
    assert [line.strip() for line in found.splitlines() if line.startswith("  a ")] == [
        "a Hiera environment: bare/hiera.yaml [hiera]",
        "a Hiera environment: live/hiera.yaml [hiera]",
        "a Hiera environment: spec/fixtures/hiera.yaml [hiera]",
        "a hiera.yaml of version 3: old/hiera.yaml [hiera]",
    ]
    assert "its data is in the root, above its folder" in found
    assert "not supported:\n  a hiera.yaml of version 3: old/hiera.yaml [hiera]\n    Lamina reads version 5" in found
    assert "  Kustomize: overlay/kustomization.yaml\n    Lamina does not read it\n" in found
    assert "there are no facts, so that nodes are those that levels have a file for" in found
    assert "bare/facts/NAME.yaml is for the facts of a node" in found
    nodes = json.loads(run("render", "-q", "--json").stdout)
    assert nodes == {"live/web1": {"a": 1}, "fixtures/any node": {"b": 2}}


def test_init_says_what_there_is_of_systems_that_are_not_supported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, {"hiera.yaml": ":hierarchy: [common]\n", "k/kustomization.yaml": "", "l/kustomization.yaml": ""})
    monkeypatch.chdir(tmp_path)
    with pytest.raises(LaminaError) as raised:
        run("init")
    assert "a hiera.yaml of version 3: hiera.yaml" in str(raised.value)
    assert "Kustomize: k/kustomization.yaml and 1 more" in str(raised.value)
    assert not Path("lamina.toml").exists()


def test_init_finds_user_data_by_its_name_whatever_its_ending(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = dict.fromkeys(("user-data.a.skel", "user-data.b.skel", "t/web.tftpl"), "#cloud-config\nhostname: x\n")
    write(tmp_path, {**files, "t/other.rb": "#cloud-config\n"})
    monkeypatch.chdir(tmp_path)
    run("init")
    assert set(json.loads(run("render", "-q", "--json").stdout)) == {
        "user-data/user-data.a",
        "user-data/user-data.b",
        "web",
    }


def test_a_target_without_its_files_keeps_back_no_finding_of_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    targets = "".join(f'[targets.{name}]\ndialect = "cloud-init"\ninputs = ["{name}.yaml"]\n' for name in ("a", "gone"))
    write(tmp_path, {"lamina.toml": targets, "a.yaml": "#cloud-config\npackagess: [a]\n"})
    monkeypatch.chdir(tmp_path)
    found = run("lint").stdout
    assert "there is no file or folder gone.yaml (in gone) [missing-file]" in found
    assert "1 fixable with --fix" in found  # of which it is tried what becomes of all targets


def pegleg(folder: Path, files: dict[str, str]) -> None:
    """A Pegleg repository with the layering policy of the example, and documents by the files they are in."""
    policy = next(
        path.read_text()
        for path in (EXAMPLES / "pegleg/global").rglob("*.yaml")
        if "LayeringPolicy" in path.read_text()
    )
    write(folder, {"global/common/policy.yaml": policy, **files})


def kind(name: str, layer: str) -> str:
    metadata = f"schema: metadata/Document/v1, name: {name}, storagePolicy: cleartext"
    layering = f"layeringDefinition: {{layer: {layer}, abstract: false}}"
    return f"---\nschema: example/Kind/v1\nmetadata: {{{metadata}, {layering}}}\ndata: {{from: {name}}}\n"


def test_a_site_of_an_older_repository_has_the_revision_it_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {
        "global/v1/a.yaml": kind("first", "global"),
        "global/v2/a.yaml": kind("second", "global"),
        "type/small/v2/b.yaml": kind("of-type", "type"),
        "site/lyon/site-definition.yaml": "data: {site_type: small, revision: v2}\n",
        "site/lyon/own.yaml": kind("own", "site"),
    }
    pegleg(tmp_path, files)
    monkeypatch.chdir(tmp_path)
    run("init")
    documents = json.loads(run("render", "-q", "--json").stdout)
    names = {each["metadata"]["name"] for each in documents if each["schema"] == "example/Kind/v1"}
    assert names == {"second", "of-type", "own"}


def test_a_repository_that_is_missing_is_said_before_documents_are_blamed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    definition = (
        "data: {site_type: large, repositories: {global: {url: 'https://git.example/shop/common', revision: v1.7}}}\n"
    )
    write(tmp_path, {"site/lyon/site-definition.yaml": definition, "site/lyon/own.yaml": kind("own", "site")})
    monkeypatch.chdir(tmp_path)
    run("init")
    with pytest.raises(LaminaError) as raised:
        run("render")
    assert [each.code for each in raised.value.diagnostics] == ["no-such-repository"]
    assert "global (https://git.example/shop/common, revision v1.7), which is not here" in str(raised.value)


def test_init_skips_a_link_that_leads_out_of_the_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repository = tmp_path / "repository"
    repository.mkdir()
    (repository / "keys").symlink_to("/etc/hostname")
    (repository / "base.yaml").write_text("#cloud-config\na: 1\n")
    monkeypatch.chdir(repository)
    assert "base.yaml" in run("init", "--print").stdout


def test_init_where_there_is_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "notes.txt").write_text("nothing")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(LaminaError, match="nothing-found"):
        run("init")
    assert not (tmp_path / "lamina.toml").exists()


def split_repository(root: Path, url: str = "https://git.example/shop/common.git") -> None:
    """The sites of the example in one repository, and what they have in common in another beside it."""
    shutil.copytree(EXAMPLES / "pegleg", root / "common")
    (root / "common/lamina.toml").unlink()
    shutil.move(root / "common/site", root / "sites/site")
    for path in (root / "sites").rglob("site-definition.yaml"):
        definition = path.read_text()
        assert "site_type:" in definition
        named = f"repositories: {{global: {{url: '{url}', revision: v2}}}}"
        path.write_text(definition.replace("\ndata:", f"\ndata:\n  {named}"))


def test_sites_of_one_repository_are_made_with_another_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(EXAMPLES / "pegleg")
    whole = json.loads(run("render", "-q", "--format", "json").stdout)
    split_repository(tmp_path)
    monkeypatch.chdir(tmp_path)
    done = run("init")
    assert (
        "revision v2) of bench, berlin, lyon is read from common, whichever revision is checked out there"
        in done.stdout
    )
    assert 'repositories = ["common"]' in Path("lamina.toml").read_text()
    assert json.loads(run("render", "-q", "--format", "json").stdout) == whole


def test_a_repository_that_is_not_there_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    split_repository(tmp_path, "https://git.example/shop/elsewhere")
    monkeypatch.chdir(tmp_path / "sites")
    done = run("init")
    assert "the repository global (https://git.example/shop/elsewhere, revision v2)" in done.stdout
    assert "check it out beside this repository, and run lamina init in the folder above" in done.stdout
    assert "repositories" not in Path("lamina.toml").read_text().replace("# the repository", "")


@pytest.mark.parametrize("parallel", [(), ("--jobs", "2")])
@pytest.mark.parametrize("broken", ["site_type: unknown", "site_type: [", "site_type: 'unknown"])
def test_a_site_that_is_broken_does_not_stop_the_others(
    broken: str, parallel: tuple[str, ...], repository: Path
) -> None:
    definition = repository / "site/lyon/site-definition.yaml"
    definition.write_text(f"data: {{{broken}" if broken.endswith("[") else f"data:\n  {broken}\n")
    done = run("render", "--output-dir", "out", *parallel, fails=True)
    assert sorted(path.name for path in (repository / "out").glob("[!.]*")) == ["bench", "berlin"]
    assert "3 targets: 2 rendered, 1 failed" in done.stderr
    assert "  in lyon\n" in done.stderr
    assert status(done) == 3


def test_repositories_are_for_nodes_of_a_dialect_that_has_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for text, message in (
        ('dialect = "datum"\nnodes = "."\nrepositories = ["x"]', "the nodes of datum come from one folder"),
        ('dialect = "deckhand"\neach = "*"\ninputs = ["{path}"]\nrepositories = ["x"]', "repositories are for nodes"),
        ('dialect = "deckhand"\nnodes = "."\nrepositories = ["../x"]', "../x is outside the folder of the project"),
        ('dialect = "deckhand"\nnodes = "."\nrepositories = ["lamina.toml"]', "lamina.toml is a file, not a folder"),
    ):
        Path("lamina.toml").write_text(f"[patterns.sites]\n{text}\n")
        with pytest.raises(LaminaError, match=message):
            run("targets")
