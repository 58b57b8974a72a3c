# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The server of the live page: whom it answers, what it refuses, and that nothing waits for a browser."""

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from typing import Any

import pytest
from live_source import PROFILE, MadeUp
from quench.colours import QUANTITIES
from quench.feed.model import INTERVAL_S, Update
from quench.live import stream
from quench.live.forms import forms
from quench.live.guard import Guard
from quench.live.server import MOST_BODY_BYTES, serve
from quench.live.stream import MOST_WATCHERS, MOST_WATCHERS_OF_PEER, SAMPLES_IN_MESSAGE, messages
from quench.profiles.settings import SCHEMES
from tornado.httpclient import AsyncHTTPClient, HTTPClientError, HTTPResponse
from tornado.httpclient import HTTPRequest as Request
from tornado.websocket import WebSocketClientConnection, websocket_connect

TOKEN = "the-token"
PATIENCE_S = 20.0


class Server:
    """A server of the page in this process."""

    def __init__(self, source: MadeUp, port: int) -> None:
        self.source = source
        self.port = port
        self.host = f"127.0.0.1:{port}"
        self.url = f"http://{self.host}"

    async def fetch(self, path: str, body: Any = None, **headers: str) -> HTTPResponse:
        """An answer of any status. With a body: as the page asks, but for the token."""
        posted: dict[str, Any] = {}
        if body is not None:
            headers = {"Origin": self.url, **headers}
            posted = {"method": "POST", "body": body if isinstance(body, bytes) else json.dumps(body)}
        request = Request(self.url + path, headers=headers, request_timeout=PATIENCE_S, **posted)
        return await AsyncHTTPClient().fetch(request, raise_error=False)

    async def watch(self, origin: str | None = None, token: str = "") -> WebSocketClientConnection:
        """A connection for updates, asked for as the page does."""
        protocols = ["quench", *([f"quench-token-{token.encode().hex()}"] if token else [])]
        request = Request(f"ws://{self.host}/updates", headers={"Origin": origin or self.url})
        watcher = await websocket_connect(request, subprotocols=protocols)
        assert watcher.selected_subprotocol == "quench"
        return watcher


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    listener = socket.create_server(("127.0.0.1", 0))
    made = Server(MadeUp(past_s=10.0), listener.getsockname()[1])
    task = asyncio.create_task(serve(made.source, listener, TOKEN, frozenset({"box.example"})))
    yield made
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task
    listener.close()


async def until(condition: Callable[[], bool]) -> None:
    """Wait for a condition."""
    for _ in range(int(PATIENCE_S / 0.02)):
        if condition():
            return
        await asyncio.sleep(0.02)
    pytest.fail("it did not happen in time")


def change(**values: Any) -> dict[str, Any]:
    return {"switch": "s1", "port": 1, "queue": 0, **values}


def authorized(token: str = TOKEN) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


async def test_the_page_loads_nothing_from_elsewhere(server: Server) -> None:
    page = await server.fetch("/")
    assert page.code == 200
    text = page.body.decode()
    assert "://" not in text.replace("http://www.w3.org/2000/svg", "")
    policy = page.headers["Content-Security-Policy"]
    assert policy.startswith("default-src 'none'; script-src 'self';")
    assert "unsafe" not in policy
    assert TOKEN not in text


async def test_files_of_the_page_and_the_chart_library_alone(server: Server) -> None:
    for path in ("/main.js", "/page.css", "/icon.svg", "/colours.css", "/uplot/uPlot.iife.js", "/uplot/uPlot.min.css"):
        assert (await server.fetch(path)).code == 200, path
    for path in (
        "/server.py",
        "/../server.py",
        "/uplot/../plot.py",
        "/index.html",
        "/uplot/uPlot.mousewheel.js",
        "/nothing.js",
    ):
        assert (await server.fetch(path)).code == 404, path


async def test_the_page_has_the_colour_of_each_quantity_in_both_themes(server: Server) -> None:
    sheet = await server.fetch("/colours.css")
    assert sheet.headers["Content-Type"] == "text/css"
    light, dark = sheet.body.decode().split("[data-theme")
    for name, colour in QUANTITIES.items():
        assert f"--{name}: {colour.light};" in light
        assert f"--{name}: {colour.dark};" in dark


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost:1", "[::1]:80", "BOX.example:80"])
async def test_names_of_the_server(server: Server, host: str) -> None:
    assert (await server.fetch("/", Host=host)).code == 200


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "box.example.evil", "[", "10.0.0.1"])
async def test_other_names_are_refused(server: Server, host: str) -> None:
    for path in ("/", "/forms", "/main.js", "/updates"):
        answer = await server.fetch(path, Host=host)
        assert answer.code == 421, path
        assert "Host" in json.loads(answer.body)["error"]


