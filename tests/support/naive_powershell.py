"""PowerShell's values said plainly: tables without case, equality, texts and truth. For the plain port of Datum."""

from __future__ import annotations

from typing import Any


class Fault(Exception):
    """An error; the argument is its code."""


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
