"""A value of a project that Lamina merges."""

from __future__ import annotations

DOCUMENTATION = """
name: value
short_description: A value of layered configuration, as Lamina merges it
description:
  - Renders a target of a project and returns the values at paths.
options:
  _terms:
    description: Paths of values, as V(a.b[0]); without any, the whole result.
    required: false
  project:
    description: The folder of the project, or its lamina.toml.
    type: str
    default: .
  target:
    description: The name of the target; not needed if the project has only one.
    type: str
  default:
    description: What a path gives that is not there. Without it, that is an error.
    type: raw
requirements:
  - lamina, in the Python of the control node
"""

EXAMPLES = """
- ansible.builtin.debug:
    msg: "{{ lookup('lamina.config.value', 'timezone', project='/srv/site', target='web1') }}"
"""

RETURN = """
_raw:
  description: The values at the paths, in order.
  type: list
"""

from ansible.errors import AnsibleLookupError  # noqa: E402 - Ansible reads the documentation first
from ansible.plugins.lookup import LookupBase  # noqa: E402


class LookupModule(LookupBase):
    """The lookup."""

    def run(self, terms, variables=None, **kwargs):
        from lamina import LaminaError, Workspace

        self.set_options(var_options=variables, direct=kwargs)
        name = self.get_option("target")
        try:
            with Workspace(self.get_option("project")) as workspace:
                if name is None and len(workspace.targets) != 1:
                    raise AnsibleLookupError(f"target is needed; there are {', '.join(workspace.targets)}")
                result = workspace.result(name or workspace.targets[0])
                return [self._value(result, path) for path in terms] if terms else [result.value]
        except LaminaError as error:
            raise AnsibleLookupError(str(error)) from error

    def _value(self, result, path):
        from lamina import UsageError

        try:
            return result.explain(path).value
        except UsageError:
            if self.get_option("default") is None:
                raise
            return self.get_option("default")