def test_a_server_on_all_addresses_knows_addresses_but_no_names() -> None:
    guard = Guard.of("0.0.0.0", [], TOKEN)
    assert guard.knows("192.0.2.1:80")
    assert not guard.knows("rebound.example:80")


async def test_a_change_needs_the_token(server: Server) -> None:
    for headers in ({}, authorized("wrong"), authorized(""), authorized(TOKEN[:-1]), {"Authorization": "Basic x"}):
        answer = await server.fetch("/change", change(rate="20Mbps"), **headers)
        assert answer.code == 403
        assert "token" in json.loads(answer.body)["error"]
    assert server.source.changes == []
    answer = await server.fetch("/change", change(rate="20Mbps"), **authorized())
    assert answer.code == 200
    assert json.loads(answer.body)["rate_bps"] == 20_000_000


async def test_a_change_from_another_site_is_refused(server: Server) -> None:
    for origin in ("http://evil.example", "null", f"https://{server.host}", "http://127.0.0.1:1"):
        answer = await server.fetch("/change", change(rate="20Mbps"), Origin=origin, **authorized())
        assert answer.code == 403
    assert server.source.changes == []
    with pytest.raises(HTTPClientError, match="403"):
        await server.watch("http://evil.example")


async def test_scheme_rate_and_isq_mode_are_one_change(server: Server) -> None:
    settings = {"scheme": "ecn", "minth": "5KB", "maxth": "20KB", "mark_at": "tail"}
    body = change(settings=settings, rate="5Mbps", isq_mode="dataplane")
    answer = await server.fetch("/change", body, **authorized())
    assert answer.code == 200
    [made] = server.source.changes
    assert made.settings is not None
    assert made.settings.model_dump(mode="json")["mark_at"] == "tail"
    assert (made.rate, made.isq_mode) == (5_000_000, "dataplane")


@pytest.mark.parametrize(
    ("body", "status", "said"),
    [
        (change(settings={"scheme": "ecn", "minth": "30KB", "maxth": "20KB"}), 400, "minth (30KB) must be less"),
        (change(settings={"scheme": "ecn", "minth": "x", "maxth": "20KB"}), 400, "minth: "),
        (change(rate="fast"), 400, "rate: "),
        (change(colour="red"), 400, "colour: "),
        (change(port=7, rate="1Mbps"), 409, "s1 has no port 7"),
        (b"{", 400, "JSON"),
        ([], 400, "object"),
    ],
)
async def test_a_refusal_is_a_sentence(server: Server, body: Any, status: int, said: str) -> None:
    answer = await server.fetch("/change", body, **authorized())
    assert answer.code == status
    error = json.loads(answer.body)["error"]
    assert said in error
    assert error.isprintable()


async def test_a_large_body_is_refused(server: Server) -> None:
    answer = await server.fetch("/change", b" " * (MOST_BODY_BYTES + 1), **authorized())
    assert answer.code in {400, 413, 599}
    assert (await server.fetch("/forms")).code == 200


async def test_a_preview_has_the_curve_and_changes_nothing(server: Server) -> None:
    answer = await server.fetch("/preview", {"settings": {**PROFILE, "minth": "5KB"}})
    assert answer.code == 200
    layout = json.loads(answer.body)
    assert [each["pkts"] for each in layout["thresholds"] if each["name"] == "minth"] == [5.0]
    assert layout["curve"][0]["start_pkts"] == 5.0
    refused = await server.fetch("/preview", {"settings": {**PROFILE, "minth": "50KB"}})
    assert refused.code == 400
    # Thresholds that are not given are those of N1, scaled to the port's rate, which has to be known.
    scaled = json.loads((await server.fetch("/preview", {"settings": {"scheme": "ecn"}, "rate": "20Mbps"})).body)
    assert [each["pkts"] for each in scaled["thresholds"] if each["name"] == "minth"] == [30.0]
    percent = {"settings": {"scheme": "ecn", "minth": "20%"}, "rate": "10Mbps"}
    of_buffer = json.loads((await server.fetch("/preview", {**percent, "buffer": "90KB"})).body)
    assert [each["pkts"] for each in of_buffer["thresholds"] if each["name"] == "minth"] == [18.0]
    assert (await server.fetch("/preview", percent)).code == 400
    unknown = await server.fetch("/preview", {"settings": {"scheme": "ecn"}})
    assert unknown.code == 400
    assert "needs the port's rate" in json.loads(unknown.body)["error"]
    assert server.source.changes == []


