"""Deckhand's own functional suites, if they are next to the checkout."""

from __future__ import annotations

import json
import unittest
from pathlib import Path
from typing import Any

import pytest
import yaml
from gabbi import case, driver
from gabbi.handlers import jsonhandler

from service.servers import Server

SUITES = Path(__file__).parents[3] / "shared" / "deckhand-gabbi"


class MultidocHandler(jsonhandler.JSONHandler):  # type: ignore[misc]
    """Looks into a stream of YAML documents as into a list."""

    test_key_suffix = "multidoc_jsonpaths"

    @staticmethod
    def accepts(content_type: str) -> bool:
        return content_type.split(";", maxsplit=1)[0].strip().lower().startswith("application/x-yaml")

    @staticmethod
    def dumps(data: Any, pretty: bool = False, test: Any = None) -> str:  # noqa: ARG004 - gabbi's signature
        return yaml.safe_dump_all([data])

    @staticmethod
    def loads(string: Any) -> Any:
        return json.loads(json.dumps(list(yaml.safe_load_all(string)), default=str))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """All suites in one folder, as gabbi wants them."""
    (tmp_path / "resources").mkdir()
    for path in SUITES.rglob("*"):
        if path.is_file() and path.parent.name == "resources":
            (tmp_path / "resources" / path.name).write_bytes(path.read_bytes())
        elif path.suffix == ".yaml":
            (tmp_path / path.name).write_bytes(path.read_bytes())
    return tmp_path


@pytest.mark.skipif(not SUITES.exists(), reason="not in this repository: Deckhand's own suites of its API")
@pytest.mark.filterwarnings("ignore")
def test_all_suites_of_deckhand_pass(folder: Path, server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(case.BASE_TEST, "timeout", 300)  # a busy machine is not a fault of the server
    loader = unittest.TestLoader()
    tests = driver.build_tests(
        str(folder), loader, host="127.0.0.1", url=f"127.0.0.1:{server.port}", content_handlers=[MultidocHandler]
    )
    result = unittest.TestResult()
    tests.run(result)
    assert result.testsRun >= 100
    assert [text for _, text in (*result.failures, *result.errors)] == []
