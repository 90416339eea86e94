"""For every code in tests/messages with a hint, what the hint says to do, as shell commands.

They run after the exchange that prints the hint; the last `lamina` command of that exchange then runs again, unless
the row has one of its own (an option that the hint names). The code must be gone. `MEANT` stands for writing the word
of `did you mean` in the place of the one it resembles.
"""

from __future__ import annotations

from dataclasses import dataclass

MEANT = "MEANT"
DONE = ("status 0", "status 1")
OTHERS = (*DONE, "status 3")
"""Where the exchange has more than one mistake, and the others stay."""
NOT_FOUND = OTHERS
"""Where nothing is left to find once the file is read."""


@dataclass(frozen=True)
class Row:
    """A code, the phrase of the hint that is followed, and the commands that follow it."""

    code: str
    says: str
    follow: str
    ends: tuple[str, ...] = DONE
    """How the last command may end."""
    stays: bool = False
    """Whether the hint shows something else instead of removing the message."""


def edit(code: str, says: str, old: str, new: str, file: str) -> Row:
    """A row that replaces a text in a file."""
    return Row(
        code,
        says,
        f"python3 - <<'END'\np='{file}'; s=open(p).read(); assert {old!r} in s, s; "
        f"open(p, 'w').write(s.replace({old!r}, {new!r}))\nEND",
    )


