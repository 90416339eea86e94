"""Templates without instance data: whatever the data is, the real result agrees with what is known."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

import lamina
from lamina.values import Unknown, holds_unknown, same

NAMES = ("v1.region", "v1.count", "ds.meta_data.role", "userdata")
names = st.sampled_from(NAMES)
scalars = st.one_of(
    st.sampled_from(["plain", "2", "{{ 1 + 1 }}", "{{ 'a' | upper }}"]),
    names.map(lambda name: f"{{{{ {name} }}}}"),
    names.map(lambda name: f"x-{{{{ {name} | default('d') }}}}-y"),
    names.map(lambda name: f'"{{{{ {name} ~ word }}}}"'),
)
conditions = st.one_of(
    names.map(lambda name: f"{name} == 'eu'"),
    names.map(lambda name: f"not {name}"),
    st.sampled_from(["true", "word == 'w'", "flag"]),
)
keys = st.sampled_from(["hostname", "locale", "timezone", "fqdn"])
entries = st.tuples(keys, scalars).map(lambda pair: f"{pair[0]}: {pair[1]}\n")
items = scalars.map(lambda text: f"- {text}\n")


def _branches(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.one_of(
        st.tuples(conditions, inner).map(lambda made: f"{{% if {made[0]} %}}\n{made[1]}{{% endif %}}\n"),
        st.tuples(conditions, inner, conditions, inner).map(
            lambda made: (
                f"{{% if {made[0]} %}}\n{made[1]}{{% elif {made[2]} %}}\n{made[3]}{{% else %}}\n{{% endif %}}\n"
            )
        ),
    )


blocks = st.recursive(entries, _branches, max_leaves=3)
lists = st.recursive(items, _branches, max_leaves=3)
HEAD = "## template: jinja\n#cloud-config\n"
templates = st.tuples(
    st.sampled_from(["", "{% set word = 'w' %}\n", "{% set word = v1.region %}\n", "{% set flag = v1.count %}\n"]),
    st.lists(blocks, max_size=3),
    st.lists(lists, max_size=3),
).map(
    lambda made: (
        f"## template: jinja\n#cloud-config\n{made[0]}first: 1\n{''.join(made[1])}packages:\n- p\n{''.join(made[2])}"
    )
)
values = st.sampled_from(["eu", "us", 2, "", None, True, [1]])
data = st.builds(
    lambda region, count, role, userdata: {
        "v1": {"region": region, "count": count},
        "ds": {"meta_data": {"role": role}},
        "userdata": userdata,
    },
    values,
    values,
    values,
    values,
)


def agrees(partly: Any, whole: Any) -> bool:
    """Whether a value with unknown parts agrees with one that has none; a key may be missing where it is unknown."""
    if isinstance(partly, Unknown):
        return True
    if isinstance(partly, dict):
        missing = [key for key in partly if key not in whole]
        return (
            whole.keys() <= partly.keys()
            and all(isinstance(partly[key], Unknown) for key in missing)
            and all(agrees(partly[key], whole[key]) for key in whole)
        )
    if isinstance(partly, list):
        return len(partly) == len(whole) and all(map(agrees, partly, whole))
    return same(partly, whole)


@given(template=templates, instance=data)
def test_what_is_known_without_data_is_so_with_any(template: str, instance: dict[str, Any]) -> None:
    partly = lamina.render([("user-data", template)], dialect="cloud-init")
    whole = lamina.render([("user-data", template)], dialect="cloud-init", instance_data=instance)
    if whole.value and partly.value:
        assert agrees(partly.value, whole.value), template


@given(template=templates)
def test_without_a_variable_everything_is_known(template: str) -> None:
    for name in NAMES:
        template = template.replace(name, "'eu'")
    partly = lamina.render([("user-data", template)], dialect="cloud-init")
    assert not holds_unknown(partly.value) or "word" in template or "flag" in template
