"""Connections whose client does nothing are closed; all others stay."""

from __future__ import annotations

import socket
from collections.abc import Callable
from typing import Any

import pytest
from uvicorn import Config
from uvicorn.server import ServerState

from lamina.service.connection import _LOOKS, Connection
from service.servers import Server

HEAD = b"GET /versions HTTP/1.1\r\nHost: localhost\r\n"


class Clock:
    """A loop of which time goes on when a test says so."""

    def __init__(self) -> None:
        self.next: Callable[[], None] | None = None

    def call_later(self, _seconds: float, run: Callable[[], None]) -> Any:
        self.next = run
        return self

    def cancel(self) -> None:
        self.next = None

    def create_task(self, work: Any) -> Any:
        work.close()
        return self

    def add_done_callback(self, _run: Any) -> None:
        """Nothing is done here."""

    def pass_time(self, looks: int) -> None:
        for _ in range(looks):
            assert self.next is not None
            self.next()


class Wire:
    """A transport that sends nothing."""

    def __init__(self) -> None:
        self.unsent = 0
        self.aborted = False

    def get_write_buffer_size(self) -> int:
        return self.unsent

    def abort(self) -> None:
        self.aborted = True

    def get_extra_info(self, _name: str) -> None:
        return None


@pytest.fixture
def connected() -> tuple[Connection, Clock, Wire]:
    clock, wire = Clock(), Wire()
    config = Config(lambda _scope: None, log_config=None)
    connection = Connection(config, ServerState(), {}, _loop=clock)  # type: ignore[arg-type]
    connection.connection_made(wire)  # type: ignore[arg-type]
    return connection, clock, wire


@pytest.mark.parametrize("sent", [b"", HEAD])
def test_a_connection_without_a_whole_head_is_closed(connected: tuple[Connection, Clock, Wire], sent: bytes) -> None:
    connection, clock, wire = connected
    if sent:
        connection.data_received(sent)
    clock.pass_time(_LOOKS - 1)
    assert not wire.aborted
    clock.pass_time(1)
    assert wire.aborted


def test_a_request_may_take_its_time(connected: tuple[Connection, Clock, Wire]) -> None:
    connection, clock, wire = connected
    connection.data_received(HEAD + b"\r\n")
    clock.pass_time(10 * _LOOKS)
    assert not wire.aborted


def test_a_client_that_takes_no_more_of_an_answer_is_cut_off(connected: tuple[Connection, Clock, Wire]) -> None:
    connection, clock, wire = connected
    connection.data_received(HEAD + b"\r\n")
    for left in range(10 * _LOOKS, 0, -1):
        wire.unsent = left
        clock.pass_time(1)
    assert not wire.aborted
    clock.pass_time(_LOOKS)
    assert wire.aborted


def test_a_request_to_change_the_protocol_is_answered_as_any_other(sqlite: str) -> None:
    upgrade = (
        b"Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: eA==\r\nSec-WebSocket-Version: 13\r\n\r\n"
    )
    with Server(sqlite, "--quiet") as server, socket.create_connection(("127.0.0.1", server.port)) as client:
        client.sendall(HEAD + upgrade)
        assert client.recv(100).startswith(b"HTTP/1.1 200 ")
