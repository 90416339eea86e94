"""Datum's merging said plainly: values in, values out, no history. For comparing with the engine."""

from __future__ import annotations

import re
from typing import Any


class Fault(Exception):
    """A refusal; the argument is its code."""


class Sealed(list[Any]):
    """A list that the next merge does not open out."""


def fold(text: str) -> str:
    return text.lower()


class T:
    """A table whose keys compare without case."""

    def __init__(self) -> None:
        self.d: dict[str, tuple[str, Any]] = {}

    def copy(self) -> T:
        t = T()
        t.d = dict(self.d)
        return t

    def set(self, key: str, value: Any) -> None:
        self.d[fold(key)] = (key, value)

    def get(self, key: str) -> Any:
        return self.d.get(fold(key), (None, None))[1]

    def has(self, key: str) -> bool:
        return fold(key) in self.d

    def exact(self, key: str) -> bool:
        return fold(key) in self.d and self.d[fold(key)][0] == key

    def names(self) -> list[str]:
        return [k for k, _ in self.d.values()]


def wrap(v: Any) -> Any:
    if isinstance(v, dict):
        t = T()
        for k, x in v.items():
            t.set(str(k), wrap(x))
        return t
    if isinstance(v, list):
        return [wrap(x) for x in v]
    return v


def unwrap(v: Any) -> Any:
    if isinstance(v, T):
        return {k: unwrap(x) for k, x in v.d.values()}
    if isinstance(v, list):
        return [unwrap(x) for x in v]
    return v


def kind(v: Any) -> str:
    if isinstance(v, T):
        return "table"
    if isinstance(v, list):
        if all(isinstance(x, T) or x is None for x in v) and v and not (len(v) == 1 and v[0] is None):
            return "tables"
        return "plain"
    return "base"


def text(v: Any) -> str:
    if v is None:
        return ""
    if isinstance(v, bool):
        return "True" if v else "False"
    if isinstance(v, float):
        return str(int(v)) if v.is_integer() else repr(v)
    if isinstance(v, T):
        return "System.Collections.Specialized.OrderedDictionary"
    if isinstance(v, list):
        return " ".join("System.Object[]" if isinstance(x, list) else text(x) for x in v)
    return str(v)


def truth(v: Any) -> bool:
    if isinstance(v, list):
        return truth(v[0]) if len(v) == 1 else bool(v)
    if isinstance(v, T):
        return True
    return bool(v)


def number(v: Any) -> Any:
    if isinstance(v, bool):
        return int(v)
    if isinstance(v, (int, float)):
        return v
    if isinstance(v, str):
        s = v.strip()
        if not s:
            return 0
        try:
            return int(s)
        except ValueError:
            try:
                return float(s)
            except ValueError:
                return None
    return None


def eq(left: Any, right: Any, *, case: bool = False, rounds: bool = False) -> bool:
    if left is None or right is None:
        return left is None and right is None
    if isinstance(left, bool):
        return left == truth(right)
    if isinstance(left, (int, float)):
        n = number(right)
        if n is None:
            return False
        if rounds and isinstance(left, int) and isinstance(right, str):
            n = round(n)
        return bool(n == left)
    if isinstance(left, str):
        r = text(right)
        return left == r if case else fold(left) == fold(r)
    raise AssertionError


def tuple_differs(left: Any, right: Any) -> bool:
    if isinstance(left, list):
        return truth([x for x in left if not eq_any(x, right)])
    return not eq_any(left, right)


def eq_any(left: Any, right: Any) -> bool:
    if isinstance(left, (list, T)):
        return False
    return eq(left, right)


def casts(v: Any) -> bool:
    return isinstance(v, T) or (isinstance(v, list) and kind(v) == "tables")


def same_tuple(a: T, b: T, names: list[str]) -> bool:
    differs = False
    for n in names:
        if not (a.exact(n) and b.exact(n)):
            differs = True
            continue
        x, y = a.get(n), b.get(n)
        if casts(x) or casts(y):
            check_nested(x, y)
        elif tuple_differs(x, y):
            differs = True
    return not differs


def check_nested(x: Any, y: Any) -> None:
    if not (isinstance(x, T) and isinstance(y, T)):
        raise Fault("tuple-value-clash")
    for k in {**x.d, **y.d}:
        if k in x.d and k in y.d:
            p, q = x.d[k][1], y.d[k][1]
            if casts(p) or casts(q):
                check_nested(p, q)


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
            struck = [re.sub(p, "", text(x), flags=re.IGNORECASE) for x in ref if re.search(p, text(x), re.IGNORECASE)]
            return Sealed(x for x in [*ref, *diff] if not any(eq(m, x) for m in struck))
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


def unique_eq(x: Any, y: Any) -> bool:
    if isinstance(x, T) or isinstance(y, T):
        return isinstance(x, T) and isinstance(y, T)
    if isinstance(x, list):
        return text(x) == text(y)
    return eq(x, y, case=True, rounds=True)


def opened(v: Any) -> Any:
    if not isinstance(v, list) or isinstance(v, Sealed):
        return v
    out: list[Any] = []
    for x in v:
        if x is None:
            raise Fault("null-list-item")
        out.extend(x) if isinstance(x, list) else out.append(x)
    return out


def bare(v: Any) -> Any:
    if isinstance(v, list):
        return None if not v else v[0] if len(v) == 1 else list(v)
    return v


def check_null(item: T, names: list[str]) -> None:
    for n in names:
        if item.exact(n) and item.get(n) is None:
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
