"""Sources: places of pieces are places of the outermost file."""

from __future__ import annotations

import subprocess
import sys

from lamina.origins import Origin
from lamina.run import Run
from lamina.sources.document_cache import yaml_document
from lamina.sources.source import FixedLocation, Shift, Source, Starts


def test_a_source_counts_from_one() -> None:
    assert Source.of_text("a.yaml", "x").locate(0, 0) == Origin("a.yaml", 1, 1)


def test_a_shifted_piece_lies_below_and_to_the_right() -> None:
    piece = Source.of_text("a", "...").inner_source("part 2", b"x", Shift(10, 4))
    assert piece.locate(2, 1) == Origin("a", 13, 6, "part 2")


def test_a_piece_may_start_each_line_where_it_likes() -> None:
    piece = Source.of_text("a", "...").inner_source("p", b"x", Starts([(3, 6), (4, 2)]))
    assert [piece.locate(line, 0).line for line in range(4)] == [4, 5, 6, 7]
    assert [piece.locate(line, 0).column for line in range(3)] == [7, 3, 3]


def test_an_encoded_piece_has_one_place() -> None:
    piece = Source.of_text("a", "...").inner_source("p", b"x", FixedLocation(7, 0))
    assert piece.locate(99, 5) == Origin("a", 8, 1, "p:100")


def test_pieces_nest() -> None:
    part = Source.of_text("mail", "...").inner_source("part-001", b"x", Shift(5, 0))
    entry = part.inner_source("entry.yaml", b"y", Shift(2, 4))
    assert entry.locate(0, 0) == Origin("mail", 8, 5, "part-001/entry.yaml")


def test_sources_and_scalars_do_not_import_yaml() -> None:
    code = "import sys, lamina.sources.source, lamina.sources.yaml.scalars; sys.exit('yaml' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_sources_are_equal_by_what_they_hold_and_where() -> None:
    one, same = (Source("a", b"x").inner_source("p", b"y", Shift(1, 2)) for _ in range(2))
    assert one == same
    assert hash(one) == hash(same)
    assert one != Source("a", b"x").inner_source("p", b"y", Shift(1, 3))
    assert one != Source("a", b"x").inner_source("p", b"y", FixedLocation(1, 2))
    assert one != Source("a", b"z").inner_source("p", b"y", Shift(1, 2))
    assert Source("a", b"x") != "a"
    assert yaml_document(Source("a", b"k: v"), Run()) is yaml_document(Source("a", b"k: v"), Run())
