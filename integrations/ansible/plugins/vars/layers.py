"""Variables of hosts: the result of the target that has the name of the host."""

from __future__ import annotations

DOCUMENTATION = """
name: layers
short_description: The result of the Lamina target of the same name, as variables of a host
description:
  - A host without a target of its name gets nothing.
options:
  project:
    description: The folder of the project, or its lamina.toml.
    type: str
    default: .
    ini:
      - key: project
        section: lamina
    env:
      - name: LAMINA_PROJECT
requirements:
  - lamina, in the Python of the control node
"""

from ansible.errors import AnsibleParserError  # noqa: E402 - Ansible reads the documentation first
from ansible.inventory.host import Host  # noqa: E402
from ansible.plugins.vars import BaseVarsPlugin  # noqa: E402

_WORKSPACES: dict = {}
"""One for each project: Ansible asks again and again."""


class VarsModule(BaseVarsPlugin):
    """The plug-in."""

    def get_vars(self, loader, path, entities, cache=True):  # noqa: ARG002
        from lamina import LaminaError, Workspace

        found: dict = {}
        self.set_options()
        project = self.get_option("project")
        try:
            workspace = _WORKSPACES.get(project)
            if workspace is None:
                workspace = _WORKSPACES[project] = Workspace(project)
            for entity in entities if isinstance(entities, list) else [entities]:
                if isinstance(entity, Host) and entity.name in workspace.targets:
                    found.update(workspace.result(entity.name).value)
        except LaminaError as error:
            raise AnsibleParserError(str(error)) from error
        return found