CLOUD_INIT = (
    edit(
        "bad-merge-string",
        "write list(): parentheses",
        "merge_how: list",
        "merge_how: list()+dict()",
        "bad-string.yaml",
    ),
    edit("unknown-merger", "did you mean str?", "set(append)", "str(append)", "unknown-merger.yaml"),
    edit("unknown-merger", "write one string", "['list(append)']", "list(append)+dict()", "list-of-texts.yaml"),
    edit(
        "bad-merger-entry",
        "write {name: list, settings: [append]}",
        "[{name: list}]",
        "[{name: list, settings: [append]}, {name: dict, settings: []}]",
        "no-settings.yaml",
    ),
    edit("merge-type-error", "write name(option,option)+name(option)", "3", "list(append)+dict()", "number-rule.yaml"),
    edit("merge-type-error", "change the value", "{a: 1}", "there", "clash.yaml"),
    edit("no-dict-merger", "add dict() to the merge rule", "list(append)", "list(append)+dict()", "no-dict.yaml"),
    edit("unknown-option", "did you mean append?", "extend", "append", "old-option.yaml"),
    edit("string-as-list", "write it as a list with one item", "list: abc", "list: [abc]", "letters.yaml"),
    edit("invalid-yaml", "check the brackets, braces and commas", "[1", "[1]", "broken.yaml"),
    edit("not-a-mapping", "write KEY: VALUE lines", "- a", "a: 1", "list.yaml"),
    edit("empty-part", "add content", "#cloud-config", "#cloud-config\na: 1", "empty.yaml"),
    edit(
        "unhandled-content-type",
        "cloud-config starts with #cloud-config",
        "runcmd",
        "#cloud-config\nruncmd",
        "no-header.yaml",
    ),
    edit(
        "settings-as-string",
        "write settings: [no_replace]",
        "settings: no_replace",
        "settings: [no_replace]",
        "settings-as-string.yaml",
    ),
    edit("lists-not-joined", "write dict(recurse_list)", "dict()", "dict(recurse_list)", "half.yaml"),
    edit("strings-not-joined", "write dict(recurse_str)", "dict()", "dict(recurse_str)", "half.yaml"),
    edit("mapping-as-list", "write it as a list with one item", "{x: 1}", "[{x: 1}]", "keys.yaml"),
    Row(
        "bad-json-patch",
        "check the commas and brackets",
        """echo '#cloud-config-jsonp [{"op": "add", "path": "/c", "value": 1}]' > patch""",
    ),
    Row("json-patch-conflict", "compare the path", """sed -i 's|/b|/a|' patch"""),
    Row("json-patch-test-failed", "change the value that the test expects", "sed -i 's/: 2}/: 1}/' patch"),
    edit("cyclic-alias", "move the alias out of", "[*a]", "[1]\nb: *a", "ring.yaml"),
    Row("layer-not-a-mapping", "make it a mapping", 'sed -i \'s/"value": \\[\\]/"value": {}/\' user-data'),
    Row("bad-instance-data", "cloud-init query --all", 'echo \'{"v1": {"region": "x"}}\' > data.json'),
    Row(
        "not-known",
        "--instance-data FILE",
        'echo \'{"v1": {"region": "x"}}\' > d.json; lamina render --instance-data d.json template',
    ),
    Row("template-error", "fix the template; its output", "sed -i 's/1 +/1 + 1 }}/' template"),
    Row(
        "unknown-part",
        "--instance-data FILE",
        'echo \'{"v1": {"header": "#cloud-config"}}\' > d.json; lamina render --instance-data d.json template',
    ),
    Row(
        "missing-template-variable",
        "--instance-data FILE",
        'echo \'{"region": "x"}\' > d.json; lamina render --instance-data d.json template',
    ),
    edit("invalid-json", "put keys in double quotes", "{1}", '{"a": 1}', "data.json"),
    Row(
        "include-failed",
        "pass a copy of it: --url https",
        "lamina render --url https://example.org/base.yaml=base.yaml include",
    ),
    Row(
        "include-failed",
        "pass a copy of it: --url file",
        "lamina render --url file:///bundle/bse.yaml=base.yaml include",
    ),
    Row(
        "bad-archive-entry",
        "write content as a block scalar",
        "printf '#cloud-config-archive\\n- type: text/cloud-config\\n  content: |\\n    #cloud-config\\n    a: 1\\n' "
        "> archive",
    ),
    Row(
        "unexpected-archive-entry",
        "write the body of the part",
        "printf '#cloud-config-archive\\n- |\\n  #cloud-config\\n  a: 1\\n' > archive",
    ),
    Row(
        "unreadable-archive",
        "write a list with one entry per part",
        "printf '#cloud-config-archive\\n- |\\n  #cloud-config\\n  a: 1\\n' > archive",
    ),
    Row(
        "bad-url-mapping",
        "write --url URL=FILE",
        "printf '#include\nhttps://example.org/base.yaml\n' > include; "
        "lamina render --url https://example.org/base.yaml=base.yaml include",
    ),
    Row("damaged-gzip", "compress it again", "gzip -c base.yaml > packed"),
    Row("bad-launch-index", "pass a number, such as 0", "lamina render --launch-index 0 message"),
    Row("other-launch-index", "without --launch-index", "lamina render message"),
    Row(
        "header-case",
        "write Merge-Type: list(append)",
        "sed -i -E 's/^merge-type:.*/Merge-Type: list(append)/I' message",
    ),
    Row(
        "rule-required",
        "--merge, for example",
        "lamina render --mode merge --merge 'list(append)+dict(recurse_list)+str()' base.yaml",
    ),
    Row("mode-without-layers", "omit --mode", "lamina render --vendor-data base.yaml --user-data base.yaml"),
    Row("layer-as-part", "use --vendor-data", "lamina lint --vendor-data vendor-data.yaml --user-data base.yaml"),
    Row(
        "unknown-layer",
        "pass files with other names with --cloud-cfg",
        "lamina render --mode layers --user-data base.yaml",
    ),
    Row(
        "unknown-part-type",
        "add the type, as in no-header.yaml:cloud-config",
        "lamina pack no-header.yaml:cloud-config",
    ),
    Row("unknown-part-type", "did you mean text/cloud-config?", "lamina pack base.yaml:text/cloud-config"),
    Row("too-large-for-cloud", "with --gzip it is", "lamina pack --gzip long.yaml -o packed"),
    Row("not-a-part", "pass the files it was made from", "lamina pack base.yaml -o again"),
    Row("bad-config-schema", "or omit --schema", "lamina lint --check base.yaml"),
    Row("bad-conf-d", "set it to a path", "echo 'conf_d: /etc/cloud/more.d' > image/etc/cloud/cloud.cfg"),
    Row(
        "disabled-handler",
        "remove the type from disabled_handlers",
        "sed -i 's/, disabled_handlers.*/}/' image/etc/cloud/cloud.cfg",
    ),
    Row(
        "user-data-not-allowed",
        "set allow_userdata: true",
        "sed -i 's/allow_userdata: false/allow_userdata: true/' image/etc/cloud/cloud.cfg",
    ),
    Row(
        "vendor-data-disabled",
        "set vendor_data: {enabled: true}",
        "sed -i 's/enabled: false/enabled: true/' image/etc/cloud/cloud.cfg",
    ),
    Row(
        "garbled-characters",
        "use Content-Transfer-Encoding: base64",
        "printf '#cloud-config\\na: \\303\\244\\n' > body; lamina pack body -o message; lamina render message",
    ),
    Row("bad-mime", "`lamina pack` writes messages", "lamina pack base.yaml -o message; lamina render message"),
    Row("empty-user-data", "cloud-config starts with #cloud-config", "printf '#cloud-config\\na: 1\\n' > empty.yaml"),
    Row(
        "empty-multipart",
        "each part must start with a line of two hyphens",
        """printf 'Content-Type: multipart/mixed; boundary="X"\\nMIME-Version: 1.0\\n\\n--X\\n"""
        """Content-Type: text/cloud-config\\n\\n#cloud-config\\na: 1\\n--X--\\n' > message""",
    ),
    Row(
        "config-too-complex",
        "use another --schema",
        "echo '{}' > other.json; lamina lint --check --schema other.json base.yaml",
    ),
    Row("not-a-file", "a part is FILE or FILE:TYPE", "lamina pack base.yaml -o packed"),
    Row("nothing-checked", "lamina lint without --check looks for", "lamina lint system"),
    Row(
        "not-a-cfg-file",
        "rename it if it should be read",
        "mv image/etc/cloud/cloud.cfg.d/10-site.conf image/etc/cloud/cloud.cfg.d/10-site.cfg",
    ),
    Row(
        "decompress-failed", "compress the part again", "gzip -c base.yaml > part.gz; lamina pack base.yaml -o message"
    ),
    Row("header-ignored", "set merge_how in the body", "sed -i '/^Merge-Type/d' message", OTHERS),
)

