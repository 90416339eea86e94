from collections.abc import Callable
from typing import Any

def read(
    text: str | bytes,
    memo: dict[str, Any],
    starts: str,
    text_keys: bool,
    keys: dict[str, Any] | None,
    depth: int,
    nodes: int,
    source: Any = None,
    /,
) -> list[Any] | None: ...
def forget() -> None: ...
def configure(document: type, positions: type, make: Callable[..., Any], /) -> None: ...
