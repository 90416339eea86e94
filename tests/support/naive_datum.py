"""Datum's merging said plainly: values in, values out, no history. For comparing with the engine."""

from __future__ import annotations

import re
from typing import Any

from support.naive_powershell import (
    Fault,
    Sealed,
    T,
    bare,
    eq,
    fold,
    kind,
    opened,
    same_tuple,
    text,
    truth,
    unique_eq,
    wrap,
)


class S:
    """One strategy."""

    def __init__(self, entry: Any, default: bool = False) -> None:
        if isinstance(entry, str):
            entry = preset(entry)
        e = wrap(entry) if isinstance(entry, dict) else T()
        self.hash = e.get("merge_hash")
        self.plain = text(e.get("merge_basetype_array"))
        self.tables = text(e.get("merge_hash_array"))
        mo = e.get("merge_options")
        mo = mo if isinstance(mo, T) else T()
        self.prefix = mo.get("knockout_prefix") or None
        tk = mo.get("tuple_keys")
        tk = [tk] if isinstance(tk, str) else tk
        tk = [text(x) for x in tk or []]
        self.keys: list[str] = tk if truth(tk) else []
        self.default = default
        self.strategy = e.get("strategy")

    @property
    def keeps_table(self) -> bool:
        return bool(re.search("^MostSpecific$|^First", text(self.hash), re.IGNORECASE))

    @property
    def deep(self) -> bool:
        return isinstance(self.hash, str) and fold(self.hash) == "deep"

    @property
    def keeps_plain(self) -> bool:
        return bool(re.search("^MostSpecific$|^First", self.plain, re.IGNORECASE))


def preset(word: str) -> dict[str, Any]:
    w = fold(word)
    if w in ("hash", "mergetopkeys"):
        return {
            "merge_hash": "hash",
            "merge_basetype_array": "MostSpecific",
            "merge_hash_array": "MostSpecific",
            "merge_options": {"knockout_prefix": "--"},
        }
    if w in ("deep", "mergerecursively"):
        return {
            "merge_hash": "deep",
            "merge_basetype_array": "Unique",
            "merge_hash_array": "DeepTuple",
            "merge_options": {"knockout_prefix": "--", "tuple_keys": ["Name", "Version"]},
        }
    return {"merge_hash": "MostSpecific", "merge_basetype_array": "MostSpecific", "merge_hash_array": "MostSpecific"}


def norm(path: str) -> str:
    return path.replace("/", "\\")


