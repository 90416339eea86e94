"""The options of the cloud-init dialect."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lamina.protocol.dialect import compat_option, one_path, option, strict_option

if TYPE_CHECKING:
    from collections.abc import Callable

SAMPLE = "sample:"
"""What the name of a cloud follows whose instance data is made up."""
BUILT_IN = "builtin"
"""The schema that is part of Lamina."""
MODES = ("user-data", "merge", "fold", "confd", "layers", "instance")


def _path_or_data(data: Any, replaced: Callable[[str], str]) -> Any:
    """The file instance data is in, unless the data itself is given."""
    is_data = isinstance(data, dict) or (isinstance(data, str) and data.startswith(SAMPLE))
    return data if is_data else one_path(data, replaced)


def _mapped_paths(urls: Any, replaced: Callable[[str], str]) -> Any:
    """The file for each URL."""
    from lamina.dialects.cloudinit.includes import url_map

    return {url: replaced(name) for url, name in url_map(urls).items()}


def _schema_path(given: Any, replaced: Callable[[str], str]) -> Any:
    """The file a schema is in, unless the built-in one is asked for."""
    return given if given == BUILT_IN else one_path(given, replaced)


@dataclass(frozen=True, slots=True, kw_only=True)
class CloudInitOptions:
    """How cloud-init's inputs are read and merged."""

    compat: str = compat_option()
    manual: str = option(
        "current",
        flag="--manual",
        choices=("2013", "current"),
        about="which manual --compat manual follows: the current one, or the first one, of 2013",
    )
    mode: str = option(
        "user-data",
        flag="--mode",
        choices=MODES,
        about=(
            "user-data: user-data files, oldest first; confd: cloud.cfg and cloud.cfg.d; layers: confd plus "
            "vendor-data and user-data; instance: all layers in a folder laid out like an instance; merge: "
            "plain values merged with --merge; fold: metadata, first file wins"
        ),
    )
    layers: str | None = option(
        None,
        flag="--layers",
        metavar="DIR",
        paths=one_path,
        about="read all layers from a folder laid out like an instance (etc/cloud, var/lib/cloud)",
    )
    user_data: str | None = option(
        None, flag="--user-data", paths=one_path, about="user-data, merged with the other layers"
    )
    vendor_data: str | None = option(
        None, flag="--vendor-data", paths=one_path, about="vendor-data, which user-data overrides"
    )
    vendor_data2: str | None = option(
        None, flag="--vendor-data2", paths=one_path, about="second vendor-data, which overrides the first"
    )
    cloud_cfg: str | None = option(
        None, flag="--cloud-cfg", paths=one_path, about="cloud.cfg of the image, the lowest layer"
    )
    conf_d: str | None = option(
        None,
        flag="--conf-d",
        metavar="DIR",
        paths=one_path,
        about="the cloud.cfg.d folder, whose *.cfg files override cloud.cfg",
    )
    no_built_in: bool = option(
        False,
        flag="--no-built-in",
        about="with layers: omit cloud-init's built-in configuration, which enables vendor-data",
    )
    merge: Any = option(None, flag="--merge", metavar="RULE", about="the merge rule for --mode merge")
    reverse: bool = option(False, flag="--reverse", about="with --mode fold: the last file wins")
    urls: Any = option(
        (),
        flag="--url",
        metavar="URL=FILE",
        many=True,
        paths=_mapped_paths,
        about="read FILE instead of fetching URL; repeatable",
    )
    allow_net: bool = option(
        False,
        flag="--allow-net",
        grants="fetching from the network",
        about="fetch included http and https URLs over the network",
    )
    instance_data: Any = option(
        None,
        flag="--instance-data",
        paths=_path_or_data,
        about="JSON file with the template variables; sample:aws, azure, gce, openstack or nocloud is made-up data",
    )
    launch_index: Any = option(
        None, flag="--launch-index", metavar="NUMBER", about="omit parts meant for another launch index"
    )
    schema: str | None = option(
        None,
        flag="--schema",
        paths=_schema_path,
        about=(
            "the JSON Schema to check keys against: a cloud-init schema file, or builtin for the table that is part of "
            "Lamina (the default)"
        ),
    )
    strict: bool = strict_option()

    @property
    def names_layers(self) -> bool:
        """Whether options say which file is which layer."""
        return any((self.user_data, self.vendor_data, self.vendor_data2, self.cloud_cfg, self.conf_d))
