# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: ASYNC240 - a look at a folder of its own blocks nobody
"""The controller's socket, attacked: each line is answered, and no client stops another."""

import asyncio
import json
import logging
import os
import socket
import stat
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from quench.client.entries import PORT_COUNTERS
from quench.errors import ControllerError
from quench.service.answers import PortCounters
from quench.service.connection import Connection
from quench.service.control_server import ControlServer
from quench.service.protocol import MAX_LINE_BYTES, ControlClient
from quench.service.requests import REQUESTS, InvalidRequestError, Ping, Reports, Stats, parse_line

ROOT = Path(__file__).resolve().parents[3]
HANG_S = 30
_settings = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


class ExpectedError(Exception):
    """The exception that a handler may raise."""


async def handle(request: Any) -> Any:
    if isinstance(request, Stats):
        raise KeyError("nobody foresaw this")
    if isinstance(request, Reports):
        return "x" * (8 << 20)
    if not isinstance(request, Ping):
        raise ExpectedError("not here")
    return {"s1": True}


@asynccontextmanager
async def serving(folder: Path, **options: Any) -> AsyncIterator[Path]:
    path = folder / "ctl.sock"
    server = ControlServer(path, dict.fromkeys(REQUESTS.values(), handle), (ExpectedError,), **options)
    await server.start()
    try:
        yield path
    finally:
        await server.stop()


async def ask(path: Path, content: bytes) -> list[dict[str, Any]]:
    """All answers to what is sent before the end."""
    async with asyncio.timeout(HANG_S):
        reader, writer = await asyncio.open_unix_connection(path, limit=64 << 20)
        writer.write(content)
        await writer.drain()
        writer.write_eof()
        answers = [json.loads(line) async for line in reader]
        writer.close()
        return answers


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        (b"", "not a request"),
        (b"{", "not a request"),
        (b"[]", "not a request"),
        (b"null", "not a request"),
        (b"1e999", "not a request"),
        (b"\xff\xfe", "not a request"),
        (b"[" * 100_000, "not a request"),
        (b'{"params": {}}', "method: Field required"),
        (b'{"method": []}', "method: Input should be a valid string"),
        (b'{"method": "nope"}', "there is no method 'nope': known are feed, feed.change, feed.flows"),
        (b'{"method": "ping", "params": []}', "params: "),
        (b'{"method": "ping", "params": null}', "params: "),
        (b'{"method": "ping", "params": {"x": 1}}', "x: Extra inputs are not permitted"),
        (b'{"method": "ping", "id": 1}', "id: Extra inputs are not permitted"),
        (b'{"method": "thresholds.set", "params": {"switch": "s1"}}', "port: Field required"),
        (b'{"method": "thresholds.set", "params": {"switch": "s1", "port": "x", "settings": 3}}', "port: "),
        (b'{"method": "thresholds.show", "params": {"switch": {}}}', "switch: Input should be a valid string"),
        (b'{"method": "reports", "params": {}}', "switch: Field required"),
        (b'{"method": "reports", "params": {"switch": "s1", "after": "soon"}}', "after: "),
        (b'{"method": "reports", "params": {"switch": "s1", "after": 1e400}}', "after: "),
        (b'{"method": "isq.set", "params": {"per_queue": {"rate": -1}}}', "per_queue.rate: "),
        (b'{"method": "isq.set", "params": {"mode": "both"}}', "mode: "),
        (b'{"method": "stats"}', "internal error: the controller's log says more"),
        (b'{"method": "isq.show"}', "not here"),
    ],
)
async def test_a_bad_line_is_answered_and_the_next_one_too(tmp_path: Path, line: bytes, sentence: str) -> None:
    async with serving(tmp_path) as path:
        bad, good = await ask(path, line + b'\n{"method": "ping"}\n')
    assert sentence in bad["error"]
    assert "\n" not in bad["error"]
    assert good == {"result": {"s1": True}}


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
KEYS = sorted({name for model in REQUESTS.values() for name in model.model_fields})


@given(st.sampled_from(sorted(REQUESTS)), st.dictionaries(st.sampled_from(KEYS), JSON, max_size=4))
@example("thresholds.set", {"switch": "s1", "port": 1, "rate": 10**400, "settings": {"scheme": "taildrop"}})
def test_any_parameters_are_a_request_or_a_sentence(method: str, params: dict[str, Any]) -> None:
    try:
        parse_line(json.dumps({"method": method, "params": params}).encode())
    except InvalidRequestError as error:
        assert "\n" not in str(error)


@given(st.binary(max_size=200))
def test_any_bytes_are_a_request_or_a_sentence(line: bytes) -> None:
    try:
        parse_line(line)
    except InvalidRequestError as error:
        assert "\n" not in str(error)