class Lookup:
    def __init__(self, options: dict[str, Any], default: Any = None) -> None:
        self.exact: dict[str, S] = {}
        self.patterns: list[tuple[str, S]] = []
        self.warned = False
        seen: set[str] = set()
        has_all = False
        for k, v in options.items():
            n = fold(norm(k)) if not k.startswith("^") else fold(k)
            if n in seen and any(fold(norm(o)) == n and fold(o) != fold(k) for o in options):
                raise Fault("duplicate-option-path")
            seen.add(n)
            if k.startswith("^"):
                self.patterns.append((k, S(v)))
                has_all = has_all or k == "^.*"
            if truth(wrap(v)) or isinstance(v, str):
                self.exact[n] = S(v)
        if not has_all:
            self.patterns.append(("^.*", S(default if truth(wrap(default)) else "MostSpecific", default=True)))

    def find(self, path: str) -> S:
        n = fold(norm(path))
        if n in self.exact:
            return self.exact[n]
        for p, s in self.patterns:
            if re.search(p, norm(path), re.IGNORECASE):
                return s
        raise AssertionError

    def warn(self) -> None:
        self.warned = True

    def merge(self, path: str, ref: Any, diff: Any) -> Any:
        s = self.find(path)
        if ref is None or diff is None:
            raise Fault("null-list-item")
        ref, diff = opened(ref), opened(diff)
        k = kind(ref)
        if k != kind(diff):
            self.warn()
            return bare(ref)
        if k == "base":
            return ref
        if k == "table":
            return ref if s.keeps_table else self.tables(path, ref, diff, s)
        if k == "plain":
            return self.merge_plain(ref, diff, s)
        return self.merge_tables(path, ref, diff, s)

    def merge_plain(self, ref: Any, diff: Any, s: S) -> Any:
        if s.keeps_plain:
            return bare(ref)
        if re.search("^Unique", s.plain, re.IGNORECASE):
            out: list[Any] = []
            for x in [*ref, *diff]:
                if not any(unique_eq(x, y) for y in out):
                    out.append(x)
            return bare(out) if len(out) < 2 else out
        if re.search("^Sum|^Add", s.plain, re.IGNORECASE):
            if not s.prefix:
                return [*ref, *diff]
            p = "^" + s.prefix
            knocked_out = [
                re.sub(p, "", text(x), flags=re.IGNORECASE) for x in ref if re.search(p, text(x), re.IGNORECASE)
            ]
            return Sealed(x for x in [*ref, *diff] if not any(eq(m, x) for m in knocked_out))
        return ref

    def merge_tables(self, path: str, ref: Any, diff: Any, s: S) -> Any:
        w = s.tables
        if re.search("^MostSpecific|^First", w, re.IGNORECASE):
            return bare(ref)
        unique = re.search("^UniqueKeyValTuples", w, re.IGNORECASE)
        deep = re.search("^DeepTuple|^DeepItemMergeByTuples", w, re.IGNORECASE)
        if not (unique or deep or re.search("^Sum", w, re.IGNORECASE)):
            return ref
        for x in ref:
            check_null(x, s.keys)
        markers = [m for x in ref if (m := marked(x, s))]
        if unique:
            return self.unique_tuples(ref, diff, s.keys or (ref[-1].names()), markers)
        if deep:
            return self.deep_tuples(path, ref, diff, s, s.keys or ref[0].names(), markers)
        return [*ref, *diff]

    def unique_tuples(self, ref: Any, diff: Any, names: list[str], markers: Any) -> Any:
        out: list[T] = []
        for x in ref:
            check_null(x, names)
            if not [1 for y in out if same_tuple(x, y, names)]:
                out.append(x)
        for x in diff:
            check_null(x, names)
            if any(hit(m, x) for m in markers):
                continue
            if not [1 for y in out if same_tuple(x, y, names)]:
                out.append(x)
        return out

    def deep_tuples(self, path: str, ref: Any, diff: Any, s: S, names: list[str], markers: Any) -> Any:
        out: list[T] = []
        used: set[int] = set()
        for x in ref:
            merged = x
            matches = []
            for y in diff:
                check_null(y, names)
                if any(hit(m, y) for m in markers):
                    used.add(id(y))
                elif same_tuple(x, y, names):
                    matches.append(y)
            for y in matches:
                used.add(id(y))
                merged = self.tables(path, merged, y, s)
            out.append(merged)
        out.extend(y for y in diff if id(y) not in used)
        return out

    def tables(self, path: str, ref: Any, diff: Any, s: S) -> Any:
        if not isinstance(ref, T) or not isinstance(diff, T):
            raise Fault("nested-type-clash")
        prefix = fold(s.prefix or "--")
        knocked = {fold(k)[len(prefix) :] for k in ref.names() if fold(k).startswith(prefix)}
        out = ref.copy()
        for k in diff.names():
            f = fold(k)
            v = diff.get(k)
            if f in knocked:
                continue
            if f.startswith(prefix) and f[len(prefix) :] not in ref.d:
                if f not in ref.d:
                    out.set(k, None)
            elif f not in ref.d:
                out.set(k, v)
            else:
                old = ref.get(k)
                sub = path + "\\" + k
                if isinstance(old, T):
                    if s.deep:
                        c = self.find(sub)
                        out.set(k, self.tables(sub, old, v, s) if c.default else self.merge(sub, old, v))
                elif isinstance(old, list):
                    r = self.merge(sub, old, v)
                    if r is not None:
                        r = list(r) if isinstance(r, list) else [r]
                    out.set(k, r)
        return out

    def clean(self, path: str, v: Any) -> Any:
        s = self.find(path)
        k = kind(v)
        if k == "table":
            return self.clean_table(path, v, s)
        if k == "plain":
            if s.keeps_plain:
                return bare(v)
            return self.clean_plain(v, s)
        if k == "tables":
            if re.search("^MostSpecific$|^First", s.tables, re.IGNORECASE):
                return v
            items = v
            if s.prefix and s.keys:
                items = [x for x in v if not marked(x, s)]
            return [self.clean(path, x) for x in items]
        return v

    def clean_table(self, path: str, v: T, s: S) -> Any:
        if s.keeps_table:
            return v
        out = T()
        for k in v.names():
            if s.prefix and re.search(s.prefix, k, re.IGNORECASE):
                continue
            x = v.get(k)
            out.set(k, self.clean(path + "\\" + k, x) if kind(x) != "base" else x)
        return out

    def clean_plain(self, v: Any, s: S) -> Any:
        if not s.prefix:
            return v
        p = "^" + s.prefix
        gone: set[int] = set()
        for i, x in enumerate(v):
            if not re.search(p, text(x), re.IGNORECASE):
                continue
            gone.add(i)
            target = re.sub(p, "", text(x), flags=re.IGNORECASE)
            for j in range(i + 1, len(v)):
                y = v[j]
                if not isinstance(y, (list, T)) and eq(y, target, case=True, rounds=True):
                    gone.add(j)
        return [x for i, x in enumerate(v) if i not in gone]

    def run(self, path: str, hits: list[Any]) -> Any:
        path = norm(path)
        hits = [h for h in hits if h is not None]
        if not hits:
            return None
        s = self.find(path)
        if isinstance(s.strategy, str) and re.search("^MostSpecific|^First", s.strategy, re.IGNORECASE):
            return bare(hits[0])
        states: list[Any] = []
        state = None
        for h in hits:
            state = h if state is None else self.merge(path, state, h)
            states.append(state)
        if len(states) == 1:
            return self.clean(path, state)
        result = None
        for st in reversed(states):
            if result is None:
                result = st
            else:
                self.merge(path, result, st)
                result = self.clean(path, result)
        return result


def check_null(item: T, names: list[str]) -> None:
    # The name is looked up without case here; only the comparison of two items goes by its spelling.
    for n in names:
        if item.has(n) and item.get(n) is None:
            raise Fault("null-list-item")


def marked(item: Any, s: S) -> dict[str, Any]:
    if not (s.prefix and s.keys) or not isinstance(item, T):
        return {}
    p = fold(s.prefix)
    found: dict[str, Any] = {}
    names = {fold(n) for n in s.keys}
    for f, (k, v) in item.d.items():
        if f not in names:
            continue
        if isinstance(v, list):
            if truth([x for x in v if fold(text(x)).startswith(p)]):
                found[k] = [strip(x, p) for x in v]
        elif fold(text(v)).startswith(p):
            found[k] = strip(v, p)
    return found


def strip(v: Any, p: str) -> str:
    t = text(v)
    return t[len(p) :] if fold(t).startswith(p) else t


def hit(marks: dict[str, Any], item: T) -> bool:
    for k, m in marks.items():
        v = item.get(k)
        if isinstance(m, list):
            if not truth([x for x in m if eq(x, v)]):
                return False
        elif not eq(m, v):
            return False
    return True
