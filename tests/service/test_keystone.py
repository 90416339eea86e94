"""Tokens of Keystone: a small Keystone knows them, and the middleware asks it."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from service.servers import LAYERING_POLICY, Server, document

ROLES = {"reading": ["reader"], "writing": ["member"], "all": ["admin"], "other": ["dancer"]}
"""What the tokens may do."""
EXPIRES = "2099-01-01T00:00:00.000000Z"


def _token(name: str, roles: list[str], address: str = "") -> dict[str, Any]:
    faces = ("internal", "public", "admin")
    endpoints = [{"id": face, "interface": face, "region": "r", "region_id": "r", "url": address} for face in faces]
    domain = {"id": "default", "name": "Default"}
    return {
        "token": {
            "methods": ["password"],
            "user": {"id": name, "name": name, "domain": domain, "password_expires_at": None},
            "project": {"id": "p", "name": "p", "domain": domain},
            "roles": [{"id": role, "name": role} for role in roles],
            "catalog": [{"id": "k", "name": "keystone", "type": "identity", "endpoints": endpoints}],
            "audit_ids": ["a"],
            "issued_at": "2020-01-01T00:00:00.000000Z",
            "expires_at": EXPIRES,
        }
    }


class Keystone(BaseHTTPRequestHandler):
    """As much of Keystone as the middleware asks."""

    @property
    def address(self) -> str:
        return f"http://{self.headers['Host']}/v3/"

    def do_GET(self) -> None:
        if self.path.rstrip("/") in ("", "/v3"):
            version = {"id": "v3.14", "status": "stable", "links": [{"rel": "self", "href": self.address}]}
            self._answer(
                200, {"version": version} if self.path.startswith("/v3") else {"versions": {"values": [version]}}
            )
            return
        asked = self.headers.get("X-Subject-Token", "")
        if self.headers.get("X-Auth-Token") != "of-the-service":
            self._answer(401, {})
        elif asked in ROLES:
            self._answer(200, _token(asked, ROLES[asked]), {"X-Subject-Token": asked})
        else:
            self._answer(404, {"error": {"code": 404, "message": "unknown", "title": "Not Found"}})

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self._answer(201, _token("lamina", ["service"], self.address), {"X-Subject-Token": "of-the-service"})

    def _answer(self, status: int, body: Any, headers: dict[str, str] | None = None) -> None:
        text = json.dumps(body).encode()
        self.send_response(status)
        for name, value in {
            "Content-Type": "application/json",
            "Content-Length": str(len(text)),
            **(headers or {}),
        }.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_: object) -> None:  # quiet
        pass


@pytest.fixture
def keystone() -> Iterator[ThreadingHTTPServer]:
    found = ThreadingHTTPServer(("127.0.0.1", 0), Keystone)
    thread = threading.Thread(target=found.serve_forever, daemon=True)
    thread.start()
    yield found
    found.shutdown()
    found.server_close()
    thread.join()


def test_keystone_says_who_calls(keystone: ThreadingHTTPServer, tmp_path: Path) -> None:
    config = tmp_path / "keystone.conf"
    address = f"http://127.0.0.1:{keystone.server_address[1]}/v3"
    config.write_text(
        f"[keystone_authtoken]\nauth_type = password\nauth_url = {address}\nwww_authenticate_uri = {address}\n"
        "username = lamina\npassword = secret\nproject_name = service\nuser_domain_name = Default\n"
        "project_domain_name = Default\nhttp_connect_timeout = 2\nhttp_request_max_retries = 0\n"
        "service_token_roles_required = true\n"
    )
    options = ("--quiet", "--auth", "keystone", "--keystone-file", str(config))
    with Server(f"sqlite:///{tmp_path}/store.db", *options) as server:
        path = "/buckets/m/documents"
        assert server.call("GET", "/revisions").status == 401
        assert server.call("GET", "/revisions", X_Auth_Token="forged").status == 401
        assert (
            server.call(
                "GET", "/revisions", X_Auth_Token="forged", X_Identity_Status="Confirmed", X_Roles="admin"
            ).status
            == 401
        )
        assert server.call("GET", "/revisions", X_Auth_Token="other").status == 403
        assert server.call("GET", "/revisions", X_Auth_Token="reading").status == 200
        assert server.call("GET", "/revisions", X_Auth_Token="reading", X_Roles="admin").status == 200
        assert server.call("DELETE", "/revisions", X_Auth_Token="reading", X_Roles="admin").status == 403
        assert server.call("PUT", path, LAYERING_POLICY, X_Auth_Token="reading").status == 403
        assert server.call("PUT", path, LAYERING_POLICY + "---\n" + document("a"), X_Auth_Token="writing").status == 200
        assert server.call("DELETE", "/revisions", X_Auth_Token="all").status == 204
        keystone.shutdown()
        keystone.server_close()
        # Nobody new is let in; those who were seen lately are.
        assert server.call("GET", "/revisions", X_Auth_Token="never-seen").status in (401, 503)
        assert server.call("GET", "/revisions", X_Auth_Token="reading").status == 200
