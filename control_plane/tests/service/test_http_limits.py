# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Strangers on the HTTP servers, the live page's and the metrics': they keep nobody out, and fill no log."""

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import pytest
from lab import QUENCH, ROOT
from live_source import PROFILE
from prometheus_client import CollectorRegistry, Gauge
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from quench.errors import ControllerError
from quench.http_server import MOST_CONNECTIONS, MOST_OF_PEER
from quench.service import metrics_server
from quench.service.metrics_server import MetricsServer
from test_live_server import PATIENCE_S, TOKEN, Server, server  # noqa: F401 - a fixture
from tornado.httpclient import AsyncHTTPClient, HTTPRequest

NOBODY = 65534
LONG_S = 3600.0
# The process takes its user itself: with `user=` it would be forked, and gRPC in this process breaks what it forks.
ATTACKS = """
import os, socket, sys
os.setuid(int(sys.argv.pop(1)))
port, count = map(int, sys.argv[1:])
held = []
for _ in range(count):
    one = socket.create_connection(("127.0.0.1", port))
    held.append(one)
    try:
        one.sendall(b"GET / HTTP/1.1\\r\\nHost: 127.0.0.1\\r\\nX: ")
    except OSError:
        pass
print("open", flush=True)
sys.stdin.read()
"""
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="another user's process is made by root")


