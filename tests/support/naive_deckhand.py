"""Deckhand's rendering a second time, as plainly as possible: real objects, really changed in place.

Paths are left to the very library the program uses, and the order to the one it uses; everything else follows the facts
word by word. What the program would crash with shows as any exception; what it rejects shows as `Refused`.
"""

from __future__ import annotations

import copy
import re
from functools import cache
from typing import Any

import jsonpath_ng
import networkx

Doc = dict[str, Any]


class Rejected(Exception):
    """The set is rejected, for this reason."""

    def __init__(self, kind: str) -> None:
        super().__init__(kind)
        self.kind = kind


@cache
def path_of(text: str) -> Any:
    return jsonpath_ng.parse("$" if text == "." else f"${text}" if text.startswith(".") else text)


def first(data: Any, path: str) -> Any:
    found = path_of(path).find(data)
    return found[0].value if found else None


def widen(data: Any, path: str) -> None:
    here = data
    for piece in ("$" + path if path.startswith(".") else path).split(".")[1:]:
        if re.match(r".*\[\d+\].*", piece):
            pieces = piece.split("[")
            try:
                name, index = pieces[0], int(pieces[1][:-1])
            except ValueError:
                here = here.get(piece)
                continue
            here.setdefault(name, [])
            while len(here[name]) <= index:
                here[name].append({})
            here = here[name][index]
        else:
            if piece not in here:
                piece = piece.strip("'").strip('"')  # noqa: PLW2901 - as the program has it
                here.setdefault(piece, {})
            here = here.get(piece)


def write(data: Any, value: Any, path: str, pattern: str | None = None, recurse: Any = None) -> Any:
    if path not in (".", "$") and not path.startswith((".", "$.")):
        raise ValueError(path)
    data, parsed = copy.copy(data), path_of(path)
    if not parsed.find(data):
        widen(data, path)
    there = parsed.find(data)[0].value

    def spliced(text: Any) -> str:
        return re.sub(str(pattern), str(value), text)

    def splice_below(here: Any, depth: int) -> None:
        if depth == recurse["depth"] or not isinstance(here, (dict, list)):
            return
        for key, inner in list(here.items() if isinstance(here, dict) else enumerate(here)):
            if isinstance(inner, str) and str(pattern) in inner:
                here[key] = spliced(inner)
            else:
                splice_below(inner, depth + 1)

    if pattern and recurse and isinstance(there, (dict, list)):
        splice_below(there, 0)
        return data
    return parsed.update(data, spliced(there) if pattern else copy.copy(value))


def merge_into(old: Any, new: Any) -> None:
    for key, value in new.items():
        if isinstance(old.get(key), dict) and isinstance(value, dict):
            merge_into(old[key], value)
        else:
            old[key] = value


def remove_equal(wanted: Any, here: Any, holder: Any) -> bool:
    if here == wanted:
        if isinstance(holder, list):
            holder.remove(here)
            return True
        if isinstance(holder, dict):
            holder.pop(next(key for key, value in holder.items() if value == here))
            return True
        return False
    inside = list(here) if isinstance(here, list) else list(here.values()) if isinstance(here, dict) else []
    return any(remove_equal(wanted, inner, here) for inner in inside)


def acted(action: Doc, own: Any, data: Any) -> Any:
    data, own, path = copy.deepcopy(data), copy.deepcopy(own), action["path"]
    for prefix in (".data", "$.data"):
        if path.startswith(prefix):
            path = path[len(prefix) :]
            break
    path = path if path.startswith((".", "$.")) else "." + path
    if action["method"] == "delete":
        if path == ".":
            return {}
        wanted = first(data, path)
        if wanted is None:
            raise Rejected("missing-document-key")
        remove_equal(wanted, data, None)
        return data
    there, mine = first(data, path), first(own, path)
    if mine is None:
        raise Rejected("missing-document-key")
    if action["method"] == "merge" and isinstance(there, dict) and isinstance(mine, dict):
        merge_into(there, mine)
        mine = there
    return write(data, mine, path)


