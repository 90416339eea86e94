"""Connections whose client does nothing are closed; all others stay."""

from __future__ import annotations

import asyncio
import socket
from contextlib import suppress
from typing import Any

import pytest
import uvicorn
from uvicorn.server import ServerState

from lamina.service.idle_connections import LOOKS, IdleConnections
from service.servers import Server

HEAD = b"GET /versions HTTP/1.1\r\nHost: localhost\r\n"


class Connection:
    """A connection to a server, with a transport that sends nothing."""

    def __init__(self) -> None:
        self.cycle: Cycle | None = None
        self.unsent = 0
        self.aborted = False

    @property
    def transport(self) -> Connection:
        return self

    def get_write_buffer_size(self) -> int:
        return self.unsent

    def abort(self) -> None:
        self.aborted = True


class Cycle:
    """A request that is answered."""

    response_complete = False


@pytest.fixture
def state() -> ServerState:
    return ServerState()


@pytest.fixture
def connection(state: ServerState) -> Connection:
    made: Any = Connection()
    state.connections.add(made)
    found: Connection = made
    return found


def look(idle: IdleConnections, times: int) -> None:
    for _ in range(times):
        asyncio.run(idle.look())


def test_a_connection_without_a_whole_head_is_closed(state: ServerState, connection: Connection) -> None:
    idle = IdleConnections(state)
    look(idle, LOOKS)
    assert not connection.aborted
    look(idle, 1)
    assert connection.aborted


def test_one_that_asks_again_and_again_stays(state: ServerState, connection: Connection) -> None:
    idle = IdleConnections(state)
    for _ in range(4 * LOOKS):
        look(idle, 1)
        connection.cycle = Cycle()
        connection.cycle.response_complete = True
    assert not connection.aborted


def test_a_request_may_take_its_time(state: ServerState, connection: Connection) -> None:
    connection.cycle = Cycle()
    look(IdleConnections(state), 10 * LOOKS)
    assert not connection.aborted


def test_a_client_that_takes_no_more_of_an_answer_is_cut_off(state: ServerState, connection: Connection) -> None:
    idle = IdleConnections(state)
    connection.cycle = Cycle()
    for left in range(10 * LOOKS, 0, -1):
        connection.unsent = left
        look(idle, 1)
    assert not connection.aborted
    look(idle, LOOKS)
    assert connection.aborted


async def answered(_scope: Any, _receive: Any, send: Any) -> None:
    await send({"type": "http.response.start", "status": 204, "headers": []})
    await send({"type": "http.response.body", "body": b""})


@pytest.mark.parametrize("sent", [b"", HEAD, HEAD + b"\r\n"], ids=["nothing", "part of a head", "a request"])
def test_silent_connections_of_uvicorn_are_closed(sent: bytes) -> None:
    """What is looked at are attributes of uvicorn's own connections."""

    async def closed() -> None:
        config = uvicorn.Config(answered, http="h11", lifespan="off", log_config=None, timeout_keep_alive=600)
        server = uvicorn.Server(config)
        listening = socket.create_server(("127.0.0.1", 0))
        serving = asyncio.create_task(server.serve([listening]))
        reader, writer = await asyncio.open_connection(*listening.getsockname())
        try:
            writer.write(sent)
            while not server.server_state.connections:
                await asyncio.sleep(0.01)
            if sent.endswith(b"\r\n\r\n"):
                assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 204 ")
            idle = IdleConnections(server.server_state)
            for _ in range(LOOKS + 1):
                await idle.look()
            with suppress(ConnectionResetError):
                assert await asyncio.wait_for(reader.read(), 60) == b""
        finally:
            writer.close()
            server.should_exit = True
            await serving

    asyncio.run(closed())


def test_a_request_to_change_the_protocol_is_answered_as_any_other(sqlite: str) -> None:
    upgrade = (
        b"Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: eA==\r\nSec-WebSocket-Version: 13\r\n\r\n"
    )
    with Server(sqlite, "--quiet") as server, socket.create_connection(("127.0.0.1", server.port)) as client:
        client.sendall(HEAD + upgrade)
        assert client.recv(100).startswith(b"HTTP/1.1 200 ")
