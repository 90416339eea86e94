"""Servers for the tests: `lamina store serve` and `lamina explore` in a process of its own, and requests to it."""

from __future__ import annotations

import http.client
import os
import re
import subprocess
import sys
import urllib.parse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

import yaml

API = "/api/v1.0"
KEY = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="


@dataclass(frozen=True)
class Reply:
    """What came back."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def media_type(self) -> str | None:
        found = self.headers.get("content-type")
        return found.split(";")[0].strip() if found else None

    @property
    def documents(self) -> list[Any]:
        return list(yaml.load_all(self.body, yaml.CSafeLoader))

    @property
    def one(self) -> Any:
        (found,) = self.documents
        return found


class Server:
    """A server that runs until it is stopped or killed; of a store, or of the files below a folder."""

    def __init__(
        self,
        store: str | Path,
        *options: str,
        environment: dict[str, str] | None = None,
        within: Sequence[str] = (),
    ) -> None:
        command = [
            *within,
            sys.executable,
            "-m",
            "lamina",
            *(("explore", str(store)) if isinstance(store, Path) else ("store", "serve", "--store", store)),
            "--listen",
            "127.0.0.1:0",
            *options,
        ]
        self.process = subprocess.Popen(
            command,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "LAMINA_SERVICE_KEY": KEY, **(environment or {})},
        )
        assert self.process.stderr is not None
        self.printed = []
        for line in self.process.stderr:
            self.printed.append(line)
            found = re.search(r"serving on https?://127\.0\.0\.1:(\d+)", line)
            if found:
                self.port = int(found[1])
                return
        self._ended()
        raise AssertionError("the server did not start: " + "".join(self.printed))

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def __enter__(self) -> Server:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def stop(self) -> str:
        """Stop it in good order; what it logged."""
        self.process.terminate()
        return self._ended()

    def kill(self) -> None:
        """End it as a crash would."""
        self.process.kill()
        self._ended()

    def _ended(self) -> str:
        _, rest = self.process.communicate(timeout=60)
        return rest

    def send(
        self,
        method: str,
        path: str,
        body: str | bytes | None = None,
        headers: dict[str, str] | None = None,
        query: list[tuple[str, str]] | None = None,
    ) -> Reply:
        """Send a request exactly as it is given."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        try:
            target = f"{path}?{urllib.parse.urlencode(query)}" if query else path
            connection.request(method, target, body.encode() if isinstance(body, str) else body, headers or {})
            response = connection.getresponse()
            content = response.read()
            return Reply(response.status, {name.lower(): value for name, value in response.getheaders()}, content)
        finally:
            connection.close()

    def call(self, method: str, path: str, body: str | bytes | None = None, **headers: str) -> Reply:
        """Send a request to the API with the content type it asks for."""
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        if body is not None:
            given.setdefault("Content-Type", "application/x-yaml")
        return self.send(method, API + path, body, given)

    def put(self, bucket: str, *documents: str) -> Reply:
        return self.call("PUT", f"/buckets/{bucket}/documents", "---\n".join(documents) or "# nothing\n")


def run_lamina(*arguments: str) -> str:
    """What a command prints."""
    done = subprocess.run([sys.executable, "-m", "lamina", *arguments], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def document(name: str, data: str = "{x: 1}", *, layer: str = "site", policy: str = "cleartext", more: str = "") -> str:
    """A document, in YAML."""
    return (
        f"schema: example/Kind/v1\nmetadata: {{schema: metadata/Document/v1, name: {name}, storagePolicy: {policy},"
        f" layeringDefinition: {{layer: {layer}}}{more}}}\ndata: {data}\n"
    )


LAYERING_POLICY = (
    "schema: deckhand/LayeringPolicy/v1\nmetadata: {schema: metadata/Control/v1, name: layering-policy}\n"
    "data: {layerOrder: [global, site]}\n"
)