class Naive:
    """One rendering."""

    def __init__(self, documents: list[Doc], *, tolerant: bool) -> None:
        self.documents = documents
        self.tolerant = tolerant
        [policy] = [doc for doc in documents if doc["schema"] == "deckhand/LayeringPolicy/v1"]
        self.order = [
            layer for layer in policy["data"]["layerOrder"] if any(self.layer(doc) == layer for doc in documents)
        ]
        self.parents: dict[int, Doc] = {}
        self.replaced: dict[int, Doc] = {}

    def layer(self, doc: Doc) -> str:
        return str(doc["metadata"].get("layeringDefinition", {}).get("layer", ""))

    def selector(self, doc: Doc) -> Doc:
        return dict(doc["metadata"].get("layeringDefinition", {}).get("parentSelector", {}))

    def abstract(self, doc: Doc) -> bool:
        return bool(doc["metadata"].get("layeringDefinition", {}).get("abstract", False))

    def key(self, doc: Doc) -> tuple[str, str]:
        return doc["schema"], doc["metadata"]["name"]

    def choose_parents(self) -> None:
        ties = []
        for child in self.documents:
            chosen: dict[str, list[Doc]] = {}
            for doc in self.documents:
                labels = doc["metadata"].get("labels", {})
                wanted = self.selector(child)
                if doc is child or not wanted or any(labels.get(key) != value for key, value in wanted.items()):
                    continue
                if doc["schema"] != child["schema"]:
                    raise Rejected("invalid-document-parent")
                if self.order.index(self.layer(doc)) >= self.order.index(self.layer(child)):
                    raise Rejected("invalid-document-parent")
                chosen.setdefault(self.layer(doc), []).append(doc)
            if any(len(docs) > 1 for docs in chosen.values()):
                ties.append(child)
            elif chosen:
                self.parents[id(child)] = chosen[max(chosen, key=self.order.index)][0]
        if ties:
            raise Rejected("indeterminate-document-parent")

    def check_replacements(self) -> None:
        for doc in self.documents:
            parent = self.parents.get(id(doc))
            same = parent is not None and self.key(parent) == self.key(doc)
            if bool(doc["metadata"].get("replacement")) != same:
                raise Rejected("invalid-document-replacement")
            if same and parent is not None:
                self.replaced[id(parent)] = doc
        plain = [self.key(doc) for doc in self.documents if not doc["metadata"].get("replacement")]
        if len(plain) != len(set(plain)):
            raise Rejected("invalid-document-replacement")
        for doc in self.documents:
            if id(doc) in self.replaced and doc["metadata"].get("replacement") and not self.abstract(doc):
                raise Rejected("invalid-document-replacement")

    def in_order(self) -> list[Doc]:
        graph = networkx.DiGraph()
        by_id = {id(doc): doc for doc in self.documents}
        for doc in self.documents:
            parent = self.parents.get(id(doc))
            if parent is not None:
                placeholder = self.replaced.get(id(parent), parent)
                graph.add_edge(id(doc), id(parent if placeholder is doc else placeholder))
            for sub in doc["metadata"].get("substitutions", []):
                source = self.sources.get((sub["src"]["schema"], sub["src"]["name"]))
                if source is not None:
                    graph.add_edge(id(doc), id(source))
        if not networkx.is_directed_acyclic_graph(graph):
            raise Rejected("substitution-dependency-cycle")
        ordered = [by_id[node] for node in reversed(list(networkx.topological_sort(graph)))]
        return [*ordered, *(doc for doc in self.documents if all(doc is not other for other in ordered))]

    def render(self) -> list[Doc]:
        if len({(*self.key(doc), self.layer(doc)) for doc in self.documents}) < len(self.documents):
            raise Rejected("invalid-document-format")
        self.choose_parents()
        self.check_replacements()
        self.sources = {
            self.key(doc): self.replaced.get(id(doc), doc) for doc in self.documents if not self.abstract(doc)
        }
        ordered = self.in_order()
        held = {id(doc): doc for doc in self.documents}
        for doc in ordered:
            if doc["schema"].startswith("deckhand/LayeringPolicy"):
                continue
            parent = self.parents.get(id(doc))
            actions = doc["metadata"]["layeringDefinition"].get("actions", [])
            if parent is not None and actions:
                data = held[id(parent)]["data"]
                for action in actions:
                    data = acted(action, doc["data"], data)
                doc["data"] = data
            for sub in doc["metadata"].get("substitutions", []):
                self.substitute(doc, sub)
            if doc["metadata"].get("replacement") and parent is not None:
                held[id(parent)] = doc
        return [doc for doc in ordered if not self.abstract(doc) and id(doc) not in self.replaced]

    def substitute(self, doc: Doc, sub: Doc) -> None:
        src = sub["src"]
        source = self.sources.get((src["schema"], src["name"]))
        if source is None:
            if self.tolerant:
                return
            raise Rejected("substitution-source-not-found")
        value = first(source["data"], src["path"]) if isinstance(source["data"], dict) else source["data"]
        if value is None and not self.tolerant:
            raise Rejected("substitution-source-data-not-found")
        for dest in sub["dest"] if isinstance(sub["dest"], list) else [sub["dest"]]:
            try:
                self.put(doc, src, value, dest)
            except Exception as error:
                if not self.tolerant:
                    raise Rejected("unknown-substitution-error") from error

    def put(self, doc: Doc, src: Doc, value: Any, dest: Doc) -> None:
        value = copy.deepcopy(value) if src.get("deepcopy") else copy.copy(value)
        if src.get("pattern"):
            match = re.search(src["pattern"], value)
            value = match.group(src.get("match_group", 0)) if match else value
        data = write(doc["data"], value, dest["path"], dest.get("pattern"), dest.get("recurse"))
        if isinstance(doc["data"], dict) and isinstance(data, dict):
            doc["data"].update(data)
        elif data:
            doc["data"] = data
        else:
            raise ValueError("nothing was substituted")


def render(documents: list[Doc], *, tolerant: bool = False) -> list[Doc]:
    """The documents a set renders to."""
    return Naive(documents, tolerant=tolerant).render()