DATUM = (
    edit("bare-variable", "write $($Node.Role)", r"Roles\$Node.Role", r"Roles\$($Node.Role)", "Datum.yml"),
    edit("property-case", "write $Node.Role", "$Node.role", "$Node.Role", "Datum.yml"),
    Row("duplicate-file-name", "rename or remove one of them", "rm Base/all.yaml"),
    Row("duplicate-option-path", "remove one of them", "sed -i 's/, Ports.a: deep//; s/, Ports\\/a: deep//' Datum.yml"),
    edit("bad-pattern", "escape special characters", "'^('", r"'^\('", "Datum.yml"),
    Row("bad-setting", "write --variable NAME=VALUE", "lamina render . --node web --lookup Ports --variable site=x"),
    Row("different-types", "use the same type in both", "echo 'Ports: {ssh: 22}' > Base/all.yml"),
    Row("empty-path", "remove the empty or null item", "sed -i 's/null, //' AllNodes/web.yml"),
    Row(
        "invalid-definition",
        "list the layers under ResolutionPrecedence",
        r"printf 'ResolutionPrecedence:\n  - AllNodes\\$($Node.NodeName)\n' > Datum.yml",
    ),
    Row(
        "lookup-required",
        "a path with --lookup",
        "lamina render --dialect datum --lookup Ports Base/all.yml Roles/server.yml",
    ),
    Row("no-configurations", "use --lookup for a single path", "lamina render . --node Dev/web --lookup Ports"),
    Row(
        "no-nodes",
        "name a file of another folder with --node",
        "mkdir none/AllNodes; cp AllNodes/web.yml none/AllNodes; lamina targets none",
    ),
    Row("node-required", "--node, all with --all-nodes", "lamina render . --node web; lamina render . --all-nodes"),
    Row("null-list-item", "remove the null", "echo 'List: [1]' > Base/all.yml"),
    Row(
        "null-lookup", "under Configurations in any layer", "echo 'Configurations: [Ports]' >> Roles/server.yml", OTHERS
    ),
    Row("nested-type-clash", "use the same type in both", "sed -i 's/http: {port: 80}/http: 80/' AllNodes/web.yml"),
    Row("tuple-value-clash", "use tuple keys whose values are strings", "sed -i 's/{x: 1}/b/' Roles/server.yml"),
    Row(
        "needs-powershell",
        "properties of nodes with --node-property",
        "sed -i '3s/$(Get-Site)/$($Node.Site)/' Datum.yml; lamina render . --node web --lookup Ports "
        "--node-property Site=bergen",
    ),
    Row("handler-loop", "break the cycle", "sed -i 's/^Other:.*/Other: 1/' AllNodes/web.yml"),
    Row(
        "invalid-psd1",
        "write data files as",
        """rm -f Datum.yml; printf "@{ ResolutionPrecedence = @('AllNodes\\\\web') }" > Datum.psd1""",
        OTHERS,
    ),
    Row("missing-store", "correct StoreOptions.Path", "sed -i 's/AllNods/AllNodes/' Datum.yml", OTHERS),
    edit("handler-failed", "correct the script", "$null[0]", "1", "AllNodes/web.yml"),
    edit("unsupported-pattern", "rewrite it without .NET-only syntax", "(?<-a>b)", "b", "Datum.yml"),
    edit("pattern-too-slow", "nested repetition", "(A|AA|A?)+", "A+", "Datum.yml"),
)

HEAT = (
    Row("empty-section", "write parameter_defaults: {}", "echo 'parameter_defaults: {}' > empty.yaml"),
    Row("unknown-section", "did you mean parameter_defaults?", MEANT),
    Row("conflicting-strategy", "did you mean merge?", "sed -i 's/mrge/merge/' *.yaml"),
    Row(
        "invalid-template",
        "start with heat_template_version: 2018-08-31",
        "sed -i '1i heat_template_version: 2018-08-31' t.yaml",
    ),
    Row(
        "invalid-parameter-value", "write a list, or a comma-separated string", "echo 'parameters: {l: [7]}' > two.yaml"
    ),
    Row(
        "type-mismatch", "write one parameter per line, as name: value", "printf 'parameters:\\n  a: 1\\n' > list.yaml"
    ),
    edit("malformed-yaml", "check the brackets, braces and commas", "2}", "2]}", "broken.yaml"),
    Row("no-template", "pass the root template with -t", "lamina render -t t.yaml one.yaml two.yaml", OTHERS),
    Row(
        "mixed-rule-sets", "choose one with --rule-set", "lamina render --rule-set strategies one.yaml two.yaml", OTHERS
    ),
    Row(
        "invalid-strategy-for-type",
        "use the strategy overwrite",
        """sed -i 's/{flag: merge}/{flag: overwrite}/' flag.yaml""",
    ),
    Row("null-ignored", "set the value you want", "sed -i -E 's/: ?(~|null)/: 1/' two.yaml", OTHERS),
    Row("client-error", "fix or remove the entry", "echo 'resource_registry: {}' > three.yaml"),
    Row(
        "template-not-found",
        "check the name",
        "printf 'heat_template_version: rocky\\nresources: {}\\n' > gone.yaml",
    ),
    Row(
        "shared-by-alias",
        "write the value out instead of the alias",
        "sed -i -E 's/&[a-z]+ //; s/\\*[a-z]+/{k: [1]}/' *.yaml",
        OTHERS,
    ),
    Row("changed-by-json", "quote keys and values", "sed -i -E 's/^.*$/parameters: {a: \"1\"}/' one.yaml"),
)

