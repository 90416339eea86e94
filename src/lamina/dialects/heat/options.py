"""The options of the Heat dialect."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lamina.protocol.dialect import compat_option, many_paths, one_path, option, strict_option

if TYPE_CHECKING:
    from collections.abc import Mapping

RULE_SETS = ("strategies", "spec", "deep-update")


@dataclass(frozen=True, slots=True, kw_only=True)
class HeatOptions:
    """How environment files are read and merged."""

    compat: str = compat_option()
    strict: bool = strict_option()
    rule_set: str | None = option(
        None,
        flag="--rule-set",
        choices=RULE_SETS,
        about="strategies: what Heat does (parameter_merge_strategies); spec: the proposal it is based on "
        "(merge_strategy); deep-update: what python-heatclient does; auto-detected from the sections if not given",
    )
    environments: tuple[str, ...] = option(
        (),
        flag="--environment",
        short="-e",
        metavar="FILE",
        many=True,
        paths=many_paths,
        about="an environment that comes before the inputs, as the client takes it; repeatable",
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
        metavar="DIR",
        paths=one_path,
        about=(
            "folder of templates, such as tripleo-heat-templates: environments may refer to any file in it, "
            "and its overcloud.yaml is the root template"
        ),
    )
    via: str = option(
        "server",
        flag="--via",
        choices=("client", "server"),
        on_command_line="client",
        about=(
            "client: as `openstack stack create -e` does it, which sends environments as JSON; server: as "
            "Heat reads the files unchanged; only for Heat's own merge rules"
        ),
    )
    redact: bool = option(False, flag="--redact", about="replace secrets in the rendered data as well")
    cleartext_secrets: bool = option(
        False,
        flag="--cleartext-secrets",
        grants="showing secrets in plain text",
        about="show secrets wherever values are explained",
    )
    initial_parameters: Mapping[str, Any] | None = option(
        None, about="parameters sent with the request, the first layer of the section parameters"
    )
