"""What YamlDotNet's scanner takes and libyaml's does not, as PyYAML's parser with these differences.

- `:` at the start of a line, behind a line whose last key began there, too, has an empty key.
- Inside brackets a word may begin with any character that means nothing there: `[>-, @x, %y]`.
"""

from __future__ import annotations

from typing import Any

from yaml.tokens import KeyToken

from lamina.sources.yaml.pyyaml_reader import PureParser


class DotNetParser(PureParser):
    """PyYAML's own parser, which takes what YamlDotNet takes."""

    # Of PyYAML's scanner, which has no types.
    allow_simple_key: bool
    column: int
    flow_level: int
    possible_simple_keys: dict[int, Any]
    tokens: list[Any]

    _key_column = 0
    """The column of what was last taken for a key outside of brackets."""

    def save_possible_simple_key(self) -> None:
        if self.allow_simple_key and not self.flow_level:
            self._key_column = self.column
        super().save_possible_simple_key()

    def fetch_value(self) -> None:
        in_block = not self.flow_level and self.allow_simple_key and not self.possible_simple_keys
        empty_key = in_block and self.column == self._key_column == 0
        super().fetch_value()
        if empty_key:
            mark = self.tokens[-1].start_mark
            self.tokens.insert(-1, KeyToken(mark, mark))
            self.allow_simple_key = False

    def check_plain(self) -> bool:
        begins_item = bool(self.flow_level) and self.allow_simple_key
        return (begins_item and self.peek() in "|>%@`") or bool(super().check_plain())