DECKHAND = (
    Row("no-such-document", "did you mean base?", MEANT),
    Row("cyclic-data", "add `deepcopy: true` to src", "sed -i -E 's/src: \\{/src: {deepcopy: true, /' itself.yaml"),
    Row("unknown-value", "did you mean 'report'?", MEANT),
    Row("layering-policy-not-found", "or the file that contains it", "lamina render policy.yaml global.yaml"),
    Row("multiple-layering-policies", "keep only one LayeringPolicy", "lamina render policy.yaml global.yaml"),
    edit("invalid-document-layer", "did you mean 'site'?", "layer: sit", "layer: site", "layer.yaml"),
    edit("bad-document-path", "write paths as .a.b[0]", '".a["', ".a", "bad-path.yaml"),
    Row(
        "indeterminate-document-parent",
        "a label that only one of them has",
        "sed -i 's/of: base/of: second/' second.yaml",
    ),
    edit("invalid-document-format", "separate documents with", "- 1\n", "", "list.yaml"),
    edit(
        "invalid-document-parent",
        "only documents with the same schema have",
        "{of: base}",
        "{of: other}",
        "other-schema.yaml",
    ),
    edit(
        "invalid-document-parent",
        "a parent must be in a higher layer",
        "layer: global",
        "layer: site",
        "same-layer.yaml",
    ),
    edit("missing-document-key", "add a value at this path", "a: {b: 2}", "a: {b: 2}\n  c: {d: 1}", "no-key.yaml"),
    edit("substitution-source-data-not-found", "correct src.path", "path: .c}", "path: .a}", "source-data.yaml"),
    edit(
        "substitution-source-not-found", "did you mean example/Kind/v1/base?", "name: bse", "name: base", "source.yaml"
    ),
    edit("unsupported-action-method", "did you mean merge?", "mrge", "merge", "method.yaml"),
    edit("unreachable-path", "paths go through mappings by key", ".text.b", ".text", "no-way.yaml"),
    edit("unknown-substitution-error", "only if they are plain keys", "  x: y", "  x: {}", "dest-way.yaml"),
    Row(
        "substitution-dependency-cycle",
        "remove one of the substitutions",
        "sed -i '/substitutions/,/dest/d' ring-one.yaml",
    ),
    Row(
        "invalid-document-replacement",
        "select the document to replace",
        "sed -i 's/of: nobody/of: base/; s/name: replaces-nobody/name: base/' replaces-nobody.yaml",
    ),
    Row("invalid-data-schema", "remove the DataSchema", "lamina render policy.yaml --post-validate --validate reject"),
    edit("invalid-document-format-post-render", "remove the quotes", 'port: "80"', "port: 80", "data-schema.yaml"),
)

