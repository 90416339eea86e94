"""Writing layers that were converted from another system: layers.yaml with an inventory, or files with rules."""

from __future__ import annotations

from typing import Any, Final

from lamina import plugin as lp
from lamina.dialects.layers import documents

HIERARCHY: Final = "layers.yaml"
INVENTORY: Final = "inventory.yaml"
RULES: Final = "rules"


def convert_to(layers: lp.LayeredSet, folder: str) -> lp.WrittenSet:
    """The files of a set, below a folder."""
    files = {folder + name: _text(file) for name, file in layers.files.items()}
    if layers.entries:
        return _hierarchy(layers, folder, files)
    entries: list[lp.FoundTargets] = []
    rules: dict[str, str] = {}
    for target in layers.targets:
        if target.left_out is not None:
            continue
        fields: dict[str, Any] = {"inputs": [folder + name for name in target.layers]}
        if target.settings:
            text = lp.write_yaml(target.settings)
            name = rules.setdefault(text, f"{folder}{RULES}{len(rules) + 1 if rules else ''}.yaml")
            fields["options"] = {"rules": name}
        about = f"converted from {layers.about}"
        entries.append(lp.FoundTargets(target.name, about, fields))
    files.update({name: text.encode() for text, name in rules.items()})
    return lp.WrittenSet(files, entries)


def _hierarchy(layers: lp.LayeredSet, folder: str, files: dict[str, bytes]) -> lp.WrittenSet:
    settings = {"layers": list(layers.entries or ()), "inventory": INVENTORY, **layers.settings}
    files[folder + HIERARCHY] = lp.write_yaml(settings).encode()
    inventory = {target.name: dict(target.facts) for target in layers.targets if target.left_out is None}
    files[folder + INVENTORY] = lp.write_yaml(inventory).encode()
    about = f"converted from {layers.about}: {len(inventory)} nodes"
    found = lp.FoundTargets(folder.strip("/") or "nodes", about, {"nodes": folder.rstrip("/") or "."})
    return lp.WrittenSet(files, [found])


def _text(file: lp.ConvertedFile) -> bytes:
    """A file as it was where it means the same here, else written again."""
    kept = file.kept(_read)
    return lp.write_yaml(file.value).encode() if kept is None else kept


def _read(name: str, data: bytes) -> Any:
    try:
        return documents.read(lp.Source(name, data)).value
    except lp.InputError:
        return lp.MISSING
