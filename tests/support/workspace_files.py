"""Small repositories of every dialect, and texts their files may be changed to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

BROKEN = "a: [1\n"


@dataclass(frozen=True)
class Repository:
    """The files of a repository by path, with the texts each may have; the first of them at the start."""

    files: dict[str, tuple[str, ...]]
    more: tuple[str, ...] = ()
    """Paths at which there is nothing at the start."""
    options: dict[str, Any] | None = None

    @property
    def paths(self) -> list[str]:
        return [*self.files, *self.more]

    @property
    def start(self) -> dict[str, str]:
        return {path: texts[0] for path, texts in self.files.items()}

    @property
    def texts(self) -> list[str]:
        return sorted({text for texts in self.files.values() for text in texts} | {BROKEN, ""})


def _datum(name: str, role: str, more: str = "") -> str:
    return f"NodeName: {name}\nRole: {role}\n{more}"


_DATUM_YML = """ResolutionPrecedence:
  - AllNodes\\$($Node.NodeName)
  - Roles\\$($Node.Role)
  - Baselines\\All
default_lookup_options: MostSpecific
lookup_options:
  Configurations: Unique
  Net: deep
"""

_DATUM_STORES = "DatumStructure:\n" + "".join(
    f"  - {{StoreName: {name}, StoreProvider: 'Datum::File', StoreOptions: {{Path: ./{path}}}}}\n"
    for name, path in (("AllNodes", "AllNodes"), ("Tasks", "roles"), ("Baselines", "Baselines"))
)

DATUM = Repository(
    {
        "lamina.toml": (
            '[patterns.nodes]\ndialect = "datum"\nnodes = "data"\n',
            '[patterns.nodes]\ndialect = "datum"\nnodes = "data"\nname = "n-{name}"\n',
            '[patterns.nodes]\ndialect = "datm"\n',
            '[targets.one]\ndialect = "datum"\ninputs = ["data"]\noptions.node = "a"\n'
            '[targets.deep]\ndialect = "datum"\ninputs = ["data"]\noptions.node = "Prod/d"\n',
            'ignore = ["data/Roles"]\n[patterns.nodes]\ndialect = "datum"\nnodes = "data"\n',
        ),
        "data/Datum.yml": (
            _DATUM_YML,
            _DATUM_YML.replace("Net: deep", "Net: MostSpecific"),
            _DATUM_YML.replace("Roles\\$", "Tasks\\$") + _DATUM_STORES,
            "ResolutionPrecedence: []\n",
        ),
        "data/AllNodes/a.yml": (_datum("a", "Web"), _datum("a", "Sql", "Net: {Mtu: 1}\n"), _datum("a2", "Web")),
        "data/AllNodes/b.yml": (_datum("b", "Sql"), _datum("b", "Web", "Net: {Dns: [1]}\n")),
        "data/Roles/Web.yml": (
            "Configurations: [Net]\nNet: {Mtu: 1500, Port: 80}\n",
            "Configurations: [Net, Fw]\nNet: {Port: 8080}\nFw: {On: true}\n",
        ),
        "data/Roles/Sql.yml": ("Configurations: [Fw]\nFw: {On: false}\n", "Configurations: [Net]\nNet: {Mtu: 9000}\n"),
        "data/Baselines/All.yml": ("Net: {Mtu: 1400}\nFw: {On: true, Log: x}\n", "Net: {Mtu: 1300}\n"),
    },
    (
        "data/AllNodes/c.yml",
        "data/AllNodes/Prod/d.yml",
        "data/AllNodes/Prod/A.yml",
        "data/AllNodes/b.json",
        "data/Roles/Db.yml",
        "data/Roles/Web/x.yml",
        "data/More/x.yml",
        "data/datum.json",
        "data/notes.txt",
        "notes.txt",
    ),
)

CLOUD_INIT = Repository(
    {
        "lamina.toml": (
            '[patterns.hosts]\ndialect = "cloud-init"\neach = "hosts/*.yaml"\ninputs = ["common.yaml", "{path}"]\n',
            '[patterns.hosts]\ndialect = "cloud-init"\neach = "hosts/*.yaml"\ninputs = ["{path}"]\n',
        ),
        "common.yaml": (
            "#cloud-config\npackages: [vim]\nruncmd: [a]\n",
            "#cloud-config\nmerge_how: 'list(append)+dict()'\npackages: [nano]\n",
            "#include\nextra.yaml\n",
        ),
        "hosts/web.yaml": ("#cloud-config\npackages: [nginx]\n", "#cloud-config\nruncmd: [b]\n"),
        "hosts/db.yaml": (
            "#cloud-config\nmerge_how: 'list(append)+dict(recurse_array)'\npackages: [pg]\n",
            "#cloud-config\nhostname: db\n",
        ),
        "extra.yaml": ("#cloud-config\nlocale: C\n",),
    },
    ("hosts/new.yaml", "hosts/deep/x.yaml", "web.yaml"),
)

HEAT = Repository(
    {
        "lamina.toml": (
            '[targets.cloud]\ndialect = "heat"\ninputs = ["base.yaml", "site.yaml"]\noptions.template = "main.yaml"\n',
            '[targets.cloud]\ndialect = "heat"\ninputs = ["site.yaml", "base.yaml"]\n'
            '[targets.base]\ndialect = "heat"\ninputs = ["base.yaml"]\n',
        ),
        "base.yaml": (
            "parameters: {a: 1}\nresource_registry: {My::Type: nested.yaml}\n",
            "parameter_defaults: {b: [1]}\nparameters: {a: 2, c: {d: 1}}\n",
        ),
        "site.yaml": (
            "parameters: {a: 5, c: {e: 2}}\nparameter_merge_strategies: {c: deep_merge}\n",
            "parameters: {b: [2]}\n",
        ),
        "main.yaml": (
            "heat_template_version: 2021-04-16\nparameters: {a: {type: number}}\nresources: {r: {type: My::Type}}\n",
            "heat_template_version: 2021-04-16\n",
        ),
        "nested.yaml": ("heat_template_version: 2021-04-16\nresources: {}\n",),
    },
    ("more.yaml", "deeper/nested.yaml"),
)


def _document(name: str, layer: str, data: str, more: str = "") -> str:
    return (
        f"---\nschema: x/Y/v1\nmetadata:\n  schema: metadata/Document/v1\n  name: {name}\n  storagePolicy: cleartext\n"
        f"  layeringDefinition:\n    abstract: false\n    layer: {layer}\n{more}data: {data}\n"
    )


_POLICY = (
    "---\nschema: deckhand/LayeringPolicy/v1\nmetadata:\n  schema: metadata/Control/v1\n  name: p\n"
    "  storagePolicy: cleartext\ndata:\n  layerOrder: [global, site]\n"
)
_CHILD = "    parentSelector: {a: b}\n    actions: [{method: merge, path: .}]\n"

DECKHAND = Repository(
    {
        "lamina.toml": (
            '[patterns.site]\ndialect = "deckhand"\neach = "site/*"\ninputs = ["global", "{path}"]\n',
            '[targets.all]\ndialect = "deckhand"\ninputs = ["global", "site"]\n',
        ),
        "global/policy.yaml": (_POLICY, _POLICY.replace("[global, site]", "[global, type, site]")),
        "global/base.yaml": (
            _document("base", "global", "{x: 1, y: {z: 2}}", "  labels: {a: b}\n"),
            _document("base", "global", "{x: 3}", "  labels: {a: c}\n"),
        ),
        "site/one/doc.yaml": (_document("doc", "site", "{x: 7}", _CHILD), _document("doc", "site", "{w: 1}", _CHILD)),
        "site/two/doc.yaml": (_document("doc", "site", "{v: 7}", _CHILD), _document("other", "site", "{u: [1]}")),
    },
    ("site/three/doc.yaml", "global/more.yaml", "site/one/more.yaml"),
)

HIERA = Repository(
    {
        "lamina.toml": (
            '[patterns.nodes]\ndialect = "hiera"\nnodes = "env"\n',
            '[patterns.nodes]\ndialect = "hiera"\nnodes = "env"\nname = "h-{name}"\n',
        ),
        "env/hiera.yaml": (
            "version: 5\nhierarchy:\n  - {name: node, path: 'nodes/%{facts.id}.yaml'}\n"
            "  - {name: common, path: common.yaml}\ndefaults: {datadir: data, data_hash: yaml_data}\n",
            "version: 5\nhierarchy:\n  - {name: common, path: common.yaml}\n"
            "defaults: {datadir: data, data_hash: yaml_data}\n",
            "version: 5\nhierarchy:\n  - {name: parts, glob: 'parts/**/*.yaml'}\n"
            "  - {name: node, path: nodes/%{facts.id}}\n  - {name: common, path: common.yaml}\n"
            "defaults: {datadir: data, data_hash: yaml_data}\n",
        ),
        "env/modules/shop/hiera.yaml": (
            "version: 5\nhierarchy:\n  - {name: shop, path: shop.yaml}\n"
            "defaults: {datadir: data, data_hash: yaml_data}\n",
        ),
        "env/modules/shop/data/shop.yaml": ("shop::till: 1\n", "shop::till: 2\nshop::door: open\n"),
        "env/data/parts/one.yaml": ("part: 1\n", "x: 7\n"),
        "env/facts/a.yaml": ("id: a\n", "id: b\n"),
        "env/facts/b.yaml": ("id: b\n",),
        "env/data/common.yaml": ("x: 1\nlist: [1]\n", "x: 2\nlookup_options: {list: {merge: unique}}\nlist: [1, 3]\n"),
        "env/data/nodes/a.yaml": ("x: 5\nlist: [2]\n", "y: 1\n"),
    },
    (
        "env/data/nodes/b.yaml", "env/facts/c.yaml", "env/data/nodes/c.yaml", "env/facts/a.json", "env/facts/b.yml",
        "env/data/parts/in/two.yaml", "env/modules/mill/hiera.yaml", "env/data/nodes/a/deep.yaml",
        "env/environment.conf",
    ),
)  # fmt: skip

LAYERS = Repository(
    {
        "lamina.toml": (
            '[targets.shop]\ndialect = "layers"\ninputs = ["base.yaml", "site.toml"]\noptions.rules = "rules.toml"\n',
            '[targets.shop]\ndialect = "layers"\ninputs = ["base.yaml", "site.toml"]\n'
            '[targets.base]\ndialect = "layers"\ninputs = ["base.yaml"]\n',
        ),
        "base.yaml": ("a: 1\nlist: [1]\nurl: x${a}\n", "a: {b: 2}\nlist: [3]\n"),
        "site.toml": ("a = 5\nlist = [2]\n", "list = [7]\n[c]\nd = 1\n"),
        "rules.toml": ('[[rules]]\npath = "list"\nmerge = "append"\n', '[[rules]]\npath = "a"\nlock = true\n'),
    },
    ("more.yaml",),
)
ANSIBLE = Repository(
    {
        "lamina.toml": (
            '[patterns.hosts]\ndialect = "ansible"\nnodes = "site"\n',
            '[patterns.hosts]\ndialect = "ansible"\nnodes = "site"\nname = "a-{name}"\n',
        ),
        "site/ansible.cfg": (
            "[defaults]\ninventory = hosts\n",
            "[defaults]\ninventory = hosts\nhash_behaviour = merge\n",
        ),
        "site/hosts": ("[web]\nw1\nw2 port=81\n[db]\nd1\n", "[web]\nw1\n[db]\nw1\nd1\n"),
        "site/group_vars/all.yml": ("a: 1\nm: {x: 1}\n", "a: 2\n"),
        "site/group_vars/web.yml": ("a: 3\nm: {y: 2}\n", "b: 1\n"),
        "site/host_vars/w1.yml": ("a: 4\n", "c: [1, 2]\n"),
    },
    ("site/group_vars/db.yml", "site/host_vars/d1.yml", "site/group_vars/web/more.yml"),
)
RECLASS = Repository(
    {
        "lamina.toml": (
            '[patterns.nodes]\ndialect = "reclass"\nnodes = "inventory"\n',
            '[patterns.nodes]\ndialect = "reclass"\nnodes = "inventory"\nname = "r-{name}"\n',
        ),
        "inventory/nodes/one.yml": (
            "classes: [web]\nparameters: {a: 1}\n",
            "classes: [base]\nparameters: {b: '${a}'}\n",
        ),
        "inventory/nodes/two.yml": ("classes: [base, web]\n", "parameters: {a: 5}\n"),
        "inventory/classes/base.yml": ("parameters: {a: 2, list: [1]}\n", "parameters: {a: 3}\n"),
        "inventory/classes/web.yml": (
            "classes: [base]\nparameters: {list: [2], c: 'x${a}'}\n", "parameters: {~list: [3]}\n",
        ),
    },
    ("inventory/nodes/three.yml", "inventory/classes/more.yml", "inventory/classes/web/init.yml"),
)  # fmt: skip
HELM = Repository(
    {
        "lamina.toml": (
            '[targets.shop]\ndialect = "helm"\ninputs = ["shop", "prod.yaml"]\n',
            '[targets.shop]\ndialect = "helm"\ninputs = ["shop"]\n'
            '[targets.prod]\ndialect = "helm"\ninputs = ["shop", "prod.yaml"]\n',
        ),
        "shop/Chart.yaml": (
            "apiVersion: v2\nname: shop\nversion: 1.0.0\n"
            "dependencies: [{name: db, version: 1.0.0, condition: db.on}]\n",
            "apiVersion: v2\nname: shop\nversion: 1.0.0\n",
        ),
        "shop/values.yaml": ("a: 1\ndb: {on: true}\nglobal: {zone: x}\n", "a: {b: 2}\n"),
        "shop/charts/db/Chart.yaml": ("apiVersion: v2\nname: db\nversion: 1.0.0\n",),
        "shop/charts/db/values.yaml": ("size: 1\n", "size: 2\nlist: [1]\n"),
        "prod.yaml": ("a: 2\ndb: {size: 9}\n", "db: {on: false}\na: null\n"),
    },
    ("shop/templates/a.yaml", "shop/charts/more/Chart.yaml", "shop/values.schema.json"),
)
REPOSITORIES = {
    "ansible": ANSIBLE,
    "cloud-init": CLOUD_INIT,
    "datum": DATUM,
    "deckhand": DECKHAND,
    "heat": HEAT,
    "helm": HELM,
    "hiera": HIERA,
    "layers": LAYERS,
    "reclass": RECLASS,
}