HIERA = (
    Row(
        "guessed-folder",
        "names another folder of the input",
        "mkdir -p other/data; echo 'a: 3' > other/data/all.yaml; "
        "lamina render . --node web1 --map-path /etc/puppetlabs/code/environments/production=other",
    ),
    Row(
        "alias-in-text",
        "use lookup() inside a string",
        "sed -i 's/alias/lookup/' data/common.yaml; echo 'b: 1' >> data/common.yaml",
    ),
    Row("hiera-config", "did you mean hierarchy?", "sed -i s/hierachy/hierarchy/ hiera.yaml", NOT_FOUND),
    Row("hiera-config", "add a name", "sed -i 's/{path/{name: a, path/' hiera.yaml", NOT_FOUND),
    Row(
        "hiera-config",
        "add data_hash: yaml_data",
        "sed -i 's/datadir: data/datadir: data, data_hash: yaml_data/' hiera.yaml",
    ),
    Row("lookup-options", "write a mapping from keys", "printf 'lookup_options: {}\na: 1\n' > data/common.yaml"),
    Row("merge-option", "did you mean knockout_prefix?", "sed -i 's/knockout: x/knockout_prefix: x/' data/common.yaml"),
    Row("merge-type", "use mappings in both", "sed -i 's/^words: 1/words: {x: 1}/' data/common.yaml"),
    Row("not-a-hash", "put { } around the keys", """echo '{"a": 1}' > data/common.yaml"""),
    Row("unknown-merge", "did you mean deep?", MEANT),
    Row(
        "recursive-lookup",
        "remove one of these references",
        "printf 'a: \"%%{lookup(\\047b\\047)}\"\\nb: 1\\n' > data/common.yaml",
    ),
    Row("not-sortable", "or remove sort_merged_arrays", "sed -i 's/, sort_merged_arrays: true//' data/common.yaml"),
    Row("bad-facts", "write a mapping of facts", "echo 'role: web' > facts/web1.yaml"),
    Row("no-facts", "render a node with --node NAME", "lamina render bare --node web1"),
    Row(
        "method-in-config",
        "use a variable, such as %{facts.role}",
        """sed -i "s/%{lookup('x')}/%{facts.role}/" hiera.yaml""",
        NOT_FOUND,
    ),
    Row("no-hiera-yaml", "pass the root folder of the environment", "lamina render . --node web1"),
    Row(
        "unknown-method", "known: lookup", "sed -i 's/looukp/lookup/' data/common.yaml; echo 'b: 1' >> data/common.yaml"
    ),
    Row("yaml-class", "quote it", "echo \"a: '2024-02-30'\" > data/common.yaml"),
    Row(
        "left-encrypted",
        "--cleartext-secrets shows the ciphertext",
        "lamina render . --node web1 --cleartext-secrets",
        stays=True,
    ),
    Row(
        "unsupported-backend",
        "--stub-level 'vault=FILE' gives its data",
        "echo 'vault::key: 1' > key.yaml; lamina render vault --node web1 --stub-level vault=key.yaml",
    ),
    Row("broken-link", "or remove it", "rm above/all.yaml"),
    Row("key-syntax", "separate names and indexes with single dots", "lamina render . --node web1 --lookup a"),
    Row("no-hash", "use a key of a mapping", "lamina render . --node web1 --lookup words.y"),
    Row("hiera-version", "convert the file to version 5", "printf 'version: 5\\n' > hiera.yaml", NOT_FOUND),
    Row("lookup-too-deep", "shorten the chain", "printf 'k1: 1\\n' > data/common.yaml"),
    Row("value-type", "mappings whose keys are strings", "printf 'a: {\"true\": 1}\\n' > data/common.yaml"),
)

LAYERS = (
    Row("bad-assignment", "write --set service.port=8080", "lamina render base.yaml site.yaml --set service.port=8080"),
    Row("bad-assignment", "write --env-prefix LAMINA__", "lamina render base.yaml site.yaml --env-prefix LAMINA__"),
    Row("invalid-rules", "did you mean append?", MEANT),
    Row(
        "invalid-hierarchy",
        "put braces around the name",
        """printf 'layers: ["role/{role}.yaml"]\nnodes: {web1: {role: web}}\n' > tree/layers.yaml""",
    ),
    Row("layer-not-a-mapping", "write keys and values", "echo 'service: {port: 80}' > items.yaml"),
    Row("not-utf8", "name a file of text", "echo hello > bytes"),
    Row("unusable-schema", "draft 4", "echo '{}' > service.json", OTHERS),
    Row("unusable-path", "check the path", "lamina render base.yaml site.yaml --set 'packages[0]=1'"),
    Row("reference-too-deep", "refer to the value itself", "sed -i -E 's/\\{k[0-9]+\\}/{k120}/' chain.yaml"),
    Row("conflicting-values", "or to the same value", "cp one.yaml two.yaml"),
    Row("no-hierarchy", "pass the files in the order", "echo 'a: 1' > a.yaml; lamina render --dialect layers a.yaml"),
    Row("locked-value", "remove it from two.yaml", "sed -i '/owner/d' two.yaml", OTHERS),
    Row("wrong-type-for-rule", "use the same type in both layers", "sed -i 's/l: one/l: [one]/' one.yaml", OTHERS),
    Row("item-without-key", "give every item the key", "sed -i 's/published: 81/target: 81/' compose.bad.yml"),
    Row(
        "preset-by-name",
        "--preset docker-compose confirms it",
        "lamina render compose.yml compose.prod.yml --preset docker-compose",
    ),
    Row("missing-required-key", "set it in one of the layers", "echo 'nmae: x' >> three.yaml", OTHERS),
    Row("schema-violation", "add owner", "printf 'port: 70\\nname: shop\\nowner: me\\n' > three.yaml", OTHERS),
    Row("reference-cycle", "set one of them to a value of its own", "sed -i 's/^c:.*/c: 1/' refs.yaml", OTHERS),
    Row("unknown-reference", "did you mean port?", "sed -i 's/service.prt/service.port/' refs.yaml", OTHERS),
    Row(
        "bad-reference",
        "write ${a.b}",
        "sed -i 's/^open:.*/open: ${service}/; s/^odd:.*/odd: $${a..b}/' refs.yaml",
        OTHERS,
    ),
    Row(
        "reference-not-text",
        "make the reference the whole string",
        "sed -i 's/is ${service}/${service}/' refs.yaml",
        OTHERS,
    ),
    Row(
        "invalid-toml",
        "strings are quoted",
        """printf '[[rules]]\\npath = "packages"\\nmerge = "append"\\n' > broken.toml""",
    ),
    Row("missing-fact", "did you mean role?", "sed -i 's/{rol}/{role}/' tree/layers.yaml", OTHERS),
)