async def test_an_unforeseen_fault_is_in_the_log(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async with serving(tmp_path) as path:
        with caplog.at_level(logging.ERROR):
            await ask(path, b'{"method": "stats"}\n')
    assert "nobody foresaw this" in caplog.text


@pytest.mark.parametrize("content", [b"x" * (MAX_LINE_BYTES + 1), b"x" * (4 * MAX_LINE_BYTES) + b"\n"])
async def test_a_line_beyond_the_limit_is_answered(tmp_path: Path, content: bytes) -> None:
    async with serving(tmp_path) as path:
        (answer,) = await ask(path, content)
    assert answer["error"] == f"not a request: a line has at most {MAX_LINE_BYTES} bytes"


async def test_half_a_line_is_answered(tmp_path: Path) -> None:
    async with serving(tmp_path) as path:
        assert await ask(path, b'{"method": "ping"') == [{"error": "not a request: the line has no end"}]


async def test_clients_that_say_nothing_are_few_and_go(tmp_path: Path) -> None:
    async with serving(tmp_path, max_connections=3, idle_s=1.0) as path, asyncio.timeout(HANG_S):
        silent = [await asyncio.open_unix_connection(path) for _ in range(3)]
        for _, writer in silent:
            writer.write(b"{")
        await asyncio.sleep(0)
        assert "3 clients are connected already" in (await ask(path, b""))[0]["error"]
        for reader, writer in silent:
            assert await reader.read() == b""
            writer.close()
        assert await ask(path, b'{"method": "ping"}\n') == [{"result": {"s1": True}}]


async def test_a_client_that_does_not_read_stops_nobody(tmp_path: Path) -> None:
    async with serving(tmp_path, idle_s=1.0) as path, asyncio.timeout(HANG_S):
        deaf = socket.socket(socket.AF_UNIX)
        deaf.setblocking(False)
        deaf.connect(str(path))
        deaf.send(b'{"method": "reports", "params": {"switch": "s1"}}\n' * 100)
        assert await ask(path, b'{"method": "ping"}\n') == [{"result": {"s1": True}}]
        await asyncio.sleep(1.5)
        with pytest.raises(BrokenPipeError):
            deaf.send(b"x")
        deaf.close()


async def test_the_socket_was_never_open_to_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its mode is right when bind returns: there is no moment before."""
    modes = []
    bind = socket.socket.bind

    def look(self: socket.socket, address: Any) -> None:
        bind(self, address)
        modes.append(stat.S_IMODE(Path(address).stat().st_mode))

    monkeypatch.setattr(socket.socket, "bind", look)
    before = os.umask(0)
    try:
        async with serving(tmp_path) as path:
            assert modes == [0o600]
            assert stat.S_IMODE(path.stat().st_mode) == 0o600
            assert stat.S_IMODE(Path(f"{path}.lock").stat().st_mode) == 0o600
    finally:
        os.umask(before)
    assert list(tmp_path.iterdir()) == []


async def test_one_controller_a_socket(tmp_path: Path) -> None:
    async with serving(tmp_path) as path:
        with pytest.raises(ControllerError, match="another controller listens here"):
            async with serving(tmp_path):
                pass
        assert await ask(path, b'{"method": "ping"}\n') == [{"result": {"s1": True}}]


async def test_what_a_killed_controller_left_is_replaced(tmp_path: Path) -> None:
    left = socket.socket(socket.AF_UNIX)
    left.bind(str(tmp_path / "ctl.sock"))
    left.close()
    (tmp_path / "ctl.sock.lock").touch()
    async with serving(tmp_path) as path:
        assert await ask(path, b'{"method": "ping"}\n') == [{"result": {"s1": True}}]


@pytest.mark.parametrize("name", ["ctl.sock", "x" * 200])
async def test_a_path_that_cannot_be_had_is_one_line(tmp_path: Path, name: str) -> None:
    (tmp_path / "ctl.sock").write_text("mine")
    server = ControlServer(tmp_path / name, {}, ())
    with pytest.raises(ControllerError, match="cannot listen here"):
        await server.start()
    assert (tmp_path / "ctl.sock").read_text() == "mine"
    assert list(tmp_path.iterdir()) == [tmp_path / "ctl.sock"]


@pytest.mark.parametrize(
    "answer",
    [
        b"no JSON\n",
        b"[1]\n",
        b"{}\n",
        b'{"error": 7}\n',
        b'{"result": {"s1": 7}}\n',
        b"[" * 10_000 + b"\n",
        b'{"result": ' + b"[" * 10_000,
        b"",
    ],
)
def test_any_other_answer_to_a_client_is_one_error(tmp_path: Path, answer: bytes) -> None:
    path = tmp_path / "other.sock"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen()

        def serve() -> None:
            connection, _ = listener.accept()
            connection.recv(1 << 16)
            connection.sendall(answer)
            connection.close()

        thread = threading.Thread(target=serve)
        thread.start()
        with pytest.raises(ControllerError, match=r"other\.sock"):
            ControlClient(path, HANG_S).call("ping")
        thread.join()


def test_an_answer_has_all_counters_of_a_port() -> None:
    assert set(PortCounters.__annotations__) == set(PORT_COUNTERS)


def test_the_reference_lists_the_requests() -> None:
    text = (ROOT / "docs" / "reference" / "controller.md").read_text()
    for method, model in REQUESTS.items():
        parameters = ", ".join(f"`{name}`" for name in model.model_fields)
        assert f"| `{method}` | {parameters} | {model.__doc__} |".replace("|  |", "| |") in text


async def test_a_connection_that_stays_open_is_made_anew_after_the_controller_closed_it(tmp_path: Path) -> None:
    async with serving(tmp_path, idle_s=1.0) as path, asyncio.timeout(HANG_S):
        connection = Connection(path)
        assert await connection.call("ping") == {"s1": True}
        # The next call comes after the server has closed it.
        await asyncio.sleep(3.0)
        assert await connection.call("ping") == {"s1": True}
        with pytest.raises(ControllerError, match="not here"):
            await connection.call("isq.show")
        connection.close()
        assert await connection.call("ping") == {"s1": True}
        connection.close()
    with pytest.raises(ControllerError, match="no controller answers"):
        await connection.call("ping")
