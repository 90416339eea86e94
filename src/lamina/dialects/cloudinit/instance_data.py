"""Instance data: the variables of templates, as cloud-init defines them.

Names with `-` or `.` have a second name with `_`, and the members of `v1`, `v2`, ... are at the top level as well.
Values listed in `base64-encoded-keys` are decoded.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from lamina._support.derived import expression
from lamina.dialects.cloudinit import messages
from lamina.dialects.cloudinit.options import SAMPLE
from lamina.errors import InputError, UsageError

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from lamina.sources.inputs import Inputs

_VERSION: Final = expression(r"v\d+$")
# The operators of the template language, longest first; each is replaced in names.
_OPERATORS: Final = expression(r"//|\*\*|[=!<>]=|[-+/*%~\[\](){}=<>.:|,;]")


def read(given: Any, inputs: Inputs) -> Mapping[str, Any]:
    """Instance data given as a mapping, as the name of a JSON file, or as `sample:` with the name of a cloud."""
    if isinstance(given, dict):
        return given
    if isinstance(given, str) and given.startswith(SAMPLE):
        from lamina.dialects.cloudinit.sample_data import sample

        return sample(given.removeprefix(SAMPLE))
    if not isinstance(given, str):
        raise UsageError(messages.NO_INSTANCE_DATA.at(given=given))
    from lamina.sources.document_cache import json_document

    document = json_document(inputs.files.read(given) or inputs.opened(given)[0], inputs.run)
    if not isinstance(document.value, dict):
        raise InputError(messages.BAD_INSTANCE_DATA.at(document.origin))
    return document.value


def template_variables(data: Mapping[str, Any]) -> dict[str, Any]:
    """The variables templates see."""
    coded = data.get("base64-encoded-keys") or []
    return _converted(data, "", {str(path).replace("-", "_") for path in coded if isinstance(coded, list)})


def _converted(data: Mapping[str, Any], prefix: str, coded: Collection[str]) -> dict[str, Any]:
    from copy import deepcopy

    result: dict[str, Any] = {}
    for key, given in sorted(data.items()):
        path = f"{prefix}/{key}" if prefix else key
        value = _decoded(given) if path in coded else given
        if isinstance(value, dict):
            result[key] = _converted(value, path, coded)
            if _VERSION.match(key):
                result.update(deepcopy(result[key]))
        else:
            result[key] = value
        alias = _OPERATORS.sub("_", key)
        if alias != key:
            result[alias] = deepcopy(result[key])
    return result


def _decoded(value: Any) -> Any:
    import base64
    import binascii

    try:
        data = base64.b64decode(value)
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data
    except (binascii.Error, TypeError, ValueError):
        return value