COMMANDS = (
    Row(
        "ambiguous-option",
        "--dialect plain or --dialect rich",
        "PYTHONPATH=packages:$PYTHONPATH lamina render --dialect rich --level 3 base.yaml",
    ),
    Row("bad-path", "write a.b[0]", "lamina explain a base.yaml"),
    Row("bad-value", "quote it", """lamina set example/Kind/v1/base.data.a "'[1'" policy.yaml global.yaml"""),
    Row(
        "bad-changes",
        "write value: and what it is to be",
        "printf 'changes:\\n- path: example/Kind/v1/base.data.a\\n  value: 2\\n' > changes.yaml; "
        "lamina set -f changes.yaml policy.yaml global.yaml",
    ),
    Row(
        "no-move",
        "shows who sets it in each target",
        "lamina explain example/Kind/v1/base.data.a policy.yaml global.yaml",
    ),
    Row("part-of-result", "in front of the path", "lamina set example/Kind/v1/base.data.a 1 policy.yaml global.yaml"),
    Row(
        "secret-value",
        "add --cleartext-secrets",
        "lamina set example/Kind/v1/key.data.text other policy.yaml key.yaml --cleartext-secrets",
    ),
    Row(
        "bad-baseline",
        "lamina lint --write-baseline FILE",
        "lamina lint --write-baseline known.json base.yaml; lamina lint --baseline known.json base.yaml",
    ),
    Row("folder-exists", "choose another folder", "lamina init --example cloud-init elsewhere"),
    Row("json-key-clash", "or use YAML output", "lamina render keys.yaml"),
    Row("not-json", "or use YAML output", "lamina render nan.yaml"),
    edit("number-too-long", "quote it", "a: 9", "a: '9", "number.yaml"),
    Row(
        "mixed-inputs",
        "--dialect cloud-init reads all of them",
        "lamina diff --dialect cloud-init base.yaml --to base.yaml heat.yaml",
    ),
    Row("two-dialects", "choose the dialect with --dialect", "lamina diff --dialect cloud-init base.yaml heat.yaml"),
    Row("unknown-dialect", "choose one with --dialect", "echo 'a: 1' | lamina render --dialect layers -"),
    Row("unknown-code", "did you mean 'redundant-value'?", MEANT),
    Row("unknown-example", "did you mean 'cloud-init'?", MEANT),
    Row("unknown-schema", "did you mean 'render'?", MEANT),
    Row("unknown-target", "did you mean 'base'?", MEANT),
    Row("unknown-revision", "use a branch, a tag or a commit", "lamina diff --git HEAD..HEAD base.yaml"),
    Row("unrelated-revisions", "use two dots", "lamina diff --git main..apart base.yaml"),
    Row("no-such-folder", "did you mean image?", MEANT),
    Row("no-such-node", "did you mean web?", MEANT),
    Row("no-such-path", "did you mean Ports?", MEANT),
    Row("lookup-not-found", "did you mean Ports?", MEANT),
    Row("not-found", "did you mean words?", MEANT),
    Row("missing-file", "did you mean base.yaml?", MEANT),
    Row("no-input", "PATH comes first", "lamina explain a base.yaml; lamina explain --all base.yaml"),
    Row("no-such-value", "a value is written as in YAML", "lamina find Domain"),
    Row("option-for-other-dialect", "remove it, or use --dialect datum", "lamina render base.yaml"),
    Row("project-exists", "--force overwrites it", "lamina init --print; lamina init --force"),
    Row("no-project", "lamina init", "lamina init; lamina render --project ."),
    Row("special-file", "pipe it to standard input and pass `-`", "echo '#cloud-config' | lamina render -", OTHERS),
    Row("unwritable-file", "create the folder first", "mkdir -p no/such; lamina pack base.yaml -o no/such/folder"),
    Row("unwritable-folder", "name another folder", "lamina render fleet.yaml --output-dir results -q"),
    Row(
        "bad-source-url",
        "give an http or https address",
        "lamina report hardening.yaml web.yaml -o report.html -q --source-url 'https://example.org/{path}#L{line}'",
    ),
    Row("guessed-order", "remove guessed = true", "cd shop; sed -i '/guessed/d' lamina.toml"),
    Row("duplicate-node", "give every node a name of its own", "sed -i 's/name: A/name: b/' fleet.yaml"),
    Row("bad-manifest", "did you mean 'nodes'?", MEANT, OTHERS),
    Row("not-searched", "correct what is reported above", "sed -i 's/\\[1$/[1]/' p/broken.yaml", (*DONE, "status 2")),
    Row(
        "bad-project",
        "did you mean 'cloud-init'?",
        'printf \'[targets.web]\\ndialect = "cloud-init"\\ninputs = ["base.yaml"]\\n\' > lamina.toml',
    ),
    Row("duplicate-target", 'name = "web-{name}"', "sed -i '/patterns.a/a name = \"web-{name}\"' lamina.toml"),
    Row("output-inside-inputs", "name a folder outside of it", "lamina render . --output-dir ../out"),
    Row("unknown-store", "write sqlite:///FILE", "lamina store token list --store sqlite:///store.db"),
    Row(
        "store-unavailable",
        "make the folder",
        "mkdir missing; lamina store token list --store sqlite:///missing/store.db",
    ),
    Row(
        "token-exists", "choose another name", "lamina store token create other --role read --store sqlite:///store.db"
    ),
    Row(
        "invalid-token-name",
        "choose 1 to 100 printable characters",
        "lamina store token create ci --role read --store sqlite:///store.db",
    ),
    Row("no-such-token", "'lamina store token list' lists them", "lamina store token list --store sqlite:///store.db"),
    Row("no-such-server", "write http://HOST:PORT", "lamina store revisions --server http://127.0.0.1:1", OTHERS),
    Row(
        "caller-only-option",
        "remove it, and add --allow-net",
        "sed -i '/allow_net/d; /instance_data/d; /layers/d' fleet.yaml; lamina render fleet.yaml --allow-net",
        OTHERS,
    ),
    Row(
        "no-fleet-in-folder",
        "use each = a pattern of paths",
        "lamina render base.yaml",
    ),
    Row("no-git", "or compare two folders", "mkdir a b; cp base.yaml a; cp base.yaml b; lamina diff a b"),
    Row(
        "no-repository",
        "run it in a repository",
        "git init -q .; git add base.yaml; git -c user.name=n -c user.email=n@example.org commit -qm 1; "
        "lamina diff --git HEAD base.yaml",
    ),
    Row(
        "nothing-found",
        "[targets.NAME] with dialect and inputs",
        """printf '#cloud-config\\na: 1\\n' > empty/a.yaml; printf '[targets.a]\\ndialect = "cloud-init"\\n"""
        """inputs = ["a.yaml"]\\n' > empty/lamina.toml; lamina render --project empty""",
    ),
    Row("outside-folder", "--allow-path DIR", "lamina render fleet.yaml --allow-path /etc", (*OTHERS, "status 2")),
    Row(
        "not-a-path",
        "write a path as a string",
        "sed -i '/allow_net/d; /instance_data/d; s/layers: 5/layers: .\\//' fleet.yaml",
        OTHERS,
    ),
    Row("outside-repository", "all paths must be in one repository", "lamina diff --git main..apart base.yaml"),
    Row("no-targets", "without a second revision, the files on disk are compared", "lamina diff --git HEAD base.yaml"),
    Row(
        "read-from-disk",
        "put it under version control",
        "cd r; cp ../vendor.yaml .; git add .; git -c user.name=n -c user.email=n@example.org commit -qm 2; "
        "lamina diff --git HEAD a.yaml --vendor-data vendor.yaml",
    ),
    Row(
        "no-such-type",
        "add documents below type/large",
        "mkdir -p type/large; cp site/one/site-definition.yaml type/large; lamina render . --dialect deckhand",
        OTHERS,
    ),
)

