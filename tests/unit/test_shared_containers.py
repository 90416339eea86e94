"""The image of outputs that have containers in common: what is shared, what is copied, and what can be taken back."""

from __future__ import annotations

from typing import Any

import pytest

from lamina.engine.shared_containers import ContainsItself, Location, SharedContainers


def image_of(**outputs: Any) -> SharedContainers:
    image = SharedContainers(lambda _: None)
    for name, value in outputs.items():
        image.add(name, value)
    return image


def share(image: SharedContainers, source: Location, target: Location) -> None:
    """Put a shallow copy of a container somewhere else, as a program does that copies one level deep."""
    container, key = image.holder(target)
    image.assign(container, key, image.shallow_copy(image.container(source)))


def test_a_write_shows_wherever_the_container_is() -> None:
    image = image_of(one={"a": {"b": {"c": 1}}}, two={})
    share(image, Location("one", ("a",)), Location("two", ("x",)))
    image.assign(image.container(Location("two", ("x", "b"))), "c", 2)
    assert image.at(Location("one", ())) == {"a": {"b": {"c": 2}}}
    assert image.at(Location("two", ())) == {"x": {"b": {"c": 2}}}
    shared = image.container(Location("two", ("x", "b")))
    assert {*image.locations(shared)} == {Location("one", ("a", "b")), Location("two", ("x", "b"))}
    assert image.is_shared(shared)
    assert image.outputs_with(shared) == {"one", "two"}


def test_a_shallow_copy_is_a_container_of_its_own() -> None:
    image = image_of(one={"a": {"b": {"c": 1}}}, two={})
    share(image, Location("one", ("a",)), Location("two", ("x",)))
    image.assign(image.container(Location("two", ("x",))), "b", 3)
    assert image.at(Location("one", ())) == {"a": {"b": {"c": 1}}}


def test_what_was_added_never_changes() -> None:
    inner = {"c": [1]}
    value = {"a": inner, "b": inner}
    image = image_of(one=value)
    container, key = image.holder(Location("one", ("a", "c", 0)))
    image.assign(container, key, 2)
    assert image.at(Location("one", ())) == {"a": {"c": [2]}, "b": {"c": [1]}}
    assert value == {"a": {"c": [1]}, "b": {"c": [1]}}


def test_only_containers_on_the_path_are_copied() -> None:
    spent: list[int] = []
    image = SharedContainers(spent.append)
    image.add("one", {str(at): {"a": {"b": at}} for at in range(1000)})
    image.assign(image.container(Location("one", ("7", "a"))), "b", 0)
    assert len(spent) == 3


def test_aliases_of_a_value_stay_aliases() -> None:
    inner = {"c": 1}
    image = image_of(one={})
    image.assign(image.container(Location("one", ())), "x", image.copied({"a": inner, "b": [inner]}, aliases=True))
    assert image.repeats_in("one")
    assert image.has_repeats(image.at(Location("one", ("x",))))
    image.assign(image.container(Location("one", ("x", "a"))), "c", 2)
    assert image.at(Location("one", ())) == {"x": {"a": {"c": 2}, "b": [{"c": 2}]}}


def test_undo_restores_values_and_places() -> None:
    image = image_of(one={"a": {"b": {}}}, two={"l": [1, {"k": 1}]})
    image.commit()
    share(image, Location("one", ("a",)), Location("two", ("x",)))
    image.assign(image.container(Location("two", ("l",))), 2, "appended")
    image.assign(image.container(Location("two", ("x", "b"))), "c", 1)
    image.undo()
    assert image.at(Location("one", ())) == {"a": {"b": {}}}
    assert image.at(Location("two", ())) == {"l": [1, {"k": 1}]}
    assert image.outputs_with(image.container(Location("one", ("a", "b")))) == {"one"}


def test_items_after_a_removed_one_move_up() -> None:
    image = image_of(one=[{"a": 1}, {"b": 2}])
    last = image.container(Location("one", (1,)))
    image.remove(image.container(Location("one", ())), 0)
    assert image.locations(last) == [Location("one", (0,))]


def test_a_container_cannot_contain_itself() -> None:
    image = image_of(one={"a": {}})
    whole = image.container(Location("one", ()))
    with pytest.raises(ContainsItself):
        image.assign(image.container(Location("one", ("a",))), "b", whole)


def test_a_draft_is_not_in_the_image() -> None:
    image = image_of(one={"a": {"b": [1]}})
    image.container(Location("one", ("a",)))
    draft = image.draft(image.at(Location("one", ())))
    draft["a"]["b"].append(2)
    assert image.plain(image.at(Location("one", ()))) == {"a": {"b": [1]}}


def test_looking_for_repeats_does_not_grow_with_the_other_takers_of_a_source() -> None:
    spent: list[int] = []
    image = SharedContainers(spent.append)
    image.add("source", {"a": {"b": {}, "c": {}}})
    for at in range(100):
        image.add(f"taker {at}", {})
        share(image, Location("source", ("a",)), Location(f"taker {at}", ("x",)))
        spent.clear()
        assert not image.repeats_in(f"taker {at}")
        assert len(spent) < 10
    share(image, Location("source", ("a",)), Location("taker 0", ("y",)))
    assert image.repeats_in("taker 0")
