"""YAML that makes the program fail with an internal error instead of rejecting the text.

The program guards its YAML parser against YAML, type and value errors. PyYAML itself raises others on some scalars
(`!!bool x`, an empty `!!int`, `!!timestamp "1"`), and bytes that are not UTF-8 are decoded before the guard. A part of
user-data that does so is dropped like any bad part; elsewhere the whole run stops.
"""

from __future__ import annotations


def crashes(data: bytes) -> bool:
    """Whether the program stops on the bytes of a file that was found to be invalid YAML."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return True
    return crashes_on(text)


def crashes_on(text: str) -> bool:
    """Whether the program stops on a string that was found to be invalid YAML; the library itself decides."""
    import yaml

    try:
        yaml.safe_load(text)
    except (yaml.YAMLError, TypeError, ValueError):
        return False
    except Exception:  # whatever it is, nothing in the program catches it
        return True
    return False
