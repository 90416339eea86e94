"""Records: what they take, how they compare, and that the first few are made as the rest are."""

from __future__ import annotations

import pickle
from typing import Any, ClassVar

import pytest

from lamina.records import field, fields, ordered_record, record, replace


@ordered_record(eq=True)
class Point:
    unit: ClassVar[str] = "mm"
    across: int
    down: int = 0
    names: list[str] = field(default_factory=list)


@record(frozen=False)
class Named:
    name: str
    length: int = field(init=False)

    def __post_init__(self) -> None:
        self.length = len(self.name)


@ordered_record(eq=True)
class Marked(Point):
    mark: str = "x"


MANY = 8
"""More than are made before a constructor is written."""


def test_values_are_given_in_order_or_by_name_or_have_a_default() -> None:
    for _ in range(MANY):
        assert (Point(1).across, Point(1).down, Point(1).names) == (1, 0, [])
        assert Point(1, 2, ["a"]) == Point(down=2, names=["a"], across=1)
        assert Marked(1, mark="y") == Marked(1, 0, [], "y")
        assert Named(name="abc").length == 3


@pytest.mark.parametrize("given", [((), {}), ((1, 2, [], 4), {}), ((1,), {"across": 2}), ((1,), {"up": 2})])
def test_what_does_not_fit_is_refused_from_the_first(given: tuple[tuple[Any, ...], dict[str, Any]]) -> None:
    @ordered_record
    class Fresh:
        across: int
        down: int = 0
        names: list[str] = field(default_factory=list)

    for _ in range(MANY):
        with pytest.raises(TypeError):
            Fresh(*given[0], **given[1])


def test_values_given_by_name_only() -> None:
    for _ in range(MANY):
        with pytest.raises(TypeError):
            Named("abc")  # type: ignore[call-arg]


def test_made_defaults_are_not_shared() -> None:
    assert all(Point(1).names is not Point(1).names for _ in range(MANY))


def test_records_compare_by_kind_and_values_where_asked() -> None:
    assert Point(1, 2) == Point(1, 2)
    assert Point(1, 2) != Point(2, 1)
    assert Point(1) != Marked(1)
    assert Named(name="a") != Named(name="a")


def test_fields_replacing_showing_and_pickling() -> None:
    assert [each.name for each in fields(Marked)] == ["across", "down", "names", "mark"]
    assert replace(Marked(1, 2), down=3) == Marked(1, 3)
    assert replace(Named(name="a"), name="abc").length == 3
    assert repr(Point(1)).endswith("Point(across=1, down=0, names=[])")
    assert pickle.loads(pickle.dumps(Marked(1, 2, ["a"]))) == Marked(1, 2, ["a"])
    with pytest.raises(TypeError, match=r"lamina\.records"):
        fields(int)