@contextmanager
def half_open(port: int, count: int, user: int) -> Iterator[None]:
    """A process of a user that has sent the beginnings of many requests."""
    with subprocess.Popen(
        [sys.executable, "-S", "-c", ATTACKS, str(user), str(port), str(count)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd="/",
    ) as process:
        assert process.stdout is not None
        try:
            assert process.stdout.readline() == "open\n"
            yield
        finally:
            process.kill()


def attacks(stack: ExitStack, port: int, *users: int) -> None:
    """Each user opens all connections that there may be."""
    for user in users:
        stack.enter_context(half_open(port, 2 * MOST_CONNECTIONS, user))


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """No time limit mends what a quota does not."""
    for name in ("FIRST_REQUEST_S", "IDLE_S", "ANSWER_S"):
        monkeypatch.setattr(f"quench.http_server.{name}", LONG_S)


@as_root
@pytest.mark.usefixtures("patient")
@pytest.mark.parametrize("users", [[NOBODY], [0], [NOBODY - number for number in range(6)]])
async def test_half_sent_heads_keep_nobody_out(server: Server, users: list[int]) -> None:  # noqa: F811
    with ExitStack() as stack:
        await asyncio.to_thread(attacks, stack, server.port, *users)
        for _ in range(3):
            assert (await server.fetch("/forms", Connection="close")).code == 200


def preview(server: Server, token: str) -> bytes:  # noqa: F811
    body = json.dumps({"settings": {**PROFILE, "minth": "5KB"}}).encode()
    head = (
        f"POST /preview HTTP/1.1\r\nHost: {server.host}\r\nOrigin: {server.url}\r\n"
        f"Authorization: Bearer {token}\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


async def answer(reader: asyncio.StreamReader) -> bytes:
    """The status line of an answer that is read as a whole; nothing where the connection was closed."""
    head = b""
    with suppress(asyncio.IncompleteReadError, ConnectionError):
        head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), PATIENCE_S)
        length = next(line for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:"))
        await reader.readexactly(int(length.split(b":")[1]))
    return head.partition(b"\r\n")[0]


@pytest.mark.usefixtures("patient")
async def test_a_connection_that_has_shown_the_token_stays(server: Server) -> None:  # noqa: F811
    connections = {}
    for token in (TOKEN, "wrong"):
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        writer.write(preview(server, token))
        assert await answer(reader) == b"HTTP/1.1 200 OK"
        connections[token] = reader, writer
    with ExitStack() as stack:
        await asyncio.to_thread(attacks, stack, server.port, os.geteuid())
        answers = {}
        for token, (reader, writer) in connections.items():
            with suppress(ConnectionError):
                writer.write(preview(server, token))
                answers[token] = await answer(reader)
            writer.close()
    assert answers[TOKEN] == b"HTTP/1.1 200 OK"
    assert not answers.get("wrong")


@pytest.fixture
async def endpoint() -> AsyncIterator[tuple[MetricsServer, int, CollectorRegistry]]:
    """A metrics endpoint, its port and its registry."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    registry = CollectorRegistry()
    made = MetricsServer(f"127.0.0.1:{port}", registry)
    yield made, port, registry
    await made.stop()


Endpoint = tuple[MetricsServer, int, CollectorRegistry]


async def scrape(port: int) -> str:
    url = f"http://127.0.0.1:{port}/metrics"
    found = await AsyncHTTPClient().fetch(HTTPRequest(url, request_timeout=PATIENCE_S), raise_error=False)
    assert (found.code, found.headers["Content-Type"]) == (200, "text/plain; version=0.0.4; charset=utf-8")
    return found.body.decode()


@as_root
@pytest.mark.usefixtures("patient")
async def test_idle_connections_take_no_threads_and_keep_no_scrape_out(endpoint: Endpoint) -> None:
    _, port, registry = endpoint
    Gauge("here", "Something", registry=registry).set(1)
    before = threading.active_count()
    with ExitStack() as stack:
        await asyncio.to_thread(attacks, stack, port, NOBODY, NOBODY - 1, 0)
        # The thread of to_thread, and that which reads metrics.
        assert "here 1.0" in await scrape(port)
        assert threading.active_count() <= before + 2


class Counted(Collector):
    """Counts how often it is read, and waits until it may go on."""

    def __init__(self) -> None:
        self.times = 0
        self.may_end = threading.Event()

    def describe(self) -> list[Metric]:
        return []

    def collect(self) -> Iterator[Metric]:
        self.times += 1
        self.may_end.wait(PATIENCE_S)
        yield GaugeMetricFamily("times", "How often it was read", value=self.times)


async def test_many_who_ask_at_once_have_the_metrics_read_once(
    endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, port, registry = endpoint
    collector = Counted()
    registry.register(collector)
    monkeypatch.setattr(metrics_server, "FRESH_S", LONG_S)
    scrapes = [asyncio.create_task(scrape(port)) for _ in range(MOST_OF_PEER)]
    async with asyncio.timeout(PATIENCE_S):
        while not collector.times:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        collector.may_end.set()
        assert {text.splitlines()[-1] for text in await asyncio.gather(*scrapes)} == {"times 1.0"}
        assert "times 1.0" in await scrape(port)
        monkeypatch.setattr(metrics_server, "FRESH_S", -1.0)
        assert "times 2.0" in await scrape(port)


async def test_who_is_too_slow_is_closed(endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    _, port, registry = endpoint
    # More than fits the buffers of the kernel.
    long = "x" * (16 << 20)
    Gauge("long", long, registry=registry)
    request = b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n"
    monkeypatch.setattr("quench.http_server.FIRST_REQUEST_S", 0.2)
    for beginning in (b"", request[:-2], b"POST /metrics HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(beginning)
        assert await asyncio.wait_for(reader.read(), PATIENCE_S) == b""
        writer.close()
    monkeypatch.setattr("quench.http_server.FIRST_REQUEST_S", LONG_S)
    monkeypatch.setattr("quench.http_server.IDLE_S", 0.2)
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(request.replace(b"metrics", b"nothing"))
    assert await answer(reader) == b"HTTP/1.1 404 Not Found"
    assert await asyncio.wait_for(reader.read(), PATIENCE_S) == b""
    writer.close()
    monkeypatch.setattr("quench.http_server.ANSWER_S", 1.0)
    closed = asyncio.Event()
    remove = endpoint[0]._server.on_close

    def on_close(connection: object) -> None:
        remove(connection)
        closed.set()

    monkeypatch.setattr(endpoint[0]._server, "on_close", on_close)
    with socket.create_connection(("127.0.0.1", port)) as silent:
        silent.sendall(request)
        await asyncio.wait_for(closed.wait(), PATIENCE_S)


async def test_an_address_that_is_taken_is_one_sentence() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        with pytest.raises(
            ControllerError, match=rf"metrics: {address}: cannot listen here \(Address already in use\)"
        ):
            MetricsServer(address, CollectorRegistry())


NET = """\
switches:
  - name: s1
    address: 127.0.0.1:1
    pipeline: {{p4info: {build}/quench.p4info.txtpb, json: {build}/quench.json}}
    router_address: 10.0.0.254
    ports: {{2: {{rate: 10Mbps, profile: {{scheme: ecn}}}}}}
socket: {folder}/ctl.sock
metrics: 127.0.0.1:{port}
"""
FAULTS = (
    b"GARBAGE\r\n\r\n",
    b"GET / HTTP/9\r\n\r\n",
    b"GET /nothing HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n",
    b"GET /../../etc HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
    b"GET / HTTP/1.1\r\nX: " + b"x" * (64 << 10),
    b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 99999999\r\n\r\n",
    b"POST /change HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: multipart/form-data\r\nContent-Length: 1\r\n\r\nx",
    b"PUT / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
    b"\x16\x03\x01\x00\xa5\x01\x00\x00",
)
MOST_LOG_BYTES = 16_000


def attacked(port: int) -> None:
    """Bad requests, in all the ways to leave: with and without an answer read, with a reset, and not at all."""
    held = []
    for number in range(600):
        with suppress(OSError):
            one = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_S)
            held = [*held, one][-100:]
            one.sendall(FAULTS[number % len(FAULTS)])
            if number % 3 == 0:
                one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
                one.close()
    for one in held:
        one.close()


def wait_for(port: int, process: "subprocess.Popen[bytes]") -> None:
    """Wait until a process listens."""
    end_s = time.monotonic() + PATIENCE_S
    while time.monotonic() < end_s:
        with suppress(OSError):
            socket.create_connection(("127.0.0.1", port)).close()
            return
        assert process.poll() is None
        time.sleep(0.05)
    pytest.fail("it does not listen")


@pytest.mark.parametrize("which", ["controller", "live"])
def test_bad_requests_do_not_fill_the_log(tmp_path: Path, which: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    if which == "controller":
        config = tmp_path / "net.yaml"
        config.write_text(NET.format(build=ROOT / "build", folder=tmp_path, port=port))
        command, path = ["controller", "run", str(config)], "metrics"
    else:
        switch = ["--address", "127.0.0.1:1", "--device-id", "0"]
        command, path = ["live", *switch, "--listen", f"127.0.0.1:{port}"], "forms"
    with (tmp_path / "log").open("wb") as log:
        process = subprocess.Popen([QUENCH, *command], stdout=log, stderr=subprocess.STDOUT)
    try:
        wait_for(port, process)
        attacked(port)
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/{path}", timeout=PATIENCE_S) as found:
            assert found.status == 200
        # Also what it says at its end.
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE_S) == 0
    finally:
        process.kill()
        process.wait()
    text = (tmp_path / "log").read_text()
    assert "too many connections" in text
    assert len(text) < MOST_LOG_BYTES, text[-2000:]
