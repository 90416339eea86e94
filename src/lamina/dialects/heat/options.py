"""What can be asked of the Heat dialect."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lamina.dialects.base import one_path, option

if TYPE_CHECKING:
    from collections.abc import Mapping

SURFACES = ("shipped", "spec", "client")


@dataclass(frozen=True, slots=True, kw_only=True)
class HeatOptions:
    """How environment files are read and merged."""

    compat: str = option(
        "shipped", about="follow the program as shipped, or its manual", choices=("shipped", "documented")
    )
    surface: str | None = option(
        None,
        flag="--surface",
        choices=SURFACES,
        about="shipped: Heat's own merge rules (parameter_merge_strategies); spec: the original proposal "
        "(merge_strategy); client: the deep update of python-heatclient; auto-detected from the sections "
        "by default",
    )
    template: str | None = option(
        None,
        flag="--template",
        short="-t",
        paths=one_path,
        about="root template, which declares the parameter types",
    )
    templates: str | None = option(
        None,
        flag="--templates",
        paths=one_path,
        about="folder of templates, such as tripleo-heat-templates: environments may refer to any file in it, "
        "and its overcloud.yaml is the root template",
    )
    from_command: str | None = option(
        None,
        flag="--from-command",
        paths=one_path,
        about="script with an `openstack overcloud deploy` (or `stack create`) command: use its environments, "
        "in its order, before the inputs; the script is never run",
    )
    plan_environment: str | None = option(
        None,
        flag="--plan-environment",
        paths=one_path,
        about="plan-environment file: use its environments, in its order, before the inputs",
    )
    via: str = option(
        "server",
        flag="--via",
        choices=("client", "server"),
        on_command_line="client",
        about="client: as `openstack stack create -e` does it, which sends environments as JSON; server: as "
        "Heat reads the files unchanged; only for Heat's own merge rules",
    )
    redact: bool = option(False, flag="--redact", about="replace secrets in the rendered data as well")
    cleartext_secrets: bool = option(
        False, flag="--cleartext-secrets", about="show secrets wherever values are explained"
    )
    initial_parameters: Mapping[str, Any] | None = option(
        None, about="parameters sent with the request, the first layer of the section parameters"
    )
