"""What can be asked of Helm: the chart, and what its command line sets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lamina.protocol.dialect import one_path, option, strict_option

if TYPE_CHECKING:
    from collections.abc import Callable


def _set_file_paths(value: Any, replaced: Callable[[str], str]) -> Any:
    """The files in arguments such as `motd=banner.txt`; lists of files in braces stay as they are."""
    pairs = [(each, *each.partition("=")) for each in value if isinstance(each, str)]
    return tuple(
        f"{key}={replaced(path)}" if sign and path[:1] not in ("", "{") else each for each, key, sign, path in pairs
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class HelmOptions:
    """The chart, and the arguments of `helm template` that set values, each in the words of Helm."""

    strict: bool = strict_option()
    chart: str | None = option(
        None,
        flag="--chart",
        metavar="DIR",
        paths=one_path,
        about="the folder of a Helm chart; all inputs are value files then, as with -f",
    )
    set_json: tuple[str, ...] = option((), flag="--set-json", metavar="PATH=JSON", many=True, about="as in Helm")
    set: tuple[str, ...] = option(
        (), flag="--set", metavar="PATH=VALUE", many=True, about="PATH=VALUE,…, above all files, as in Helm"
    )
    set_string: tuple[str, ...] = option(
        (), flag="--set-string", metavar="PATH=TEXT", many=True, about="as --set, and every value is a string"
    )
    set_file: tuple[str, ...] = option(
        (), flag="--set-file", many=True, paths=_set_file_paths, about="PATH=FILE: the text of a file as a string"
    )
    set_literal: tuple[str, ...] = option(
        (), flag="--set-literal", metavar="PATH=TEXT", many=True, about="one path; the rest is the string as it is"
    )
    manifest: str | None = option(
        None,
        flag="--manifest",
        metavar="KIND/NAME",
        about="a manifest of the chart instead of its values, such as Deployment/web; needs --helm",
    )
    helm: str | None = option(
        None,
        flag="--helm",
        metavar="PROGRAM",
        grants="running Helm, and with it the templates of the chart",
        about="the Helm that may run the templates of the chart, for --manifest",
    )
