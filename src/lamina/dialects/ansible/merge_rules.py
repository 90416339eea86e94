"""What wins in Ansible, and how two values of one variable are merged.

A host starts with no variables. Each of these steps lays variables over what is there so far, so the last one wins:

 1. `all_inventory`: variables of the group `all` in the inventory itself (`[all:vars]`, `all: {vars: ...}`).
 2. `groups_inventory`: those of the other groups of the host, in the order of groups.
 3. `all_plugins_inventory`: `group_vars/all` beside each source of the inventory, source by source.
 4. `all_plugins_play`: `group_vars/all` in the folder of the playbook.
 5. `groups_plugins_inventory`: `group_vars/GROUP` beside the sources: source by source, and for each of them group by
    group. So the file of a parent group beside a later source wins over that of its child beside an earlier one.
 6. `groups_plugins_play`: `group_vars/GROUP` in the folder of the playbook, group by group.
 7. The host's own variables in the inventory.
 8. `host_vars/HOST` beside each source, source by source.
 9. `host_vars/HOST` in the folder of the playbook.
10. Extra variables (`-e`).

So `group_vars/all.yml` (step 3) wins over `[web:vars]` (step 2). The setting `precedence` chooses and orders steps 1 to
6; the others are fixed. Variables that Ansible sets itself, such as `inventory_hostname`, cannot be set at all.

The order of groups is that of (depth, priority, name), the last one wins:

- Depth is the longest way down from `all`, over all sources and whether or not groups are related: any deeper group
  wins over any less deep one. A group without a parent is a child of `all`.
- Priority is `ansible_group_priority` where an inventory source sets it on the group; 1 without. In `group_vars` it is
  a variable like any other and has no effect.
- Names are compared by code points: `Z` before `a`, `g10` before `g9`.

Two values of one variable: the later one replaces the earlier one as a whole (`hash_behaviour: replace`, the default).
With `hash_behaviour: merge` two mappings are merged key by key at every depth; anything else replaces, lists, null and
the mappings inside lists too, and an empty mapping changes nothing. The rule is the same everywhere: for the files of
a folder, for groups, for sources, and for two `-e`. Keys stay in the order of the earlier mapping, new ones follow.

With `merge` it counts that the layers of a step are merged with one another before they are laid over the earlier
steps, and those of one folder, or of one group in the inventory, before those of the next: a text that one file of a
step sets and a later one of the same step replaces by a mapping never meets the mapping of an earlier step.
"""

from __future__ import annotations

from typing import Any, Final

from lamina import plugin as lp
from lamina.plugin import operators as lpo

ALL_INVENTORY: Final = "all_inventory"
GROUPS_INVENTORY: Final = "groups_inventory"
ALL_PLUGINS_INVENTORY: Final = "all_plugins_inventory"
ALL_PLUGINS_PLAY: Final = "all_plugins_play"
GROUPS_PLUGINS_INVENTORY: Final = "groups_plugins_inventory"
GROUPS_PLUGINS_PLAY: Final = "groups_plugins_play"
PRECEDENCE: Final = (
    ALL_INVENTORY,
    GROUPS_INVENTORY,
    ALL_PLUGINS_INVENTORY,
    ALL_PLUGINS_PLAY,
    GROUPS_PLUGINS_INVENTORY,
    GROUPS_PLUGINS_PLAY,
)
"""The steps that the setting `precedence` chooses from, in their usual order."""

_EMPTY, _FILLED = ((each,) for each in lp.MAPS)


class _MergeMappings(lp.Union):
    """Two mappings key by key; where they are equal the later one is taken, with the order of its keys."""

    def apply(self, old: Any, new: Any, policy: lp.Policy, trail: lpo.Trail, run: lpo.MergeContext) -> lpo.Delta:
        return lpo.NEW if old == new else super().apply(old, new, policy, trail, run)

    def value(self, old: Any, new: Any, policy: lp.Policy, trail: lpo.Trail, run: lpo.MergeContext) -> Any:
        return new if old == new else super().value(old, new, policy, trail, run)


_REPLACED = lp.Cases((lp.MAPS, lp.MAPS, lp.Union(lp.Cases.everywhere(lp.TAKE))), (lp.ALL, lp.ALL, lp.TAKE))
_MEMBERS = lp.Cases(
    (_FILLED, _EMPTY, lp.KEEP),
    (_FILLED, _FILLED, lp.DESCEND),
    (lp.ALL, lp.ALL, lp.TAKE),
)
_MERGED = lp.Cases(
    (_FILLED, _EMPTY, lp.KEEP),
    (_FILLED, _FILLED, _MergeMappings(_MEMBERS, "merge")),
    (lp.ALL, lp.ALL, lp.TAKE),
)


def policy(hash_behaviour: str, origin: lp.Origin | None = None) -> lp.Policy:
    """How the variables of two layers are merged; `origin` is where the setting is written."""
    table = _MERGED if hash_behaviour == "merge" else _REPLACED
    return lp.Policy(table, f"hash_behaviour {hash_behaviour}", origin)


MAGIC: Final = frozenset(
    (
        *("ansible_async_path", "ansible_check_mode", "ansible_collection_name", "ansible_config_file"),
        *("ansible_dependent_role_names", "ansible_diff_mode", "ansible_facts", "ansible_forks"),
        *("ansible_inventory_sources", "ansible_limit", "ansible_play_batch", "ansible_play_hosts"),
        *("ansible_play_hosts_all", "ansible_play_role_names", "ansible_playbook_python", "ansible_role_name"),
        *("ansible_role_names", "ansible_run_tags", "ansible_skip_tags", "ansible_verbosity", "ansible_version"),
        *("group_names", "groups", "hostvars", "inventory_dir", "inventory_file", "inventory_hostname"),
        *("inventory_hostname_short", "play_hosts", "playbook_dir", "role_name", "role_names", "role_path"),
        "role_uuid",
    )
)
"""Variables that Ansible sets itself, whatever else sets them."""

RESERVED: Final = frozenset(
    (
        *("action", "always", "any_errors_fatal", "args", "async", "async_val", "become", "become_exe"),
        *("become_flags", "become_method", "become_user", "block", "changed_when", "check_mode", "collections"),
        *("connection", "cycler", "debugger", "delay", "delegate_facts", "delegate_to", "dict", "diff"),
        *("environment", "fact_path", "failed_when", "force_handlers", "gather_facts", "gather_timeout"),
        *("handlers", "hosts", "ignore_errors", "ignore_unreachable", "joiner", "lipsum", "local_action"),
        *("lookup", "loop", "loop_control", "loop_with", "max_fail_percentage", "module_defaults", "name"),
        *("namespace", "no_log", "notify", "now", "omit", "order", "poll", "port", "post_tasks", "pre_tasks", "q"),
        *("query", "range", "register", "remote_user", "rescue", "retries", "roles", "run_once", "serial"),
        *("strategy", "tags", "tasks", "throttle", "timeout", "undef", "until", "vars_files", "vars_prompt"),
        *("when", "with_"),
    )
)
"""Keywords of plays and globals of templates, which Ansible warns of as names of variables."""