ANSIBLE = (
    Row("no-match", "did you mean web?", "lamina render . --limit web:web1"),
    Row("host-pattern", "behind ~ is a regular expression", "lamina render . --limit '~web'"),
    Row("ansible-cfg", "did you mean all_inventory?", MEANT),
    Row("ansible-cfg", "remove it", "lamina render . --setting precedence=all_inventory"),
    Row("playbook-dir", "correct the path", "mkdir plays; touch plays/site.yml"),
    Row("extra-vars", "for a file", "echo 'a: 1' > vars.yml; lamina render . --extra-vars @./vars.yml"),
    Row("no-inventory", "name one with --inventory", "lamina render . --dialect ansible -i web1,"),
    Row("no-inventory", "write NAME=VALUE", "sed -i 's/port 80/http_port=80/' hosts"),
    Row("no-hosts", "name another one with --inventory", "lamina render . -i more"),
    Row("group-loop", "remove all from the children", "sed -i /all/d loop"),
    Row("several-localhosts", "keep one of them", "sed -i /127/d local"),
    Row("variables-not-a-mapping", "write names with a colon", "echo 'http_port: 80' > group_vars/web.yml"),
    Row("guessed-inventory", "name it with --inventory", "lamina render . -i hosts"),
    Row("not-a-folder", "one file for each group or host", "rm host_vars; mkdir host_vars"),
    Row("deprecated-tag", "write !vault", "sed -i s/vault-encrypted/vault/ group_vars/web.yml"),
)