async def test_only_a_recording_is_played(server: Server) -> None:
    assert (await server.fetch("/play", {"paused": True})).code == 409
    assert (await server.fetch("/play", {"speed": -1, "x": 1})).code == 400


def test_forms_have_all_schemes_with_their_defaults() -> None:
    found = {form["scheme"]: form for form in forms()}
    assert tuple(found) == SCHEMES
    fields = {field["name"]: field for field in found["ecn-becn"]["fields"]}
    assert [name for name, field in fields.items() if field["kind"] == "depth"] == ["minth", "maxth", "becnthresh"]
    assert fields["mark_at"]["choices"] == ["head", "tail"]
    assert (fields["report_interval"]["kind"], fields["report_interval"]["default"]) == ("time", "100ms")
    assert (fields["maxp"]["kind"], fields["maxp"]["default"]) == ("probability", 0.1)
    assert found["curve"]["needs_file"]
    # A weight of another scheme would not fit, so a change of the scheme must not send it.
    assert found["dctcp"]["fields"][0]["name"] == "k"
    assert "wq" not in found["dctcp"]["names"]


async def test_watchers_get_layout_history_and_news(server: Server) -> None:
    watcher = await server.watch()
    first = json.loads(await watcher.read_message())  # type: ignore[arg-type]
    assert first["layout"]["switches"][0]["ports"][0]["queues"][0]["profile"]["settings"]["scheme"] == "ecn-becn"
    samples = len(first["samples"])
    while samples < 10 / INTERVAL_S + 2:
        samples += len(json.loads(await watcher.read_message())["samples"])  # type: ignore[arg-type]
    watcher.close()


async def test_a_watcher_that_talks_is_closed(server: Server) -> None:
    watcher = await server.watch()
    await watcher.write_message("hello")
    while await asyncio.wait_for(watcher.read_message(), PATIENCE_S) is not None:
        pass
    assert watcher.close_code == 1008


async def test_too_many_watchers_are_refused_and_have_no_room_of_those_with_the_token(server: Server) -> None:
    watchers = [await server.watch(token=token) for token in ["", "wrong"] * (MOST_WATCHERS_OF_PEER // 2)]
    for token in ("", "wrong", TOKEN[:-1]):
        with pytest.raises(HTTPClientError, match="503"):
            await server.watch(token=token)
    watchers += [await server.watch(token=TOKEN) for _ in range(MOST_WATCHERS)]
    with pytest.raises(HTTPClientError, match="503"):
        await server.watch(token=TOKEN)
    watchers.pop(0).close()
    await until(lambda: server.source.watched == MOST_WATCHERS_OF_PEER + MOST_WATCHERS - 1)
    watchers.append(await server.watch())
    for watcher in watchers:
        watcher.close()


async def test_a_browser_that_reads_nothing_is_dropped(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream, "SLOW_S", 1.0)
    # More than fits the buffers of the kernel.
    monkeypatch.setattr(stream, "messages", lambda update: [json.dumps(update), "x" * (16 << 20)])
    silent = socket.create_connection(("127.0.0.1", server.port))
    head = (
        f"GET /updates HTTP/1.1\r\nHost: {server.host}\r\nOrigin: {server.url}\r\nUpgrade: websocket\r\n"
        "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
    )
    silent.send(head.encode())
    await until(lambda: server.source.watched == 1)
    # Others are served meanwhile.
    assert (await server.fetch("/forms")).code == 200
    await until(lambda: server.source.watched == 0)
    silent.close()


def test_a_long_history_is_sent_in_parts() -> None:
    source = MadeUp(past_s=0.0)
    samples = [source.sample(float(number)) for number in range(2 * SAMPLES_IN_MESSAGE + 1)]
    update: Update = {"layout": source.layout(), "samples": samples, "events": [], "restarted": True, "lost": None}
    parts = [json.loads(part) for part in messages(update)]
    assert [len(part["samples"]) for part in parts] == [SAMPLES_IN_MESSAGE, SAMPLES_IN_MESSAGE, 1]
    assert [part["restarted"] for part in parts] == [True, False, False]
    assert [part["layout"] is None for part in parts] == [False, True, True]
    assert [sample for part in parts for sample in part["samples"]] == samples
