"""A client of the API, over the standard library: of Lamina's service, or of a Deckhand."""

from __future__ import annotations

import json
import re
import urllib.error
import urllib.request
from dataclasses import dataclass
from http.client import HTTPException, IncompleteRead
from ssl import SSLError
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

from lamina.errors import Diagnostic, InputError, LaminaError, UsageError
from lamina.run import Run
from lamina.sources import document_cache
from lamina.sources.source import Source

_TIMEOUT = 300
_YAML = "application/x-yaml"
_API = "/api/v1.0"
_ODD = re.compile(r"[^!-~]")
"""What no address has in it as it is: spaces, and what is not ASCII."""


class ServerError(InputError):
    """The server rejected a request, or does not answer."""


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Follows no redirect: the token would go along, to whatever address the server names."""

    def redirect_request(self, *_: object) -> None:
        return None


_OPENER = urllib.request.build_opener(_NoRedirects)


@dataclass(frozen=True, slots=True)
class Client:
    """Sends requests to a server."""

    url: str
    token: str | None = None

    def documents(self, path: str, **query: str | None) -> list[Any]:
        """The documents of an answer."""
        return self._values(self._sent("GET", path, query=query))

    def body(self, path: str) -> bytes:
        """An answer as it was sent."""
        return self._sent("GET", path)

    def read(self, body: bytes) -> list[Any]:
        """The documents of an answer, or of a part of one."""
        return self._values(body)

    def mapping(self, method: str, path: str, body: bytes | None = None, **query: str | None) -> dict[str, Any]:
        """The one mapping of an answer; parameters that are None are not sent."""
        found = self._values(self._sent(method, path, body, query))
        if len(found) != 1 or not isinstance(found[0], dict):
            raise self._unexpected("that is not one mapping")
        return found[0]

    def revisions(self, newest: int | None = None) -> list[dict[str, Any]]:
        """All revisions, or so many of the newest (a Deckhand gives all), the oldest first: their numbers, times,
        buckets and tags."""
        listed = self.mapping("GET", "/revisions", newest=None if newest is None else str(newest)).get("results")
        if not isinstance(listed, list) or not all(map(_is_revision, listed)):
            raise self._unexpected("that is no list of revisions")
        return listed

    def impact(self, bucket: str, body: bytes) -> dict[str, Any]:
        """What documents would change if they were the whole content of a bucket; nothing is written."""
        answer = self._sent("POST", f"/revisions/{self.newest()}/impact/{quote(bucket, safe='')}", body)
        try:
            found: dict[str, Any] = json.loads(answer)
        except ValueError:
            raise self._unexpected("that is not JSON") from None
        return found

    def put(self, bucket: str, body: bytes, message: str | None = None) -> list[Any]:
        """Make documents the whole content of a bucket; the documents as they were stored."""
        return self._values(self._sent("PUT", _documents_of(bucket), body, {"message": message}))

    def delete(self, path: str) -> None:
        """Delete something."""
        self._sent("DELETE", path)

    def newest(self) -> int:
        """The newest revision."""
        found = self.revisions(newest=1)
        if not found:
            raise ServerError(
                Diagnostic(
                    code="no-revision",
                    message=f"{self.url} has no revision yet",
                    hint="'lamina store push BUCKET FILE...' makes one",
                )
            )
        return int(found[-1]["id"])

    def _values(self, body: bytes) -> list[Any]:
        try:
            return [each.value for each in document_cache.yaml_documents(Source(self.url, body), Run())] if body else []
        except LaminaError as error:
            raise self._unexpected(f"that is not YAML: {error.diagnostic.message}") from None

    def _unexpected(self, what: str) -> ServerError:
        return ServerError(
            Diagnostic(
                code="unexpected-response",
                message=f"{self.url} answered with something {what}",
                hint="check that the address is that of a Deckhand or of 'lamina store serve'",
            )
        )

    def _sent(
        self, method: str, path: str, body: bytes | None = None, query: dict[str, str | None] | None = None
    ) -> bytes:
        self._check()
        given = {name: value for name, value in (query or {}).items() if value is not None}
        target = f"{self.url.rstrip('/').removesuffix(_API)}{_API}{path}" + (f"?{urlencode(given)}" if given else "")
        headers = {"Content-Type": _YAML, **({"X-Auth-Token": self.token} if self.token else {})}
        request = urllib.request.Request(target, data=body, method=method, headers=headers)
        try:
            with _OPENER.open(request, timeout=_TIMEOUT) as response:
                found: bytes = response.read()
                return found
        except urllib.error.HTTPError as error:
            if error.headers.get("Location") and 300 <= error.code < 400:
                raise self._moved(error.headers["Location"]) from None
            raise self._rejected(error.code, _readable(error), path) from None
        except IncompleteRead:
            raise self._unexpected("of which the end is missing") from None
        except HTTPException:
            raise self._unexpected("that is not HTTP") from None
        except (OSError, ValueError) as error:
            raise self._unanswered(getattr(error, "reason", error), len(body or b"")) from None

    def _moved(self, where: str) -> ServerError:
        return ServerError(
            Diagnostic(
                code="unexpected-response",
                message=f"{self.url} redirects to {where}; redirects are not followed, since the token would go along",
                hint="if that is the right address, give it with --server",
            )
        )

    def _check(self) -> None:
        """Reject an address or a token that cannot be sent; neither is shown by what would complain about it later."""
        if not _is_address(self.url):
            raise UsageError(
                Diagnostic(
                    code="no-such-server",
                    message=f"{self.url!r} is not the address of a server",
                    hint="write http://HOST:PORT",
                )
            )
        if self.token and not re.fullmatch("[!-~]+", self.token):
            raise UsageError(
                Diagnostic(
                    code="invalid-token",
                    message="the token has spaces, line breaks or characters that no token has",
                    hint="check LAMINA_TOKEN, or the file given with --token-file: it must hold the token alone",
                )
            )

    def _unanswered(self, reason: Any, size: int) -> ServerError:
        message = f"{self.url} does not answer: {getattr(reason, 'strerror', None) or reason}"
        hint = "check the address (--server) and that the server runs"
        if isinstance(reason, SSLError):
            hint = "check the certificate of the server; without TLS the address begins with http://"
        elif isinstance(reason, (BrokenPipeError, ConnectionResetError)) and size:
            message = f"{self.url} closed the connection while {size:,} bytes were sent"
            hint = "the server may not take that many ('lamina store serve --max-body'), or it was stopped"
        return ServerError(Diagnostic(code="no-response", message=message, hint=hint))

    def _rejected(self, status: int, body: bytes, path: str) -> ServerError:
        """The errors that the server lists."""
        try:
            answer_body: Any = self._values(body)
        except ServerError:
            answer_body = []
        answer = answer_body[0] if answer_body and isinstance(answer_body[0], dict) else {}
        details = answer.get("details") if isinstance(answer.get("details"), dict) else {}
        kind = (details or {}).get("errorType", "")
        said = answer.get("message") or ("there is no such address" if kind == _NO_ROUTE else "no reason is given")
        listed = [each for each in (details or {}).get("messageList") or () if isinstance(each, dict)]
        listed = [each for each in listed if each.get("message")] or [{"message": said}]
        found = [
            Diagnostic(
                code="request-rejected",
                message=f"{self.url} answered {' '.join((str(status), str(kind))).strip()}: {each['message']}",
                hint=self._hint(status, kind, path, str(each["message"])),
                subject=_title(each.get("documents")),
            )
            for each in listed
        ]
        return ServerError(*found)

    def _hint(self, status: int, kind: str, path: str, message: str) -> str:
        if status == 401 and self.token:
            return "the token is not valid here; 'lamina store token create' makes one"
        if kind == _NO_ROUTE:
            return "check the address (--server): it must be that of a Deckhand or of 'lamina store serve'"
        if kind == _DUPLICATE:
            return _about_duplicate(path, message)
        return _CONFLICTS.get(kind) or _HINTS.get(status, "correct the documents, or the request")


def _is_address(url: str) -> bool:
    try:
        found = urlsplit(url)
        port_is_valid = found.port is None or found.port > 0
    except ValueError:
        return False
    return found.scheme in ("http", "https") and bool(found.hostname) and port_is_valid and not _ODD.search(url)


def _is_revision(found: Any) -> bool:
    """Whether an entry of the list of revisions is one."""
    return (
        isinstance(found, dict)
        and isinstance(found.get("id"), int)
        and all(isinstance(found.get(name), list) for name in ("buckets", "tags"))
    )


def _readable(error: urllib.error.HTTPError) -> bytes:
    """The body of an answer that is an error; nothing if it breaks off."""
    try:
        return error.read()
    except (OSError, HTTPException):
        return b""


def _title(documents: Any) -> str | None:
    """What the one document is called that a server has something to say about."""
    if not (isinstance(documents, list) and len(documents) == 1 and isinstance(documents[0], dict)):
        return None
    layer = documents[0].get("layer")
    return f"{documents[0].get('schema')}/{documents[0].get('name')}" + (f" ({layer})" if layer else "")


def _about_duplicate(path: str, message: str) -> str:
    """What to do about a document that is there already: in another bucket, or twice in this one."""
    bucket = message.partition(" already exists in bucket: ")[2]
    if bucket and path == _documents_of(bucket):
        return "the document is there twice: remove or rename one of them"
    where = f"bucket {bucket}" if bucket else "the other one"
    return f"a document belongs to one bucket: push it to {where}, or remove it there first"


def _documents_of(bucket: str) -> str:
    """The address of the documents of a bucket."""
    return f"/buckets/{quote(bucket, safe='')}/documents"


_NO_ROUTE = "HTTPRouteNotFound"
_DUPLICATE = "DuplicateDocumentExists"
_CONFLICTS = {
    "SingletonDocumentConflict": "give the LayeringPolicy the name of the one that is stored, or remove that one first",
    "LayeringPolicyNotFound": "push a deckhand/LayeringPolicy/v1 document",
    "SubstitutionSourceNotFound": "push the document",
}
"""What to do about requests that do not fit the content of the store, by the type of the error."""
_HINTS = {
    401: "give a token: LAMINA_TOKEN, or --token-file",
    403: "who has the role admin can make a token that may: 'lamina store token create'",
    404: "'lamina store revisions' lists what there is",
    503: "try again later",
}