RECLASS = (
    Row("no-such-class", "did you mean app?", "sed -i s/aap/app/ nodes/n1.yml"),
    Row("inheritance-loop", "remove one of them", "echo '{}' > classes/b.yml"),
    Row("different-types", "use one type", "sed -i 's/.1.}/2}/' nodes/n1.yml"),
    Row("changed-constant", "remove it there", "sed -i /port/d nodes/n1.yml"),
    Row("class-not-a-mapping", "write parameters:", "echo 'parameters: {a: 1}' > nodes/n1.yml"),
    Row("inventory-query", "write the value", "echo 'parameters: {all: 1}' > nodes/n1.yml"),
    Row("inheritance-too-deep", "include less", "echo '{}' > classes/c50.yml"),
)

_WORKING_HELM = (
    r"""printf '#!/bin/sh\nprintf -- "---\\n# Source: shop/templates/web.yaml\\nkind: Deployment\\n"""
    r"""metadata: {name: web}\\n"\n' > helm; chmod +x helm; """
    r"""lamina render shop --manifest Deployment/web --helm ./helm"""
)
_SUBCHART = "printf 'apiVersion: v2\\nname: db\\nversion: 1.0.0\\n' > shop/charts/db/Chart.yaml"

HELM = (
    Row("no-chart", "name the folder of the chart", "lamina render shop prod.yaml"),
    Row("file-not-found", "check its name and folder", "echo Hello > none.txt"),
    Row("set-syntax", "write --set image.tag=v2", "lamina render shop --set image.tag=v2,replicas=3"),
    Row("helm-required", "name the Helm that may", _WORKING_HELM),
    Row("helm-not-run", "name a Helm of version 3", _WORKING_HELM),
    Row("helm-failed", "try it by hand: helm template", _WORKING_HELM),
    Row("no-such-manifest", "did you mean Deployment/web?", MEANT),
    Row("chart-metadata", "write application or library", "sed -i s/libary/application/ shop/Chart.yaml"),
    Row("missing-dependency", "fetch it", f"mkdir shop/charts/db; {_SUBCHART}"),
    Row("packed-chart", "unpack it in that folder", f"rm shop/charts/*.tgz; mkdir shop/charts/db; {_SUBCHART}"),
    Row("chart-missing", "what is in charts/ must be charts", _SUBCHART),
    Row("default-not-used", "write the default as a mapping", "echo 'global: {}' > shop/charts/db/values.yaml"),
    Row("tag-not-boolean", "set it to true or false", "echo 'tags: {back: true}' > shop/values.yaml"),
    Row("condition-not-boolean", "set it to true or false", "echo 'db: {enabled: true}' > shop/values.yaml"),
    Row(
        "import-missing",
        "add the mapping to the subchart",
        "echo 'exports: {data: {a: 1}}' > shop/charts/db/values.yaml",
    ),
    Row(
        "requirements-yaml",
        "move its dependencies to Chart.yaml",
        "cat shop/requirements.yaml >> shop/Chart.yaml; rm shop/requirements.yaml",
    ),
    Row("global-not-passed", "write global: as a mapping", "echo 'db: {global: {zone: b}}' > shop/values.yaml"),
    Row(
        "malformed-import",
        "write child: a.b and parent: c",
        "sed -i 's/child: data/&, parent: c/' shop/requirements.yaml",
    ),
)

PAGES = {
    "cloud-init.md": CLOUD_INIT,
    "datum.md": DATUM,
    "heat.md": HEAT,
    "deckhand.md": DECKHAND,
    "hiera.md": HIERA,
    "helm.md": HELM,
    "ansible.md": ANSIBLE,
    "reclass.md": RECLASS,
    "layers.md": LAYERS,
    "": COMMANDS,
}
"""The rows by the page of tests/messages whose exchange they follow, where it has one."""

UNTRIED = {
    **dict.fromkeys(
        ("inventory-plugin", "dependency-failed", "part-handler", "no-data", "git-failed"),
        "the hint says what follows or where to look, and names no edit",
    ),
    **dict.fromkeys(
        (
            "gzip-too-large",
            "input-too-large",
            "data-schema-too-complex",
            "result-too-deep",
            "result-too-large",
            "too-deep",
            "too-many-aliases",
            "too-many-parts",
        ),
        "a limit: less of everything, wherever that is possible",
    ),
    **dict.fromkeys(
        (
            "no-dask",
            "no-watchfiles",
            "broken-plugin",
            "reserved-option",
            "jinja-template",
            "foreign-template",
            "unusable-keystone-file",
            "no-such-repository",
        ),
        "the hint names a package, a program or a repository that is not here",
    ),
    **dict.fromkeys(
        (
            "cannot-listen",
            "no-response",
            "invalid-token",
            "invalid-token-buckets",
            "secret-reference",
            "unusable-backup",
            "unusable-certificate",
            "unusable-key",
        ),
        "needs a server; tests/service follows the way that works",
    ),
}
"""Codes whose hint names no edit or option, or one that needs something that is not here, with that reason."""
